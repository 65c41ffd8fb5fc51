package dev.riposte.conformance;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.util.Map;

/** Messages in the JSON form of proto3, as maps and lists. */
final class Json {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private Json() {}

  @SuppressWarnings("unchecked") // a builder makes its own message
  static <M extends Message> M parse(Object written, M none) {
    try {
      Message.Builder builder = none.newBuilderForType();
      JsonFormat.parser().merge(GSON.toJson(written), builder);
      return (M) builder.build();
    } catch (InvalidProtocolBufferException invalid) {
      throw new AssertionError("no " + none.getDescriptorForType().getName() + ": " + written, invalid);
    }
  }

  static Map<?, ?> print(MessageOrBuilder message) {
    try {
      // Fields of no presence are written out even where they have their default.
      return GSON.fromJson(JsonFormat.printer().includingDefaultValueFields().print(message), Map.class);
    } catch (InvalidProtocolBufferException invalid) {
      throw new AssertionError(invalid);
    }
  }
}
