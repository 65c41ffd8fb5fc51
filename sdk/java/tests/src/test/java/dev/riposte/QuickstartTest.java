package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The lines of the README, against the server that RIPOSTE_TARGET names, as `riposte dev --exec` sets it. */
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
}
