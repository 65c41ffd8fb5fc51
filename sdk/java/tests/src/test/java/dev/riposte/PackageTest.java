package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.testing.DevServer;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackageTest {
  @ParameterizedTest
  @ValueSource(classes = {Riposte.class, DevServer.class})
  void anArtefactHoldsItsOwnFilesAloneAndItsLicence(Class<?> part) throws Exception {
    Path place = Path.of(part.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertTrue(place.toString().endsWith(Contract.VERSION + ".jar"), "installed, not built beside: " + place);
    try (JarFile jar = new JarFile(place.toFile())) {
      List<String> strangers = jar.stream().filter(entry -> !entry.isDirectory()).map(ZipEntry::getName)
          .filter(name -> !name.startsWith("dev/riposte/") && !name.startsWith("META-INF/"))
          .toList();
      assertEquals(List.of(), strangers);
      assertNotNull(jar.getEntry("META-INF/LICENSE"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.netty.channel.Channel", "io.netty.buffer.ByteBuf"})
  void nettyComesUnderANameOfItsOwn(String name) throws Exception {
    assertThrows(ClassNotFoundException.class, () -> Class.forName(name));
    assertNotNull(Class.forName("io.grpc.netty.shaded." + name));
  }
}
