package dev.riposte.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageOrBuilder;
import dev.riposte.Errors;
import dev.riposte.Handles;
import dev.riposte.Pages;
import dev.riposte.Riposte;
import dev.riposte.RiposteException;
import dev.riposte.Sort;
import dev.riposte.Watch;
import dev.riposte.v1.ErrorReason;
import dev.riposte.v1.EventFilter;
import dev.riposte.v1.EventKind;
import dev.riposte.v1.GetSubjectRequest;
import dev.riposte.v1.ListCommentsRequest;
import dev.riposte.v1.RevisionGap;
import dev.riposte.v1.SubjectKey;
import dev.riposte.v1.SubscribeRequest;
import dev.riposte.v1.SubscribeResponse;
import dev.riposte.v1.UnlistedComment;
import dev.riposte.v1.WatchSubjectRequest;
import dev.riposte.v1.WatchSubjectResponse;
import io.grpc.ClientInterceptor;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** One scenario: its steps in order, in the client's own terms. */
final class Scenario {
  private static final Metadata.Key<String> FAULT =
      Metadata.Key.of("riposte-fault", Metadata.ASCII_STRING_MARSHALLER);
  private static final long STEP_TIMEOUT_MS = 10_000;
  private static final long LOOK_MS = 50;
  private static final Set<String> KNOWN = Set.of("call", "list", "watch", "together", "request", "expect", "error",
      "save", "repeat", "at_once", "different", "fault", "fault_every", "deadline_ms", "items", "count", "pages",
      "eventually", "during", "events", "outage", "late", "listeners", "caller", "unsent", "unmade", "page", "member", "made",
      "by_ids", "feed", "heartbeat", "restored", "stream", "first", "last", "full_speed");

  private final Riposte client;
  private final Placeholders placeholders;

  private final String server;
  private final int withinMs;

  /** A scenario through the client of a server, which is reached so soon after its return. */
  Scenario(Riposte client, String server, int withinMs) {
    this(client, server, withinMs, new Placeholders());
  }

  private Scenario(Riposte client, String server, int withinMs, Placeholders placeholders) {
    this.client = client;
    this.server = server;
    this.withinMs = withinMs;
    this.placeholders = placeholders;
  }

  void run(List<?> steps) throws Exception {
    for (Object step : steps) {
      step((Map<?, ?>) step);
    }
  }

  private void step(Map<?, ?> step) throws Exception {
    if (!KNOWN.containsAll(step.keySet())) {
      throw new AssertionError("this runner does not understand all of " + step.keySet());
    }
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STEP_TIMEOUT_MS);
    while (true) {
      try {
        once(step);
        return;
      } catch (AssertionError failure) {
        if (!step.containsKey("eventually") || System.nanoTime() > end) {
          throw failure;
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      }
    }
  }

  private void once(Map<?, ?> step) throws Exception {
    if (step.containsKey("outage")) {
      outage(number(step, "outage"));
    } else if (step.containsKey("late")) {
      late(number(step, "late"));
    } else if (step.containsKey("feed")) {
      feed(number(step, "feed"));
    } else if (step.containsKey("heartbeat")) {
      Feeds.heartbeat(client, server, (String) placeholders.fill("${unique}"));
    } else if (step.containsKey("restored")) {
      Feeds.restored((String) placeholders.fill("f${unique}"));
    } else if (step.containsKey("full_speed")) {
      FullSpeed.run((String) placeholders.fill("${unique}"), number(step, "full_speed"));
    } else if (step.containsKey("listeners")) {
      Callers.listen((String) placeholders.fill("${unique}"), number(step, "listeners"));
    } else if (step.containsKey("by_ids")) {
      byIds(number(step, "by_ids"));
    } else if (step.containsKey("caller")) {
      try (Callers callers = new Callers(); Riposte caller = callers.as(text(step, "caller"))) {
        Scenario scenario = new Scenario(caller, server, withinMs, placeholders);
        Map<?, ?> rest = new HashMap<>(step);
        rest.remove("caller");
        scenario.step(rest);
      }
    } else if (step.containsKey("together")) {
      together((List<?>) step.get("together"));
    } else if (step.containsKey("error")) {
      failing(step);
    } else if (step.containsKey("stream")) {
      stream(step);
    } else if (step.containsKey("call")) {
      call(step);
    } else if (step.containsKey("list")) {
      list(step);
    } else if (step.containsKey("page")) {
      page(step);
    } else {
      watch(step);
    }
  }

