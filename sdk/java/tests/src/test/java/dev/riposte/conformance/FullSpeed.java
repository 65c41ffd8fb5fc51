package dev.riposte.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.Handles.Subject;
import dev.riposte.Riposte;
import dev.riposte.Watch;
import dev.riposte.v1.SubscribeResponse;
import io.grpc.Context;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** A client at full speed. */
final class FullSpeed {
  private static final int READS = 64;
  private static final int WRITES = 32;
  private static final int WRITTEN = 200;
  private static final int PAGE = 10;
  private static final int DEADLINE_S = 60;

  private FullSpeed() {}

  /** Makes as many calls as it can beside a stream, without a connection that the server closes. */
  static void run(String unique, int calls) throws Exception {
    try (Callers server = new Callers(); Riposte client = server.as("writer")) {
      Subject subject = client.subject("article", unique);
      for (int at = 0; at < PAGE; at++) {
        subject.comment("m1", "long ".repeat(900));
      }
      try (Watch<SubscribeResponse> watch = client.subscribe(Feeds.published("article"))) {
        parallel(2 * calls, READS, at -> at % 2 == 0
            ? () -> subject.get().getSubject().hasKey()
            : () -> subject.page(options -> options.pageSize(PAGE)).threads().size() == PAGE);
        parallel(WRITTEN, WRITES, at -> () -> subject.comment("m1", "Hi") != null);
        assertTrue(Feeds.busy(watch).hasOpened());
        for (int at = 0; at < WRITTEN; at++) {
          SubscribeResponse item = Feeds.busy(watch);
          assertTrue(item.hasEvent(), item.toString());
        }
      }
      assertEquals(0, server.closed(), "connections were closed for their control frames");
    }
  }

  /** Runs so many tasks, up to a number of them at once. */
  private static void parallel(int count, int atOnce, IntFunction<Callable<Boolean>> task) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(atOnce);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      List<Callable<Boolean>> tasks = IntStream.range(0, count).mapToObj(task).map(one -> within(one, timer)).toList();
      for (Future<Boolean> done : threads.invokeAll(tasks)) {
        assertTrue(done.get());
      }
    } finally {
      threads.shutdownNow();
      timer.shutdownNow();
    }
  }

  /** A task with a deadline of its own, which begins when it runs. */
  private static Callable<Boolean> within(Callable<Boolean> task, ScheduledExecutorService timer) {
    return () -> {
      try (Context.CancellableContext context = Context.current().withDeadlineAfter(DEADLINE_S, TimeUnit.SECONDS, timer)) {
        return context.call(task);
      }
    };
  }
}
