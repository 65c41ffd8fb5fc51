package dev.riposte;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;

/** One unary call, whose failure is a {@link RiposteException}. */
final class Calls {
  private Calls() {}

  static <Q, A> A unary(Channel channel, MethodDescriptor<Q, A> method, Q request) {
    try {
      return ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
    } catch (StatusRuntimeException failure) {
      throw RiposteException.from(failure);
    }
  }
}
