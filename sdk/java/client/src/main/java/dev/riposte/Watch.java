package dev.riposte;

import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.Status;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * A stream of events without an end. Where it breaks (a process stops, a connection is lost, the
 * reader was too slow) it is opened again behind the last revision seen, as often as it takes, with
 * growing waits up to 2 s. Any other failure is thrown as {@link RiposteException}.
 *
 * <p>It is walked by one thread; any thread may close it, and has to in the end.
 *
 * @param <E> an event
 */
public final class Watch<E> implements Iterable<E>, Iterator<E>, AutoCloseable {
  private static final Set<Status.Code> LOST = Set.of(Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.CANCELLED);

  private final LongFunction<Iterator<E>> open;
  private final ToLongFunction<E> revision;
  private final BooleanSupplier over;
  private final CancellableContext context = Context.current().withCancellation();
  private final CountDownLatch closed = new CountDownLatch(1);
  private long seen;
  private long wait = Contract.LEAST_FIRST_WAIT_MS;
  /** The stream; null while none is open. */
  private Iterator<E> events;

  /**
   * @param open opens the stream behind a revision
   * @param seen the revision to begin behind; 0 from the next change on
   * @param revision the last revision that an event tells of; 0 for one that tells of none
   * @param over whether there is nothing left to open a stream by
   */
  Watch(LongFunction<Iterator<E>> open, long seen, ToLongFunction<E> revision, BooleanSupplier over) {
    this.open = open;
    this.seen = seen;
    this.revision = revision;
    this.over = over;
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
    while (!ended()) {
      Duration least = Duration.ZERO;
      try {
        if (events == null) {
          context.run(() -> events = open.apply(seen));
        }
        if (events.hasNext()) {
          return true;
        }
        events = null;
      } catch (RiposteException error) {
        events = null;
        if (!ended() && !breaks(error)) {
          throw error;
        }
        least = error.retryAfter().orElse(least);
      }
      pause(least.toMillis());
    }
    return false;
  }

  /** The next event, waited for as by {@link #hasNext}. */
  @Override
  public E next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the watch has ended");
    }
    E event = events.next();
    seen = Math.max(seen, revision.applyAsLong(event));
    wait = Contract.LEAST_FIRST_WAIT_MS;
    return event;
  }

  /** Ends the stream; who waits for the next event is told that there is none. */
  @Override
  public void close() {
    closed.countDown();
    context.cancel(null);
  }

  private boolean ended() {
    return closed.getCount() == 0 || over.getAsBoolean();
  }

  /**
   * Whether the stream broke and can go on: what may be repeated, and what a transport says of a
   * lost stream.
   */
  private boolean breaks(RiposteException error) {
    boolean lost = error.reasonName().isEmpty() && LOST.contains(error.code()) && !context.isCancelled();
    return lost || error.isRetryable();
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
