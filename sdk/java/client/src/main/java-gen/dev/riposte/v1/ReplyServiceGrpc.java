package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Replies: what stands below a root comment.
 * Every call: CALLER_UNKNOWN, COMMENT_NOT_FOUND (for an id that is missing and for one that was not
 * granted alike), FIELD_INVALID with all violations at once, and the general errors RATE_LIMITED,
 * OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Edit, delete and undelete a reply
 * through CommentService.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ReplyServiceGrpc {

  private ReplyServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.ReplyService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.CreateReplyRequest,
      dev.riposte.v1.CreateReplyResponse> getCreateReplyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateReply",
      requestType = dev.riposte.v1.CreateReplyRequest.class,
      responseType = dev.riposte.v1.CreateReplyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.CreateReplyRequest,
      dev.riposte.v1.CreateReplyResponse> getCreateReplyMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.CreateReplyRequest, dev.riposte.v1.CreateReplyResponse> getCreateReplyMethod;
    if ((getCreateReplyMethod = ReplyServiceGrpc.getCreateReplyMethod) == null) {
      synchronized (ReplyServiceGrpc.class) {
        if ((getCreateReplyMethod = ReplyServiceGrpc.getCreateReplyMethod) == null) {
          ReplyServiceGrpc.getCreateReplyMethod = getCreateReplyMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.CreateReplyRequest, dev.riposte.v1.CreateReplyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateReply"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CreateReplyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CreateReplyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReplyServiceMethodDescriptorSupplier("CreateReply"))
              .build();
        }
      }
    }
    return getCreateReplyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListRepliesRequest,
      dev.riposte.v1.ListRepliesResponse> getListRepliesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListReplies",
      requestType = dev.riposte.v1.ListRepliesRequest.class,
      responseType = dev.riposte.v1.ListRepliesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListRepliesRequest,
      dev.riposte.v1.ListRepliesResponse> getListRepliesMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListRepliesRequest, dev.riposte.v1.ListRepliesResponse> getListRepliesMethod;
    if ((getListRepliesMethod = ReplyServiceGrpc.getListRepliesMethod) == null) {
      synchronized (ReplyServiceGrpc.class) {
        if ((getListRepliesMethod = ReplyServiceGrpc.getListRepliesMethod) == null) {
          ReplyServiceGrpc.getListRepliesMethod = getListRepliesMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListRepliesRequest, dev.riposte.v1.ListRepliesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListReplies"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListRepliesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListRepliesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReplyServiceMethodDescriptorSupplier("ListReplies"))
              .build();
        }
      }
    }
    return getListRepliesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.GetThreadRequest,
      dev.riposte.v1.GetThreadResponse> getGetThreadMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetThread",
      requestType = dev.riposte.v1.GetThreadRequest.class,
      responseType = dev.riposte.v1.GetThreadResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.GetThreadRequest,
      dev.riposte.v1.GetThreadResponse> getGetThreadMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.GetThreadRequest, dev.riposte.v1.GetThreadResponse> getGetThreadMethod;
    if ((getGetThreadMethod = ReplyServiceGrpc.getGetThreadMethod) == null) {
      synchronized (ReplyServiceGrpc.class) {
        if ((getGetThreadMethod = ReplyServiceGrpc.getGetThreadMethod) == null) {
          ReplyServiceGrpc.getGetThreadMethod = getGetThreadMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.GetThreadRequest, dev.riposte.v1.GetThreadResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetThread"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetThreadRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetThreadResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReplyServiceMethodDescriptorSupplier("GetThread"))
              .build();
        }
      }
    }
    return getGetThreadMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListConversationRequest,
      dev.riposte.v1.ListConversationResponse> getListConversationMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListConversation",
      requestType = dev.riposte.v1.ListConversationRequest.class,
      responseType = dev.riposte.v1.ListConversationResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListConversationRequest,
      dev.riposte.v1.ListConversationResponse> getListConversationMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListConversationRequest, dev.riposte.v1.ListConversationResponse> getListConversationMethod;
    if ((getListConversationMethod = ReplyServiceGrpc.getListConversationMethod) == null) {
      synchronized (ReplyServiceGrpc.class) {
        if ((getListConversationMethod = ReplyServiceGrpc.getListConversationMethod) == null) {
          ReplyServiceGrpc.getListConversationMethod = getListConversationMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListConversationRequest, dev.riposte.v1.ListConversationResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListConversation"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListConversationRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListConversationResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReplyServiceMethodDescriptorSupplier("ListConversation"))
              .build();
        }
      }
    }
    return getListConversationMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ReplyServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReplyServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReplyServiceStub>() {
        @java.lang.Override
        public ReplyServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReplyServiceStub(channel, callOptions);
        }
      };
    return ReplyServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ReplyServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReplyServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReplyServiceBlockingV2Stub>() {
        @java.lang.Override
        public ReplyServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReplyServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ReplyServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ReplyServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReplyServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReplyServiceBlockingStub>() {
        @java.lang.Override
        public ReplyServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReplyServiceBlockingStub(channel, callOptions);
        }
      };
    return ReplyServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ReplyServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReplyServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReplyServiceFutureStub>() {
        @java.lang.Override
        public ReplyServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReplyServiceFutureStub(channel, callOptions);
        }
      };
    return ReplyServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Replies: what stands below a root comment.
   * Every call: CALLER_UNKNOWN, COMMENT_NOT_FOUND (for an id that is missing and for one that was not
   * granted alike), FIELD_INVALID with all violations at once, and the general errors RATE_LIMITED,
   * OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Edit, delete and undelete a reply
   * through CommentService.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Writes a reply to a comment.
     * Below the depth cap of the object type it is attached at the cap and keeps its `parent_id`.
     * Floors count per root. A repeat with the same request_id and body answers the first id, floor,
     * subject_revision and ack. Errors: COMMENT_NOT_FOUND (no such parent), PARENT_UNAVAILABLE (the
     * parent is not ACTIVE), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG,
     * CONTENT_BLOCKED, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED.
     * Not served yet: REPLY_FORBIDDEN, DUPLICATE_CONTENT, MEMBER_BLOCKED.
     * Example: `{"parentId": "1234567890123456789", "memberId": "m9", "content": {"text":
     * "Welcome"}}`.
     * </pre>
     */
    default void createReply(dev.riposte.v1.CreateReplyRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CreateReplyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateReplyMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads a page of all replies of one root, flat, by floor or by rank.
     * A full walk shows every reply that stood at its start, and was not removed before its end,
     * exactly once, while others write. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * PAGE_TOKEN_EXPIRED, SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"rootId": "1234567890123456789", "pageSize": 50}`.
     * </pre>
     */
    default void listReplies(dev.riposte.v1.ListRepliesRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListRepliesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListRepliesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads a comment and all that stands below it, in thread order.
     * A comment at the depth cap is answered alone. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789", "maxDepth": 2}`.
     * </pre>
     */
    default void getThread(dev.riposte.v1.GetThreadRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetThreadResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetThreadMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the chain of comments that a comment answers, upward to the root: the nearest 100
     * ancestors, and the root.
     * Errors: SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    default void listConversation(dev.riposte.v1.ListConversationRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListConversationResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListConversationMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ReplyService.
   * <pre>
   * Replies: what stands below a root comment.
   * Every call: CALLER_UNKNOWN, COMMENT_NOT_FOUND (for an id that is missing and for one that was not
   * granted alike), FIELD_INVALID with all violations at once, and the general errors RATE_LIMITED,
   * OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Edit, delete and undelete a reply
   * through CommentService.
   * </pre>
   */
  public static abstract class ReplyServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ReplyServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ReplyService.
   * <pre>
   * Replies: what stands below a root comment.
   * Every call: CALLER_UNKNOWN, COMMENT_NOT_FOUND (for an id that is missing and for one that was not
   * granted alike), FIELD_INVALID with all violations at once, and the general errors RATE_LIMITED,
   * OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Edit, delete and undelete a reply
   * through CommentService.
   * </pre>
   */
  public static final class ReplyServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ReplyServiceStub> {
    private ReplyServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReplyServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReplyServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a reply to a comment.
     * Below the depth cap of the object type it is attached at the cap and keeps its `parent_id`.
     * Floors count per root. A repeat with the same request_id and body answers the first id, floor,
     * subject_revision and ack. Errors: COMMENT_NOT_FOUND (no such parent), PARENT_UNAVAILABLE (the
     * parent is not ACTIVE), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG,
     * CONTENT_BLOCKED, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED.
     * Not served yet: REPLY_FORBIDDEN, DUPLICATE_CONTENT, MEMBER_BLOCKED.
     * Example: `{"parentId": "1234567890123456789", "memberId": "m9", "content": {"text":
     * "Welcome"}}`.
     * </pre>
     */
    public void createReply(dev.riposte.v1.CreateReplyRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CreateReplyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateReplyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads a page of all replies of one root, flat, by floor or by rank.
     * A full walk shows every reply that stood at its start, and was not removed before its end,
     * exactly once, while others write. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * PAGE_TOKEN_EXPIRED, SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"rootId": "1234567890123456789", "pageSize": 50}`.
     * </pre>
     */
    public void listReplies(dev.riposte.v1.ListRepliesRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListRepliesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListRepliesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads a comment and all that stands below it, in thread order.
     * A comment at the depth cap is answered alone. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789", "maxDepth": 2}`.
     * </pre>
     */
    public void getThread(dev.riposte.v1.GetThreadRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetThreadResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetThreadMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the chain of comments that a comment answers, upward to the root: the nearest 100
     * ancestors, and the root.
     * Errors: SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public void listConversation(dev.riposte.v1.ListConversationRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListConversationResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListConversationMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ReplyService.
   * <pre>
   * Replies: what stands below a root comment.
   * Every call: CALLER_UNKNOWN, COMMENT_NOT_FOUND (for an id that is missing and for one that was not
   * granted alike), FIELD_INVALID with all violations at once, and the general errors RATE_LIMITED,
   * OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Edit, delete and undelete a reply
   * through CommentService.
   * </pre>
   */
  public static final class ReplyServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ReplyServiceBlockingV2Stub> {
    private ReplyServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReplyServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReplyServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a reply to a comment.
     * Below the depth cap of the object type it is attached at the cap and keeps its `parent_id`.
     * Floors count per root. A repeat with the same request_id and body answers the first id, floor,
     * subject_revision and ack. Errors: COMMENT_NOT_FOUND (no such parent), PARENT_UNAVAILABLE (the
     * parent is not ACTIVE), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG,
     * CONTENT_BLOCKED, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED.
     * Not served yet: REPLY_FORBIDDEN, DUPLICATE_CONTENT, MEMBER_BLOCKED.
     * Example: `{"parentId": "1234567890123456789", "memberId": "m9", "content": {"text":
     * "Welcome"}}`.
     * </pre>
     */
    public dev.riposte.v1.CreateReplyResponse createReply(dev.riposte.v1.CreateReplyRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateReplyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a page of all replies of one root, flat, by floor or by rank.
     * A full walk shows every reply that stood at its start, and was not removed before its end,
     * exactly once, while others write. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * PAGE_TOKEN_EXPIRED, SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"rootId": "1234567890123456789", "pageSize": 50}`.
     * </pre>
     */
    public dev.riposte.v1.ListRepliesResponse listReplies(dev.riposte.v1.ListRepliesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListRepliesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a comment and all that stands below it, in thread order.
     * A comment at the depth cap is answered alone. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789", "maxDepth": 2}`.
     * </pre>
     */
    public dev.riposte.v1.GetThreadResponse getThread(dev.riposte.v1.GetThreadRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetThreadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the chain of comments that a comment answers, upward to the root: the nearest 100
     * ancestors, and the root.
     * Errors: SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListConversationResponse listConversation(dev.riposte.v1.ListConversationRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListConversationMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ReplyService.
   * <pre>
   * Replies: what stands below a root comment.
   * Every call: CALLER_UNKNOWN, COMMENT_NOT_FOUND (for an id that is missing and for one that was not
   * granted alike), FIELD_INVALID with all violations at once, and the general errors RATE_LIMITED,
   * OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Edit, delete and undelete a reply
   * through CommentService.
   * </pre>
   */
  public static final class ReplyServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ReplyServiceBlockingStub> {
    private ReplyServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReplyServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReplyServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a reply to a comment.
     * Below the depth cap of the object type it is attached at the cap and keeps its `parent_id`.
     * Floors count per root. A repeat with the same request_id and body answers the first id, floor,
     * subject_revision and ack. Errors: COMMENT_NOT_FOUND (no such parent), PARENT_UNAVAILABLE (the
     * parent is not ACTIVE), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG,
     * CONTENT_BLOCKED, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED.
     * Not served yet: REPLY_FORBIDDEN, DUPLICATE_CONTENT, MEMBER_BLOCKED.
     * Example: `{"parentId": "1234567890123456789", "memberId": "m9", "content": {"text":
     * "Welcome"}}`.
     * </pre>
     */
    public dev.riposte.v1.CreateReplyResponse createReply(dev.riposte.v1.CreateReplyRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateReplyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a page of all replies of one root, flat, by floor or by rank.
     * A full walk shows every reply that stood at its start, and was not removed before its end,
     * exactly once, while others write. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * PAGE_TOKEN_EXPIRED, SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"rootId": "1234567890123456789", "pageSize": 50}`.
     * </pre>
     */
    public dev.riposte.v1.ListRepliesResponse listReplies(dev.riposte.v1.ListRepliesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListRepliesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a comment and all that stands below it, in thread order.
     * A comment at the depth cap is answered alone. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789", "maxDepth": 2}`.
     * </pre>
     */
    public dev.riposte.v1.GetThreadResponse getThread(dev.riposte.v1.GetThreadRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetThreadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the chain of comments that a comment answers, upward to the root: the nearest 100
     * ancestors, and the root.
     * Errors: SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListConversationResponse listConversation(dev.riposte.v1.ListConversationRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListConversationMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ReplyService.
   * <pre>
   * Replies: what stands below a root comment.
   * Every call: CALLER_UNKNOWN, COMMENT_NOT_FOUND (for an id that is missing and for one that was not
   * granted alike), FIELD_INVALID with all violations at once, and the general errors RATE_LIMITED,
   * OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Edit, delete and undelete a reply
   * through CommentService.
   * </pre>
   */
  public static final class ReplyServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ReplyServiceFutureStub> {
    private ReplyServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReplyServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReplyServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a reply to a comment.
     * Below the depth cap of the object type it is attached at the cap and keeps its `parent_id`.
     * Floors count per root. A repeat with the same request_id and body answers the first id, floor,
     * subject_revision and ack. Errors: COMMENT_NOT_FOUND (no such parent), PARENT_UNAVAILABLE (the
     * parent is not ACTIVE), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG,
     * CONTENT_BLOCKED, MEMBER_NOT_ALLOWED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED.
     * Not served yet: REPLY_FORBIDDEN, DUPLICATE_CONTENT, MEMBER_BLOCKED.
     * Example: `{"parentId": "1234567890123456789", "memberId": "m9", "content": {"text":
     * "Welcome"}}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.CreateReplyResponse> createReply(
        dev.riposte.v1.CreateReplyRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateReplyMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads a page of all replies of one root, flat, by floor or by rank.
     * A full walk shows every reply that stood at its start, and was not removed before its end,
     * exactly once, while others write. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * PAGE_TOKEN_EXPIRED, SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"rootId": "1234567890123456789", "pageSize": 50}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListRepliesResponse> listReplies(
        dev.riposte.v1.ListRepliesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListRepliesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads a comment and all that stands below it, in thread order.
     * A comment at the depth cap is answered alone. Errors: PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH,
     * SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789", "maxDepth": 2}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.GetThreadResponse> getThread(
        dev.riposte.v1.GetThreadRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetThreadMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the chain of comments that a comment answers, upward to the root: the nearest 100
     * ancestors, and the root.
     * Errors: SUBJECT_HIDDEN, REVISION_NOT_REACHED.
     * Example: `{"commentId": "1234567890123456789"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListConversationResponse> listConversation(
        dev.riposte.v1.ListConversationRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListConversationMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_REPLY = 0;
  private static final int METHODID_LIST_REPLIES = 1;
  private static final int METHODID_GET_THREAD = 2;
  private static final int METHODID_LIST_CONVERSATION = 3;

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
        case METHODID_CREATE_REPLY:
          serviceImpl.createReply((dev.riposte.v1.CreateReplyRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.CreateReplyResponse>) responseObserver);
          break;
        case METHODID_LIST_REPLIES:
          serviceImpl.listReplies((dev.riposte.v1.ListRepliesRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListRepliesResponse>) responseObserver);
          break;
        case METHODID_GET_THREAD:
          serviceImpl.getThread((dev.riposte.v1.GetThreadRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.GetThreadResponse>) responseObserver);
          break;
        case METHODID_LIST_CONVERSATION:
          serviceImpl.listConversation((dev.riposte.v1.ListConversationRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListConversationResponse>) responseObserver);
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
          getCreateReplyMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.CreateReplyRequest,
              dev.riposte.v1.CreateReplyResponse>(
                service, METHODID_CREATE_REPLY)))
        .addMethod(
          getListRepliesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListRepliesRequest,
              dev.riposte.v1.ListRepliesResponse>(
                service, METHODID_LIST_REPLIES)))
        .addMethod(
          getGetThreadMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.GetThreadRequest,
              dev.riposte.v1.GetThreadResponse>(
                service, METHODID_GET_THREAD)))
        .addMethod(
          getListConversationMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListConversationRequest,
              dev.riposte.v1.ListConversationResponse>(
                service, METHODID_LIST_CONVERSATION)))
        .build();
  }

  private static abstract class ReplyServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ReplyServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.ReplyServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ReplyService");
    }
  }

  private static final class ReplyServiceFileDescriptorSupplier
      extends ReplyServiceBaseDescriptorSupplier {
    ReplyServiceFileDescriptorSupplier() {}
  }

  private static final class ReplyServiceMethodDescriptorSupplier
      extends ReplyServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ReplyServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ReplyServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ReplyServiceFileDescriptorSupplier())
              .addMethod(getCreateReplyMethod())
              .addMethod(getListRepliesMethod())
              .addMethod(getGetThreadMethod())
              .addMethod(getListConversationMethod())
              .build();
        }
      }
    }
    return result;
  }
}
