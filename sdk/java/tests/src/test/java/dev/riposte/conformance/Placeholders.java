package dev.riposte.conformance;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the placeholders of one scenario stand for. */
final class Placeholders {
  private static final Pattern NAME = Pattern.compile("\\$\\{(\\w+)}");

  private final Map<String, String> values = new ConcurrentHashMap<>();

  Placeholders() {
    values.put("unique", String.format("%016x", ThreadLocalRandom.current().nextLong()));
    values.put("lone", "\ud83d");
    values.put("uuid", UUID.randomUUID().toString());
  }

  /** What stands at a dotted path of an answer, as text. */
  static String at(Object answer, String path) {
    Object found = answer;
    for (String step : path.split("\\.")) {
      found = found instanceof List<?> list ? list.get(Integer.parseInt(step)) : ((Map<?, ?>) found).get(step);
    }
    if (found == null) {
      throw new AssertionError("nothing stands at " + path + " of " + answer);
    }
    return found.toString();
  }

  void put(String name, String value) {
    values.put(name, value);
  }

  /** The same with all placeholders filled in, however deep they stand. */
  Object fill(Object written) {
    if (written instanceof Map<?, ?> map) {
      // toMap admits no null, and no scenario writes one.
      return map.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> fill(entry.getValue())));
    }
    if (written instanceof List<?> list) {
      return list.stream().map(this::fill).toList();
    }
    return written instanceof String text ? NAME.matcher(text).replaceAll(this::value) : written;
  }

  private String value(java.util.regex.MatchResult found) {
    String value = values.get(found.group(1));
    if (value == null) {
      throw new AssertionError("nothing was saved as " + found.group(1));
    }
    return Matcher.quoteReplacement(value);
  }
}
