package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * What moderators do. Served on the admin port, for callers with the role `moderator` and the
 * object type.
 * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
 * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. A comment of a
 * type that the caller was not granted reads as COMMENT_NOT_FOUND. Every call is audited.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ModerationServiceGrpc {

  private ModerationServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.ModerationService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListReviewItemsRequest,
      dev.riposte.v1.ListReviewItemsResponse> getListReviewItemsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListReviewItems",
      requestType = dev.riposte.v1.ListReviewItemsRequest.class,
      responseType = dev.riposte.v1.ListReviewItemsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListReviewItemsRequest,
      dev.riposte.v1.ListReviewItemsResponse> getListReviewItemsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListReviewItemsRequest, dev.riposte.v1.ListReviewItemsResponse> getListReviewItemsMethod;
    if ((getListReviewItemsMethod = ModerationServiceGrpc.getListReviewItemsMethod) == null) {
      synchronized (ModerationServiceGrpc.class) {
        if ((getListReviewItemsMethod = ModerationServiceGrpc.getListReviewItemsMethod) == null) {
          ModerationServiceGrpc.getListReviewItemsMethod = getListReviewItemsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListReviewItemsRequest, dev.riposte.v1.ListReviewItemsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListReviewItems"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListReviewItemsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListReviewItemsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ModerationServiceMethodDescriptorSupplier("ListReviewItems"))
              .build();
        }
      }
    }
    return getListReviewItemsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ClaimReviewItemsRequest,
      dev.riposte.v1.ClaimReviewItemsResponse> getClaimReviewItemsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ClaimReviewItems",
      requestType = dev.riposte.v1.ClaimReviewItemsRequest.class,
      responseType = dev.riposte.v1.ClaimReviewItemsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ClaimReviewItemsRequest,
      dev.riposte.v1.ClaimReviewItemsResponse> getClaimReviewItemsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ClaimReviewItemsRequest, dev.riposte.v1.ClaimReviewItemsResponse> getClaimReviewItemsMethod;
    if ((getClaimReviewItemsMethod = ModerationServiceGrpc.getClaimReviewItemsMethod) == null) {
      synchronized (ModerationServiceGrpc.class) {
        if ((getClaimReviewItemsMethod = ModerationServiceGrpc.getClaimReviewItemsMethod) == null) {
          ModerationServiceGrpc.getClaimReviewItemsMethod = getClaimReviewItemsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ClaimReviewItemsRequest, dev.riposte.v1.ClaimReviewItemsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ClaimReviewItems"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ClaimReviewItemsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ClaimReviewItemsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ModerationServiceMethodDescriptorSupplier("ClaimReviewItems"))
              .build();
        }
      }
    }
    return getClaimReviewItemsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ReleaseReviewItemsRequest,
      dev.riposte.v1.ReleaseReviewItemsResponse> getReleaseReviewItemsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReleaseReviewItems",
      requestType = dev.riposte.v1.ReleaseReviewItemsRequest.class,
      responseType = dev.riposte.v1.ReleaseReviewItemsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ReleaseReviewItemsRequest,
      dev.riposte.v1.ReleaseReviewItemsResponse> getReleaseReviewItemsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ReleaseReviewItemsRequest, dev.riposte.v1.ReleaseReviewItemsResponse> getReleaseReviewItemsMethod;
    if ((getReleaseReviewItemsMethod = ModerationServiceGrpc.getReleaseReviewItemsMethod) == null) {
      synchronized (ModerationServiceGrpc.class) {
        if ((getReleaseReviewItemsMethod = ModerationServiceGrpc.getReleaseReviewItemsMethod) == null) {
          ModerationServiceGrpc.getReleaseReviewItemsMethod = getReleaseReviewItemsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ReleaseReviewItemsRequest, dev.riposte.v1.ReleaseReviewItemsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReleaseReviewItems"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ReleaseReviewItemsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ReleaseReviewItemsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ModerationServiceMethodDescriptorSupplier("ReleaseReviewItems"))
              .build();
        }
      }
    }
    return getReleaseReviewItemsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.SubmitVerdictsRequest,
      dev.riposte.v1.SubmitVerdictsResponse> getSubmitVerdictsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SubmitVerdicts",
      requestType = dev.riposte.v1.SubmitVerdictsRequest.class,
      responseType = dev.riposte.v1.SubmitVerdictsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.SubmitVerdictsRequest,
      dev.riposte.v1.SubmitVerdictsResponse> getSubmitVerdictsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.SubmitVerdictsRequest, dev.riposte.v1.SubmitVerdictsResponse> getSubmitVerdictsMethod;
    if ((getSubmitVerdictsMethod = ModerationServiceGrpc.getSubmitVerdictsMethod) == null) {
      synchronized (ModerationServiceGrpc.class) {
        if ((getSubmitVerdictsMethod = ModerationServiceGrpc.getSubmitVerdictsMethod) == null) {
          ModerationServiceGrpc.getSubmitVerdictsMethod = getSubmitVerdictsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.SubmitVerdictsRequest, dev.riposte.v1.SubmitVerdictsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SubmitVerdicts"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SubmitVerdictsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SubmitVerdictsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ModerationServiceMethodDescriptorSupplier("SubmitVerdicts"))
              .build();
        }
      }
    }
    return getSubmitVerdictsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.GetModeratedCommentsRequest,
      dev.riposte.v1.GetModeratedCommentsResponse> getGetModeratedCommentsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetModeratedComments",
      requestType = dev.riposte.v1.GetModeratedCommentsRequest.class,
      responseType = dev.riposte.v1.GetModeratedCommentsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.GetModeratedCommentsRequest,
      dev.riposte.v1.GetModeratedCommentsResponse> getGetModeratedCommentsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.GetModeratedCommentsRequest, dev.riposte.v1.GetModeratedCommentsResponse> getGetModeratedCommentsMethod;
    if ((getGetModeratedCommentsMethod = ModerationServiceGrpc.getGetModeratedCommentsMethod) == null) {
      synchronized (ModerationServiceGrpc.class) {
        if ((getGetModeratedCommentsMethod = ModerationServiceGrpc.getGetModeratedCommentsMethod) == null) {
          ModerationServiceGrpc.getGetModeratedCommentsMethod = getGetModeratedCommentsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.GetModeratedCommentsRequest, dev.riposte.v1.GetModeratedCommentsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetModeratedComments"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetModeratedCommentsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetModeratedCommentsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ModerationServiceMethodDescriptorSupplier("GetModeratedComments"))
              .build();
        }
      }
    }
    return getGetModeratedCommentsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListDecisionsRequest,
      dev.riposte.v1.ListDecisionsResponse> getListDecisionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListDecisions",
      requestType = dev.riposte.v1.ListDecisionsRequest.class,
      responseType = dev.riposte.v1.ListDecisionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListDecisionsRequest,
      dev.riposte.v1.ListDecisionsResponse> getListDecisionsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListDecisionsRequest, dev.riposte.v1.ListDecisionsResponse> getListDecisionsMethod;
    if ((getListDecisionsMethod = ModerationServiceGrpc.getListDecisionsMethod) == null) {
      synchronized (ModerationServiceGrpc.class) {
        if ((getListDecisionsMethod = ModerationServiceGrpc.getListDecisionsMethod) == null) {
          ModerationServiceGrpc.getListDecisionsMethod = getListDecisionsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListDecisionsRequest, dev.riposte.v1.ListDecisionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListDecisions"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListDecisionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListDecisionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ModerationServiceMethodDescriptorSupplier("ListDecisions"))
              .build();
        }
      }
    }
    return getListDecisionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListReportsRequest,
      dev.riposte.v1.ListReportsResponse> getListReportsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListReports",
      requestType = dev.riposte.v1.ListReportsRequest.class,
      responseType = dev.riposte.v1.ListReportsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListReportsRequest,
      dev.riposte.v1.ListReportsResponse> getListReportsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListReportsRequest, dev.riposte.v1.ListReportsResponse> getListReportsMethod;
    if ((getListReportsMethod = ModerationServiceGrpc.getListReportsMethod) == null) {
      synchronized (ModerationServiceGrpc.class) {
        if ((getListReportsMethod = ModerationServiceGrpc.getListReportsMethod) == null) {
          ModerationServiceGrpc.getListReportsMethod = getListReportsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListReportsRequest, dev.riposte.v1.ListReportsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListReports"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListReportsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListReportsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ModerationServiceMethodDescriptorSupplier("ListReports"))
              .build();
        }
      }
    }
    return getListReportsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ModerationServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ModerationServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ModerationServiceStub>() {
        @java.lang.Override
        public ModerationServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ModerationServiceStub(channel, callOptions);
        }
      };
    return ModerationServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ModerationServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ModerationServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ModerationServiceBlockingV2Stub>() {
        @java.lang.Override
        public ModerationServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ModerationServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ModerationServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ModerationServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ModerationServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ModerationServiceBlockingStub>() {
        @java.lang.Override
        public ModerationServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ModerationServiceBlockingStub(channel, callOptions);
        }
      };
    return ModerationServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ModerationServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ModerationServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ModerationServiceFutureStub>() {
        @java.lang.Override
        public ModerationServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ModerationServiceFutureStub(channel, callOptions);
        }
      };
    return ModerationServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * What moderators do. Served on the admin port, for callers with the role `moderator` and the
   * object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. A comment of a
   * type that the caller was not granted reads as COMMENT_NOT_FOUND. Every call is audited.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Reads the review queue, earliest due first.
     * Changes nothing. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    default void listReviewItems(dev.riposte.v1.ListReviewItemsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListReviewItemsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListReviewItemsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Leases the items that are due first to one moderator.
     * A lease ends when a verdict leaves nothing open, by ReleaseReviewItems, or by time. A late
     * verdict still counts unless another moderator has leased the item. A repeat with the same
     * request_id and moderator renews the first lease, whatever else its body says. Errors:
     * OBJECT_TYPE_UNKNOWN.
     * Example: `{"objectType": "video", "limit": 5, "moderatorId": "mod-1"}`.
     * </pre>
     */
    default void claimReviewItems(dev.riposte.v1.ClaimReviewItemsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ClaimReviewItemsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getClaimReviewItemsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Gives leased items back before their time.
     * Items that the lease no longer holds are not counted, and are no error.
     * Example: `{"commentIds": ["1234567890123456789"], "leaseToken": "…", "moderatorId":
     * "mod-1"}`.
     * </pre>
     */
    default void releaseReviewItems(dev.riposte.v1.ReleaseReviewItemsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ReleaseReviewItemsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReleaseReviewItemsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Judges comments or proposed edits, each bound to the version that was read.
     * The first verdict on an etag wins; every other one gets ETAG_MISMATCH with the decision that
     * came first. Each decision is a row in the transaction that changes its comment. Errors of
     * single targets are in their results; the call fails only as a whole.
     * Example: `{"action": "MODERATION_ACTION_APPROVE", "targets": [{"commentId":
     * "1234567890123456789", "etag": "…"}], "moderatorId": "mod-1"}`.
     * </pre>
     */
    default void submitVerdicts(dev.riposte.v1.SubmitVerdictsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SubmitVerdictsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSubmitVerdictsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads comments in any state, with what is open on them.
     * Errors: COMMENT_NOT_FOUND.
     * Example: `{"ids": ["1234567890123456789"]}`.
     * </pre>
     */
    default void getModeratedComments(dev.riposte.v1.GetModeratedCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetModeratedCommentsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetModeratedCommentsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the decisions on a comment or on a member's comments, newest first.
     * Errors: COMMENT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    default void listDecisions(dev.riposte.v1.ListDecisionsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListDecisionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListDecisionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the reports on a comment, newest first, with their reporters.
     * Errors: COMMENT_NOT_FOUND, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    default void listReports(dev.riposte.v1.ListReportsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListReportsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListReportsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ModerationService.
   * <pre>
   * What moderators do. Served on the admin port, for callers with the role `moderator` and the
   * object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. A comment of a
   * type that the caller was not granted reads as COMMENT_NOT_FOUND. Every call is audited.
   * </pre>
   */
  public static abstract class ModerationServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ModerationServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ModerationService.
   * <pre>
   * What moderators do. Served on the admin port, for callers with the role `moderator` and the
   * object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. A comment of a
   * type that the caller was not granted reads as COMMENT_NOT_FOUND. Every call is audited.
   * </pre>
   */
  public static final class ModerationServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ModerationServiceStub> {
    private ModerationServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ModerationServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ModerationServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reads the review queue, earliest due first.
     * Changes nothing. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public void listReviewItems(dev.riposte.v1.ListReviewItemsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListReviewItemsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListReviewItemsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Leases the items that are due first to one moderator.
     * A lease ends when a verdict leaves nothing open, by ReleaseReviewItems, or by time. A late
     * verdict still counts unless another moderator has leased the item. A repeat with the same
     * request_id and moderator renews the first lease, whatever else its body says. Errors:
     * OBJECT_TYPE_UNKNOWN.
     * Example: `{"objectType": "video", "limit": 5, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public void claimReviewItems(dev.riposte.v1.ClaimReviewItemsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ClaimReviewItemsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getClaimReviewItemsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Gives leased items back before their time.
     * Items that the lease no longer holds are not counted, and are no error.
     * Example: `{"commentIds": ["1234567890123456789"], "leaseToken": "…", "moderatorId":
     * "mod-1"}`.
     * </pre>
     */
    public void releaseReviewItems(dev.riposte.v1.ReleaseReviewItemsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ReleaseReviewItemsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReleaseReviewItemsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Judges comments or proposed edits, each bound to the version that was read.
     * The first verdict on an etag wins; every other one gets ETAG_MISMATCH with the decision that
     * came first. Each decision is a row in the transaction that changes its comment. Errors of
     * single targets are in their results; the call fails only as a whole.
     * Example: `{"action": "MODERATION_ACTION_APPROVE", "targets": [{"commentId":
     * "1234567890123456789", "etag": "…"}], "moderatorId": "mod-1"}`.
     * </pre>
     */
    public void submitVerdicts(dev.riposte.v1.SubmitVerdictsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SubmitVerdictsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSubmitVerdictsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads comments in any state, with what is open on them.
     * Errors: COMMENT_NOT_FOUND.
     * Example: `{"ids": ["1234567890123456789"]}`.
     * </pre>
     */
    public void getModeratedComments(dev.riposte.v1.GetModeratedCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetModeratedCommentsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetModeratedCommentsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the decisions on a comment or on a member's comments, newest first.
     * Errors: COMMENT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public void listDecisions(dev.riposte.v1.ListDecisionsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListDecisionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListDecisionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the reports on a comment, newest first, with their reporters.
     * Errors: COMMENT_NOT_FOUND, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public void listReports(dev.riposte.v1.ListReportsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListReportsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListReportsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ModerationService.
   * <pre>
   * What moderators do. Served on the admin port, for callers with the role `moderator` and the
   * object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. A comment of a
   * type that the caller was not granted reads as COMMENT_NOT_FOUND. Every call is audited.
   * </pre>
   */
  public static final class ModerationServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ModerationServiceBlockingV2Stub> {
    private ModerationServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ModerationServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ModerationServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Reads the review queue, earliest due first.
     * Changes nothing. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public dev.riposte.v1.ListReviewItemsResponse listReviewItems(dev.riposte.v1.ListReviewItemsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListReviewItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Leases the items that are due first to one moderator.
     * A lease ends when a verdict leaves nothing open, by ReleaseReviewItems, or by time. A late
     * verdict still counts unless another moderator has leased the item. A repeat with the same
     * request_id and moderator renews the first lease, whatever else its body says. Errors:
     * OBJECT_TYPE_UNKNOWN.
     * Example: `{"objectType": "video", "limit": 5, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.ClaimReviewItemsResponse claimReviewItems(dev.riposte.v1.ClaimReviewItemsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getClaimReviewItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Gives leased items back before their time.
     * Items that the lease no longer holds are not counted, and are no error.
     * Example: `{"commentIds": ["1234567890123456789"], "leaseToken": "…", "moderatorId":
     * "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.ReleaseReviewItemsResponse releaseReviewItems(dev.riposte.v1.ReleaseReviewItemsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReleaseReviewItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Judges comments or proposed edits, each bound to the version that was read.
     * The first verdict on an etag wins; every other one gets ETAG_MISMATCH with the decision that
     * came first. Each decision is a row in the transaction that changes its comment. Errors of
     * single targets are in their results; the call fails only as a whole.
     * Example: `{"action": "MODERATION_ACTION_APPROVE", "targets": [{"commentId":
     * "1234567890123456789", "etag": "…"}], "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.SubmitVerdictsResponse submitVerdicts(dev.riposte.v1.SubmitVerdictsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSubmitVerdictsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads comments in any state, with what is open on them.
     * Errors: COMMENT_NOT_FOUND.
     * Example: `{"ids": ["1234567890123456789"]}`.
     * </pre>
     */
    public dev.riposte.v1.GetModeratedCommentsResponse getModeratedComments(dev.riposte.v1.GetModeratedCommentsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetModeratedCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the decisions on a comment or on a member's comments, newest first.
     * Errors: COMMENT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListDecisionsResponse listDecisions(dev.riposte.v1.ListDecisionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListDecisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the reports on a comment, newest first, with their reporters.
     * Errors: COMMENT_NOT_FOUND, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListReportsResponse listReports(dev.riposte.v1.ListReportsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListReportsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ModerationService.
   * <pre>
   * What moderators do. Served on the admin port, for callers with the role `moderator` and the
   * object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. A comment of a
   * type that the caller was not granted reads as COMMENT_NOT_FOUND. Every call is audited.
   * </pre>
   */
  public static final class ModerationServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ModerationServiceBlockingStub> {
    private ModerationServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ModerationServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ModerationServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reads the review queue, earliest due first.
     * Changes nothing. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public dev.riposte.v1.ListReviewItemsResponse listReviewItems(dev.riposte.v1.ListReviewItemsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListReviewItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Leases the items that are due first to one moderator.
     * A lease ends when a verdict leaves nothing open, by ReleaseReviewItems, or by time. A late
     * verdict still counts unless another moderator has leased the item. A repeat with the same
     * request_id and moderator renews the first lease, whatever else its body says. Errors:
     * OBJECT_TYPE_UNKNOWN.
     * Example: `{"objectType": "video", "limit": 5, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.ClaimReviewItemsResponse claimReviewItems(dev.riposte.v1.ClaimReviewItemsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getClaimReviewItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Gives leased items back before their time.
     * Items that the lease no longer holds are not counted, and are no error.
     * Example: `{"commentIds": ["1234567890123456789"], "leaseToken": "…", "moderatorId":
     * "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.ReleaseReviewItemsResponse releaseReviewItems(dev.riposte.v1.ReleaseReviewItemsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReleaseReviewItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Judges comments or proposed edits, each bound to the version that was read.
     * The first verdict on an etag wins; every other one gets ETAG_MISMATCH with the decision that
     * came first. Each decision is a row in the transaction that changes its comment. Errors of
     * single targets are in their results; the call fails only as a whole.
     * Example: `{"action": "MODERATION_ACTION_APPROVE", "targets": [{"commentId":
     * "1234567890123456789", "etag": "…"}], "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.SubmitVerdictsResponse submitVerdicts(dev.riposte.v1.SubmitVerdictsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSubmitVerdictsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads comments in any state, with what is open on them.
     * Errors: COMMENT_NOT_FOUND.
     * Example: `{"ids": ["1234567890123456789"]}`.
     * </pre>
     */
    public dev.riposte.v1.GetModeratedCommentsResponse getModeratedComments(dev.riposte.v1.GetModeratedCommentsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetModeratedCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the decisions on a comment or on a member's comments, newest first.
     * Errors: COMMENT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListDecisionsResponse listDecisions(dev.riposte.v1.ListDecisionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListDecisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the reports on a comment, newest first, with their reporters.
     * Errors: COMMENT_NOT_FOUND, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListReportsResponse listReports(dev.riposte.v1.ListReportsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListReportsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ModerationService.
   * <pre>
   * What moderators do. Served on the admin port, for callers with the role `moderator` and the
   * object type.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. A comment of a
   * type that the caller was not granted reads as COMMENT_NOT_FOUND. Every call is audited.
   * </pre>
   */
  public static final class ModerationServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ModerationServiceFutureStub> {
    private ModerationServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ModerationServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ModerationServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reads the review queue, earliest due first.
     * Changes nothing. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListReviewItemsResponse> listReviewItems(
        dev.riposte.v1.ListReviewItemsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListReviewItemsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Leases the items that are due first to one moderator.
     * A lease ends when a verdict leaves nothing open, by ReleaseReviewItems, or by time. A late
     * verdict still counts unless another moderator has leased the item. A repeat with the same
     * request_id and moderator renews the first lease, whatever else its body says. Errors:
     * OBJECT_TYPE_UNKNOWN.
     * Example: `{"objectType": "video", "limit": 5, "moderatorId": "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ClaimReviewItemsResponse> claimReviewItems(
        dev.riposte.v1.ClaimReviewItemsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getClaimReviewItemsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Gives leased items back before their time.
     * Items that the lease no longer holds are not counted, and are no error.
     * Example: `{"commentIds": ["1234567890123456789"], "leaseToken": "…", "moderatorId":
     * "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ReleaseReviewItemsResponse> releaseReviewItems(
        dev.riposte.v1.ReleaseReviewItemsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReleaseReviewItemsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Judges comments or proposed edits, each bound to the version that was read.
     * The first verdict on an etag wins; every other one gets ETAG_MISMATCH with the decision that
     * came first. Each decision is a row in the transaction that changes its comment. Errors of
     * single targets are in their results; the call fails only as a whole.
     * Example: `{"action": "MODERATION_ACTION_APPROVE", "targets": [{"commentId":
     * "1234567890123456789", "etag": "…"}], "moderatorId": "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.SubmitVerdictsResponse> submitVerdicts(
        dev.riposte.v1.SubmitVerdictsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSubmitVerdictsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads comments in any state, with what is open on them.
     * Errors: COMMENT_NOT_FOUND.
     * Example: `{"ids": ["1234567890123456789"]}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.GetModeratedCommentsResponse> getModeratedComments(
        dev.riposte.v1.GetModeratedCommentsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetModeratedCommentsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the decisions on a comment or on a member's comments, newest first.
     * Errors: COMMENT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListDecisionsResponse> listDecisions(
        dev.riposte.v1.ListDecisionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListDecisionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the reports on a comment, newest first, with their reporters.
     * Errors: COMMENT_NOT_FOUND, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListReportsResponse> listReports(
        dev.riposte.v1.ListReportsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListReportsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_LIST_REVIEW_ITEMS = 0;
  private static final int METHODID_CLAIM_REVIEW_ITEMS = 1;
  private static final int METHODID_RELEASE_REVIEW_ITEMS = 2;
  private static final int METHODID_SUBMIT_VERDICTS = 3;
  private static final int METHODID_GET_MODERATED_COMMENTS = 4;
  private static final int METHODID_LIST_DECISIONS = 5;
  private static final int METHODID_LIST_REPORTS = 6;

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
        case METHODID_LIST_REVIEW_ITEMS:
          serviceImpl.listReviewItems((dev.riposte.v1.ListReviewItemsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListReviewItemsResponse>) responseObserver);
          break;
        case METHODID_CLAIM_REVIEW_ITEMS:
          serviceImpl.claimReviewItems((dev.riposte.v1.ClaimReviewItemsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ClaimReviewItemsResponse>) responseObserver);
          break;
        case METHODID_RELEASE_REVIEW_ITEMS:
          serviceImpl.releaseReviewItems((dev.riposte.v1.ReleaseReviewItemsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ReleaseReviewItemsResponse>) responseObserver);
          break;
        case METHODID_SUBMIT_VERDICTS:
          serviceImpl.submitVerdicts((dev.riposte.v1.SubmitVerdictsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.SubmitVerdictsResponse>) responseObserver);
          break;
        case METHODID_GET_MODERATED_COMMENTS:
          serviceImpl.getModeratedComments((dev.riposte.v1.GetModeratedCommentsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.GetModeratedCommentsResponse>) responseObserver);
          break;
        case METHODID_LIST_DECISIONS:
          serviceImpl.listDecisions((dev.riposte.v1.ListDecisionsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListDecisionsResponse>) responseObserver);
          break;
        case METHODID_LIST_REPORTS:
          serviceImpl.listReports((dev.riposte.v1.ListReportsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListReportsResponse>) responseObserver);
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
          getListReviewItemsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListReviewItemsRequest,
              dev.riposte.v1.ListReviewItemsResponse>(
                service, METHODID_LIST_REVIEW_ITEMS)))
        .addMethod(
          getClaimReviewItemsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ClaimReviewItemsRequest,
              dev.riposte.v1.ClaimReviewItemsResponse>(
                service, METHODID_CLAIM_REVIEW_ITEMS)))
        .addMethod(
          getReleaseReviewItemsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ReleaseReviewItemsRequest,
              dev.riposte.v1.ReleaseReviewItemsResponse>(
                service, METHODID_RELEASE_REVIEW_ITEMS)))
        .addMethod(
          getSubmitVerdictsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.SubmitVerdictsRequest,
              dev.riposte.v1.SubmitVerdictsResponse>(
                service, METHODID_SUBMIT_VERDICTS)))
        .addMethod(
          getGetModeratedCommentsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.GetModeratedCommentsRequest,
              dev.riposte.v1.GetModeratedCommentsResponse>(
                service, METHODID_GET_MODERATED_COMMENTS)))
        .addMethod(
          getListDecisionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListDecisionsRequest,
              dev.riposte.v1.ListDecisionsResponse>(
                service, METHODID_LIST_DECISIONS)))
        .addMethod(
          getListReportsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListReportsRequest,
              dev.riposte.v1.ListReportsResponse>(
                service, METHODID_LIST_REPORTS)))
        .build();
  }

  private static abstract class ModerationServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ModerationServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.ModerationServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ModerationService");
    }
  }

  private static final class ModerationServiceFileDescriptorSupplier
      extends ModerationServiceBaseDescriptorSupplier {
    ModerationServiceFileDescriptorSupplier() {}
  }

  private static final class ModerationServiceMethodDescriptorSupplier
      extends ModerationServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ModerationServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ModerationServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ModerationServiceFileDescriptorSupplier())
              .addMethod(getListReviewItemsMethod())
              .addMethod(getClaimReviewItemsMethod())
              .addMethod(getReleaseReviewItemsMethod())
              .addMethod(getSubmitVerdictsMethod())
              .addMethod(getGetModeratedCommentsMethod())
              .addMethod(getListDecisionsMethod())
              .addMethod(getListReportsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
