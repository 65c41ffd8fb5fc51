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
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class WatchTest {
  private final Queue<Iterator<Long>> streams = new ArrayDeque<>();
  private final List<Long> opened = new ArrayList<>();

  private Watch<Long> watch(long after) {
    return new Watch<>(kinds(seen -> {
      opened.add(seen);
      return streams.remove();
    }).behind(after), () -> false);
  }

  /** Streams of revisions; one of 100 or more opens a stream, and a gap is negative. */
  private static Watch.Kinds<Long> kinds(LongFunction<Iterator<Long>> open) {
    return new Watch.Kinds<>(open, event -> event % 100, event -> event >= 100, last -> -last);
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
  void aRefusalOfTheFirstStreamIsThrownAtOnce() {
    streams.add(stream(Status.RESOURCE_EXHAUSTED));
    assertThrows(Errors.ResourceExhausted.class, () -> watch(0));
    assertEquals(List.of(0L), opened);
  }

  @Test
  void whatIsLostAfterRevisionZeroIsToldAsAGap() {
    streams.add(stream(Status.UNAVAILABLE, 100L));
    streams.add(stream(Status.UNAVAILABLE, 103L, 4L));
    streams.add(stream(Status.NOT_FOUND, 104L));
    List<Long> seen = new ArrayList<>();
    try (Watch<Long> watch = watch(0)) {
      assertThrows(Errors.NotFound.class, () -> watch.forEach(seen::add));
    }
    assertEquals(List.of(100L, 103L, -3L, 4L, 104L), seen);
    assertEquals(List.of(0L, 0L, 4L), opened);
  }

  @Test
  void closingItEndsTheWaitOfItsReader() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    Watch<Long> watch = new Watch<>(kinds(seen -> new Iterator<>() {
      private final Context context = Context.current();
      private boolean began;

      @Override
      public boolean hasNext() {
        if (!began) {
          return true;
        }
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
        began = true;
        return 1L;
      }
    }).behind(0), () -> false);
    assertEquals(1L, watch.next());
    CompletableFuture<Boolean> more = CompletableFuture.supplyAsync(watch::hasNext);
    waiting.await();
    watch.close();
    assertFalse(more.get(10, TimeUnit.SECONDS));
  }
}
