// [quickstart]
import static dev.riposte.Sort.HOT;

import dev.riposte.Riposte;

class Quickstart {
  public static void main(String[] arguments) {
    var c = Riposte.fromEnv();
    var s = c.subject("article", "42");
    var p = s.comment("m7", "Hi");
    p.like("m9");
    for (var x : s.comments(HOT)) System.out.println(x.getComment().getContent().getText());
  }
}
// [quickstart]
