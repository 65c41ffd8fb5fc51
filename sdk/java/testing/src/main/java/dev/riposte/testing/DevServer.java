package dev.riposte.testing;

import dev.riposte.Options;
import dev.riposte.Riposte;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A real server, {@code riposte dev}, on free ports of this machine, with an empty store of its own. It is stopped by
 * {@link #close}, or when the JVM ends.
 */
public final class DevServer implements AutoCloseable {
  /** The variable that names the binary; without it {@code riposte} is looked for on the PATH. */
  public static final String BINARY = "RIPOSTE_DEV_BINARY";

  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration STOP = Duration.ofSeconds(10);
  private static final long LOOK_MS = 5;
  private static final int TAIL = 2_000;

  private final Path folder;
  private final Process process;
  private final Thread atExit = new Thread(this::stop);
  private final String target;
  private final String adminTarget;

  private DevServer(String binary) throws IOException {
    folder = Files.createTempDirectory("riposte-dev-");
    Path endpoint = folder.resolve("endpoint.json");
    process = new ProcessBuilder(
            binary, "dev", "--listen", "127.0.0.1:0", "--seed", "none", "--endpoint-file", endpoint.toString())
        .redirectErrorStream(true)
        .redirectOutput(log().toFile())
        .start();
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      await(endpoint);
      String written = Files.readString(endpoint);
      target = address(written, "grpc");
      adminTarget = address(written, "admin");
    } catch (IOException | RuntimeException failure) {
      close();
      throw failure;
    }
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @return the server
   * @throws UncheckedIOException if there is no binary
   * @throws IllegalStateException if it ends, or does not answer within 30 s; with what it last wrote
   */
  public static DevServer start() {
    String named = System.getenv(BINARY);
    return start(Path.of(named == null || named.isEmpty() ? "riposte" : named));
  }

  /**
   * As {@link #start()}, with a given binary.
   *
   * @param binary the riposte binary; a bare name is looked for on the PATH
   * @return the server
   */
  public static DevServer start(Path binary) {
    try {
      return new DevServer(binary.toString());
    } catch (IOException failure) {
      String help = "cannot run " + binary + " dev: name the riposte binary by " + BINARY + " or put it on the PATH";
      throw new UncheckedIOException(help, failure);
    }
  }

  /**
   * The address of the services but AdminService.
   *
   * @return host and port
   */
  public String target() {
    return target;
  }

  /**
   * The address of AdminService.
   *
   * @return host and port
   */
  public String adminTarget() {
    return adminTarget;
  }

  /**
   * Makes a client of this server, which the caller closes.
   *
   * @return a new client
   */
  public Riposte connect() {
    return Riposte.connect(new Options().target(target).adminTarget(adminTarget));
  }

  /** Stops the server and forgets what it held. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException ending) {
      return; // the hook runs already
    }
    stop();
  }

  /** Waits for the endpoint file, which is there whole or not at all, and no longer than the process lives. */
  private void await(Path endpoint) throws IOException {
    long end = System.nanoTime() + START.toNanos();
    while (!Files.exists(endpoint)) {
      boolean late = System.nanoTime() > end;
      try {
        if (late || process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
          String what = late ? "did not answer within " + START.toSeconds() + " s" : "ended with " + process.exitValue();
          throw new IllegalStateException("riposte dev " + what + ": " + tail());
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted before riposte dev answered", interrupted);
      }
    }
  }

  private static String address(String endpoints, String name) {
    Matcher found = Pattern.compile('"' + name + "\":\\s*\"([^\"]+)\"").matcher(endpoints);
    if (!found.find()) {
      throw new IllegalStateException("riposte dev told no " + name + " address: " + endpoints);
    }
    return found.group(1);
  }

  private Path log() {
    return folder.resolve("log");
  }

  private String tail() throws IOException {
    String all = Files.readString(log());
    return all.substring(Math.max(0, all.length() - TAIL));
  }

  private void stop() {
    process.destroy();
    try {
      if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    for (File file : Optional.ofNullable(folder.toFile().listFiles()).orElse(new File[0])) {
      file.delete();
    }
    folder.toFile().delete();
  }
}
