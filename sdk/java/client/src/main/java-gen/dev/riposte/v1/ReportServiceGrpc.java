package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * What members do about moderation: report, read the reasons, appeal. Served on the public port.
 * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
 * the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ReportServiceGrpc {

  private ReportServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.ReportService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ReportCommentRequest,
      dev.riposte.v1.ReportCommentResponse> getReportCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReportComment",
      requestType = dev.riposte.v1.ReportCommentRequest.class,
      responseType = dev.riposte.v1.ReportCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ReportCommentRequest,
      dev.riposte.v1.ReportCommentResponse> getReportCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ReportCommentRequest, dev.riposte.v1.ReportCommentResponse> getReportCommentMethod;
    if ((getReportCommentMethod = ReportServiceGrpc.getReportCommentMethod) == null) {
      synchronized (ReportServiceGrpc.class) {
        if ((getReportCommentMethod = ReportServiceGrpc.getReportCommentMethod) == null) {
          ReportServiceGrpc.getReportCommentMethod = getReportCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ReportCommentRequest, dev.riposte.v1.ReportCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReportComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ReportCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ReportCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReportServiceMethodDescriptorSupplier("ReportComment"))
              .build();
        }
      }
    }
    return getReportCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListOwnReportsRequest,
      dev.riposte.v1.ListOwnReportsResponse> getListOwnReportsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListOwnReports",
      requestType = dev.riposte.v1.ListOwnReportsRequest.class,
      responseType = dev.riposte.v1.ListOwnReportsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListOwnReportsRequest,
      dev.riposte.v1.ListOwnReportsResponse> getListOwnReportsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListOwnReportsRequest, dev.riposte.v1.ListOwnReportsResponse> getListOwnReportsMethod;
    if ((getListOwnReportsMethod = ReportServiceGrpc.getListOwnReportsMethod) == null) {
      synchronized (ReportServiceGrpc.class) {
        if ((getListOwnReportsMethod = ReportServiceGrpc.getListOwnReportsMethod) == null) {
          ReportServiceGrpc.getListOwnReportsMethod = getListOwnReportsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListOwnReportsRequest, dev.riposte.v1.ListOwnReportsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListOwnReports"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListOwnReportsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListOwnReportsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReportServiceMethodDescriptorSupplier("ListOwnReports"))
              .build();
        }
      }
    }
    return getListOwnReportsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListOwnDecisionsRequest,
      dev.riposte.v1.ListOwnDecisionsResponse> getListOwnDecisionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListOwnDecisions",
      requestType = dev.riposte.v1.ListOwnDecisionsRequest.class,
      responseType = dev.riposte.v1.ListOwnDecisionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListOwnDecisionsRequest,
      dev.riposte.v1.ListOwnDecisionsResponse> getListOwnDecisionsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListOwnDecisionsRequest, dev.riposte.v1.ListOwnDecisionsResponse> getListOwnDecisionsMethod;
    if ((getListOwnDecisionsMethod = ReportServiceGrpc.getListOwnDecisionsMethod) == null) {
      synchronized (ReportServiceGrpc.class) {
        if ((getListOwnDecisionsMethod = ReportServiceGrpc.getListOwnDecisionsMethod) == null) {
          ReportServiceGrpc.getListOwnDecisionsMethod = getListOwnDecisionsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListOwnDecisionsRequest, dev.riposte.v1.ListOwnDecisionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListOwnDecisions"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListOwnDecisionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListOwnDecisionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReportServiceMethodDescriptorSupplier("ListOwnDecisions"))
              .build();
        }
      }
    }
    return getListOwnDecisionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.AppealDecisionRequest,
      dev.riposte.v1.AppealDecisionResponse> getAppealDecisionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AppealDecision",
      requestType = dev.riposte.v1.AppealDecisionRequest.class,
      responseType = dev.riposte.v1.AppealDecisionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.AppealDecisionRequest,
      dev.riposte.v1.AppealDecisionResponse> getAppealDecisionMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.AppealDecisionRequest, dev.riposte.v1.AppealDecisionResponse> getAppealDecisionMethod;
    if ((getAppealDecisionMethod = ReportServiceGrpc.getAppealDecisionMethod) == null) {
      synchronized (ReportServiceGrpc.class) {
        if ((getAppealDecisionMethod = ReportServiceGrpc.getAppealDecisionMethod) == null) {
          ReportServiceGrpc.getAppealDecisionMethod = getAppealDecisionMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.AppealDecisionRequest, dev.riposte.v1.AppealDecisionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AppealDecision"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AppealDecisionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AppealDecisionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ReportServiceMethodDescriptorSupplier("AppealDecision"))
              .build();
        }
      }
    }
    return getAppealDecisionMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ReportServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReportServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReportServiceStub>() {
        @java.lang.Override
        public ReportServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReportServiceStub(channel, callOptions);
        }
      };
    return ReportServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ReportServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReportServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReportServiceBlockingV2Stub>() {
        @java.lang.Override
        public ReportServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReportServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ReportServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ReportServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReportServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReportServiceBlockingStub>() {
        @java.lang.Override
        public ReportServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReportServiceBlockingStub(channel, callOptions);
        }
      };
    return ReportServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ReportServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ReportServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ReportServiceFutureStub>() {
        @java.lang.Override
        public ReportServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ReportServiceFutureStub(channel, callOptions);
        }
      };
    return ReportServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * What members do about moderation: report, read the reasons, appeal. Served on the public port.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Reports a comment to its moderators.
     * One report per member and comment; a second one replaces it. Moves no revision. Errors:
     * COMMENT_NOT_FOUND, MEMBER_NOT_ALLOWED (an own comment, or too low a level of the account),
     * MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m7", "reason":
     * "REPORT_REASON_SPAM"}`.
     * </pre>
     */
    default void reportComment(dev.riposte.v1.ReportCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ReportCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReportCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads what became of a member's own reports.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    default void listOwnReports(dev.riposte.v1.ListOwnReportsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListOwnReportsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListOwnReportsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the statements of reasons to a member.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    default void listOwnDecisions(dev.riposte.v1.ListOwnDecisionsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListOwnDecisionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListOwnDecisionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Appeals a decision, once, within the window of the object type.
     * Errors: DECISION_NOT_FOUND (also if it is another member's), APPEAL_NOT_ALLOWED,
     * REQUEST_ID_REUSED.
     * Example: `{"decisionId": "1234567890123456789.2", "memberId": "m7", "text": "It is a
     * quotation."}`.
     * </pre>
     */
    default void appealDecision(dev.riposte.v1.AppealDecisionRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AppealDecisionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAppealDecisionMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ReportService.
   * <pre>
   * What members do about moderation: report, read the reasons, appeal. Served on the public port.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static abstract class ReportServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ReportServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ReportService.
   * <pre>
   * What members do about moderation: report, read the reasons, appeal. Served on the public port.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class ReportServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ReportServiceStub> {
    private ReportServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReportServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReportServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reports a comment to its moderators.
     * One report per member and comment; a second one replaces it. Moves no revision. Errors:
     * COMMENT_NOT_FOUND, MEMBER_NOT_ALLOWED (an own comment, or too low a level of the account),
     * MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m7", "reason":
     * "REPORT_REASON_SPAM"}`.
     * </pre>
     */
    public void reportComment(dev.riposte.v1.ReportCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ReportCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReportCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads what became of a member's own reports.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public void listOwnReports(dev.riposte.v1.ListOwnReportsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListOwnReportsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListOwnReportsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the statements of reasons to a member.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public void listOwnDecisions(dev.riposte.v1.ListOwnDecisionsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListOwnDecisionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListOwnDecisionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Appeals a decision, once, within the window of the object type.
     * Errors: DECISION_NOT_FOUND (also if it is another member's), APPEAL_NOT_ALLOWED,
     * REQUEST_ID_REUSED.
     * Example: `{"decisionId": "1234567890123456789.2", "memberId": "m7", "text": "It is a
     * quotation."}`.
     * </pre>
     */
    public void appealDecision(dev.riposte.v1.AppealDecisionRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AppealDecisionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAppealDecisionMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ReportService.
   * <pre>
   * What members do about moderation: report, read the reasons, appeal. Served on the public port.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class ReportServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ReportServiceBlockingV2Stub> {
    private ReportServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReportServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReportServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Reports a comment to its moderators.
     * One report per member and comment; a second one replaces it. Moves no revision. Errors:
     * COMMENT_NOT_FOUND, MEMBER_NOT_ALLOWED (an own comment, or too low a level of the account),
     * MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m7", "reason":
     * "REPORT_REASON_SPAM"}`.
     * </pre>
     */
    public dev.riposte.v1.ReportCommentResponse reportComment(dev.riposte.v1.ReportCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReportCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what became of a member's own reports.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListOwnReportsResponse listOwnReports(dev.riposte.v1.ListOwnReportsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListOwnReportsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the statements of reasons to a member.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListOwnDecisionsResponse listOwnDecisions(dev.riposte.v1.ListOwnDecisionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListOwnDecisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Appeals a decision, once, within the window of the object type.
     * Errors: DECISION_NOT_FOUND (also if it is another member's), APPEAL_NOT_ALLOWED,
     * REQUEST_ID_REUSED.
     * Example: `{"decisionId": "1234567890123456789.2", "memberId": "m7", "text": "It is a
     * quotation."}`.
     * </pre>
     */
    public dev.riposte.v1.AppealDecisionResponse appealDecision(dev.riposte.v1.AppealDecisionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAppealDecisionMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ReportService.
   * <pre>
   * What members do about moderation: report, read the reasons, appeal. Served on the public port.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class ReportServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ReportServiceBlockingStub> {
    private ReportServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReportServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReportServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reports a comment to its moderators.
     * One report per member and comment; a second one replaces it. Moves no revision. Errors:
     * COMMENT_NOT_FOUND, MEMBER_NOT_ALLOWED (an own comment, or too low a level of the account),
     * MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m7", "reason":
     * "REPORT_REASON_SPAM"}`.
     * </pre>
     */
    public dev.riposte.v1.ReportCommentResponse reportComment(dev.riposte.v1.ReportCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReportCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what became of a member's own reports.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListOwnReportsResponse listOwnReports(dev.riposte.v1.ListOwnReportsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListOwnReportsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the statements of reasons to a member.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListOwnDecisionsResponse listOwnDecisions(dev.riposte.v1.ListOwnDecisionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListOwnDecisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Appeals a decision, once, within the window of the object type.
     * Errors: DECISION_NOT_FOUND (also if it is another member's), APPEAL_NOT_ALLOWED,
     * REQUEST_ID_REUSED.
     * Example: `{"decisionId": "1234567890123456789.2", "memberId": "m7", "text": "It is a
     * quotation."}`.
     * </pre>
     */
    public dev.riposte.v1.AppealDecisionResponse appealDecision(dev.riposte.v1.AppealDecisionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAppealDecisionMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ReportService.
   * <pre>
   * What members do about moderation: report, read the reasons, appeal. Served on the public port.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * </pre>
   */
  public static final class ReportServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ReportServiceFutureStub> {
    private ReportServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ReportServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ReportServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reports a comment to its moderators.
     * One report per member and comment; a second one replaces it. Moves no revision. Errors:
     * COMMENT_NOT_FOUND, MEMBER_NOT_ALLOWED (an own comment, or too low a level of the account),
     * MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"commentId": "1234567890123456789", "memberId": "m7", "reason":
     * "REPORT_REASON_SPAM"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ReportCommentResponse> reportComment(
        dev.riposte.v1.ReportCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReportCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads what became of a member's own reports.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListOwnReportsResponse> listOwnReports(
        dev.riposte.v1.ListOwnReportsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListOwnReportsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the statements of reasons to a member.
     * Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListOwnDecisionsResponse> listOwnDecisions(
        dev.riposte.v1.ListOwnDecisionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListOwnDecisionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Appeals a decision, once, within the window of the object type.
     * Errors: DECISION_NOT_FOUND (also if it is another member's), APPEAL_NOT_ALLOWED,
     * REQUEST_ID_REUSED.
     * Example: `{"decisionId": "1234567890123456789.2", "memberId": "m7", "text": "It is a
     * quotation."}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.AppealDecisionResponse> appealDecision(
        dev.riposte.v1.AppealDecisionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAppealDecisionMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_REPORT_COMMENT = 0;
  private static final int METHODID_LIST_OWN_REPORTS = 1;
  private static final int METHODID_LIST_OWN_DECISIONS = 2;
  private static final int METHODID_APPEAL_DECISION = 3;

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
        case METHODID_REPORT_COMMENT:
          serviceImpl.reportComment((dev.riposte.v1.ReportCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ReportCommentResponse>) responseObserver);
          break;
        case METHODID_LIST_OWN_REPORTS:
          serviceImpl.listOwnReports((dev.riposte.v1.ListOwnReportsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListOwnReportsResponse>) responseObserver);
          break;
        case METHODID_LIST_OWN_DECISIONS:
          serviceImpl.listOwnDecisions((dev.riposte.v1.ListOwnDecisionsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListOwnDecisionsResponse>) responseObserver);
          break;
        case METHODID_APPEAL_DECISION:
          serviceImpl.appealDecision((dev.riposte.v1.AppealDecisionRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.AppealDecisionResponse>) responseObserver);
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
          getReportCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ReportCommentRequest,
              dev.riposte.v1.ReportCommentResponse>(
                service, METHODID_REPORT_COMMENT)))
        .addMethod(
          getListOwnReportsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListOwnReportsRequest,
              dev.riposte.v1.ListOwnReportsResponse>(
                service, METHODID_LIST_OWN_REPORTS)))
        .addMethod(
          getListOwnDecisionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListOwnDecisionsRequest,
              dev.riposte.v1.ListOwnDecisionsResponse>(
                service, METHODID_LIST_OWN_DECISIONS)))
        .addMethod(
          getAppealDecisionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.AppealDecisionRequest,
              dev.riposte.v1.AppealDecisionResponse>(
                service, METHODID_APPEAL_DECISION)))
        .build();
  }

  private static abstract class ReportServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ReportServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.ReportServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ReportService");
    }
  }

  private static final class ReportServiceFileDescriptorSupplier
      extends ReportServiceBaseDescriptorSupplier {
    ReportServiceFileDescriptorSupplier() {}
  }

  private static final class ReportServiceMethodDescriptorSupplier
      extends ReportServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ReportServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ReportServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ReportServiceFileDescriptorSupplier())
              .addMethod(getReportCommentMethod())
              .addMethod(getListOwnReportsMethod())
              .addMethod(getListOwnDecisionsMethod())
              .addMethod(getAppealDecisionMethod())
              .build();
        }
      }
    }
    return result;
  }
}
