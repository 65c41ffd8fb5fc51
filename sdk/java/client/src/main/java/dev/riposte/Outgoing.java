package dev.riposte;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.concurrent.TimeUnit;

/**
 * What goes with every call, whichever stub makes it: the token, a deadline for one that has none, and a request id for a
 * write that has none.
 */
final class Outgoing implements ClientInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final String REQUEST_ID = "request_id";

  private final Pushback pushback = new Pushback();
  private final String token;
  private final RequestIds ids;

  Outgoing(String token, RequestIds ids) {
    this.token = token;
    this.ids = ids;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    Long limit = Contract.DEADLINES_MS.get(method.getFullMethodName());
    boolean bare = options.getDeadline() == null && Context.current().getDeadline() == null;
    CallOptions limited = bare && limit != null ? options.withDeadlineAfter(limit, TimeUnit.MILLISECONDS) : options;
    return new SimpleForwardingClientCall<>(next.newCall(method, limited.withStreamTracerFactory(pushback))) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        if (token != null) {
          headers.discardAll(AUTHORIZATION);
          headers.put(AUTHORIZATION, "Bearer " + token);
        }
        super.start(listener, headers);
      }

      // Above the retries of gRPC: all attempts send the same message.
      @Override
      public void sendMessage(Q message) {
        super.sendMessage(withRequestId(message));
      }
    };
  }

  @SuppressWarnings("unchecked") // a builder makes its own message
  private <Q> Q withRequestId(Q request) {
    Message message = (Message) request;
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(REQUEST_ID);
    if (field == null || !message.getField(field).equals("")) {
      return request;
    }
    return (Q) message.toBuilder().setField(field, ids.next()).build();
  }
}
