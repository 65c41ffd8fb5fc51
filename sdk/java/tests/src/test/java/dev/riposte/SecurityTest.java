package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.riposte.v1.SetLikeRequest;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TLS, mTLS and plaintext, each with a token and without. */
class SecurityTest {
  @TempDir
  private static Path folder;
  private static Certificates certificates;

  @BeforeAll
  static void certify() throws Exception {
    certificates = new Certificates(folder);
  }

  private static ServerCredentials credentials(String security) throws Exception {
    if (security.equals("plaintext")) {
      return InsecureServerCredentials.create();
    }
    TlsServerCredentials.Builder tls = TlsServerCredentials.newBuilder()
        .keyManager(certificates.certificate("server").toFile(), certificates.key("server").toFile());
    if (security.equals("mtls")) {
      tls.trustManager(certificates.authority.toFile()).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
    }
    return tls.build();
  }

  @ParameterizedTest
  @CsvSource({"plaintext,", "plaintext,s3cret", "tls,", "tls,s3cret", "mtls,", "mtls,s3cret"})
  void aCallArrivesWithWhatShowsWhoCalls(String security, String token) throws Exception {
    try (Recorder server = new Recorder(credentials(security))) {
      boolean plaintext = security.equals("plaintext");
      Options options = new Options().token(token).insecureToken(plaintext)
          .target((plaintext ? "http://" : "https://") + server.target());
      if (!plaintext) {
        options.tlsCa(certificates.authority);
      }
      if (security.equals("mtls")) {
        options.tlsCert(certificates.certificate("client")).tlsKey(certificates.key("client"));
      }
      try (Riposte client = Riposte.connect(options)) {
        client.waitReady(Duration.ofSeconds(60));
        client.likes().setLike(SetLikeRequest.getDefaultInstance());
      }
      assertEquals(token == null ? null : "Bearer " + token, server.header("authorization"));
      assertEquals(plaintext ? 0 : 1, server.sessions.size());
      if (security.equals("mtls")) {
        assertEquals("CN=client", server.sessions.peek().getPeerPrincipal().getName());
      }
    }
  }

  @Test
  void aServerOfAnotherAuthorityIsNotTalkedTo() throws Exception {
    try (Recorder server = new Recorder(credentials("tls"));
        Riposte client = Riposte.connect(new Options().target("https://" + server.target()).token("s3cret"))) {
      assertThrows(Errors.Unavailable.class, () -> client.likes().setLike(SetLikeRequest.getDefaultInstance()));
      assertNull(server.headers.peek());
    }
  }
}
