package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Context;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatchTest {
  private final Queue<Iterator<Long>> streams = new ArrayDeque<>();
  private final List<Long> opened = new ArrayList<>();

  private Watch<Long> watch(long after) {
    return new Watch<>(seen -> {
      opened.add(seen);
      return streams.remove();
    }, after, revision -> revision, () -> false);
  }

  /** A stream of revisions that ends as the status says; as a server ends it, for OK. */
  private static Iterator<Long> stream(Status end, Long... revisions) {
    Iterator<Long> rest = List.of(revisions).iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        if (!rest.hasNext() && !end.isOk()) {
          throw RiposteException.from(end.asRuntimeException());
        }
        return rest.hasNext();
      }

      @Override
      public Long next() {
        return rest.next();
      }
    };
  }

  @Test
  void aStreamThatBreaksIsOpenedAgainBehindTheLastRevisionSeen() {
    streams.add(stream(Status.UNAVAILABLE));
    streams.add(stream(Status.UNAVAILABLE, 6L, 7L));
    streams.add(stream(Status.INTERNAL.withDescription("RST_STREAM"), 8L));
    streams.add(stream(Status.CANCELLED.withDescription("RST_STREAM")));
    streams.add(stream(Status.OK, 9L));
    streams.add(stream(Status.NOT_FOUND, 10L));
    List<Long> seen = new ArrayList<>();
    try (Watch<Long> watch = watch(5)) {
      assertThrows(Errors.NotFound.class, () -> watch.forEach(seen::add));
    }
    assertEquals(List.of(6L, 7L, 8L, 9L, 10L), seen);
    assertEquals(List.of(5L, 5L, 7L, 8L, 8L, 9L), opened);
  }

  @Test
  void closingItEndsTheWaitOfItsReader() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    Watch<Long> watch = new Watch<>(seen -> new Iterator<>() {
      private final Context context = Context.current();

      @Override
      public boolean hasNext() {
        CountDownLatch cancelled = new CountDownLatch(1);
        context.addListener(ended -> cancelled.countDown(), Runnable::run);
        waiting.countDown();
        try {
          cancelled.await();
        } catch (InterruptedException interrupted) {
          throw new AssertionError(interrupted);
        }
        throw RiposteException.from(Status.CANCELLED.asRuntimeException());
      }

      @Override
      public Long next() {
        throw new AssertionError("nothing came");
      }
    }, 0, revision -> revision, () -> false);
    CompletableFuture<Boolean> more = CompletableFuture.supplyAsync(watch::hasNext);
    waiting.await();
    watch.close();
    assertFalse(more.get(10, TimeUnit.SECONDS));
  }
}
