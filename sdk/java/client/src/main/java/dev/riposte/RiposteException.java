package dev.riposte;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
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
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why a call failed. Each gRPC code has a class of its own in {@link Errors}, to catch it by. */
public class RiposteException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final String DOMAIN = "riposte";
  private static final Metadata.Key<String> REQUEST_ID = Metadata.Key.of("riposte-request-id", Metadata.ASCII_STRING_MARSHALLER);

  private final Status.Code code;
  private final String reason;
  private final Map<String, String> metadata;
  private final List<Violation> violations;
  private final Duration retryAfter;
  private final String requestId;

  /** What the status says; by {@link #from}, which chooses the class. */
  RiposteException(StatusRuntimeException status) {
    super(said(status), status);
    ErrorInfo info = Optional.of(detail(status, ErrorInfo.getDefaultInstance()))
        .filter(found -> found.getDomain().equals(DOMAIN))
        .orElse(ErrorInfo.getDefaultInstance());
    RetryInfo retry = detail(status, RetryInfo.getDefaultInstance());
    code = status.getStatus().getCode();
    reason = info.getReason();
    metadata = Map.copyOf(info.getMetadataMap());
    violations = detail(status, BadRequest.getDefaultInstance()).getFieldViolationsList().stream()
        .map(field -> new Violation(field.getField(), field.getDescription())).toList();
    retryAfter = !retry.hasRetryDelay() ? null
        : Duration.ofSeconds(retry.getRetryDelay().getSeconds(), retry.getRetryDelay().getNanos());
    requestId = status.getTrailers() == null ? null : status.getTrailers().get(REQUEST_ID);
  }

  /**
   * Reads what a stub has thrown.
   *
   * @param status what it threw
   * @return the same with all that the service told, of the class of its code
   */
  public static RiposteException from(StatusRuntimeException status) {
    return Errors.of(status);
  }

  /** An error that never left this process. */
  static RiposteException local(String message) {
    return from(Status.INVALID_ARGUMENT.withDescription(message).asRuntimeException());
  }

  /**
   * The gRPC code.
   *
   * @return the code
   */
  public Status.Code code() {
    return code;
  }

  /**
   * The reason.
   *
   * @return the reason, also of a field that the client refuses; UNSPECIFIED for one that this
   *     version does not know, and for all else that is no answer of the service
   */
  public ErrorReason reason() {
    var value = ErrorReason.getDescriptor().findValueByName("ERROR_REASON_" + reason);
    return value == null ? ErrorReason.ERROR_REASON_UNSPECIFIED : ErrorReason.valueOf(value);
  }

  /**
   * The reason as it was sent, without prefix.
   *
   * @return the name, for example {@code SUBJECT_NOT_FOUND}; empty for what is no answer of the
   *     service and no field that the client refuses
   */
  public String reasonName() {
    return reason;
  }

  /**
   * The facts of the reason; see {@link ErrorReason}.
   *
   * @return the facts by their names
   */
  public Map<String, String> metadata() {
    return metadata;
  }

  /**
   * All fields at fault, for a request that is.
   *
   * @return the fields
   */
  public List<Violation> violations() {
    return violations;
  }

  /**
   * Whether the same call may succeed later, with nothing changed: UNAVAILABLE, which the client
   * has then repeated in vain already, and RESOURCE_EXHAUSTED with a wait told.
   *
   * @return whether it may
   */
  public boolean isRetryable() {
    return code == Status.Code.UNAVAILABLE || code == Status.Code.RESOURCE_EXHAUSTED && retryAfter != null;
  }

  /**
   * How long to wait before a repeat can succeed.
   *
   * @return the wait, where the service says so
   */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /**
   * The id by which the service logged the call, to report with a fault.
   *
   * @return the id; empty for what is no answer of the service
   */
  public Optional<String> requestId() {
    return Optional.ofNullable(requestId);
  }

  /**
   * The reason or code, what the service said, the fields at fault that it did not name, and the id
   * of the request.
   */
  @Override
  public String getMessage() {
    String name = reason.isEmpty() ? code.name() : reason;
    String said = super.getMessage().isEmpty() ? "" : ": " + super.getMessage();
    String fields = violations.stream()
        .filter(violation -> !said.contains(violation.description()))
        .map(violation -> "; " + violation.field() + ": " + violation.description())
        .collect(Collectors.joining());
    return name + said.replaceFirst(" \\(and \\d+ more\\)$", "") + fields + (requestId == null ? "" : " (request " + requestId + ")");
  }

  /**
   * What the status says and, for a failure of the transport, its causes, which alone tell the
   * address.
   */
  private static String said(StatusRuntimeException status) {
    Stream<Throwable> causes = Stream.iterate(status.getCause(), Objects::nonNull, Throwable::getCause);
    return Stream.concat(Stream.ofNullable(status.getStatus().getDescription()), causes.map(Throwable::getMessage))
        .filter(Objects::nonNull)
        .reduce("", (said, more) -> said.contains(more) ? said : said.isEmpty() ? more : said + ": " + more);
  }

  /** The detail of one type; its default if there is none, or none that can be read. */
  private static <M extends Message> M detail(StatusRuntimeException status, M none) {
    try {
      for (Any any : StatusProto.fromThrowable(status).getDetailsList()) {
        if (any.isSameTypeAs(none)) {
          return any.unpackSameTypeAs(none);
        }
      }
    } catch (InvalidProtocolBufferException | IllegalArgumentException unreadable) {
      // As good as absent. The latter is what gRPC makes of bytes that are no details, or those of
      // another code.
    }
    return none;
  }
}
