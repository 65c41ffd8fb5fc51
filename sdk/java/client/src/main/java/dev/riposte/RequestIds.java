package dev.riposte;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes the request ids of one client: UUIDv7 in strictly rising order, whose last 48 bits are
 * random once per client. By them the service knows the client, and by the rest it orders what one
 * client asked.
 */
public final class RequestIds {
  private static final long VERSION = 7L << 12;
  private static final long VARIANT = 0b10L << 62;

  private final long tail = new SecureRandom().nextLong() & ((1L << 48) - 1);
  /**
   * The last id made: 48 bits of milliseconds, then a count of 16 bits that runs over into them.
   */
  private final AtomicLong last = new AtomicLong();

  RequestIds() {}

  /**
   * Makes an id; greater than every one before it.
   *
   * @return the id, in the usual text form
   */
  public String next() {
    long now = System.currentTimeMillis() << 16;
    long stamp = last.updateAndGet(before -> Math.max(now, before + 1));
    // The layout of RFC 9562: milliseconds, version 7, twelve bits, variant 2, and 62 bits, here 14
    // (four of the count and ten zeros) and the tail.
    long high = (stamp & ~0xffffL) | VERSION | (stamp >> 4 & 0xfff);
    return new UUID(high, VARIANT | (stamp & 0xf) << 58 | tail).toString();
  }
}
