package dev.riposte;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * How to reach a service. Every setter changes these options and returns them; a client that was made of them before
 * stays as it is.
 */
public final class Options {
  /** Where {@code riposte dev} listens. */
  public static final String DEFAULT_TARGET = "127.0.0.1:7171";

  String target = DEFAULT_TARGET;
  String adminTarget;
  String token;
  boolean insecureToken;
  File tlsCa;
  File tlsCert;
  File tlsKey;

  /** The defaults: plaintext, no token, {@link #DEFAULT_TARGET}. */
  public Options() {}

  /**
   * The options of the environment: {@code RIPOSTE_TARGET}, {@code RIPOSTE_ADMIN_TARGET}, {@code RIPOSTE_TOKEN},
   * {@code RIPOSTE_INSECURE_TOKEN} ({@code true} or {@code false}), and the paths of PEM files {@code RIPOSTE_TLS_CA},
   * {@code RIPOSTE_TLS_CERT} and {@code RIPOSTE_TLS_KEY}. One that is absent or empty has its default.
   *
   * @return new options
   * @throws RiposteException INVALID_ARGUMENT if a value makes no sense
   */
  public static Options fromEnv() {
    return from(System.getenv());
  }

  /**
   * As {@link #fromEnv()}, from other variables than those of this process.
   *
   * @param variables the variables by their names
   * @return new options
   * @throws RiposteException INVALID_ARGUMENT if a value makes no sense
   */
  public static Options from(Map<String, String> variables) {
    UnaryOperator<String> read = name -> Optional.ofNullable(variables.get(name)).filter(v -> !v.isEmpty()).orElse(null);
    Options options = new Options();
    options.target = Optional.ofNullable(read.apply("RIPOSTE_TARGET")).orElse(DEFAULT_TARGET);
    options.adminTarget = read.apply("RIPOSTE_ADMIN_TARGET");
    options.token = read.apply("RIPOSTE_TOKEN");
    options.insecureToken = flag("RIPOSTE_INSECURE_TOKEN", read.apply("RIPOSTE_INSECURE_TOKEN"));
    options.tlsCa = file(read.apply("RIPOSTE_TLS_CA"));
    options.tlsCert = file(read.apply("RIPOSTE_TLS_CERT"));
    options.tlsKey = file(read.apply("RIPOSTE_TLS_KEY"));
    return options;
  }

  /**
   * Sets the address of the service: {@code https://host:port} for TLS; {@code http://host:port}, {@code host:port} or
   * {@code dns:///host:port} for plaintext. A name that stands for several addresses has its calls spread over them.
   *
   * @param target the address; default {@link #DEFAULT_TARGET}
   * @return these options
   */
  public Options target(String target) {
    this.target = target;
    return this;
  }

  /**
   * Sets the address of AdminService, which listens apart from the others; of the same forms.
   *
   * @param adminTarget the address; default none
   * @return these options
   */
  public Options adminTarget(String adminTarget) {
    this.adminTarget = adminTarget;
    return this;
  }

  /**
   * Sets the bearer token that goes with every call.
   *
   * @param token the token, of printable ASCII; default none
   * @return these options
   */
  public Options token(String token) {
    this.token = token;
    return this;
  }

  /**
   * Allows the token over plaintext, where everybody on the way can read it. The client logs one warning.
   *
   * @param insecureToken whether that is meant; default false
   * @return these options
   */
  public Options insecureToken(boolean insecureToken) {
    this.insecureToken = insecureToken;
    return this;
  }

  /**
   * Sets the certificate authority to trust over TLS.
   *
   * @param pem a PEM file; default: the authorities that this Java trusts
   * @return these options
   */
  public Options tlsCa(Path pem) {
    this.tlsCa = pem.toFile();
    return this;
  }

  /**
   * Sets the certificate by which this client shows who it is (mTLS).
   *
   * @param certificate a PEM file with the certificate and its chain; default none
   * @param key a PEM file with its key, PKCS #8, not encrypted
   * @return these options
   */
  public Options clientCertificate(Path certificate, Path key) {
    this.tlsCert = certificate.toFile();
    this.tlsKey = key.toFile();
    return this;
  }

  private static File file(String path) {
    return path == null ? null : new File(path);
  }

  private static boolean flag(String name, String value) {
    if (value == null || value.equals("false")) {
      return false;
    }
    if (value.equals("true")) {
      return true;
    }
    throw RiposteException.local(name + " is neither true nor false");
  }
}
