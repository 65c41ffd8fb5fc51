package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The lines of the README; run against the server that RIPOSTE_TARGET names, as
 * `riposte dev --exec` sets it.
 */
class QuickstartTest {
  @Test
  void theQuickStartListsTheCommentItWrote() throws Exception {
    try (Riposte client = Riposte.fromEnv()) {
      client.waitReady(Duration.ofSeconds(60));
    }
    // The example is in no package, so no import can name it.
    Method main = Class.forName("Quickstart").getMethod("main", String[].class);
    PrintStream console = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      main.invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(console);
    }
    assertEquals("Hi", said.toString(StandardCharsets.UTF_8).strip());
  }

  @Test
  void theReadmeShowsTheLinesThatRun() throws Exception {
    String program = Files.readString(Path.of("../examples/Quickstart.java"));
    String shown = Files.readString(Path.of("../README.md")).split("```java\n")[1].split("```\n")[0];
    assertEquals(program.split("// \\[quickstart]\n")[1].stripIndent().strip(), shown.strip());
  }
}
