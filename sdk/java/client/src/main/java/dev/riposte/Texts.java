package dev.riposte;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The texts of a request. */
final class Texts {
  private Texts() {}

  /**
   * The refusal of a request with lone surrogates, in whose place protobuf would send other text:
   * FIELD_INVALID with all such fields and those that are known to be wrong, or the reason of the
   * only field.
   */
  static Optional<StatusRuntimeException> refusal(Message request, BadRequest.Builder bad) {
    visit(request, "", bad);
    if (bad.getFieldViolationsCount() == 0) {
      return Optional.empty();
    }
    String told = bad.getFieldViolationsList().stream()
        .map(violation -> violation.getField() + ": " + violation.getDescription())
        .collect(Collectors.joining("; "));
    String reason = bad.getFieldViolationsCount() == 1 ? bad.getFieldViolations(0).getReason() : "FIELD_INVALID";
    return Optional.of(StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
        .setCode(Status.Code.INVALID_ARGUMENT.value())
        .setMessage(told)
        .addDetails(Any.pack(ErrorInfo.newBuilder().setReason(reason).setDomain("riposte").build()))
        .addDetails(Any.pack(bad.build()))
        .build()));
  }

  /** Throws the refusal of a request, if there is one. */
  static void check(Message request, BadRequest.Builder bad) {
    refusal(request, bad).ifPresent(refusal -> {
      throw RiposteException.from(refusal);
    });
  }

  private static void visit(Message message, String at, BadRequest.Builder bad) {
    message.getAllFields().forEach((field, value) -> {
      List<?> values = field.isRepeated() ? (List<?>) value : List.of(value);
      for (int i = 0; i < values.size(); i++) {
        one(values.get(i), at + field.getName() + (field.isRepeated() ? "[" + i + "]" : ""), bad);
      }
    });
  }

  private static void one(Object value, String path, BadRequest.Builder bad) {
    if (value instanceof Message message) {
      visit(message, path + ".", bad);
    } else if (value instanceof String text
        && text.codePoints().anyMatch(point -> Character.getType(point) == Character.SURROGATE)) {
      // A code point is half of a pair only where its other half is missing.
      Services.wrong(bad, true, path, "is no valid Unicode: it has a lone surrogate", "FIELD_INVALID");
    }
  }
}
