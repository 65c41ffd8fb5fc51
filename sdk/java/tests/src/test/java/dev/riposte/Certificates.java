package dev.riposte;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority and two certificates that it signed, as PEM files; made anew by the JDK's keytool.
 */
final class Certificates {
  private static final String PASSWORD = "password";

  final Path authority;
  private final Path folder;

  Certificates(Path folder) throws Exception {
    this.folder = folder;
    keytool("authority", "-ext", "bc:critical");
    keytool("server", "-signer", "authority", "-ext", "san=ip:127.0.0.1");
    keytool("client", "-signer", "authority");
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream input = Files.newInputStream(folder.resolve("store"))) {
      store.load(input, PASSWORD.toCharArray());
    }
    authority = write("authority.pem", "CERTIFICATE", store.getCertificate("authority").getEncoded());
    for (String name : List.of("server", "client")) {
      List<String> chain = new ArrayList<>();
      for (Certificate certificate : store.getCertificateChain(name)) {
        chain.add(pem("CERTIFICATE", certificate.getEncoded()));
      }
      Files.write(certificate(name), chain);
      write(name + ".key", "PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded());
    }
  }

  Path certificate(String name) {
    return folder.resolve(name + ".pem");
  }

  Path key(String name) {
    return folder.resolve(name + ".key");
  }

  private void keytool(String name, String... more) throws IOException, InterruptedException, GeneralSecurityException {
    List<String> command = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", name, "-dname",
        "CN=" + name, "-keyalg", "EC", "-keystore", folder.resolve("store").toString(), "-storepass", PASSWORD));
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new GeneralSecurityException(said);
    }
  }

  private Path write(String name, String kind, byte[] content) throws IOException {
    return Files.writeString(folder.resolve(name), pem(kind, content));
  }

  private static String pem(String kind, byte[] content) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
  }
}
