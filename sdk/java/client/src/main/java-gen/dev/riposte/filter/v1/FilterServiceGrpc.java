package dev.riposte.filter.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Judges contents for a comment platform. Another team implements it; the platform calls it before
 * anything is stored.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class FilterServiceGrpc {

  private FilterServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.filter.v1.FilterService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.filter.v1.CheckContentsRequest,
      dev.riposte.filter.v1.CheckContentsResponse> getCheckContentsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CheckContents",
      requestType = dev.riposte.filter.v1.CheckContentsRequest.class,
      responseType = dev.riposte.filter.v1.CheckContentsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.filter.v1.CheckContentsRequest,
      dev.riposte.filter.v1.CheckContentsResponse> getCheckContentsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.filter.v1.CheckContentsRequest, dev.riposte.filter.v1.CheckContentsResponse> getCheckContentsMethod;
    if ((getCheckContentsMethod = FilterServiceGrpc.getCheckContentsMethod) == null) {
      synchronized (FilterServiceGrpc.class) {
        if ((getCheckContentsMethod = FilterServiceGrpc.getCheckContentsMethod) == null) {
          FilterServiceGrpc.getCheckContentsMethod = getCheckContentsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.filter.v1.CheckContentsRequest, dev.riposte.filter.v1.CheckContentsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CheckContents"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.filter.v1.CheckContentsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.filter.v1.CheckContentsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new FilterServiceMethodDescriptorSupplier("CheckContents"))
              .build();
        }
      }
    }
    return getCheckContentsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static FilterServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<FilterServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<FilterServiceStub>() {
        @java.lang.Override
        public FilterServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new FilterServiceStub(channel, callOptions);
        }
      };
    return FilterServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static FilterServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<FilterServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<FilterServiceBlockingV2Stub>() {
        @java.lang.Override
        public FilterServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new FilterServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return FilterServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static FilterServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<FilterServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<FilterServiceBlockingStub>() {
        @java.lang.Override
        public FilterServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new FilterServiceBlockingStub(channel, callOptions);
        }
      };
    return FilterServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static FilterServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<FilterServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<FilterServiceFutureStub>() {
        @java.lang.Override
        public FilterServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new FilterServiceFutureStub(channel, callOptions);
        }
      };
    return FilterServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Judges contents for a comment platform. Another team implements it; the platform calls it before
   * anything is stored.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Judges up to 64 items, in order.
     * Answer within the deadline (80 ms by default): UNSPECIFIED is better than a late answer.
     * The same key may be asked again. The call has no effect.
     * Example: `{"items": [{"key": "k1", "objectType": "video", "text": "Hi"}]}`.
     * </pre>
     */
    default void checkContents(dev.riposte.filter.v1.CheckContentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.filter.v1.CheckContentsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCheckContentsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service FilterService.
   * <pre>
   * Judges contents for a comment platform. Another team implements it; the platform calls it before
   * anything is stored.
   * </pre>
   */
  public static abstract class FilterServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return FilterServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service FilterService.
   * <pre>
   * Judges contents for a comment platform. Another team implements it; the platform calls it before
   * anything is stored.
   * </pre>
   */
  public static final class FilterServiceStub
      extends io.grpc.stub.AbstractAsyncStub<FilterServiceStub> {
    private FilterServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected FilterServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new FilterServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Judges up to 64 items, in order.
     * Answer within the deadline (80 ms by default): UNSPECIFIED is better than a late answer.
     * The same key may be asked again. The call has no effect.
     * Example: `{"items": [{"key": "k1", "objectType": "video", "text": "Hi"}]}`.
     * </pre>
     */
    public void checkContents(dev.riposte.filter.v1.CheckContentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.filter.v1.CheckContentsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCheckContentsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service FilterService.
   * <pre>
   * Judges contents for a comment platform. Another team implements it; the platform calls it before
   * anything is stored.
   * </pre>
   */
  public static final class FilterServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<FilterServiceBlockingV2Stub> {
    private FilterServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected FilterServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new FilterServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Judges up to 64 items, in order.
     * Answer within the deadline (80 ms by default): UNSPECIFIED is better than a late answer.
     * The same key may be asked again. The call has no effect.
     * Example: `{"items": [{"key": "k1", "objectType": "video", "text": "Hi"}]}`.
     * </pre>
     */
    public dev.riposte.filter.v1.CheckContentsResponse checkContents(dev.riposte.filter.v1.CheckContentsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCheckContentsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service FilterService.
   * <pre>
   * Judges contents for a comment platform. Another team implements it; the platform calls it before
   * anything is stored.
   * </pre>
   */
  public static final class FilterServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<FilterServiceBlockingStub> {
    private FilterServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected FilterServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new FilterServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Judges up to 64 items, in order.
     * Answer within the deadline (80 ms by default): UNSPECIFIED is better than a late answer.
     * The same key may be asked again. The call has no effect.
     * Example: `{"items": [{"key": "k1", "objectType": "video", "text": "Hi"}]}`.
     * </pre>
     */
    public dev.riposte.filter.v1.CheckContentsResponse checkContents(dev.riposte.filter.v1.CheckContentsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCheckContentsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service FilterService.
   * <pre>
   * Judges contents for a comment platform. Another team implements it; the platform calls it before
   * anything is stored.
   * </pre>
   */
  public static final class FilterServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<FilterServiceFutureStub> {
    private FilterServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected FilterServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new FilterServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Judges up to 64 items, in order.
     * Answer within the deadline (80 ms by default): UNSPECIFIED is better than a late answer.
     * The same key may be asked again. The call has no effect.
     * Example: `{"items": [{"key": "k1", "objectType": "video", "text": "Hi"}]}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.filter.v1.CheckContentsResponse> checkContents(
        dev.riposte.filter.v1.CheckContentsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCheckContentsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CHECK_CONTENTS = 0;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_CHECK_CONTENTS:
          serviceImpl.checkContents((dev.riposte.filter.v1.CheckContentsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.filter.v1.CheckContentsResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getCheckContentsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.filter.v1.CheckContentsRequest,
              dev.riposte.filter.v1.CheckContentsResponse>(
                service, METHODID_CHECK_CONTENTS)))
        .build();
  }

  private static abstract class FilterServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    FilterServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.filter.v1.FilterProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("FilterService");
    }
  }

  private static final class FilterServiceFileDescriptorSupplier
      extends FilterServiceBaseDescriptorSupplier {
    FilterServiceFileDescriptorSupplier() {}
  }

  private static final class FilterServiceMethodDescriptorSupplier
      extends FilterServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    FilterServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (FilterServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new FilterServiceFileDescriptorSupplier())
              .addMethod(getCheckContentsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
