package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Tries the policy of texts, and sets what members may do and which comments of a subject wait.
 * Served on the admin port, for callers with the role `moderator` and the object type.
 * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
 * OBJECT_TYPE_UNKNOWN, and the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED,
 * INTERNAL. Every call is audited, without texts.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class PolicyServiceGrpc {

  private PolicyServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.PolicyService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.CheckTextRequest,
      dev.riposte.v1.CheckTextResponse> getCheckTextMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CheckText",
      requestType = dev.riposte.v1.CheckTextRequest.class,
      responseType = dev.riposte.v1.CheckTextResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.CheckTextRequest,
      dev.riposte.v1.CheckTextResponse> getCheckTextMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.CheckTextRequest, dev.riposte.v1.CheckTextResponse> getCheckTextMethod;
    if ((getCheckTextMethod = PolicyServiceGrpc.getCheckTextMethod) == null) {
      synchronized (PolicyServiceGrpc.class) {
        if ((getCheckTextMethod = PolicyServiceGrpc.getCheckTextMethod) == null) {
          PolicyServiceGrpc.getCheckTextMethod = getCheckTextMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.CheckTextRequest, dev.riposte.v1.CheckTextResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CheckText"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CheckTextRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CheckTextResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PolicyServiceMethodDescriptorSupplier("CheckText"))
              .build();
        }
      }
    }
    return getCheckTextMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.EvaluatePolicyRequest,
      dev.riposte.v1.EvaluatePolicyResponse> getEvaluatePolicyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "EvaluatePolicy",
      requestType = dev.riposte.v1.EvaluatePolicyRequest.class,
      responseType = dev.riposte.v1.EvaluatePolicyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.EvaluatePolicyRequest,
      dev.riposte.v1.EvaluatePolicyResponse> getEvaluatePolicyMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.EvaluatePolicyRequest, dev.riposte.v1.EvaluatePolicyResponse> getEvaluatePolicyMethod;
    if ((getEvaluatePolicyMethod = PolicyServiceGrpc.getEvaluatePolicyMethod) == null) {
      synchronized (PolicyServiceGrpc.class) {
        if ((getEvaluatePolicyMethod = PolicyServiceGrpc.getEvaluatePolicyMethod) == null) {
          PolicyServiceGrpc.getEvaluatePolicyMethod = getEvaluatePolicyMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.EvaluatePolicyRequest, dev.riposte.v1.EvaluatePolicyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "EvaluatePolicy"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.EvaluatePolicyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.EvaluatePolicyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PolicyServiceMethodDescriptorSupplier("EvaluatePolicy"))
              .build();
        }
      }
    }
    return getEvaluatePolicyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.SetMemberStandingRequest,
      dev.riposte.v1.SetMemberStandingResponse> getSetMemberStandingMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetMemberStanding",
      requestType = dev.riposte.v1.SetMemberStandingRequest.class,
      responseType = dev.riposte.v1.SetMemberStandingResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.SetMemberStandingRequest,
      dev.riposte.v1.SetMemberStandingResponse> getSetMemberStandingMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.SetMemberStandingRequest, dev.riposte.v1.SetMemberStandingResponse> getSetMemberStandingMethod;
    if ((getSetMemberStandingMethod = PolicyServiceGrpc.getSetMemberStandingMethod) == null) {
      synchronized (PolicyServiceGrpc.class) {
        if ((getSetMemberStandingMethod = PolicyServiceGrpc.getSetMemberStandingMethod) == null) {
          PolicyServiceGrpc.getSetMemberStandingMethod = getSetMemberStandingMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.SetMemberStandingRequest, dev.riposte.v1.SetMemberStandingResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetMemberStanding"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetMemberStandingRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetMemberStandingResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PolicyServiceMethodDescriptorSupplier("SetMemberStanding"))
              .build();
        }
      }
    }
    return getSetMemberStandingMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberStandingsRequest,
      dev.riposte.v1.ListMemberStandingsResponse> getListMemberStandingsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListMemberStandings",
      requestType = dev.riposte.v1.ListMemberStandingsRequest.class,
      responseType = dev.riposte.v1.ListMemberStandingsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberStandingsRequest,
      dev.riposte.v1.ListMemberStandingsResponse> getListMemberStandingsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberStandingsRequest, dev.riposte.v1.ListMemberStandingsResponse> getListMemberStandingsMethod;
    if ((getListMemberStandingsMethod = PolicyServiceGrpc.getListMemberStandingsMethod) == null) {
      synchronized (PolicyServiceGrpc.class) {
        if ((getListMemberStandingsMethod = PolicyServiceGrpc.getListMemberStandingsMethod) == null) {
          PolicyServiceGrpc.getListMemberStandingsMethod = getListMemberStandingsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListMemberStandingsRequest, dev.riposte.v1.ListMemberStandingsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListMemberStandings"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListMemberStandingsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListMemberStandingsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PolicyServiceMethodDescriptorSupplier("ListMemberStandings"))
              .build();
        }
      }
    }
    return getListMemberStandingsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.SetSubjectModeRequest,
      dev.riposte.v1.SetSubjectModeResponse> getSetSubjectModeMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetSubjectMode",
      requestType = dev.riposte.v1.SetSubjectModeRequest.class,
      responseType = dev.riposte.v1.SetSubjectModeResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.SetSubjectModeRequest,
      dev.riposte.v1.SetSubjectModeResponse> getSetSubjectModeMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.SetSubjectModeRequest, dev.riposte.v1.SetSubjectModeResponse> getSetSubjectModeMethod;
    if ((getSetSubjectModeMethod = PolicyServiceGrpc.getSetSubjectModeMethod) == null) {
      synchronized (PolicyServiceGrpc.class) {
        if ((getSetSubjectModeMethod = PolicyServiceGrpc.getSetSubjectModeMethod) == null) {
          PolicyServiceGrpc.getSetSubjectModeMethod = getSetSubjectModeMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.SetSubjectModeRequest, dev.riposte.v1.SetSubjectModeResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetSubjectMode"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetSubjectModeRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetSubjectModeResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PolicyServiceMethodDescriptorSupplier("SetSubjectMode"))
              .build();
        }
      }
    }
    return getSetSubjectModeMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static PolicyServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PolicyServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PolicyServiceStub>() {
        @java.lang.Override
        public PolicyServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PolicyServiceStub(channel, callOptions);
        }
      };
    return PolicyServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static PolicyServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PolicyServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PolicyServiceBlockingV2Stub>() {
        @java.lang.Override
        public PolicyServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PolicyServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return PolicyServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static PolicyServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PolicyServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PolicyServiceBlockingStub>() {
        @java.lang.Override
        public PolicyServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PolicyServiceBlockingStub(channel, callOptions);
        }
      };
    return PolicyServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static PolicyServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PolicyServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PolicyServiceFutureStub>() {
        @java.lang.Override
        public PolicyServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PolicyServiceFutureStub(channel, callOptions);
        }
      };
    return PolicyServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Tries the policy of texts, and sets what members may do and which comments of a subject wait.
   * Served on the admin port, for callers with the role `moderator` and the object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, and the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED,
   * INTERNAL. Every call is audited, without texts.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Says what lists, rules, the member's standing and, if asked for, the services would do with a
     * text. The mode of the type or of a subject, such as pre-moderation, is no part of the outcome.
     * Stores nothing and counts nothing. Errors: CONTENT_TOO_LONG.
     * Example: `{"objectType": "video", "content": {"text": "Hi"}}`.
     * </pre>
     */
    default void checkText(dev.riposte.v1.CheckTextRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CheckTextResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCheckTextMethod(), responseObserver);
    }

    /**
     * <pre>
     * Tries the policy in force, or candidate entries and rules, on comments of past days.
     * Changes nothing; takes time, and goes on with a token. Errors: WORD_LIST_INVALID with the line,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, SERVER_STOPPING.
     * Example: `{"objectType": "video", "from": "2026-11-01T00:00:00Z", "to":
     * "2026-11-08T00:00:00Z"}`.
     * </pre>
     */
    default void evaluatePolicy(dev.riposte.v1.EvaluatePolicyRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.EvaluatePolicyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getEvaluatePolicyMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets what a member may do.
     * Comments that exist stay as they are. Errors: ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"standing": {"member": {"objectType": "video", "memberId": "m7"}, "standing":
     * "STANDING_MUTED"}, "moderatorId": "mod-1"}`.
     * </pre>
     */
    default void setMemberStanding(dev.riposte.v1.SetMemberStandingRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetMemberStandingResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetMemberStandingMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads standings that are not NORMAL or have a weight, or that of one member.
     * Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    default void listMemberStandings(dev.riposte.v1.ListMemberStandingsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberStandingsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListMemberStandingsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets which new comments of one subject wait for review.
     * What is set here, UpdateSubject cannot loosen. Comments that exist stay as they are. Errors:
     * SUBJECT_NOT_FOUND, STATE_CONFLICT (`why` = mode: PRE_NEW_MEMBERS where the object type does not
     * count the comments of members), REQUEST_ID_REUSED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "mode": "MODERATION_MODE_PRE",
     * "moderatorId": "mod-1"}`.
     * </pre>
     */
    default void setSubjectMode(dev.riposte.v1.SetSubjectModeRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetSubjectModeResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetSubjectModeMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service PolicyService.
   * <pre>
   * Tries the policy of texts, and sets what members may do and which comments of a subject wait.
   * Served on the admin port, for callers with the role `moderator` and the object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, and the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED,
   * INTERNAL. Every call is audited, without texts.
   * </pre>
   */
  public static abstract class PolicyServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return PolicyServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service PolicyService.
   * <pre>
   * Tries the policy of texts, and sets what members may do and which comments of a subject wait.
   * Served on the admin port, for callers with the role `moderator` and the object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, and the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED,
   * INTERNAL. Every call is audited, without texts.
   * </pre>
   */
  public static final class PolicyServiceStub
      extends io.grpc.stub.AbstractAsyncStub<PolicyServiceStub> {
    private PolicyServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PolicyServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PolicyServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Says what lists, rules, the member's standing and, if asked for, the services would do with a
     * text. The mode of the type or of a subject, such as pre-moderation, is no part of the outcome.
     * Stores nothing and counts nothing. Errors: CONTENT_TOO_LONG.
     * Example: `{"objectType": "video", "content": {"text": "Hi"}}`.
     * </pre>
     */
    public void checkText(dev.riposte.v1.CheckTextRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CheckTextResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCheckTextMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Tries the policy in force, or candidate entries and rules, on comments of past days.
     * Changes nothing; takes time, and goes on with a token. Errors: WORD_LIST_INVALID with the line,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, SERVER_STOPPING.
     * Example: `{"objectType": "video", "from": "2026-11-01T00:00:00Z", "to":
     * "2026-11-08T00:00:00Z"}`.
     * </pre>
     */
    public void evaluatePolicy(dev.riposte.v1.EvaluatePolicyRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.EvaluatePolicyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getEvaluatePolicyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets what a member may do.
     * Comments that exist stay as they are. Errors: ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"standing": {"member": {"objectType": "video", "memberId": "m7"}, "standing":
     * "STANDING_MUTED"}, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public void setMemberStanding(dev.riposte.v1.SetMemberStandingRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetMemberStandingResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetMemberStandingMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads standings that are not NORMAL or have a weight, or that of one member.
     * Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public void listMemberStandings(dev.riposte.v1.ListMemberStandingsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberStandingsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListMemberStandingsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets which new comments of one subject wait for review.
     * What is set here, UpdateSubject cannot loosen. Comments that exist stay as they are. Errors:
     * SUBJECT_NOT_FOUND, STATE_CONFLICT (`why` = mode: PRE_NEW_MEMBERS where the object type does not
     * count the comments of members), REQUEST_ID_REUSED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "mode": "MODERATION_MODE_PRE",
     * "moderatorId": "mod-1"}`.
     * </pre>
     */
    public void setSubjectMode(dev.riposte.v1.SetSubjectModeRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetSubjectModeResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetSubjectModeMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service PolicyService.
   * <pre>
   * Tries the policy of texts, and sets what members may do and which comments of a subject wait.
   * Served on the admin port, for callers with the role `moderator` and the object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, and the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED,
   * INTERNAL. Every call is audited, without texts.
   * </pre>
   */
  public static final class PolicyServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<PolicyServiceBlockingV2Stub> {
    private PolicyServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PolicyServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PolicyServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Says what lists, rules, the member's standing and, if asked for, the services would do with a
     * text. The mode of the type or of a subject, such as pre-moderation, is no part of the outcome.
     * Stores nothing and counts nothing. Errors: CONTENT_TOO_LONG.
     * Example: `{"objectType": "video", "content": {"text": "Hi"}}`.
     * </pre>
     */
    public dev.riposte.v1.CheckTextResponse checkText(dev.riposte.v1.CheckTextRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCheckTextMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Tries the policy in force, or candidate entries and rules, on comments of past days.
     * Changes nothing; takes time, and goes on with a token. Errors: WORD_LIST_INVALID with the line,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, SERVER_STOPPING.
     * Example: `{"objectType": "video", "from": "2026-11-01T00:00:00Z", "to":
     * "2026-11-08T00:00:00Z"}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.EvaluatePolicyResponse>
        evaluatePolicy(dev.riposte.v1.EvaluatePolicyRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getEvaluatePolicyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets what a member may do.
     * Comments that exist stay as they are. Errors: ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"standing": {"member": {"objectType": "video", "memberId": "m7"}, "standing":
     * "STANDING_MUTED"}, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.SetMemberStandingResponse setMemberStanding(dev.riposte.v1.SetMemberStandingRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetMemberStandingMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads standings that are not NORMAL or have a weight, or that of one member.
     * Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public dev.riposte.v1.ListMemberStandingsResponse listMemberStandings(dev.riposte.v1.ListMemberStandingsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListMemberStandingsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets which new comments of one subject wait for review.
     * What is set here, UpdateSubject cannot loosen. Comments that exist stay as they are. Errors:
     * SUBJECT_NOT_FOUND, STATE_CONFLICT (`why` = mode: PRE_NEW_MEMBERS where the object type does not
     * count the comments of members), REQUEST_ID_REUSED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "mode": "MODERATION_MODE_PRE",
     * "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.SetSubjectModeResponse setSubjectMode(dev.riposte.v1.SetSubjectModeRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetSubjectModeMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service PolicyService.
   * <pre>
   * Tries the policy of texts, and sets what members may do and which comments of a subject wait.
   * Served on the admin port, for callers with the role `moderator` and the object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, and the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED,
   * INTERNAL. Every call is audited, without texts.
   * </pre>
   */
  public static final class PolicyServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<PolicyServiceBlockingStub> {
    private PolicyServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PolicyServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PolicyServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Says what lists, rules, the member's standing and, if asked for, the services would do with a
     * text. The mode of the type or of a subject, such as pre-moderation, is no part of the outcome.
     * Stores nothing and counts nothing. Errors: CONTENT_TOO_LONG.
     * Example: `{"objectType": "video", "content": {"text": "Hi"}}`.
     * </pre>
     */
    public dev.riposte.v1.CheckTextResponse checkText(dev.riposte.v1.CheckTextRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCheckTextMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Tries the policy in force, or candidate entries and rules, on comments of past days.
     * Changes nothing; takes time, and goes on with a token. Errors: WORD_LIST_INVALID with the line,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, SERVER_STOPPING.
     * Example: `{"objectType": "video", "from": "2026-11-01T00:00:00Z", "to":
     * "2026-11-08T00:00:00Z"}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.EvaluatePolicyResponse> evaluatePolicy(
        dev.riposte.v1.EvaluatePolicyRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getEvaluatePolicyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets what a member may do.
     * Comments that exist stay as they are. Errors: ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"standing": {"member": {"objectType": "video", "memberId": "m7"}, "standing":
     * "STANDING_MUTED"}, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.SetMemberStandingResponse setMemberStanding(dev.riposte.v1.SetMemberStandingRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetMemberStandingMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads standings that are not NORMAL or have a weight, or that of one member.
     * Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public dev.riposte.v1.ListMemberStandingsResponse listMemberStandings(dev.riposte.v1.ListMemberStandingsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListMemberStandingsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets which new comments of one subject wait for review.
     * What is set here, UpdateSubject cannot loosen. Comments that exist stay as they are. Errors:
     * SUBJECT_NOT_FOUND, STATE_CONFLICT (`why` = mode: PRE_NEW_MEMBERS where the object type does not
     * count the comments of members), REQUEST_ID_REUSED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "mode": "MODERATION_MODE_PRE",
     * "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.SetSubjectModeResponse setSubjectMode(dev.riposte.v1.SetSubjectModeRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetSubjectModeMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service PolicyService.
   * <pre>
   * Tries the policy of texts, and sets what members may do and which comments of a subject wait.
   * Served on the admin port, for callers with the role `moderator` and the object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once,
   * OBJECT_TYPE_UNKNOWN, and the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED,
   * INTERNAL. Every call is audited, without texts.
   * </pre>
   */
  public static final class PolicyServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<PolicyServiceFutureStub> {
    private PolicyServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PolicyServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PolicyServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Says what lists, rules, the member's standing and, if asked for, the services would do with a
     * text. The mode of the type or of a subject, such as pre-moderation, is no part of the outcome.
     * Stores nothing and counts nothing. Errors: CONTENT_TOO_LONG.
     * Example: `{"objectType": "video", "content": {"text": "Hi"}}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.CheckTextResponse> checkText(
        dev.riposte.v1.CheckTextRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCheckTextMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets what a member may do.
     * Comments that exist stay as they are. Errors: ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"standing": {"member": {"objectType": "video", "memberId": "m7"}, "standing":
     * "STANDING_MUTED"}, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.SetMemberStandingResponse> setMemberStanding(
        dev.riposte.v1.SetMemberStandingRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetMemberStandingMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads standings that are not NORMAL or have a weight, or that of one member.
     * Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListMemberStandingsResponse> listMemberStandings(
        dev.riposte.v1.ListMemberStandingsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListMemberStandingsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets which new comments of one subject wait for review.
     * What is set here, UpdateSubject cannot loosen. Comments that exist stay as they are. Errors:
     * SUBJECT_NOT_FOUND, STATE_CONFLICT (`why` = mode: PRE_NEW_MEMBERS where the object type does not
     * count the comments of members), REQUEST_ID_REUSED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "mode": "MODERATION_MODE_PRE",
     * "moderatorId": "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.SetSubjectModeResponse> setSubjectMode(
        dev.riposte.v1.SetSubjectModeRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetSubjectModeMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CHECK_TEXT = 0;
  private static final int METHODID_EVALUATE_POLICY = 1;
  private static final int METHODID_SET_MEMBER_STANDING = 2;
  private static final int METHODID_LIST_MEMBER_STANDINGS = 3;
  private static final int METHODID_SET_SUBJECT_MODE = 4;

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
        case METHODID_CHECK_TEXT:
          serviceImpl.checkText((dev.riposte.v1.CheckTextRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.CheckTextResponse>) responseObserver);
          break;
        case METHODID_EVALUATE_POLICY:
          serviceImpl.evaluatePolicy((dev.riposte.v1.EvaluatePolicyRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.EvaluatePolicyResponse>) responseObserver);
          break;
        case METHODID_SET_MEMBER_STANDING:
          serviceImpl.setMemberStanding((dev.riposte.v1.SetMemberStandingRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.SetMemberStandingResponse>) responseObserver);
          break;
        case METHODID_LIST_MEMBER_STANDINGS:
          serviceImpl.listMemberStandings((dev.riposte.v1.ListMemberStandingsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberStandingsResponse>) responseObserver);
          break;
        case METHODID_SET_SUBJECT_MODE:
          serviceImpl.setSubjectMode((dev.riposte.v1.SetSubjectModeRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.SetSubjectModeResponse>) responseObserver);
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
          getCheckTextMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.CheckTextRequest,
              dev.riposte.v1.CheckTextResponse>(
                service, METHODID_CHECK_TEXT)))
        .addMethod(
          getEvaluatePolicyMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.EvaluatePolicyRequest,
              dev.riposte.v1.EvaluatePolicyResponse>(
                service, METHODID_EVALUATE_POLICY)))
        .addMethod(
          getSetMemberStandingMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.SetMemberStandingRequest,
              dev.riposte.v1.SetMemberStandingResponse>(
                service, METHODID_SET_MEMBER_STANDING)))
        .addMethod(
          getListMemberStandingsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListMemberStandingsRequest,
              dev.riposte.v1.ListMemberStandingsResponse>(
                service, METHODID_LIST_MEMBER_STANDINGS)))
        .addMethod(
          getSetSubjectModeMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.SetSubjectModeRequest,
              dev.riposte.v1.SetSubjectModeResponse>(
                service, METHODID_SET_SUBJECT_MODE)))
        .build();
  }

  private static abstract class PolicyServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    PolicyServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.PolicyServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("PolicyService");
    }
  }

  private static final class PolicyServiceFileDescriptorSupplier
      extends PolicyServiceBaseDescriptorSupplier {
    PolicyServiceFileDescriptorSupplier() {}
  }

  private static final class PolicyServiceMethodDescriptorSupplier
      extends PolicyServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    PolicyServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (PolicyServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new PolicyServiceFileDescriptorSupplier())
              .addMethod(getCheckTextMethod())
              .addMethod(getEvaluatePolicyMethod())
              .addMethod(getSetMemberStandingMethod())
              .addMethod(getListMemberStandingsMethod())
              .addMethod(getSetSubjectModeMethod())
              .build();
        }
      }
    }
    return result;
  }
}