  /** Reads so many comments by their ids. */
  private void byIds(int count) {
    Handles.Subject subject = client.subject("article", (String) placeholders.fill("${unique}"));
    List<Long> ids = new ArrayList<>();
    for (int at = 0; at < count; at++) {
      ids.add(0, subject.comment("m1", "" + at).getId());
    }
    List<Long> asked = new ArrayList<>(ids);
    asked.addAll(List.of(0L, 1L, ids.get(count - 1)));
    assertEquals(ids, client.commentsById(asked).stream().map(Handles.Comment::getId).toList());
    assertEquals(List.of(), client.commentsById(List.of()));
    Errors.InvalidArgument refused = assertThrows(Errors.InvalidArgument.class, () -> client.commentsById(List.of(-1L)));
    assertEquals(ErrorReason.ERROR_REASON_FIELD_INVALID, refused.reason());
  }

  private void together(List<?> steps) throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (Object one : steps) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      all.add(done);
      new Thread(() -> {
        try {
          step((Map<?, ?>) one);
          done.complete(null);
        } catch (Throwable failure) {
          done.completeExceptionally(failure);
        }
      }).start();
    }
    for (CompletableFuture<Void> one : all) {
      one.get(STEP_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Takes the server away until the client has tried to connect so often, and waits for its return.
   */
  private void outage(int attempts) throws Exception {
    try (Gate gate = new Gate(server); Riposte away = Riposte.connect(gate.target())) {
      assertEquals(Optional.empty(), look(away));
      gate.shut();
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(6 * STEP_TIMEOUT_MS);
      while (gate.ended() < attempts) {
        Status.Code code = look(away).map(RiposteException::code).orElse(Status.Code.OK);
        assertTrue(Set.of(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED).contains(code), "without a server: " + code);
        assertTrue(System.nanoTime() < end, "the client has tried to connect only " + gate.ended() + " times");
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      }
      gate.open();
      end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
      for (Optional<RiposteException> failure; (failure = look(away)).isPresent(); ) {
        assertTrue(System.nanoTime() < end, failure.toString());
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      }
    }
  }

  /**
   * Watches through a gate that leads to the server only after so many attempts, and that loses it
   * while the subject comes into being.
   */
  private void late(int attempts) throws Exception {
    SubjectKey key = SubjectKey.newBuilder().setObjectType("article").setObjectId((String) placeholders.fill("${unique}")).build();
    WatchSubjectRequest request = WatchSubjectRequest.newBuilder().setSubject(key).build();
    try (Gate gate = new Gate(server);
        Riposte through = Riposte.connect(gate.target());
        Riposte lost = Riposte.connect(gate.target())) {
      gate.shut();
      CompletableFuture<Void> led = CompletableFuture.runAsync(() -> {
        while (gate.ended() < attempts) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
        }
        gate.open();
      });
      try (Watch<WatchSubjectResponse> watch = through.watchSubject(request)) {
        led.join();
        WatchSubjectResponse opened = watch.next();
        assertTrue(opened.hasOpened() && opened.getOpened().getRevision() == 0, opened.toString());
        gate.shut();
        client.subject(key.getObjectType(), key.getObjectId()).comment("m1", "Hi");
        long revision = client.subject(key.getObjectType(), key.getObjectId()).get().getSubject().getRevision();
        gate.open();
        assertEquals(revision, watch.next().getOpened().getRevision());
        assertEquals(RevisionGap.newBuilder().setFirstRevision(1).setLastRevision(revision).build(), watch.next().getGap());
      }
      gate.shut();
      assertThrows(Errors.Unavailable.class, () -> lost.watchSubject(request));
    }
  }

  /**
   * Follows the events of an object type through a gate that loses the server so often: each
   * comment is told once.
   */
  private void feed(int breaks) throws Exception {
    String objectType = (String) placeholders.fill("f${unique}");
    EventFilter.Builder filter = EventFilter.newBuilder().addObjectTypes(objectType);
    SubscribeRequest.Builder request = SubscribeRequest.newBuilder()
        .setFilter(filter.clone().addKinds(EventKind.EVENT_KIND_COMMENT_PUBLISHED));
    List<Long> written = new ArrayList<>();
    List<Long> told = new ArrayList<>();
    int opened = 0;
    try (Gate gate = new Gate(server); Riposte through = Riposte.connect(gate.target())) {
      try (Watch<SubscribeResponse> watch = through.subscribe(request.build())) {
        for (int at = 0; at < breaks; at++) {
          gate.shut();
          written.add(client.subject(objectType, "1").comment("m1", "Hi").message().getId());
          gate.open();
          written.add(client.subject(objectType, "1").comment("m1", "Hi").message().getId());
          while (told.size() < written.size()) {
            SubscribeResponse item = watch.next();
            request.setToken(item.getToken());
            opened += item.hasOpened() ? 1 : 0;
            if (item.hasEvent()) {
              told.add(item.getEvent().getCommentId());
            }
          }
        }
      }
      assertEquals(written, told);
      assertTrue(opened > 1, "opened " + opened + " times");
      SubscribeRequest other = request.setFilter(filter).build();
      Errors.InvalidArgument refused = assertThrows(Errors.InvalidArgument.class, () -> through.subscribe(other));
      assertEquals("PAGE_TOKEN_MISMATCH", refused.reasonName());
    }
  }

  /** What a call fails with. */
  private Optional<RiposteException> look(Riposte away) {
    SubjectKey key = SubjectKey.newBuilder().setObjectType("article").setObjectId((String) placeholders.fill("${unique}")).build();
    try {
      away.subjects().withDeadlineAfter(1, TimeUnit.SECONDS).getSubject(GetSubjectRequest.newBuilder().setKey(key).build());
      return Optional.empty();
    } catch (RiposteException failure) {
      return Optional.of(failure);
    }
  }

  private void failing(Map<?, ?> step) throws Exception {
    RiposteException error = null;
    try {
      if (step.containsKey("call")) {
        call(step);
      } else if (step.containsKey("stream")) {
        methods(step).stream(text(step, "stream"), request(step));
      } else if (step.containsKey("unmade")) {
        methods(step).list(text(step, "list"), request(step));
      } else if (step.containsKey("list")) {
        methods(step).list(text(step, "list"), request(step)).forEach(item -> {});
      } else {
        methods(step).watch(text(step, "watch"), request(step)).close();
      }
    } catch (RiposteException thrown) {
      error = thrown;
    }
    if (error == null) {
      throw new AssertionError("no error came");
    }
    Match.check("error", placeholders.fill(step.get("error")), told(error));
    // A deadline may pass before any answer.
    boolean late = error.code() == Status.Code.DEADLINE_EXCEEDED;
    boolean unsent = step.containsKey("unsent") || step.containsKey("unmade");
    assertTrue(late || error.requestId().isPresent() != unsent, "the id of the request: " + error);
  }

  private static Map<String, Object> told(RiposteException error) {
    return Map.of(
        "code", error.code().name(),
        "reason", error.reasonName(),
        "retryable", error.isRetryable(),
        "retry_after", error.retryAfter().isPresent(),
        "violations", error.violations().stream().map(violation -> violation.field()).toList(),
        "metadata", error.metadata());
  }

  private void stream(Map<?, ?> step) {
    List<Object> answers = methods(step).stream(text(step, "stream"), request(step));
    assertTrue(answers.size() > 1, answers.size() + " answers");
    compare(step, "first", answers.get(0));
    compare(step, "last", answers.get(answers.size() - 1));
  }

  private void call(Map<?, ?> step) throws Exception {
    int times = number(step, "repeat");
    List<Object> answers = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(number(step, "at_once"));
    try {
      List<Callable<Object>> calls =
          IntStream.rangeClosed(1, times).<Callable<Object>>mapToObj(i -> () -> once(step, i)).toList();
      for (Future<Object> call : threads.invokeAll(calls)) {
        answers.add(call.get());
      }
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof Error error) {
        throw error;
      }
      throw (Exception) failure.getCause();
    } finally {
      threads.shutdownNow();
    }
    Object answer = answers.get(times - 1);
    compare(step, "expect", answer);
    save(step, answer);
    if (step.get("different") instanceof String path) {
      assertEquals(times, answers.stream().map(one -> Placeholders.at(one, path)).distinct().count(), "different answers");
    }
  }

  /** The answer to one repetition of a call. */
  private Object once(Map<?, ?> step, int i) {
    placeholders.put("i", Integer.toString(i));
    Deadline deadline = step.get("deadline_ms") instanceof Integer ms ? Deadline.after(ms, TimeUnit.MILLISECONDS) : null;
    boolean faulty = i % number(step, "fault_every") == 0;
    return Json.print((faulty ? methods(step) : new Methods(client)).call(text(step, "call"), request(step), deadline));
  }

  private void save(Map<?, ?> step, Object answer) {
    if (step.get("save") instanceof Map<?, ?> save) {
      for (Map.Entry<?, ?> entry : save.entrySet()) {
        placeholders.put((String) entry.getKey(), Placeholders.at(answer, (String) entry.getValue()));
      }
    }
  }

  /** Reads a page with its reader's own comments, each in the form of an UnlistedComment. */
  private void page(Map<?, ?> step) {
    SubjectKey key = Json.parse(placeholders.fill(step.get("page")), SubjectKey.getDefaultInstance());
    Handles.Subject subject = client.subject(key.getObjectType(), key.getObjectId());
    ListCommentsRequest request = Json.parse(request(step), ListCommentsRequest.getDefaultInstance());
    String member = (String) placeholders.fill(step.get("member"));
    boolean viewed = step.containsKey("made");
    Handles.ThreadPage page = subject.page(options -> options.sort(Sort.OLDEST).pageSize(request.getPageSize())
        .pageToken(request.getPageToken()).replyPreviewSize(request.getReplyPreviewSize()).viewer(viewed ? member : null));
    List<Object> own = new ArrayList<>();
    subject.unlisted(member).forEach(own::add);
    if (viewed) {
      List<?> ids = (List<?>) placeholders.fill(step.get("made"));
      own.addAll(client.commentsById(ids.stream().map(id -> Long.valueOf((String) id)).toList(), member));
    }
    List<Object> told = new ArrayList<>();
    for (Handles.Thread thread : page.withJustMade(own)) {
      Map<Object, Object> one = new HashMap<>(shown(thread.comment()));
      one.put("replies", thread.replies().stream().map(Scenario::shown).toList());
      told.add(one);
    }
    compare(step, "items", told);
    save(step, Json.print(page.response()));
  }

  private static Map<?, ?> shown(Handles.Comment comment) {
    UnlistedComment.Builder one = UnlistedComment.newBuilder().setComment(comment.message());
    comment.proposedEdit().ifPresent(one::setProposedEdit);
    Map<Object, Object> told = new HashMap<>(Json.print(one));
    told.put("ownLike", comment.ownLike().name());
    return told;
  }

  private static int number(Map<?, ?> step, String key) {
    return step.get(key) instanceof Integer number ? number : 1;
  }

  private void list(Map<?, ?> step) {
    Pages<?, ?> walk = methods(step).list(text(step, "list"), request(step));
    List<Object> items = new ArrayList<>();
    for (Object item : walk) {
      items.add(Json.print((MessageOrBuilder) item));
    }
    compare(step, "items", items);
    if (step.get("count") instanceof Integer count) {
      assertEquals(count, items.size(), "items");
      assertEquals(count, new HashSet<>(items).size(), "items that differ");
    }
    if (step.get("pages") instanceof Integer pages) {
      List<Object> read = new ArrayList<>();
      walk.pages().forEach(read::add);
      assertEquals(pages, read.size(), "pages");
    }
  }

  private void watch(Map<?, ?> step) throws Exception {
    List<?> expected = (List<?>) step.get("events");
    try (Watch<?> watch = methods(step).watch(text(step, "watch"), request(step))) {
      if (step.get("during") instanceof List<?> during) {
        run(during);
      }
      CompletableFuture<List<Object>> taken = CompletableFuture.supplyAsync(() -> {
        List<Object> events = new ArrayList<>();
        while (events.size() < expected.size() && watch.hasNext()) {
          events.add(Json.print((MessageOrBuilder) watch.next()));
        }
        return events;
      });
      compare(step, "events", taken.get(STEP_TIMEOUT_MS, TimeUnit.MILLISECONDS));
    }
  }

  private void compare(Map<?, ?> step, String key, Object actual) {
    if (step.containsKey(key)) {
      Match.check(key, placeholders.fill(step.get(key)), actual);
    }
  }

  private Object request(Map<?, ?> step) {
    return step.containsKey("request") ? placeholders.fill(step.get("request")) : Map.of();
  }

  /**
   * The client, with the fault that the step asks for: its own, so that no other call uses it up.
   */
  private Methods methods(Map<?, ?> step) {
    if (!(step.get("fault") instanceof String fault)) {
      return new Methods(client);
    }
    Metadata headers = new Metadata();
    headers.put(FAULT, fault + ";key=" + UUID.randomUUID());
    ClientInterceptor attach = MetadataUtils.newAttachHeadersInterceptor(headers);
    return new Methods(client.with(attach));
  }

  private static String text(Map<?, ?> step, String key) {
    return (String) step.get(key);
  }
}
