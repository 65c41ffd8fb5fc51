package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.v1.SetLikeRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProxyTest {
  private final ProxySelector before = ProxySelector.getDefault();
  private final Queue<String> asked = new ConcurrentLinkedQueue<>();

  /** Leads everything to a proxy that is not there, and remembers what was to go there. */
  @BeforeEach
  void proxied() {
    ProxySelector.setDefault(new ProxySelector() {
      @Override
      public List<Proxy> select(URI target) {
        asked.add(target.getHost());
        return List.of(new Proxy(Proxy.Type.HTTP, new InetSocketAddress("127.0.0.1", 1)));
      }

      @Override
      public void connectFailed(URI target, SocketAddress proxy, IOException failure) {}
    });
  }

  @AfterEach
  void direct() {
    ProxySelector.setDefault(before);
  }

  private Queue<String> asked(Options options) {
    try (Riposte client = Riposte.connect(options)) {
      assertThrows(RiposteException.class, () ->
          client.likes().withDeadlineAfter(2, TimeUnit.SECONDS).setLike(SetLikeRequest.getDefaultInstance()));
    }
    return asked;
  }

  @Test
  void noProxyIsAskedForALoopbackTarget() {
    for (String host : List.of("localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "[::1]", "http://127.0.0.1", "dns:///localhost")) {
      assertTrue(asked(new Options().target(host + ":1")).isEmpty(), host + ": " + asked);
    }
  }

  @Test
  void noProxyIsAskedWhereTheOptionSaysNone() {
    assertTrue(asked(new Options().target("riposte.invalid:7171").proxy("none")).isEmpty(), asked.toString());
  }

  @Test
  void anotherValueIsRefusedWithItsName() {
    assertEquals("INVALID_ARGUMENT: proxy maybe is neither environment nor none",
        assertThrows(RiposteException.class, () -> Riposte.connect(new Options().proxy("maybe"))).getMessage());
    var refused = assertThrows(RiposteException.class, () -> Options.from(Map.of("RIPOSTE_PROXY", "perhaps")));
    assertTrue(refused.getMessage().contains("RIPOSTE_PROXY: perhaps"), refused.getMessage());
  }
}
