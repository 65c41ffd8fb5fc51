package dev.riposte;

import java.io.File;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What options are read from. A variable that is empty is as good as absent. */
record Environment(Map<String, String> variables) {
  String text(String name, String otherwise) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  /** One of the values, of which the first is the default. */
  String choice(String name, String... values) {
    String value = text(name, values[0]);
    if (!List.of(values).contains(value)) {
      throw RiposteException.local(name + ": " + value + " is none of " + String.join(", ", values));
    }
    return value;
  }

  File pem(String name, File otherwise) {
    String path = text(name, null);
    return path == null ? otherwise : new File(path);
  }

  boolean flag(String name, boolean otherwise) {
    return switch (text(name, Boolean.toString(otherwise)).toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw RiposteException.local(name + " is neither true nor false");
    };
  }
}
