package dev.riposte;

import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.ClientCalls;
import java.util.Iterator;
import java.util.function.Supplier;

/** The calls of a stub, whose failures are {@link RiposteException}s. */
final class Calls {
  private Calls() {}

  static <Q, A> A unary(AbstractStub<?> stub, MethodDescriptor<Q, A> method, Q request) {
    return told(() -> ClientCalls.blockingUnaryCall(stub.getChannel(), method, stub.getCallOptions(), request));
  }

  static <Q, A> Iterator<A> stream(AbstractStub<?> stub, MethodDescriptor<Q, A> method, Q request) {
    Iterator<A> answers = told(() ->
        ClientCalls.blockingServerStreamingCall(stub.getChannel(), method, stub.getCallOptions(), request));
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return told(answers::hasNext);
      }

      @Override
      public A next() {
        return told(answers::next);
      }
    };
  }

  private static <T> T told(Supplier<T> call) {
    try {
      return call.get();
    } catch (StatusRuntimeException failure) {
      throw RiposteException.from(failure);
    }
  }
}
