package dev.riposte;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What goes with every call, whichever stub makes it: the token, a deadline for one that has none,
 * and a request id for a write that has none; and what a closed client says of its calls.
 */
final class Outgoing implements ClientInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  /** What calls of a closed client end with. */
  static final Status CLOSED = Status.CANCELLED.withDescription("the client is closed");

  private final Pushback pushback = new Pushback();
  private final String token;
  private final RequestIds ids;
  private final BooleanSupplier closed;

  Outgoing(String token, RequestIds ids, BooleanSupplier closed) {
    this.token = token;
    this.ids = ids;
    this.closed = closed;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    Long limit = Contract.DEADLINES_MS.get(method.getFullMethodName());
    boolean bare = options.getDeadline() == null && Context.current().getDeadline() == null;
    CallOptions limited = bare && limit != null ? options.withDeadlineAfter(limit, TimeUnit.MILLISECONDS) : options;
    return new SimpleForwardingClientCall<>(next.newCall(method, limited.withStreamTracerFactory(pushback))) {
      /**
       * Starts the call; null once it did. A call of one request waits for it, so that nothing is
       * sent of a request that is refused here.
       */
      private Runnable begin;
      private int asked;
      private Listener<A> told;
      private StatusRuntimeException refusal;

      @Override
      public void start(Listener<A> listener, Metadata headers) {
        told = listener;
        begin = () -> startNow(listener, headers);
        if (!method.getType().clientSendsOneMessage()) {
          begin();
        }
      }

      private void begin() {
        Runnable starting = begin;
        begin = null;
        if (starting != null) {
          starting.run();
          if (asked > 0) {
            super.request(asked);
          }
        }
      }

      private void startNow(Listener<A> listener, Metadata headers) {
        if (token != null) {
          headers.discardAll(AUTHORIZATION);
          headers.put(AUTHORIZATION, "Bearer " + token);
        }
        super.start(new SimpleForwardingClientCallListener<>(listener) {
          @Override
          public void onClose(Status status, Metadata trailers) {
            Status ended = ofConnection(status);
            // gRPC says UNAVAILABLE of a channel that was shut down, which would mean that a repeat
            // may succeed.
            boolean ours = ended.getCode() == Status.Code.UNAVAILABLE && closed.getAsBoolean();
            Status end = refusal != null ? refusal.getStatus() : ours ? CLOSED : ended;
            super.onClose(end, refusal != null ? refusal.getTrailers() : ours ? new Metadata() : trailers);
          }
        }, headers);
      }

      @Override
      public void request(int count) {
        if (begin == null && refusal == null) {
          super.request(count);
        } else {
          asked += count;
        }
      }

      // Above the retries of gRPC: all attempts send the same message.
      @Override
      public void sendMessage(Q message) {
        refusal = Texts.refusal((Message) message, BadRequest.newBuilder()).orElse(null);
        if (refusal == null) {
          begin();
          super.sendMessage(withRequestId(message));
        } else if (begin == null) {
          super.cancel("a request is refused", refusal);
        } else {
          told.onClose(refusal.getStatus(), refusal.getTrailers());
        }
      }

      @Override
      public void halfClose() {
        if (refusal == null) {
          begin();
          super.halfClose();
        }
      }

      @Override
      public void cancel(String message, Throwable cause) {
        if (refusal == null) {
          begin();
          super.cancel(message, cause);
        }
      }

      @Override
      public boolean isReady() {
        return begin == null && refusal == null && super.isReady();
      }
    };
  }

  /**
   * A call on a connection that ends while it is being opened may have the status UNKNOWN with the
   * cause ClosedChannelException (grpc-java #10120). No server answered: the status is UNAVAILABLE.
   */
  private static Status ofConnection(Status status) {
    boolean lost = status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof ClosedChannelException;
    return lost ? Status.UNAVAILABLE.withDescription(status.getDescription()).withCause(status.getCause()) : status;
  }

  @SuppressWarnings("unchecked") // a builder makes its own message
  private <Q> Q withRequestId(Q request) {
    Message message = (Message) request;
    FieldDescriptor field = message.getDescriptorForType().findFieldByName("request_id");
    boolean lacks = field != null && message.getField(field).equals("");
    return lacks ? (Q) message.toBuilder().setField(field, ids.next()).build() : request;
  }
}
