package dev.riposte.conformance;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The comparison of what a scenario expects with what came. */
final class Match {
  private Match() {}

  /** Fails, with the place, when the answer is not what was expected. */
  static void check(String place, Object expected, Object actual) {
    if (!matches(expected, actual)) {
      // The innermost place that can be named says most.
      if (expected instanceof Map<?, ?> map && actual instanceof Map<?, ?> found && !isOperator(map)) {
        map.forEach((key, value) -> check(place + "." + key, value, found.get(key)));
      }
      throw new AssertionError(place + ": expected " + expected + ", got " + actual);
    }
  }

  static boolean matches(Object expected, Object actual) {
    if (expected instanceof Map<?, ?> map && map.containsKey("$set")) {
      return map.get("$set").equals(!isDefault(actual));
    }
    if (expected instanceof Map<?, ?> map && map.containsKey("$not")) {
      return !matches(map.get("$not"), actual);
    }
    if (expected instanceof Map<?, ?> map) {
      return actual instanceof Map<?, ?> found
          && map.entrySet().stream().allMatch(entry -> matches(entry.getValue(), found.get(entry.getKey())));
    }
    if (expected instanceof List<?> list) {
      return actual instanceof List<?> found && list.size() == found.size() && inOrder(list, found);
    }
    if (expected instanceof Number number) {
      return actual instanceof Number found && number.doubleValue() == found.doubleValue();
    }
    return expected.equals(actual);
  }

  private static boolean inOrder(List<?> expected, List<?> actual) {
    for (int at = 0; at < expected.size(); at++) {
      if (!matches(expected.get(at), actual.get(at))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOperator(Map<?, ?> map) {
    return map.containsKey("$set") || map.containsKey("$not");
  }

  /** A 64-bit 0 is a text, an enum's its first name. */
  private static boolean isDefault(Object actual) {
    return actual == null
        || actual.equals(false)
        || actual instanceof Number number && number.doubleValue() == 0
        || actual instanceof String text && (text.isEmpty() || text.equals("0") || text.endsWith("_UNSPECIFIED"))
        || actual instanceof Collection<?> list && list.isEmpty()
        || actual instanceof Map<?, ?> map && map.isEmpty();
  }
}
