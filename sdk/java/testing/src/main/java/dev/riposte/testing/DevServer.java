package dev.riposte.testing;

import dev.riposte.Options;
import dev.riposte.Riposte;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A real server, {@code riposte dev}, on free ports of this machine, with an empty store of its
 * own. It is stopped by {@link #close}, or when the JVM ends, in whatever way.
 */
public final class DevServer implements AutoCloseable {
  /** The variable that names the binary; without it {@code riposte} is looked for on the PATH. */
  public static final String BINARY = "RIPOSTE_DEV_BINARY";

  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration STOP = Duration.ofSeconds(10);
  private static final int TAIL = 2_000;
  /**
   * The server runs this once it answers, and stops with it: it tells the addresses, and lasts as
   * long as its input, which this process holds open to its own end.
   */
  private static final String COMMAND = "echo \"$RIPOSTE_TARGET $RIPOSTE_ADMIN_TARGET\"; exec cat";

  private final Process process;
  private final String target;
  private final String adminTarget;

  private DevServer(String binary) throws IOException {
    Path log = Files.createTempFile("riposte-dev-", ".log");
    // The log is read and written by those who have it open; its name need not outlive a process
    // that is killed.
    try (InputStream said = Files.newInputStream(log)) {
      try {
        process = new ProcessBuilder(
                binary, "dev", "--listen", "127.0.0.1:0", "--seed", "none", "--exec", "--", "sh", "-c", COMMAND)
            .redirectError(log.toFile())
            .start();
      } finally {
        Files.delete(log);
      }
      var late = CompletableFuture.runAsync(
          process::destroyForcibly, CompletableFuture.delayedExecutor(START.toSeconds(), TimeUnit.SECONDS));
      String told = process.inputReader().readLine();
      if (told == null) {
        String what = late.cancel(false)
            ? "ended with " + process.onExit().join().exitValue()
            : "did not answer within " + START.toSeconds() + " s";
        String all = new String(said.readAllBytes());
        throw new IllegalStateException(
            "riposte dev " + what + ": " + all.substring(Math.max(0, all.length() - TAIL)));
      }
      late.cancel(false);
      String[] addresses = told.split(" ");
      target = addresses[0];
      adminTarget = addresses[1];
    }
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @return the server
   * @throws UncheckedIOException if there is no binary
   * @throws IllegalStateException if it ends, or does not answer within 30 s; with what it last
   *     wrote
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
      process.getOutputStream().close();
      process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS);
    } catch (IOException ended) {
      // Its input is closed in any case, and whether it lasts is seen below.
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    // Of one that has ended, nothing is left to destroy.
    process.destroyForcibly();
  }
}
