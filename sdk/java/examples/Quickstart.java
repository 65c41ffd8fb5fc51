/**
 * Writes a comment, likes it and lists what stands under its subject: at the service that
 * RIPOSTE_TARGET names, or at a {@code riposte dev} on its default address.
 */
// [quickstart]
public final class Quickstart {
  private Quickstart() {}

  public static void main(String[] arguments) {
    var c = dev.riposte.Riposte.fromEnv();
    var s = c.subject("article", "42");
    var p = s.comment("m7", "Hi");
    p.like("m9");
    for (var x : s.comments(dev.riposte.Sort.HOT)) System.out.println(x.comment().getContent().getText());
  }
}
// [quickstart]
