package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
  private static String refusal(Options options) {
    RiposteException error = assertThrows(Errors.InvalidArgument.class, () -> Riposte.connect(options));
    assertEquals(Status.Code.INVALID_ARGUMENT, error.code());
    return error.getMessage();
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "localhost:1", "http://localhost:1", "http://localhost:1/", "https://localhost:1", "dns:///localhost:1",
      "http://[::1]:1", "127.0.0.1:1", "a-b.c:65535"})
  void anAddressOfAnyFormIsTaken(String target) {
    Riposte.connect(target).close();
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "", "localhost", "http://no host:1", "ftp://localhost:1", "http://localhost:1/path", ":1", "a:0", "a:01", "a:65536",
      "a:99999", "a:1x", "::1:7", "[::1]", "[a]:1", "HTTP://a:1", "unix:///a", "http://u@a:1", "http://a:1?q", " a:1", "a:1\n"})
  void anAddressThatIsNoneIsRefused(String target) {
    assertTrue(refusal(new Options().target(target)).contains("target " + target));
    assertTrue(refusal(new Options().adminTarget(target)).contains("target " + target));
  }

  @Test
  void aTokenOverPlaintextIsRefusedUnlessItIsMeantAndThenWarnedOfOnce() {
    Options options = new Options().token("s3cret");
    assertTrue(refusal(options).contains("RIPOSTE_INSECURE_TOKEN=true"));
    Riposte.connect(options.target("https://localhost:1")).close();

    List<String> warnings = new ArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord entry) {
        warnings.add(entry.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger("dev.riposte");
    logger.addHandler(handler);
    try {
      Riposte.connect(options.target("localhost:1").insecureToken(true)).close();
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(1, warnings.size(), warnings.toString());
  }

  @Test
  void whatCannotBeUsedIsRefusedWhenTheClientIsMade() {
    assertTrue(refusal(new Options().target("https://localhost:1").token("line\nbreak")).contains("ASCII"));
    Path absent = Path.of("no-such-file.pem");
    assertTrue(refusal(new Options().target("https://localhost:1").tlsCa(absent)).contains("no-such-file.pem"));
    assertTrue(refusal(new Options().tlsCert(absent).tlsKey(absent)).contains("https://"));
    Map<String, String> half = Map.of("RIPOSTE_TARGET", "https://localhost:1", "RIPOSTE_TLS_CERT", "a.pem");
    assertTrue(refusal(Options.from(half)).contains("key"));
  }

  @Test
  void whatIsNoCertificateIsRefusedWhenTheClientIsMade(@TempDir Path folder) throws Exception {
    Path junk = Files.writeString(folder.resolve("junk.pem"), "no certificate");
    Options options = new Options().target("https://localhost:1");
    assertTrue(refusal(options.tlsCa(junk)).contains("https://localhost:1"));
    Certificates made = new Certificates(folder);
    options.tlsCa(made.authority).tlsCert(made.key("client")).tlsKey(made.certificate("client"));
    assertTrue(refusal(options).contains("https://localhost:1"));
  }

  @Test
  void aSwitchIsOneOfFourWords() {
    for (var known : Map.of("", false, "1", true, "TRUE", true, "True", true, "0", false, "false", false).entrySet()) {
      assertEquals(known.getValue(), Options.from(Map.of("RIPOSTE_INSECURE_TOKEN", known.getKey())).insecureToken);
    }
    for (String unknown : List.of("maybe", "t", "yes", "2")) {
      Map<String, String> variables = Map.of("RIPOSTE_INSECURE_TOKEN", unknown);
      assertThrows(Errors.InvalidArgument.class, () -> Options.from(variables), unknown);
    }
  }

  @Test
  void theEnvironmentSaysHowToConnectAndEmptyVariablesSayNothing() {
    Options options = Options.from(Map.of(
        "RIPOSTE_TARGET", "https://comments:443", "RIPOSTE_ADMIN_TARGET", "admin:7172", "RIPOSTE_TOKEN", "s3cret",
        "RIPOSTE_INSECURE_TOKEN", "true", "RIPOSTE_TLS_CA", "ca.pem"));
    assertEquals("https://comments:443", options.target);
    assertEquals("admin:7172", options.adminTarget);
    assertEquals("s3cret", options.token);
    assertTrue(options.insecureToken);
    assertEquals("ca.pem", options.tlsCa.getPath());
    assertEquals(Options.DEFAULT_TARGET, Options.from(Map.of("RIPOSTE_TARGET", "")).target);
    assertEquals(null, Options.from(Map.of("RIPOSTE_TOKEN", "")).token);
  }

  @Test
  void theAdministrationOfNoAddressIsThatOfADevServerOrNotKnown() {
    assertEquals("127.0.0.1:7172", Options.from(Map.of()).administration());
    for (String target : List.of("localhost:7171", "http://127.0.0.1:7171/")) {
      try (Riposte client = Riposte.connect(target)) {
        assertEquals("127.0.0.1:7172", client.admin().getChannel().authority());
      }
    }
    for (String target : List.of("localhost:1", "https://localhost:7171")) {
      try (Riposte client = Riposte.connect(target)) {
        RiposteException error = assertThrows(Errors.InvalidArgument.class, client::admin);
        assertTrue(error.getMessage().contains("RIPOSTE_ADMIN_TARGET"), error.getMessage());
      }
    }
  }

  @Test
  void aClientOfADeadAddressIsMadeAndItsFirstCallIsUnavailable() {
    try (Riposte client = Riposte.connect("127.0.0.1:1")) {
      RiposteException error = assertThrows(Errors.Unavailable.class, () -> client.subject("article", "1").get());
      assertTrue(error.isRetryable());
      assertTrue(error.getMessage().contains("Connection refused: /127.0.0.1:1"), error.getMessage());
      assertThrows(Errors.Unavailable.class, () -> client.waitReady(Duration.ofMillis(200)));
    }
  }
}
