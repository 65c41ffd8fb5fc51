package dev.riposte.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.Riposte;
import dev.riposte.Watch;
import dev.riposte.v1.EventFilter;
import dev.riposte.v1.EventGapReason;
import dev.riposte.v1.EventKind;
import dev.riposte.v1.ListEventsRequest;
import dev.riposte.v1.ListEventsResponse;
import dev.riposte.v1.SubscribeRequest;
import dev.riposte.v1.SubscribeResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Feeds in which nothing happens, and whose server is restored. */
final class Feeds {
  private static final int HEARTBEATS = 3;
  /** Starts a server whose tokens another server can open. */
  private static final String KEYED = "page_tokens.keys=[\"q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=\"]";

  private Feeds() {}

  /** Follows events that do not come, and resumes from where a heartbeat has come to. */
  static void heartbeat(Riposte direct, String server, String unique) throws Exception {
    try (Gate gate = new Gate(server);
        Riposte through = Riposte.connect(gate.target());
        Watch<SubscribeResponse> watch = through.subscribe(published("f" + unique))) {
      SubscribeResponse opened = watch.next();
      assertTrue(opened.hasOpened(), opened.toString());
      write(direct, "g" + unique);
      SubscribeResponse last = opened;
      for (int at = 0; at < HEARTBEATS && last.getToken().equals(opened.getToken()); at++) {
        last = watch.next();
        assertTrue(last.getHeartbeat().hasTime() && !last.getToken().isEmpty(), last.toString());
      }
      assertNotEquals(opened.getToken(), last.getToken());
      gate.shut();
      long written = write(direct, "f" + unique);
      gate.open();
      assertTrue(busy(watch).hasOpened());
      assertEquals(written, busy(watch).getEvent().getCommentId());
      assertTrue(gate.saw(last.getToken()), "the token of the heartbeat was not sent");
    }
  }

  /** Follows events while the data of the server is restored. */
  static void restored(String objectType) throws Exception {
    Path data = Files.createTempDirectory("riposte-data");
    SubscribeRequest request = published(objectType);
    String token;
    try (Callers before = new Callers("--data", data.toString(), "--set", KEYED);
        Gate gate = new Gate(before.target());
        Riposte through = Callers.as("writer", gate.target());
        Watch<SubscribeResponse> watch = through.subscribe(request)) {
      try (Riposte writer = before.as("writer")) {
        assertTrue(busy(watch).hasOpened());
        long written = write(writer, objectType);
        SubscribeResponse first = busy(watch);
        assertEquals(written, first.getEvent().getCommentId());
        token = first.getToken();
      }
      gate.shut();
      before.stop();
      try (Callers after = new Callers("--data", data.toString(), "--set", KEYED, "--set", "store.timeline=1");
          Riposte writer = after.as("writer")) {
        gate.open(after.target());
        assertTrue(busy(watch).hasOpened());
        assertEquals(EventGapReason.EVENT_GAP_REASON_RESTORED, busy(watch).getGap().getReason());
        long written = write(writer, objectType);
        assertEquals(written, busy(watch).getEvent().getCommentId());
        ListEventsResponse page = writer.events().listEvents(
            ListEventsRequest.newBuilder().setFilter(request.getFilter()).setToken(token).build());
        assertEquals(List.of(), page.getEventsList());
        assertEquals(EventGapReason.EVENT_GAP_REASON_RESTORED, page.getGap().getReason());
        assertFalse(page.getNextToken().isEmpty());
      }
    }
    try (Stream<Path> files = Files.walk(data)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  /** A subscription to the new comments of an object type. */
  static SubscribeRequest published(String objectType) {
    return SubscribeRequest.newBuilder().setFilter(EventFilter.newBuilder().addObjectTypes(objectType)
        .addKinds(EventKind.EVENT_KIND_COMMENT_PUBLISHED)).build();
  }

  private static long write(Riposte client, String objectType) {
    return client.subject(objectType, "1").comment("m1", "Hi").message().getId();
  }

  /** The next item that is no heartbeat. */
  static SubscribeResponse busy(Watch<SubscribeResponse> watch) {
    SubscribeResponse item = watch.next();
    while (item.hasHeartbeat()) {
      item = watch.next();
    }
    return item;
  }
}
