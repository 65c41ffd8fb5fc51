package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.BadRequest.FieldViolation;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.riposte.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RiposteExceptionTest {
  private static StatusRuntimeException answer(Status.Code code, String message, Message... details) {
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder().setCode(code.value()).setMessage(message);
    for (Message detail : details) {
      status.addDetails(Any.pack(detail));
    }
    Metadata trailers = new Metadata();
    trailers.put(Metadata.Key.of("riposte-request-id", Metadata.ASCII_STRING_MARSHALLER), "r-1");
    return StatusProto.toStatusRuntimeException(status.build(), trailers);
  }

  private static ErrorInfo info(String domain, String reason) {
    return ErrorInfo.newBuilder().setDomain(domain).setReason(reason).putMetadata("limit", "64").build();
  }

  private static RetryInfo retry(int millis) {
    var delay = com.google.protobuf.Duration.newBuilder().setNanos(millis * 1_000_000);
    return RetryInfo.newBuilder().setRetryDelay(delay).build();
  }

  @Test
  void everythingAnAnswerTellsCanBeRead() {
    BadRequest fields = BadRequest.newBuilder()
        .addFieldViolations(FieldViolation.newBuilder().setField("member_id").setDescription("is empty"))
        .addFieldViolations(FieldViolation.newBuilder().setField("content.text").setDescription("is empty"))
        .build();
    StatusRuntimeException status =
        answer(Status.Code.INVALID_ARGUMENT, "2 fields", info("riposte", "FIELD_INVALID"), fields, retry(200));
    RiposteException error = RiposteException.from(status);
    assertInstanceOf(Errors.InvalidArgument.class, error);
    assertSame(status, error.getCause());
    assertEquals(Status.Code.INVALID_ARGUMENT, error.code());
    assertEquals(ErrorReason.ERROR_REASON_FIELD_INVALID, error.reason());
    assertEquals(Map.of("limit", "64"), error.metadata());
    List<Violation> violations =
        List.of(new Violation("member_id", "is empty"), new Violation("content.text", "is empty"));
    assertEquals(violations, error.violations());
    assertEquals(Optional.of(Duration.ofMillis(200)), error.retryAfter());
    assertEquals(Optional.of("r-1"), error.requestId());
    assertFalse(error.isRetryable());
    assertEquals("FIELD_INVALID: 2 fields; member_id: is empty; content.text: is empty (request r-1)",
        error.getMessage());
  }

  @Test
  void anAnswerOfSomebodyElseHasNoReason() {
    RiposteException error =
        RiposteException.from(answer(Status.Code.NOT_FOUND, "no", info("elsewhere", "SUBJECT_NOT_FOUND")));
    assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, error.reason());
    assertEquals("", error.reasonName());
    assertEquals("NOT_FOUND: no (request r-1)", error.getMessage());
    assertEquals("DATA_LOSS", RiposteException.from(Status.DATA_LOSS.asRuntimeException()).getMessage());
  }

  @Test
  void detailsThatCannotBeReadAreNone() {
    Metadata junk = new Metadata();
    junk.put(Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER), new byte[] {1, 2, 3});
    Metadata ofAnotherCode = answer(Status.Code.ABORTED, "other", info("riposte", "SUBJECT_NOT_FOUND")).getTrailers();
    for (Metadata trailers : List.of(junk, ofAnotherCode)) {
      StatusRuntimeException status = Status.NOT_FOUND.withDescription("no").asRuntimeException(trailers);
      RiposteException error = assertInstanceOf(Errors.NotFound.class, RiposteException.from(status));
      assertEquals("", error.reasonName());
      assertEquals(Optional.empty(), error.retryAfter());
    }
  }

  @Test
  void everyCodeHasAClassOfItsOwn() {
    for (Status.Code code : Status.Code.values()) {
      RiposteException error = RiposteException.from(code.toStatus().asRuntimeException());
      assertEquals(code, error.code());
      assertEquals(code == Status.Code.OK, error.getClass() == RiposteException.class, code.name());
    }
  }

  @Test
  void whatTheMessageTellsIsNotToldAgain() {
    BadRequest field = BadRequest.newBuilder()
        .addFieldViolations(FieldViolation.newBuilder().setField("member_id").setDescription("is empty"))
        .build();
    RiposteException error = RiposteException.from(
        answer(Status.Code.INVALID_ARGUMENT, "invalid request: member_id: is empty", field));
    assertEquals("INVALID_ARGUMENT: invalid request: member_id: is empty (request r-1)", error.getMessage());
  }

  @Test
  void theCausesOfAFailedTransportAreTold() {
    Throwable cause = new IllegalStateException("TLS failed: not trusted", new IllegalStateException("not trusted"));
    var status = Status.UNAVAILABLE.withDescription("io exception").withCause(cause).asRuntimeException();
    assertEquals("UNAVAILABLE: io exception: TLS failed: not trusted", RiposteException.from(status).getMessage());
  }

  @Test
  void aReasonOfALaterVersionIsToldByItsName() {
    RiposteException error =
        RiposteException.from(answer(Status.Code.ABORTED, "no", info("riposte", "NOT_INVENTED_YET")));
    assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, error.reason());
    assertEquals("NOT_INVENTED_YET", error.reasonName());
  }

  @Test
  void whatMayBeRepeatedSaysSo() {
    assertTrue(RiposteException.from(answer(Status.Code.UNAVAILABLE, "gone")).isRetryable());
    assertTrue(RiposteException.from(answer(Status.Code.RESOURCE_EXHAUSTED, "full", retry(50))).isRetryable());
    assertFalse(RiposteException.from(answer(Status.Code.RESOURCE_EXHAUSTED, "full")).isRetryable());
    assertFalse(RiposteException.from(answer(Status.Code.DEADLINE_EXCEEDED, "late")).isRetryable());
  }

  @Test
  void everyReasonIsKnown() {
    for (ErrorReason reason : ErrorReason.values()) {
      if (reason != ErrorReason.UNRECOGNIZED && reason != ErrorReason.ERROR_REASON_UNSPECIFIED) {
        String name = reason.name().replaceFirst("ERROR_REASON_", "");
        assertEquals(reason, RiposteException.from(answer(Status.Code.ABORTED, "", info("riposte", name))).reason());
      }
    }
  }
}
