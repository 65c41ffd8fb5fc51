package dev.riposte;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes channels: address, transport security, keepalive and retries. */
final class Channels {
  /** The largest answer read, in bytes: 200 comments of the greatest length, with room to spare. */
  private static final int MAX_ANSWER = 16 << 20;
  private static final long KEEPALIVE_SECONDS = 20;
  /** A port is one of 1 to 65535. */
  private static final Pattern TARGET = Pattern.compile("(http://|https://|dns:///)?((?:[\\w.-]+|\\[[\\dA-Fa-f]*:[\\dA-Fa-f:.]+]):"
      + "(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d\\d|655[0-2]\\d|6553[0-5]))/?");
  private static final Pattern LOOPBACK = Pattern.compile(Contract.LOOPBACK);
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

  private Channels() {}

  /** A channel to one address, which is not dialled yet. */
  static ManagedChannel open(String target, Options options) {
    Matcher parts = TARGET.matcher(String.valueOf(target));
    refuseIf(!parts.matches(), "target " + target
        + " is none of http://host:port, https://host:port, host:port, dns:///host:port");
    boolean tls = "https://".equals(parts.group(1));
    check(target, tls, options);
    try {
      // An IPv6 address stands in brackets, which are none of a URI's own in this place.
      String authority = parts.group(2).replace("[", "%5B").replace("]", "%5D");
      ManagedChannelBuilder<?> channel = Grpc.newChannelBuilder("dns:///" + authority, credentials(tls, options))
          .userAgent("riposte-java/" + Contract.VERSION)
          .defaultServiceConfig(Contract.SERVICE_CONFIG)
          .disableServiceConfigLookUp()
          .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
          .maxInboundMessageSize(MAX_ANSWER);
      if (options.proxy.equals("none") || LOOPBACK.matcher(parts.group(2)).matches()) {
        channel.proxyDetector(address -> null);
      }
      ManagedChannel made = channel.build();
      new Reconnecting(made).follow();
      return made;
    } catch (IllegalArgumentException | ManagedChannelRegistry.ProviderNotFoundException unusable) {
      // The latter is what gRPC makes of a certificate or key that cannot be read.
      throw RiposteException.local("target " + target + ": " + unusable.getMessage());
    }
  }

  private static void check(String target, boolean tls, Options options) {
    refuseIf((options.tlsCert == null) != (options.tlsKey == null),
        "a client certificate needs its key, and a key its certificate");
    refuseIf(!tls && options.tlsCert != null, "a client certificate needs TLS: https:// in place of " + target);
    refuseIf(!List.of("environment", "none").contains(options.proxy),
        "proxy " + options.proxy + " is neither environment nor none");
    String token = options.token;
    refuseIf(token != null && !TOKEN.matcher(token).matches(), "the token is not printable ASCII");
    refuseIf(!tls && token != null && !options.insecureToken, "the token would cross " + target + " in plaintext:"
        + " use https://, or say that this is meant by insecureToken(true) or RIPOSTE_INSECURE_TOKEN=true");
  }

  /** Throws INVALID_ARGUMENT for options that are unusable. */
  static void refuseIf(boolean unusable, String why) {
    if (unusable) {
      throw RiposteException.local(why);
    }
  }

  private static ChannelCredentials credentials(boolean tls, Options options) {
    if (!tls) {
      return InsecureChannelCredentials.create();
    }
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    try {
      if (options.tlsCa != null) {
        credentials.trustManager(options.tlsCa);
      }
      if (options.tlsCert != null) {
        credentials.keyManager(options.tlsCert, options.tlsKey);
      }
    } catch (IOException unreadable) {
      throw RiposteException.local("TLS: " + unreadable.getMessage());
    }
    return credentials.build();
  }
}
