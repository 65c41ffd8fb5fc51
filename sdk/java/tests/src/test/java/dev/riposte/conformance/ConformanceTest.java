package dev.riposte.conformance;

import dev.riposte.Riposte;
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
  Stream<DynamicTest> scenarios(Riposte client) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(FOLDER)) {
      files = found.filter(path -> path.toString().endsWith(".yaml")).sorted().toList();
    }
    return files.stream().flatMap(file -> scenarios(client, file));
  }

  private static Stream<DynamicTest> scenarios(Riposte client, Path file) {
    Map<?, ?> read;
    try {
      read = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file));
    } catch (IOException unreadable) {
      throw new AssertionError(file.toString(), unreadable);
    }
    return ((List<?>) read.get("scenarios")).stream().map(one -> {
      Map<?, ?> scenario = (Map<?, ?>) one;
      String name = file.getFileName() + ": " + scenario.get("name");
      return DynamicTest.dynamicTest(name, () -> run(client, name, (List<?>) scenario.get("steps")));
    });
  }

  private static void run(Riposte client, String name, List<?> steps) throws Exception {
    String outcome = "FAILED";
    try {
      new Scenario(client).run(steps);
      outcome = "ok";
    } finally {
      System.out.println(outcome + "  " + name);
    }
  }
}
