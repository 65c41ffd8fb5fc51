package dev.riposte.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.Errors;
import dev.riposte.Handles.Subject;
import dev.riposte.Listener;
import dev.riposte.Options;
import dev.riposte.Riposte;
import dev.riposte.v1.DeleteSubjectRequest;
import dev.riposte.v1.ErrorReason;
import dev.riposte.v1.RevisionGap;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A {@code riposte dev} that knows the callers of the scenarios, whose tokens are their names. */
final class Callers implements AutoCloseable {
  private static final Pattern STREAMS = Pattern.compile("(?m)^riposte_watch_streams(?:\\{.*})? (\\d+)");
  private static final Pattern CLOSED =
      Pattern.compile("(?m)^riposte_connections_refused_total\\{limit=\"control_frames\"} (\\d+)");
  private static final long START_MS = 60_000;
  private static final long STEP_TIMEOUT_MS = 10_000;
  private static final long LOOK_MS = 20;

  private final Process process;
  private final String target;
  private final URI metrics;
  private final HttpClient http = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();

  /** Starts one with these arguments. */
  Callers(String... more) throws Exception {
    Path folder = Path.of(Optional.ofNullable(System.getenv("RIPOSTE_CONFORMANCE")).orElse("../../conformance"));
    Path endpoints = Files.createTempDirectory("riposte-callers").resolve("endpoints.json");
    String binary = Optional.ofNullable(System.getenv("RIPOSTE_DEV_BINARY")).orElse("riposte");
    List<String> command = new ArrayList<>(List.of(binary, "dev", "--listen", "127.0.0.1:0", "--seed", "none", "--set",
        "auth.callers_file=" + folder.resolve("callers.toml"), "--endpoint-file", endpoints.toString()));
    command.addAll(List.of(more));
    process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    await(START_MS, "the server did not start", () -> Files.exists(endpoints));
    // JSON is YAML, too.
    Map<?, ?> told = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(endpoints));
    target = (String) told.get("grpc");
    metrics = URI.create("http://" + told.get("metrics") + "/metrics");
  }

  /** Where the services listen. */
  String target() {
    return target;
  }

  /** A client of one caller. */
  Riposte as(String caller) {
    return as(caller, target);
  }

  /** A client of one caller by way of another address. */
  static Riposte as(String caller, String target) {
    return Riposte.connect(new Options().target(target).token(caller).insecureToken(true));
  }

  /** Shares one stream among so many listeners, one of which falls behind. */
  static void listen(String unique, int count) throws Exception {
    try (Callers server = new Callers(); Riposte client = server.as("writer")) {
      Subject subject = client.subject("article", unique);
      List<Listener> all = Stream.generate(subject::listen).limit(count).collect(ArrayList::new, List::add, List::addAll);
      Listener slow = subject.listen(2);
      server.awaitStreams(1);
      List<Long> revisions = new ArrayList<>();
      for (String text : List.of("1", "2", "3", "4")) {
        subject.comment("m1", text);
        revisions.add(subject.get().getSubject().getRevision());
      }
      for (Listener listener : all) {
        opens(listener, 0);
        for (long revision : revisions) {
          assertEquals(revision, listener.next().getChange().getRevision());
        }
      }
      opens(slow, 0);
      assertEquals(revisions.get(0), slow.next().getChange().getRevision());
      RevisionGap gap = RevisionGap.newBuilder().setFirstRevision(revisions.get(1)).setLastRevision(revisions.get(1)).build();
      assertEquals(gap, slow.next().getGap());
      assertFalse(slow.hasNext());
      assertTrue(slow.dropped() && !all.get(0).dropped());
      all.get(0).close();
      Listener late = subject.listen();
      opens(late, revisions.get(3));
      server.awaitStreams(1);
      all.add(late);
      all.forEach(Listener::close);
      server.awaitStreams(0);
      client.subjects().deleteSubject(DeleteSubjectRequest.newBuilder().setKey(subject.key()).build());
      Errors.NotFound refused = assertThrows(Errors.NotFound.class, subject::listen);
      assertEquals(ErrorReason.ERROR_REASON_SUBJECT_NOT_FOUND, refused.reason());
      assertThrows(Errors.InvalidArgument.class, () -> subject.listen(0));
      server.awaitStreams(0);
    }
  }

  private static void opens(Listener listener, long revision) {
    var event = listener.next();
    assertTrue(event.hasOpened() && event.getOpened().getRevision() == revision, event.toString());
  }

  private void awaitStreams(int wanted) throws Exception {
    await(STEP_TIMEOUT_MS, "not " + wanted + " streams", () -> metric(STREAMS, -1) == wanted);
  }

  /** How many connections the server closed for their control frames. */
  int closed() throws Exception {
    return metric(CLOSED, 0);
  }

  private int metric(Pattern pattern, int otherwise) throws Exception {
    Matcher found = pattern.matcher(http.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString()).body());
    return found.find() ? Integer.parseInt(found.group(1)) : otherwise;
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(long timeoutMs, String otherwise, Condition condition) throws Exception {
    for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs); !condition.holds(); ) {
      assertTrue(System.nanoTime() < end, otherwise);
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
  }

  /** Ends the server. */
  void stop() {
    process.destroy();
    process.onExit().join();
  }

  @Override
  public void close() {
    stop();
  }
}
