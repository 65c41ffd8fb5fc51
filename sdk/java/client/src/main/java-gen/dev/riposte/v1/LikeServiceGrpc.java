package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Likes: one state per member and comment.
 * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
 * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
 * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class LikeServiceGrpc {

  private LikeServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.LikeService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.SetLikeRequest,
      dev.riposte.v1.SetLikeResponse> getSetLikeMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetLike",
      requestType = dev.riposte.v1.SetLikeRequest.class,
      responseType = dev.riposte.v1.SetLikeResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.SetLikeRequest,
      dev.riposte.v1.SetLikeResponse> getSetLikeMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.SetLikeRequest, dev.riposte.v1.SetLikeResponse> getSetLikeMethod;
    if ((getSetLikeMethod = LikeServiceGrpc.getSetLikeMethod) == null) {
      synchronized (LikeServiceGrpc.class) {
        if ((getSetLikeMethod = LikeServiceGrpc.getSetLikeMethod) == null) {
          LikeServiceGrpc.getSetLikeMethod = getSetLikeMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.SetLikeRequest, dev.riposte.v1.SetLikeResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetLike"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetLikeRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetLikeResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LikeServiceMethodDescriptorSupplier("SetLike"))
              .build();
        }
      }
    }
    return getSetLikeMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetLikeStatesRequest,
      dev.riposte.v1.BatchGetLikeStatesResponse> getBatchGetLikeStatesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchGetLikeStates",
      requestType = dev.riposte.v1.BatchGetLikeStatesRequest.class,
      responseType = dev.riposte.v1.BatchGetLikeStatesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetLikeStatesRequest,
      dev.riposte.v1.BatchGetLikeStatesResponse> getBatchGetLikeStatesMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetLikeStatesRequest, dev.riposte.v1.BatchGetLikeStatesResponse> getBatchGetLikeStatesMethod;
    if ((getBatchGetLikeStatesMethod = LikeServiceGrpc.getBatchGetLikeStatesMethod) == null) {
      synchronized (LikeServiceGrpc.class) {
        if ((getBatchGetLikeStatesMethod = LikeServiceGrpc.getBatchGetLikeStatesMethod) == null) {
          LikeServiceGrpc.getBatchGetLikeStatesMethod = getBatchGetLikeStatesMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.BatchGetLikeStatesRequest, dev.riposte.v1.BatchGetLikeStatesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchGetLikeStates"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchGetLikeStatesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchGetLikeStatesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LikeServiceMethodDescriptorSupplier("BatchGetLikeStates"))
              .build();
        }
      }
    }
    return getBatchGetLikeStatesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListLikersRequest,
      dev.riposte.v1.ListLikersResponse> getListLikersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListLikers",
      requestType = dev.riposte.v1.ListLikersRequest.class,
      responseType = dev.riposte.v1.ListLikersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListLikersRequest,
      dev.riposte.v1.ListLikersResponse> getListLikersMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListLikersRequest, dev.riposte.v1.ListLikersResponse> getListLikersMethod;
    if ((getListLikersMethod = LikeServiceGrpc.getListLikersMethod) == null) {
      synchronized (LikeServiceGrpc.class) {
        if ((getListLikersMethod = LikeServiceGrpc.getListLikersMethod) == null) {
          LikeServiceGrpc.getListLikersMethod = getListLikersMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListLikersRequest, dev.riposte.v1.ListLikersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListLikers"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListLikersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListLikersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LikeServiceMethodDescriptorSupplier("ListLikers"))
              .build();
        }
      }
    }
    return getListLikersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.BatchListLikersRequest,
      dev.riposte.v1.BatchListLikersResponse> getBatchListLikersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchListLikers",
      requestType = dev.riposte.v1.BatchListLikersRequest.class,
      responseType = dev.riposte.v1.BatchListLikersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.BatchListLikersRequest,
      dev.riposte.v1.BatchListLikersResponse> getBatchListLikersMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.BatchListLikersRequest, dev.riposte.v1.BatchListLikersResponse> getBatchListLikersMethod;
    if ((getBatchListLikersMethod = LikeServiceGrpc.getBatchListLikersMethod) == null) {
      synchronized (LikeServiceGrpc.class) {
        if ((getBatchListLikersMethod = LikeServiceGrpc.getBatchListLikersMethod) == null) {
          LikeServiceGrpc.getBatchListLikersMethod = getBatchListLikersMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.BatchListLikersRequest, dev.riposte.v1.BatchListLikersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchListLikers"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchListLikersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchListLikersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LikeServiceMethodDescriptorSupplier("BatchListLikers"))
              .build();
        }
      }
    }
    return getBatchListLikersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberLikesRequest,
      dev.riposte.v1.ListMemberLikesResponse> getListMemberLikesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListMemberLikes",
      requestType = dev.riposte.v1.ListMemberLikesRequest.class,
      responseType = dev.riposte.v1.ListMemberLikesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberLikesRequest,
      dev.riposte.v1.ListMemberLikesResponse> getListMemberLikesMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberLikesRequest, dev.riposte.v1.ListMemberLikesResponse> getListMemberLikesMethod;
    if ((getListMemberLikesMethod = LikeServiceGrpc.getListMemberLikesMethod) == null) {
      synchronized (LikeServiceGrpc.class) {
        if ((getListMemberLikesMethod = LikeServiceGrpc.getListMemberLikesMethod) == null) {
          LikeServiceGrpc.getListMemberLikesMethod = getListMemberLikesMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListMemberLikesRequest, dev.riposte.v1.ListMemberLikesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListMemberLikes"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListMemberLikesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListMemberLikesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LikeServiceMethodDescriptorSupplier("ListMemberLikes"))
              .build();
        }
      }
    }
    return getListMemberLikesMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static LikeServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LikeServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LikeServiceStub>() {
        @java.lang.Override
        public LikeServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LikeServiceStub(channel, callOptions);
        }
      };
    return LikeServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static LikeServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LikeServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LikeServiceBlockingV2Stub>() {
        @java.lang.Override
        public LikeServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LikeServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return LikeServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static LikeServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LikeServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LikeServiceBlockingStub>() {
        @java.lang.Override
        public LikeServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LikeServiceBlockingStub(channel, callOptions);
        }
      };
    return LikeServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static LikeServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LikeServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LikeServiceFutureStub>() {
        @java.lang.Override
        public LikeServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LikeServiceFutureStub(channel, callOptions);
        }
      };
    return LikeServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Likes: one state per member and comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Sets what a member thinks of a comment.
     * It sets a state: LIKE after LIKE changes nothing, LIKE takes a DISLIKE away, NONE undoes both.
     * A repeat answers the current state, and a late repeat of an older call by the same client never
     * undoes a newer one. Between calls of several clients the last to arrive stands, a repeat that
     * comes after another client's call too. Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the
     * comment is DELETED or HIDDEN), LIKE_INVALID (value unspecified or unknown), SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, REQUEST_ID_REUSED. Not served yet:
     * MEMBER_BLOCKED.
     * A like keeps the request_id of its last call only. REQUEST_ID_REUSED is the answer when that
     * request_id comes again with another value. A request_id of an earlier call, of a like of
     * another comment or of another method is not refused.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m9", "value": "LIKE_VALUE_LIKE"}`.
     * </pre>
     */
    default void setLike(dev.riposte.v1.SetLikeRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetLikeResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetLikeMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads what a member thinks of up to 200 comments of one subject, in the order of the request.
     * A state that cannot be read is UNSPECIFIED, and `degraded` says so. It is never NONE.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND (absent or deleted), COMMENT_NOT_FOUND (no such comment under this subject),
     * FIELD_INVALID (an id that cannot belong to it).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9", "commentIds":
     * ["123", "456"]}`.
     * </pre>
     */
    default void batchGetLikeStates(dev.riposte.v1.BatchGetLikeStatesRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetLikeStatesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchGetLikeStatesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads who likes, or dislikes, a comment, latest first.
     * Of likes of one millisecond, that of the highest member id (by its bytes) is the latest, in
     * BatchListLikers as well. A member whose state changes during the walk may be missed or met
     * again at its new time.
     * Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the comment is DELETED or HIDDEN),
     * LIKE_INVALID, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789", "value": "LIKE_VALUE_DISLIKE"}`.
     * </pre>
     */
    default void listLikers(dev.riposte.v1.ListLikersRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListLikersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListLikersMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads for up to 50 comments of one subject who likes, or dislikes, each of them: how many
     * members, and a few of their names, such as for "Ann, Ben and 98 others".
     * The members of `first_member_ids` come first, then the latest others, in the order of
     * ListLikers. The names come from the likes, the count from the comment's own row; they may
     * differ by a moment. All comments are answered, or none: leave out tombstones, and read again
     * without the comment that an error names.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (no such comment under this subject),
     * COMMENT_UNAVAILABLE (a comment is DELETED or HIDDEN), LIKE_INVALID, FIELD_INVALID (an id that
     * cannot belong to the subject).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "commentIds": ["123", "456"],
     * "firstMemberIds": ["m7"]}`.
     * </pre>
     */
    default void batchListLikers(dev.riposte.v1.BatchListLikersRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchListLikersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchListLikersMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads what a member likes and dislikes within one subject, by comment id, whatever became of
     * the comments.
     * Under `auto_create` an absent subject reads as empty. Errors: SUBJECT_NOT_FOUND,
     * SUBJECT_HIDDEN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9"}`.
     * </pre>
     */
    default void listMemberLikes(dev.riposte.v1.ListMemberLikesRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberLikesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListMemberLikesMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service LikeService.
   * <pre>
   * Likes: one state per member and comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static abstract class LikeServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return LikeServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service LikeService.
   * <pre>
   * Likes: one state per member and comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class LikeServiceStub
      extends io.grpc.stub.AbstractAsyncStub<LikeServiceStub> {
    private LikeServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LikeServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LikeServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets what a member thinks of a comment.
     * It sets a state: LIKE after LIKE changes nothing, LIKE takes a DISLIKE away, NONE undoes both.
     * A repeat answers the current state, and a late repeat of an older call by the same client never
     * undoes a newer one. Between calls of several clients the last to arrive stands, a repeat that
     * comes after another client's call too. Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the
     * comment is DELETED or HIDDEN), LIKE_INVALID (value unspecified or unknown), SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, REQUEST_ID_REUSED. Not served yet:
     * MEMBER_BLOCKED.
     * A like keeps the request_id of its last call only. REQUEST_ID_REUSED is the answer when that
     * request_id comes again with another value. A request_id of an earlier call, of a like of
     * another comment or of another method is not refused.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m9", "value": "LIKE_VALUE_LIKE"}`.
     * </pre>
     */
    public void setLike(dev.riposte.v1.SetLikeRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetLikeResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetLikeMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads what a member thinks of up to 200 comments of one subject, in the order of the request.
     * A state that cannot be read is UNSPECIFIED, and `degraded` says so. It is never NONE.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND (absent or deleted), COMMENT_NOT_FOUND (no such comment under this subject),
     * FIELD_INVALID (an id that cannot belong to it).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9", "commentIds":
     * ["123", "456"]}`.
     * </pre>
     */
    public void batchGetLikeStates(dev.riposte.v1.BatchGetLikeStatesRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetLikeStatesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchGetLikeStatesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads who likes, or dislikes, a comment, latest first.
     * Of likes of one millisecond, that of the highest member id (by its bytes) is the latest, in
     * BatchListLikers as well. A member whose state changes during the walk may be missed or met
     * again at its new time.
     * Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the comment is DELETED or HIDDEN),
     * LIKE_INVALID, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789", "value": "LIKE_VALUE_DISLIKE"}`.
     * </pre>
     */
    public void listLikers(dev.riposte.v1.ListLikersRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListLikersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListLikersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads for up to 50 comments of one subject who likes, or dislikes, each of them: how many
     * members, and a few of their names, such as for "Ann, Ben and 98 others".
     * The members of `first_member_ids` come first, then the latest others, in the order of
     * ListLikers. The names come from the likes, the count from the comment's own row; they may
     * differ by a moment. All comments are answered, or none: leave out tombstones, and read again
     * without the comment that an error names.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (no such comment under this subject),
     * COMMENT_UNAVAILABLE (a comment is DELETED or HIDDEN), LIKE_INVALID, FIELD_INVALID (an id that
     * cannot belong to the subject).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "commentIds": ["123", "456"],
     * "firstMemberIds": ["m7"]}`.
     * </pre>
     */
    public void batchListLikers(dev.riposte.v1.BatchListLikersRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchListLikersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchListLikersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads what a member likes and dislikes within one subject, by comment id, whatever became of
     * the comments.
     * Under `auto_create` an absent subject reads as empty. Errors: SUBJECT_NOT_FOUND,
     * SUBJECT_HIDDEN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9"}`.
     * </pre>
     */
    public void listMemberLikes(dev.riposte.v1.ListMemberLikesRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberLikesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListMemberLikesMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service LikeService.
   * <pre>
   * Likes: one state per member and comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class LikeServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<LikeServiceBlockingV2Stub> {
    private LikeServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LikeServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LikeServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets what a member thinks of a comment.
     * It sets a state: LIKE after LIKE changes nothing, LIKE takes a DISLIKE away, NONE undoes both.
     * A repeat answers the current state, and a late repeat of an older call by the same client never
     * undoes a newer one. Between calls of several clients the last to arrive stands, a repeat that
     * comes after another client's call too. Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the
     * comment is DELETED or HIDDEN), LIKE_INVALID (value unspecified or unknown), SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, REQUEST_ID_REUSED. Not served yet:
     * MEMBER_BLOCKED.
     * A like keeps the request_id of its last call only. REQUEST_ID_REUSED is the answer when that
     * request_id comes again with another value. A request_id of an earlier call, of a like of
     * another comment or of another method is not refused.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m9", "value": "LIKE_VALUE_LIKE"}`.
     * </pre>
     */
    public dev.riposte.v1.SetLikeResponse setLike(dev.riposte.v1.SetLikeRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetLikeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what a member thinks of up to 200 comments of one subject, in the order of the request.
     * A state that cannot be read is UNSPECIFIED, and `degraded` says so. It is never NONE.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND (absent or deleted), COMMENT_NOT_FOUND (no such comment under this subject),
     * FIELD_INVALID (an id that cannot belong to it).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9", "commentIds":
     * ["123", "456"]}`.
     * </pre>
     */
    public dev.riposte.v1.BatchGetLikeStatesResponse batchGetLikeStates(dev.riposte.v1.BatchGetLikeStatesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchGetLikeStatesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads who likes, or dislikes, a comment, latest first.
     * Of likes of one millisecond, that of the highest member id (by its bytes) is the latest, in
     * BatchListLikers as well. A member whose state changes during the walk may be missed or met
     * again at its new time.
     * Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the comment is DELETED or HIDDEN),
     * LIKE_INVALID, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789", "value": "LIKE_VALUE_DISLIKE"}`.
     * </pre>
     */
    public dev.riposte.v1.ListLikersResponse listLikers(dev.riposte.v1.ListLikersRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListLikersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads for up to 50 comments of one subject who likes, or dislikes, each of them: how many
     * members, and a few of their names, such as for "Ann, Ben and 98 others".
     * The members of `first_member_ids` come first, then the latest others, in the order of
     * ListLikers. The names come from the likes, the count from the comment's own row; they may
     * differ by a moment. All comments are answered, or none: leave out tombstones, and read again
     * without the comment that an error names.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (no such comment under this subject),
     * COMMENT_UNAVAILABLE (a comment is DELETED or HIDDEN), LIKE_INVALID, FIELD_INVALID (an id that
     * cannot belong to the subject).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "commentIds": ["123", "456"],
     * "firstMemberIds": ["m7"]}`.
     * </pre>
     */
    public dev.riposte.v1.BatchListLikersResponse batchListLikers(dev.riposte.v1.BatchListLikersRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchListLikersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what a member likes and dislikes within one subject, by comment id, whatever became of
     * the comments.
     * Under `auto_create` an absent subject reads as empty. Errors: SUBJECT_NOT_FOUND,
     * SUBJECT_HIDDEN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9"}`.
     * </pre>
     */
    public dev.riposte.v1.ListMemberLikesResponse listMemberLikes(dev.riposte.v1.ListMemberLikesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListMemberLikesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service LikeService.
   * <pre>
   * Likes: one state per member and comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class LikeServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<LikeServiceBlockingStub> {
    private LikeServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LikeServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LikeServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets what a member thinks of a comment.
     * It sets a state: LIKE after LIKE changes nothing, LIKE takes a DISLIKE away, NONE undoes both.
     * A repeat answers the current state, and a late repeat of an older call by the same client never
     * undoes a newer one. Between calls of several clients the last to arrive stands, a repeat that
     * comes after another client's call too. Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the
     * comment is DELETED or HIDDEN), LIKE_INVALID (value unspecified or unknown), SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, REQUEST_ID_REUSED. Not served yet:
     * MEMBER_BLOCKED.
     * A like keeps the request_id of its last call only. REQUEST_ID_REUSED is the answer when that
     * request_id comes again with another value. A request_id of an earlier call, of a like of
     * another comment or of another method is not refused.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m9", "value": "LIKE_VALUE_LIKE"}`.
     * </pre>
     */
    public dev.riposte.v1.SetLikeResponse setLike(dev.riposte.v1.SetLikeRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetLikeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what a member thinks of up to 200 comments of one subject, in the order of the request.
     * A state that cannot be read is UNSPECIFIED, and `degraded` says so. It is never NONE.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND (absent or deleted), COMMENT_NOT_FOUND (no such comment under this subject),
     * FIELD_INVALID (an id that cannot belong to it).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9", "commentIds":
     * ["123", "456"]}`.
     * </pre>
     */
    public dev.riposte.v1.BatchGetLikeStatesResponse batchGetLikeStates(dev.riposte.v1.BatchGetLikeStatesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchGetLikeStatesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads who likes, or dislikes, a comment, latest first.
     * Of likes of one millisecond, that of the highest member id (by its bytes) is the latest, in
     * BatchListLikers as well. A member whose state changes during the walk may be missed or met
     * again at its new time.
     * Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the comment is DELETED or HIDDEN),
     * LIKE_INVALID, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789", "value": "LIKE_VALUE_DISLIKE"}`.
     * </pre>
     */
    public dev.riposte.v1.ListLikersResponse listLikers(dev.riposte.v1.ListLikersRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListLikersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads for up to 50 comments of one subject who likes, or dislikes, each of them: how many
     * members, and a few of their names, such as for "Ann, Ben and 98 others".
     * The members of `first_member_ids` come first, then the latest others, in the order of
     * ListLikers. The names come from the likes, the count from the comment's own row; they may
     * differ by a moment. All comments are answered, or none: leave out tombstones, and read again
     * without the comment that an error names.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (no such comment under this subject),
     * COMMENT_UNAVAILABLE (a comment is DELETED or HIDDEN), LIKE_INVALID, FIELD_INVALID (an id that
     * cannot belong to the subject).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "commentIds": ["123", "456"],
     * "firstMemberIds": ["m7"]}`.
     * </pre>
     */
    public dev.riposte.v1.BatchListLikersResponse batchListLikers(dev.riposte.v1.BatchListLikersRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchListLikersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what a member likes and dislikes within one subject, by comment id, whatever became of
     * the comments.
     * Under `auto_create` an absent subject reads as empty. Errors: SUBJECT_NOT_FOUND,
     * SUBJECT_HIDDEN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9"}`.
     * </pre>
     */
    public dev.riposte.v1.ListMemberLikesResponse listMemberLikes(dev.riposte.v1.ListMemberLikesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListMemberLikesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service LikeService.
   * <pre>
   * Likes: one state per member and comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class LikeServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<LikeServiceFutureStub> {
    private LikeServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LikeServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LikeServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets what a member thinks of a comment.
     * It sets a state: LIKE after LIKE changes nothing, LIKE takes a DISLIKE away, NONE undoes both.
     * A repeat answers the current state, and a late repeat of an older call by the same client never
     * undoes a newer one. Between calls of several clients the last to arrive stands, a repeat that
     * comes after another client's call too. Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the
     * comment is DELETED or HIDDEN), LIKE_INVALID (value unspecified or unknown), SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, REQUEST_ID_REUSED. Not served yet:
     * MEMBER_BLOCKED.
     * A like keeps the request_id of its last call only. REQUEST_ID_REUSED is the answer when that
     * request_id comes again with another value. A request_id of an earlier call, of a like of
     * another comment or of another method is not refused.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m9", "value": "LIKE_VALUE_LIKE"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.SetLikeResponse> setLike(
        dev.riposte.v1.SetLikeRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetLikeMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads what a member thinks of up to 200 comments of one subject, in the order of the request.
     * A state that cannot be read is UNSPECIFIED, and `degraded` says so. It is never NONE.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND (absent or deleted), COMMENT_NOT_FOUND (no such comment under this subject),
     * FIELD_INVALID (an id that cannot belong to it).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9", "commentIds":
     * ["123", "456"]}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.BatchGetLikeStatesResponse> batchGetLikeStates(
        dev.riposte.v1.BatchGetLikeStatesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchGetLikeStatesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads who likes, or dislikes, a comment, latest first.
     * Of likes of one millisecond, that of the highest member id (by its bytes) is the latest, in
     * BatchListLikers as well. A member whose state changes during the walk may be missed or met
     * again at its new time.
     * Errors: COMMENT_NOT_FOUND, COMMENT_UNAVAILABLE (the comment is DELETED or HIDDEN),
     * LIKE_INVALID, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"commentId": "1234567890123456789", "value": "LIKE_VALUE_DISLIKE"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListLikersResponse> listLikers(
        dev.riposte.v1.ListLikersRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListLikersMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads for up to 50 comments of one subject who likes, or dislikes, each of them: how many
     * members, and a few of their names, such as for "Ann, Ben and 98 others".
     * The members of `first_member_ids` come first, then the latest others, in the order of
     * ListLikers. The names come from the likes, the count from the comment's own row; they may
     * differ by a moment. All comments are answered, or none: leave out tombstones, and read again
     * without the comment that an error names.
     * Under `auto_create` an absent subject reads as empty. Errors: OBJECT_TYPE_UNKNOWN,
     * SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (no such comment under this subject),
     * COMMENT_UNAVAILABLE (a comment is DELETED or HIDDEN), LIKE_INVALID, FIELD_INVALID (an id that
     * cannot belong to the subject).
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "commentIds": ["123", "456"],
     * "firstMemberIds": ["m7"]}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.BatchListLikersResponse> batchListLikers(
        dev.riposte.v1.BatchListLikersRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchListLikersMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads what a member likes and dislikes within one subject, by comment id, whatever became of
     * the comments.
     * Under `auto_create` an absent subject reads as empty. Errors: SUBJECT_NOT_FOUND,
     * SUBJECT_HIDDEN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m9"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListMemberLikesResponse> listMemberLikes(
        dev.riposte.v1.ListMemberLikesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListMemberLikesMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_SET_LIKE = 0;
  private static final int METHODID_BATCH_GET_LIKE_STATES = 1;
  private static final int METHODID_LIST_LIKERS = 2;
  private static final int METHODID_BATCH_LIST_LIKERS = 3;
  private static final int METHODID_LIST_MEMBER_LIKES = 4;

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
        case METHODID_SET_LIKE:
          serviceImpl.setLike((dev.riposte.v1.SetLikeRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.SetLikeResponse>) responseObserver);
          break;
        case METHODID_BATCH_GET_LIKE_STATES:
          serviceImpl.batchGetLikeStates((dev.riposte.v1.BatchGetLikeStatesRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetLikeStatesResponse>) responseObserver);
          break;
        case METHODID_LIST_LIKERS:
          serviceImpl.listLikers((dev.riposte.v1.ListLikersRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListLikersResponse>) responseObserver);
          break;
        case METHODID_BATCH_LIST_LIKERS:
          serviceImpl.batchListLikers((dev.riposte.v1.BatchListLikersRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.BatchListLikersResponse>) responseObserver);
          break;
        case METHODID_LIST_MEMBER_LIKES:
          serviceImpl.listMemberLikes((dev.riposte.v1.ListMemberLikesRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberLikesResponse>) responseObserver);
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
          getSetLikeMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.SetLikeRequest,
              dev.riposte.v1.SetLikeResponse>(
                service, METHODID_SET_LIKE)))
        .addMethod(
          getBatchGetLikeStatesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.BatchGetLikeStatesRequest,
              dev.riposte.v1.BatchGetLikeStatesResponse>(
                service, METHODID_BATCH_GET_LIKE_STATES)))
        .addMethod(
          getListLikersMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListLikersRequest,
              dev.riposte.v1.ListLikersResponse>(
                service, METHODID_LIST_LIKERS)))
        .addMethod(
          getBatchListLikersMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.BatchListLikersRequest,
              dev.riposte.v1.BatchListLikersResponse>(
                service, METHODID_BATCH_LIST_LIKERS)))
        .addMethod(
          getListMemberLikesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListMemberLikesRequest,
              dev.riposte.v1.ListMemberLikesResponse>(
                service, METHODID_LIST_MEMBER_LIKES)))
        .build();
  }

  private static abstract class LikeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    LikeServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.LikeServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("LikeService");
    }
  }

  private static final class LikeServiceFileDescriptorSupplier
      extends LikeServiceBaseDescriptorSupplier {
    LikeServiceFileDescriptorSupplier() {}
  }

  private static final class LikeServiceMethodDescriptorSupplier
      extends LikeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    LikeServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (LikeServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new LikeServiceFileDescriptorSupplier())
              .addMethod(getSetLikeMethod())
              .addMethod(getBatchGetLikeStatesMethod())
              .addMethod(getListLikersMethod())
              .addMethod(getBatchListLikersMethod())
              .addMethod(getListMemberLikesMethod())
              .build();
        }
      }
    }
    return result;
  }
}
