package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * What happens to all comments of object types, for other services: inboxes, search, analytics,
 * moderation tools. Served on the public port, for callers with the role `subscriber`.
 * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
 * OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, and the general errors OVERLOADED,
 * SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class EventServiceGrpc {

  private EventServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.EventService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.SubscribeRequest,
      dev.riposte.v1.SubscribeResponse> getSubscribeMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Subscribe",
      requestType = dev.riposte.v1.SubscribeRequest.class,
      responseType = dev.riposte.v1.SubscribeResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.SubscribeRequest,
      dev.riposte.v1.SubscribeResponse> getSubscribeMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.SubscribeRequest, dev.riposte.v1.SubscribeResponse> getSubscribeMethod;
    if ((getSubscribeMethod = EventServiceGrpc.getSubscribeMethod) == null) {
      synchronized (EventServiceGrpc.class) {
        if ((getSubscribeMethod = EventServiceGrpc.getSubscribeMethod) == null) {
          EventServiceGrpc.getSubscribeMethod = getSubscribeMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.SubscribeRequest, dev.riposte.v1.SubscribeResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Subscribe"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SubscribeRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SubscribeResponse.getDefaultInstance()))
              .setSchemaDescriptor(new EventServiceMethodDescriptorSupplier("Subscribe"))
              .build();
        }
      }
    }
    return getSubscribeMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListEventsRequest,
      dev.riposte.v1.ListEventsResponse> getListEventsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListEvents",
      requestType = dev.riposte.v1.ListEventsRequest.class,
      responseType = dev.riposte.v1.ListEventsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListEventsRequest,
      dev.riposte.v1.ListEventsResponse> getListEventsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListEventsRequest, dev.riposte.v1.ListEventsResponse> getListEventsMethod;
    if ((getListEventsMethod = EventServiceGrpc.getListEventsMethod) == null) {
      synchronized (EventServiceGrpc.class) {
        if ((getListEventsMethod = EventServiceGrpc.getListEventsMethod) == null) {
          EventServiceGrpc.getListEventsMethod = getListEventsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListEventsRequest, dev.riposte.v1.ListEventsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListEvents"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListEventsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListEventsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new EventServiceMethodDescriptorSupplier("ListEvents"))
              .build();
        }
      }
    }
    return getListEventsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static EventServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<EventServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<EventServiceStub>() {
        @java.lang.Override
        public EventServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new EventServiceStub(channel, callOptions);
        }
      };
    return EventServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static EventServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<EventServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<EventServiceBlockingV2Stub>() {
        @java.lang.Override
        public EventServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new EventServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return EventServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static EventServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<EventServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<EventServiceBlockingStub>() {
        @java.lang.Override
        public EventServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new EventServiceBlockingStub(channel, callOptions);
        }
      };
    return EventServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static EventServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<EventServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<EventServiceFutureStub>() {
        @java.lang.Override
        public EventServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new EventServiceFutureStub(channel, callOptions);
        }
      };
    return EventServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * What happens to all comments of object types, for other services: inboxes, search, analytics,
   * moderation tools. Served on the public port, for callers with the role `subscriber`.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, and the general errors OVERLOADED,
   * SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Sends events for as long as the caller listens.
     * At least once; of one subject in the order of revisions. After an error, go on with the last
     * token. Errors: WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"filter": {"objectTypes": ["video"]}}`.
     * </pre>
     */
    default void subscribe(dev.riposte.v1.SubscribeRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SubscribeResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSubscribeMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the same events page by page.
     * A call that waits takes the place of a stream.
     * Example: `{"filter": {"objectTypes": ["video"]}, "wait": "10s"}`.
     * </pre>
     */
    default void listEvents(dev.riposte.v1.ListEventsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListEventsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListEventsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service EventService.
   * <pre>
   * What happens to all comments of object types, for other services: inboxes, search, analytics,
   * moderation tools. Served on the public port, for callers with the role `subscriber`.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, and the general errors OVERLOADED,
   * SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static abstract class EventServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return EventServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service EventService.
   * <pre>
   * What happens to all comments of object types, for other services: inboxes, search, analytics,
   * moderation tools. Served on the public port, for callers with the role `subscriber`.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, and the general errors OVERLOADED,
   * SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class EventServiceStub
      extends io.grpc.stub.AbstractAsyncStub<EventServiceStub> {
    private EventServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected EventServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new EventServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sends events for as long as the caller listens.
     * At least once; of one subject in the order of revisions. After an error, go on with the last
     * token. Errors: WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"filter": {"objectTypes": ["video"]}}`.
     * </pre>
     */
    public void subscribe(dev.riposte.v1.SubscribeRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SubscribeResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getSubscribeMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the same events page by page.
     * A call that waits takes the place of a stream.
     * Example: `{"filter": {"objectTypes": ["video"]}, "wait": "10s"}`.
     * </pre>
     */
    public void listEvents(dev.riposte.v1.ListEventsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListEventsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListEventsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service EventService.
   * <pre>
   * What happens to all comments of object types, for other services: inboxes, search, analytics,
   * moderation tools. Served on the public port, for callers with the role `subscriber`.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, and the general errors OVERLOADED,
   * SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class EventServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<EventServiceBlockingV2Stub> {
    private EventServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected EventServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new EventServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Sends events for as long as the caller listens.
     * At least once; of one subject in the order of revisions. After an error, go on with the last
     * token. Errors: WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"filter": {"objectTypes": ["video"]}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.SubscribeResponse>
        subscribe(dev.riposte.v1.SubscribeRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getSubscribeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the same events page by page.
     * A call that waits takes the place of a stream.
     * Example: `{"filter": {"objectTypes": ["video"]}, "wait": "10s"}`.
     * </pre>
     */
    public dev.riposte.v1.ListEventsResponse listEvents(dev.riposte.v1.ListEventsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListEventsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service EventService.
   * <pre>
   * What happens to all comments of object types, for other services: inboxes, search, analytics,
   * moderation tools. Served on the public port, for callers with the role `subscriber`.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, and the general errors OVERLOADED,
   * SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class EventServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<EventServiceBlockingStub> {
    private EventServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected EventServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new EventServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sends events for as long as the caller listens.
     * At least once; of one subject in the order of revisions. After an error, go on with the last
     * token. Errors: WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"filter": {"objectTypes": ["video"]}}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.SubscribeResponse> subscribe(
        dev.riposte.v1.SubscribeRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getSubscribeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the same events page by page.
     * A call that waits takes the place of a stream.
     * Example: `{"filter": {"objectTypes": ["video"]}, "wait": "10s"}`.
     * </pre>
     */
    public dev.riposte.v1.ListEventsResponse listEvents(dev.riposte.v1.ListEventsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListEventsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service EventService.
   * <pre>
   * What happens to all comments of object types, for other services: inboxes, search, analytics,
   * moderation tools. Served on the public port, for callers with the role `subscriber`.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, and the general errors OVERLOADED,
   * SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class EventServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<EventServiceFutureStub> {
    private EventServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected EventServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new EventServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reads the same events page by page.
     * A call that waits takes the place of a stream.
     * Example: `{"filter": {"objectTypes": ["video"]}, "wait": "10s"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListEventsResponse> listEvents(
        dev.riposte.v1.ListEventsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListEventsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_SUBSCRIBE = 0;
  private static final int METHODID_LIST_EVENTS = 1;

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
        case METHODID_SUBSCRIBE:
          serviceImpl.subscribe((dev.riposte.v1.SubscribeRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.SubscribeResponse>) responseObserver);
          break;
        case METHODID_LIST_EVENTS:
          serviceImpl.listEvents((dev.riposte.v1.ListEventsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListEventsResponse>) responseObserver);
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
          getSubscribeMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.SubscribeRequest,
              dev.riposte.v1.SubscribeResponse>(
                service, METHODID_SUBSCRIBE)))
        .addMethod(
          getListEventsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListEventsRequest,
              dev.riposte.v1.ListEventsResponse>(
                service, METHODID_LIST_EVENTS)))
        .build();
  }

  private static abstract class EventServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    EventServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.EventServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("EventService");
    }
  }

  private static final class EventServiceFileDescriptorSupplier
      extends EventServiceBaseDescriptorSupplier {
    EventServiceFileDescriptorSupplier() {}
  }

  private static final class EventServiceMethodDescriptorSupplier
      extends EventServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    EventServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (EventServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new EventServiceFileDescriptorSupplier())
              .addMethod(getSubscribeMethod())
              .addMethod(getListEventsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
