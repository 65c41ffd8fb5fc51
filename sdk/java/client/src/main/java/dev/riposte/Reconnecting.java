package dev.riposte;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds the waits of a channel between two attempts to connect. gRPC has no setting for them: they
 * grow to two minutes. While the channel cannot connect, a timer ends the wait it is in.
 */
final class Reconnecting {
  private final ManagedChannel channel;
  private final AtomicBoolean counting = new AtomicBoolean();

  Reconnecting(ManagedChannel channel) {
    this.channel = channel;
  }

  /** Bounds the waits from now on, until the channel is shut down. */
  void follow() {
    ConnectivityState state = channel.getState(false);
    count();
    if (state != ConnectivityState.SHUTDOWN) {
      channel.notifyWhenStateChanged(state, this::follow);
    }
  }

  /** Starts the timer of a channel that cannot connect, if none runs. */
  private void count() {
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE && counting.compareAndSet(false, true)) {
      again(ThreadLocalRandom.current().nextDouble(Contract.LEAST_FIRST_WAIT_MS, Contract.MOST_FIRST_WAIT_MS));
    }
  }

  private void again(double waitMs) {
    double jitter = ThreadLocalRandom.current().nextDouble(1 - Contract.WAIT_JITTER, 1 + Contract.WAIT_JITTER);
    CompletableFuture.delayedExecutor((long) (waitMs * jitter), TimeUnit.MILLISECONDS).execute(() -> {
      if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
        channel.resetConnectBackoff();
        again(Math.min(waitMs * Contract.WAIT_GROWTH, Contract.LONGEST_WAIT_MS));
      } else {
        counting.set(false);
        // A failure that came before the line above has started no timer.
        count();
      }
    });
  }
}
