package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RequestIdsTest {
  private static String tail(String id) {
    return id.substring(24);
  }

  @Test
  void idsAreUuidsOfVersion7ThatRiseAndShareTheirTail() {
    RequestIds ids = new RequestIds();
    List<String> made = Stream.generate(ids::next).limit(100_000).toList();
    assertEquals(made.stream().sorted().distinct().toList(), made);
    UUID first = UUID.fromString(made.get(0));
    assertEquals(7, first.version());
    assertEquals(2, first.variant());
    assertTrue(Math.abs((first.getMostSignificantBits() >>> 16) - System.currentTimeMillis()) < 60_000, first.toString());
    assertTrue(made.stream().allMatch(id -> tail(id).equals(tail(made.get(0)))));
    assertNotEquals(tail(made.get(0)), tail(new RequestIds().next()));
  }

  @Test
  void idsOfManyThreadsAreAllDifferent() {
    RequestIds ids = new RequestIds();
    long different = Stream.generate(ids::next).parallel().limit(100_000).distinct().count();
    assertEquals(100_000, different);
  }
}
