package dev.riposte.conformance;

import dev.riposte.Riposte;
import dev.riposte.testing.DevServer;
import dev.riposte.testing.RiposteExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The scenarios that all SDKs share, in the files of RIPOSTE_CONFORMANCE. */
@ExtendWith(RiposteExtension.class)
class ConformanceTest {
  private static final Path FOLDER =
      Path.of(Optional.ofNullable(System.getenv("RIPOSTE_CONFORMANCE")).orElse("../../conformance"));

  @TestFactory
  Stream<DynamicTest> scenarios(Riposte client, DevServer server) throws IOException {
    Map<?, ?> options = (Map<?, ?>) load(FOLDER.resolve("../options.yaml"));
    int within = (Integer) ((Map<?, ?>) options.get("reconnect")).get("within_ms");
    List<Path> files;
    try (Stream<Path> found = Files.list(FOLDER)) {
      files = found.filter(path -> path.toString().endsWith(".yaml")).sorted().toList();
    }
    return files.stream().flatMap(file -> scenarios(client, server.target(), within, file));
  }

  private static Object load(Path file) {
    try {
      return new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file));
    } catch (IOException unreadable) {
      throw new AssertionError(file.toString(), unreadable);
    }
  }

  private static Stream<DynamicTest> scenarios(Riposte client, String server, int withinMs, Path file) {
    Map<?, ?> read = (Map<?, ?>) load(file);
    return ((List<?>) read.get("scenarios")).stream().map(one -> {
      Map<?, ?> scenario = (Map<?, ?>) one;
      String name = file.getFileName() + ": " + scenario.get("name");
      return DynamicTest.dynamicTest(name, () -> run(new Scenario(client, server, withinMs), name, (List<?>) scenario.get("steps")));
    });
  }

  private static void run(Scenario scenario, String name, List<?> steps) throws Exception {
    String outcome = "FAILED";
    try {
      scenario.run(steps);
      outcome = "ok";
    } finally {
      System.out.println(outcome + "  " + name);
    }
  }
}
