package dev.riposte;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Messages as JSON. */
public final class Json {
  private Json() {}

  /**
   * Writes a message of the contract in the JSON form of proto3: ids and revisions are texts, which
   * JavaScript does not round, enums are names, and times are RFC 3339. Fields with their default
   * are written too.
   *
   * @param message the message
   * @return an object of JSON
   */
  public static String of(MessageOrBuilder message) {
    if (message instanceof Timestamp time) {
      return quoted(Instant.ofEpochSecond(time.getSeconds(), time.getNanos()).toString());
    }
    if (message instanceof FieldMask mask) {
      String paths = String.join(",", mask.getPathsList());
      return quoted(Pattern.compile("_(.)").matcher(paths).replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT)));
    }
    return message.getDescriptorForType().getFields().stream()
        .filter(field -> !field.hasPresence() || message.hasField(field))
        .map(field -> quoted(field.getJsonName()) + ":" + of(field, message.getField(field)))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String of(FieldDescriptor field, Object value) {
    if (field.isMapField()) {
      FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
      FieldDescriptor held = field.getMessageType().findFieldByNumber(2);
      return ((List<?>) value).stream().map(MessageOrBuilder.class::cast)
          .map(entry -> quoted(entry.getField(key).toString()) + ":" + one(entry.getField(held)))
          .collect(Collectors.joining(",", "{", "}"));
    }
    return field.isRepeated() ? ((List<?>) value).stream().map(Json::one).collect(Collectors.joining(",", "[", "]")) : one(value);
  }

  private static String one(Object value) {
    if (value instanceof MessageOrBuilder message) {
      return of(message);
    }
    if (value instanceof EnumValueDescriptor named) {
      return quoted(named.getName());
    }
    // Numbers of 64 bits are texts.
    return value instanceof Integer || value instanceof Boolean ? value.toString() : quoted(value.toString());
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.chars().forEach(c -> quoted.append(
        c == '"' || c == '\\' ? "\\" + (char) c : c < ' ' ? String.format("\\u%04x", c) : String.valueOf((char) c)));
    return quoted.append('"').toString();
  }
}
