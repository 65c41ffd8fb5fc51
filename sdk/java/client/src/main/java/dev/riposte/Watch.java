package dev.riposte;

import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * An open stream of events without an end. Where it breaks (a process stops, a connection is lost,
 * the reader was too slow) it is opened again behind the last revision seen, as often as it takes,
 * with growing waits up to 2 s. Any other failure is thrown as {@link RiposteException}.
 *
 * <p>It is walked by one thread; any thread may close it, and has to in the end.
 *
 * @param <E> an event
 */
public final class Watch<E> implements Iterable<E>, Iterator<E>, AutoCloseable {
  private static final Set<Status.Code> LOST = Set.of(Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.CANCELLED);

  private final Source<E> source;
  private final BooleanSupplier over;
  private final CancellableContext context = Context.current().withCancellation();
  private final CountDownLatch closed = new CountDownLatch(1);
  /** True until the first event or the end of the time for it, whichever comes first. */
  private final AtomicBoolean opening = new AtomicBoolean(true);
  /** Events that came and were not asked for yet. */
  private final Deque<E> ahead = new ArrayDeque<>();
  private boolean began;
  private long wait = Contract.LEAST_FIRST_WAIT_MS;
  /** The stream; null while none is open. */
  private Iterator<E> events;

  /**
   * A stream that goes on behind its last event.
   *
   * @param <E> an event
   */
  interface Source<E> {
    /** Opens the stream. */
    Iterator<E> open();

    /** Goes behind an event, which may be the first; says which event comes after it, if any. */
    Optional<E> keep(E event, boolean first);
  }

  /**
   * What a stream consists of.
   *
   * @param open opens it behind a revision
   * @param revision the last revision that an event tells of; negative for one that tells of none
   * @param opens whether it is the event that begins a stream
   * @param gap the event that tells of lost revisions, from 1 to this one
   */
  record Kinds<E>(LongFunction<Iterator<E>> open, ToLongFunction<E> revision, Predicate<E> opens, LongFunction<E> gap) {
    /**
     * The stream behind a revision; 0 from the next change on. What came after revision 0, from
     * which no stream can resume, while none was open is told as a gap.
     */
    Source<E> behind(long begin) {
      return new Source<>() {
        private long seen = begin;

        @Override
        public Iterator<E> open() {
          return open.apply(seen);
        }

        @Override
        public Optional<E> keep(E event, boolean first) {
          long at = revision.applyAsLong(event);
          boolean lost = !first && seen == 0 && at > 0 && opens.test(event);
          seen = at < 0 ? seen : at;
          return lost ? Optional.of(gap.apply(at)) : Optional.empty();
        }
      };
    }
  }

  /**
   * Opens the stream.
   *
   * @param source where it is opened
   * @param over whether there is nothing left to open a stream by
   */
  Watch(Source<E> source, BooleanSupplier over) {
    this.source = source;
    this.over = over;
    CompletableFuture.delayedExecutor(Contract.OPEN_WITHIN_MS, TimeUnit.MILLISECONDS).execute(() -> {
      if (opening.compareAndSet(true, false)) {
        context.cancel(null);
      }
    });
    try {
      read();
    } catch (RiposteException refused) {
      close();
      throw refused;
    }
  }

  /** This watch itself: it is walked once. */
  @Override
  public Iterator<E> iterator() {
    return this;
  }

  /**
   * Waits for the next event.
   *
   * @return true once there is one; false when the watch or its client is closed
   * @throws RiposteException if the stream fails for good, or the thread is interrupted (CANCELLED)
   */
  @Override
  public boolean hasNext() {
    return !ended() && (!ahead.isEmpty() || read());
  }

  private boolean read() {
    while (!ended()) {
      Duration least = Duration.ZERO;
      try {
        if (events == null) {
          context.run(() -> events = source.open());
        }
        if (events.hasNext() && (began || opening.compareAndSet(true, false))) {
          take(events.next());
          return true;
        }
        events = null;
      } catch (RiposteException error) {
        events = null;
        if (!ended() && !breaks(error) && (began || opening.get())) {
          throw error;
        }
        least = error.retryAfter().orElse(least);
      }
      if (!began && !opening.get()) {
        throw late();
      }
      pause(least.toMillis());
    }
    return false;
  }

  /** Keeps the place behind an event. */
  private void take(E event) {
    ahead.add(event);
    source.keep(event, !began).ifPresent(ahead::add);
    began = true;
    wait = Contract.LEAST_FIRST_WAIT_MS;
  }

  /** The next event, waited for as by {@link #hasNext}. */
  @Override
  public E next() {
    hasNext();
    // It throws that there is none once the watch has ended.
    return ahead.remove();
  }

  /** Ends the stream; who waits for the next event is told that there is none. */
  @Override
  public void close() {
    closed.countDown();
    context.cancel(null);
  }

  private static RiposteException late() {
    String said = "the watch was not opened within " + Contract.OPEN_WITHIN_MS + " ms";
    return RiposteException.from(Status.UNAVAILABLE.withDescription(said).asRuntimeException());
  }

  private boolean ended() {
    return closed.getCount() == 0 || over.getAsBoolean();
  }

  /**
   * Whether the stream broke and can go on: what may be repeated, and what a transport says of a
   * lost stream. The first stream is opened again only where no service is.
   */
  private boolean breaks(RiposteException error) {
    boolean lost = error.reasonName().isEmpty() && LOST.contains(error.code()) && !context.isCancelled();
    return lost || (began ? error.isRetryable() : error.code() == Status.Code.UNAVAILABLE);
  }

  /**
   * Waits a random part of the bound, so that readers that broke together do not return together.
   */
  private void pause(long leastMs) {
    long drawn = ThreadLocalRandom.current().nextLong(wait + 1);
    wait = Math.min(wait * 2, Contract.LONGEST_WAIT_MS);
    try {
      closed.await(Math.max(leastMs, drawn), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw RiposteException.from(Status.CANCELLED.withCause(interrupted).asRuntimeException());
    }
  }
}
