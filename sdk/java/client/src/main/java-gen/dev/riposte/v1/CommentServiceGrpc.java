package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Comments: roots under subjects, and what is done to any single comment.
 * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
 * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
 * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
 * Every write takes a `request_id`. The same request_id and body again answers the first id, floor,
 * subject_revision and ack again, for ever, with the body as it is now; with another body it fails
 * with REQUEST_ID_REUSED. A failed attempt does not use it up. The deletion of a subject changes no
 * comment, so a repeat of a write below a deleted subject answers the comment with its text, which
 * no read returns.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class CommentServiceGrpc {

  private CommentServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.CommentService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.CreateCommentRequest,
      dev.riposte.v1.CreateCommentResponse> getCreateCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateComment",
      requestType = dev.riposte.v1.CreateCommentRequest.class,
      responseType = dev.riposte.v1.CreateCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.CreateCommentRequest,
      dev.riposte.v1.CreateCommentResponse> getCreateCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.CreateCommentRequest, dev.riposte.v1.CreateCommentResponse> getCreateCommentMethod;
    if ((getCreateCommentMethod = CommentServiceGrpc.getCreateCommentMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getCreateCommentMethod = CommentServiceGrpc.getCreateCommentMethod) == null) {
          CommentServiceGrpc.getCreateCommentMethod = getCreateCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.CreateCommentRequest, dev.riposte.v1.CreateCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CreateCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CreateCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("CreateComment"))
              .build();
        }
      }
    }
    return getCreateCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.GetCommentRequest,
      dev.riposte.v1.GetCommentResponse> getGetCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetComment",
      requestType = dev.riposte.v1.GetCommentRequest.class,
      responseType = dev.riposte.v1.GetCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.GetCommentRequest,
      dev.riposte.v1.GetCommentResponse> getGetCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.GetCommentRequest, dev.riposte.v1.GetCommentResponse> getGetCommentMethod;
    if ((getGetCommentMethod = CommentServiceGrpc.getGetCommentMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getGetCommentMethod = CommentServiceGrpc.getGetCommentMethod) == null) {
          CommentServiceGrpc.getGetCommentMethod = getGetCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.GetCommentRequest, dev.riposte.v1.GetCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("GetComment"))
              .build();
        }
      }
    }
    return getGetCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetCommentsRequest,
      dev.riposte.v1.BatchGetCommentsResponse> getBatchGetCommentsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchGetComments",
      requestType = dev.riposte.v1.BatchGetCommentsRequest.class,
      responseType = dev.riposte.v1.BatchGetCommentsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetCommentsRequest,
      dev.riposte.v1.BatchGetCommentsResponse> getBatchGetCommentsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetCommentsRequest, dev.riposte.v1.BatchGetCommentsResponse> getBatchGetCommentsMethod;
    if ((getBatchGetCommentsMethod = CommentServiceGrpc.getBatchGetCommentsMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getBatchGetCommentsMethod = CommentServiceGrpc.getBatchGetCommentsMethod) == null) {
          CommentServiceGrpc.getBatchGetCommentsMethod = getBatchGetCommentsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.BatchGetCommentsRequest, dev.riposte.v1.BatchGetCommentsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchGetComments"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchGetCommentsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchGetCommentsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("BatchGetComments"))
              .build();
        }
      }
    }
    return getBatchGetCommentsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListCommentsRequest,
      dev.riposte.v1.ListCommentsResponse> getListCommentsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListComments",
      requestType = dev.riposte.v1.ListCommentsRequest.class,
      responseType = dev.riposte.v1.ListCommentsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListCommentsRequest,
      dev.riposte.v1.ListCommentsResponse> getListCommentsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListCommentsRequest, dev.riposte.v1.ListCommentsResponse> getListCommentsMethod;
    if ((getListCommentsMethod = CommentServiceGrpc.getListCommentsMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getListCommentsMethod = CommentServiceGrpc.getListCommentsMethod) == null) {
          CommentServiceGrpc.getListCommentsMethod = getListCommentsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListCommentsRequest, dev.riposte.v1.ListCommentsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListComments"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListCommentsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListCommentsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("ListComments"))
              .build();
        }
      }
    }
    return getListCommentsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.UpdateCommentRequest,
      dev.riposte.v1.UpdateCommentResponse> getUpdateCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateComment",
      requestType = dev.riposte.v1.UpdateCommentRequest.class,
      responseType = dev.riposte.v1.UpdateCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.UpdateCommentRequest,
      dev.riposte.v1.UpdateCommentResponse> getUpdateCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.UpdateCommentRequest, dev.riposte.v1.UpdateCommentResponse> getUpdateCommentMethod;
    if ((getUpdateCommentMethod = CommentServiceGrpc.getUpdateCommentMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getUpdateCommentMethod = CommentServiceGrpc.getUpdateCommentMethod) == null) {
          CommentServiceGrpc.getUpdateCommentMethod = getUpdateCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.UpdateCommentRequest, dev.riposte.v1.UpdateCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UpdateCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UpdateCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("UpdateComment"))
              .build();
        }
      }
    }
    return getUpdateCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListCommentRevisionsRequest,
      dev.riposte.v1.ListCommentRevisionsResponse> getListCommentRevisionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListCommentRevisions",
      requestType = dev.riposte.v1.ListCommentRevisionsRequest.class,
      responseType = dev.riposte.v1.ListCommentRevisionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListCommentRevisionsRequest,
      dev.riposte.v1.ListCommentRevisionsResponse> getListCommentRevisionsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListCommentRevisionsRequest, dev.riposte.v1.ListCommentRevisionsResponse> getListCommentRevisionsMethod;
    if ((getListCommentRevisionsMethod = CommentServiceGrpc.getListCommentRevisionsMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getListCommentRevisionsMethod = CommentServiceGrpc.getListCommentRevisionsMethod) == null) {
          CommentServiceGrpc.getListCommentRevisionsMethod = getListCommentRevisionsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListCommentRevisionsRequest, dev.riposte.v1.ListCommentRevisionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListCommentRevisions"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListCommentRevisionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListCommentRevisionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("ListCommentRevisions"))
              .build();
        }
      }
    }
    return getListCommentRevisionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.DeleteCommentRequest,
      dev.riposte.v1.DeleteCommentResponse> getDeleteCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteComment",
      requestType = dev.riposte.v1.DeleteCommentRequest.class,
      responseType = dev.riposte.v1.DeleteCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.DeleteCommentRequest,
      dev.riposte.v1.DeleteCommentResponse> getDeleteCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.DeleteCommentRequest, dev.riposte.v1.DeleteCommentResponse> getDeleteCommentMethod;
    if ((getDeleteCommentMethod = CommentServiceGrpc.getDeleteCommentMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getDeleteCommentMethod = CommentServiceGrpc.getDeleteCommentMethod) == null) {
          CommentServiceGrpc.getDeleteCommentMethod = getDeleteCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.DeleteCommentRequest, dev.riposte.v1.DeleteCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.DeleteCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.DeleteCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("DeleteComment"))
              .build();
        }
      }
    }
    return getDeleteCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.UndeleteCommentRequest,
      dev.riposte.v1.UndeleteCommentResponse> getUndeleteCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UndeleteComment",
      requestType = dev.riposte.v1.UndeleteCommentRequest.class,
      responseType = dev.riposte.v1.UndeleteCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.UndeleteCommentRequest,
      dev.riposte.v1.UndeleteCommentResponse> getUndeleteCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.UndeleteCommentRequest, dev.riposte.v1.UndeleteCommentResponse> getUndeleteCommentMethod;
    if ((getUndeleteCommentMethod = CommentServiceGrpc.getUndeleteCommentMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getUndeleteCommentMethod = CommentServiceGrpc.getUndeleteCommentMethod) == null) {
          CommentServiceGrpc.getUndeleteCommentMethod = getUndeleteCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.UndeleteCommentRequest, dev.riposte.v1.UndeleteCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UndeleteComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UndeleteCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UndeleteCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("UndeleteComment"))
              .build();
        }
      }
    }
    return getUndeleteCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.PinCommentRequest,
      dev.riposte.v1.PinCommentResponse> getPinCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PinComment",
      requestType = dev.riposte.v1.PinCommentRequest.class,
      responseType = dev.riposte.v1.PinCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.PinCommentRequest,
      dev.riposte.v1.PinCommentResponse> getPinCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.PinCommentRequest, dev.riposte.v1.PinCommentResponse> getPinCommentMethod;
    if ((getPinCommentMethod = CommentServiceGrpc.getPinCommentMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getPinCommentMethod = CommentServiceGrpc.getPinCommentMethod) == null) {
          CommentServiceGrpc.getPinCommentMethod = getPinCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.PinCommentRequest, dev.riposte.v1.PinCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PinComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.PinCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.PinCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("PinComment"))
              .build();
        }
      }
    }
    return getPinCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.UnpinCommentRequest,
      dev.riposte.v1.UnpinCommentResponse> getUnpinCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UnpinComment",
      requestType = dev.riposte.v1.UnpinCommentRequest.class,
      responseType = dev.riposte.v1.UnpinCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.UnpinCommentRequest,
      dev.riposte.v1.UnpinCommentResponse> getUnpinCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.UnpinCommentRequest, dev.riposte.v1.UnpinCommentResponse> getUnpinCommentMethod;
    if ((getUnpinCommentMethod = CommentServiceGrpc.getUnpinCommentMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getUnpinCommentMethod = CommentServiceGrpc.getUnpinCommentMethod) == null) {
          CommentServiceGrpc.getUnpinCommentMethod = getUnpinCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.UnpinCommentRequest, dev.riposte.v1.UnpinCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UnpinComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UnpinCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UnpinCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("UnpinComment"))
              .build();
        }
      }
    }
    return getUnpinCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberCommentsRequest,
      dev.riposte.v1.ListMemberCommentsResponse> getListMemberCommentsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListMemberComments",
      requestType = dev.riposte.v1.ListMemberCommentsRequest.class,
      responseType = dev.riposte.v1.ListMemberCommentsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberCommentsRequest,
      dev.riposte.v1.ListMemberCommentsResponse> getListMemberCommentsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListMemberCommentsRequest, dev.riposte.v1.ListMemberCommentsResponse> getListMemberCommentsMethod;
    if ((getListMemberCommentsMethod = CommentServiceGrpc.getListMemberCommentsMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getListMemberCommentsMethod = CommentServiceGrpc.getListMemberCommentsMethod) == null) {
          CommentServiceGrpc.getListMemberCommentsMethod = getListMemberCommentsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListMemberCommentsRequest, dev.riposte.v1.ListMemberCommentsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListMemberComments"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListMemberCommentsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListMemberCommentsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("ListMemberComments"))
              .build();
        }
      }
    }
    return getListMemberCommentsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListUnlistedCommentsRequest,
      dev.riposte.v1.ListUnlistedCommentsResponse> getListUnlistedCommentsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListUnlistedComments",
      requestType = dev.riposte.v1.ListUnlistedCommentsRequest.class,
      responseType = dev.riposte.v1.ListUnlistedCommentsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListUnlistedCommentsRequest,
      dev.riposte.v1.ListUnlistedCommentsResponse> getListUnlistedCommentsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListUnlistedCommentsRequest, dev.riposte.v1.ListUnlistedCommentsResponse> getListUnlistedCommentsMethod;
    if ((getListUnlistedCommentsMethod = CommentServiceGrpc.getListUnlistedCommentsMethod) == null) {
      synchronized (CommentServiceGrpc.class) {
        if ((getListUnlistedCommentsMethod = CommentServiceGrpc.getListUnlistedCommentsMethod) == null) {
          CommentServiceGrpc.getListUnlistedCommentsMethod = getListUnlistedCommentsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListUnlistedCommentsRequest, dev.riposte.v1.ListUnlistedCommentsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListUnlistedComments"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListUnlistedCommentsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListUnlistedCommentsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new CommentServiceMethodDescriptorSupplier("ListUnlistedComments"))
              .build();
        }
      }
    }
    return getListUnlistedCommentsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static CommentServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<CommentServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<CommentServiceStub>() {
        @java.lang.Override
        public CommentServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new CommentServiceStub(channel, callOptions);
        }
      };
    return CommentServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static CommentServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<CommentServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<CommentServiceBlockingV2Stub>() {
        @java.lang.Override
        public CommentServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new CommentServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return CommentServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static CommentServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<CommentServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<CommentServiceBlockingStub>() {
        @java.lang.Override
        public CommentServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new CommentServiceBlockingStub(channel, callOptions);
        }
      };
    return CommentServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static CommentServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<CommentServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<CommentServiceFutureStub>() {
        @java.lang.Override
        public CommentServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new CommentServiceFutureStub(channel, callOptions);
        }
      };
    return CommentServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Comments: roots under subjects, and what is done to any single comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first id, floor,
   * subject_revision and ack again, for ever, with the body as it is now; with another body it fails
   * with REQUEST_ID_REUSED. A failed attempt does not use it up. The deletion of a subject changes no
   * comment, so a repeat of a write below a deleted subject answers the comment with its text, which
   * no read returns.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Writes a root comment.
     * Floors are dense; if one create was answered before another was sent, its floor is lower. Where
     * the object type's comments wait for review, the comment is PENDING and is answered whole to its
     * author. Errors: SUBJECT_NOT_FOUND (unless the type creates its subjects), OBJECT_TYPE_UNKNOWN,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_NOT_ALLOWED,
     * MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED. Not served yet: DUPLICATE_CONTENT,
     * MEMBER_BLOCKED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7", "content":
     * {"text": "Hi"}}`.
     * </pre>
     */
    default void createComment(dev.riposte.v1.CreateCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CreateCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one comment by its id.
     * A deleted comment is answered as its tombstone; one that is neither ACTIVE nor DELETED
     * likewise, except to its author (`viewer_member_id`). One that was never visible is
     * COMMENT_NOT_FOUND to all but its author. Errors: COMMENT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    default void getComment(dev.riposte.v1.GetCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads up to 200 comments by their ids, in the order of the request.
     * Atomic by default; see `allow_missing`. Knows no viewer: a comment that was never visible is
     * missing to its author too. Errors: COMMENT_NOT_FOUND with the first missing id in its metadata.
     * Example: `{"ids": ["1234567890123456789"], "allowMissing": true}`.
     * </pre>
     */
    default void batchGetComments(dev.riposte.v1.BatchGetCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetCommentsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchGetCommentsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads a page of root comments with reply previews.
     * A full walk shows every root that stood at its start, and was not removed before its end,
     * exactly once, while others write. Pages are the same for every reader; ask BatchGetLikeStates
     * for one's own likes. Under `auto_create` an absent subject reads as empty.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (around_comment_id),
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, PAGE_TOKEN_EXPIRED, REVISION_NOT_REACHED.
     * Example: `{"subject": {"objectType": "article", "objectId": "1"}, "sort":
     * "COMMENT_SORT_OLDEST", "pageSize": 50}`.
     * </pre>
     */
    default void listComments(dev.riposte.v1.ListCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListCommentsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListCommentsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes what a comment says. Only its author may, within the object type's edit window; the
     * former text is kept.
     * Where comments wait for review, an edit of an ACTIVE comment waits beside the text in sight:
     * `proposed_edit` of the response. A newer one replaces it. A PENDING comment goes on waiting. A
     * REJECTED one waits again, within `resubmit_window` of the refusal. At most 3 edits wait for a
     * moderator one after the other.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), MEMBER_NOT_ALLOWED, STATE_CONFLICT (the comment
     * is HIDDEN; or `why` = edits), EDIT_WINDOW_CLOSED, ETAG_MISMATCH, SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7", "content": {"text": "Hello"}}`.
     * </pre>
     */
    default void updateComment(dev.riposte.v1.UpdateCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UpdateCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the former texts of a comment, latest first.
     * Errors: COMMENT_NOT_FOUND (also for a comment that is not ACTIVE), PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    default void listCommentRevisions(dev.riposte.v1.ListCommentRevisionsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListCommentRevisionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListCommentRevisionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes one comment, as its author or as the owner of the subject. Replies stay; a pin is taken
     * off.
     * Errors: COMMENT_NOT_FOUND (a second delete too), MEMBER_NOT_ALLOWED, ETAG_MISMATCH,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED (of an owner alone), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7", "actingAs":
     * "ACTING_AS_SUBJECT_OWNER"}`.
     * </pre>
     */
    default void deleteComment(dev.riposte.v1.DeleteCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.DeleteCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Brings a deleted comment back to the state it had; only for the member who deleted it.
     * Errors: COMMENT_NOT_FOUND, COMMENT_ALREADY_EXISTS (it is not deleted),
     * MEMBER_NOT_ALLOWED (another member, or a moderator deleted it), STATE_CONFLICT (it was imported
     * as a tombstone without a text), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7"}`.
     * </pre>
     */
    default void undeleteComment(dev.riposte.v1.UndeleteCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UndeleteCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUndeleteCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Pins a root, at most three per subject; only for the owner of the subject.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), MEMBER_NOT_ALLOWED, PIN_LIMIT_REACHED, STATE_CONFLICT (the comment is HIDDEN),
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    default void pinComment(dev.riposte.v1.PinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.PinCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPinCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Takes the pin off a root; only for the owner of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), MEMBER_NOT_ALLOWED, SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    default void unpinComment(dev.riposte.v1.UnpinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UnpinCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUnpinCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the comments of one member across all subjects of an object type, newest first.
     * The list follows the commits by some 100 ms; each comment in it is shown as it is now. Comments
     * below a deleted or hidden subject are left out, so a page may be short or even empty:
     * `next_page_token` alone says the end. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    default void listMemberComments(dev.riposte.v1.ListMemberCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberCommentsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListMemberCommentsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the author's own comments of a subject that are in no list, because they wait for review
     * or were refused, and those with an edit that waits.
     * Nothing of it is in public pages, counts or caches. Errors: SUBJECT_NOT_FOUND (unless the type
     * creates its subjects), SUBJECT_HIDDEN, OBJECT_TYPE_UNKNOWN, REVISION_NOT_REACHED,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7"}`.
     * </pre>
     */
    default void listUnlistedComments(dev.riposte.v1.ListUnlistedCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListUnlistedCommentsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListUnlistedCommentsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service CommentService.
   * <pre>
   * Comments: roots under subjects, and what is done to any single comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first id, floor,
   * subject_revision and ack again, for ever, with the body as it is now; with another body it fails
   * with REQUEST_ID_REUSED. A failed attempt does not use it up. The deletion of a subject changes no
   * comment, so a repeat of a write below a deleted subject answers the comment with its text, which
   * no read returns.
   * </pre>
   */
  public static abstract class CommentServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return CommentServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service CommentService.
   * <pre>
   * Comments: roots under subjects, and what is done to any single comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first id, floor,
   * subject_revision and ack again, for ever, with the body as it is now; with another body it fails
   * with REQUEST_ID_REUSED. A failed attempt does not use it up. The deletion of a subject changes no
   * comment, so a repeat of a write below a deleted subject answers the comment with its text, which
   * no read returns.
   * </pre>
   */
  public static final class CommentServiceStub
      extends io.grpc.stub.AbstractAsyncStub<CommentServiceStub> {
    private CommentServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected CommentServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new CommentServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a root comment.
     * Floors are dense; if one create was answered before another was sent, its floor is lower. Where
     * the object type's comments wait for review, the comment is PENDING and is answered whole to its
     * author. Errors: SUBJECT_NOT_FOUND (unless the type creates its subjects), OBJECT_TYPE_UNKNOWN,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_NOT_ALLOWED,
     * MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED. Not served yet: DUPLICATE_CONTENT,
     * MEMBER_BLOCKED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7", "content":
     * {"text": "Hi"}}`.
     * </pre>
     */
    public void createComment(dev.riposte.v1.CreateCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CreateCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one comment by its id.
     * A deleted comment is answered as its tombstone; one that is neither ACTIVE nor DELETED
     * likewise, except to its author (`viewer_member_id`). One that was never visible is
     * COMMENT_NOT_FOUND to all but its author. Errors: COMMENT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public void getComment(dev.riposte.v1.GetCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads up to 200 comments by their ids, in the order of the request.
     * Atomic by default; see `allow_missing`. Knows no viewer: a comment that was never visible is
     * missing to its author too. Errors: COMMENT_NOT_FOUND with the first missing id in its metadata.
     * Example: `{"ids": ["1234567890123456789"], "allowMissing": true}`.
     * </pre>
     */
    public void batchGetComments(dev.riposte.v1.BatchGetCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetCommentsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchGetCommentsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads a page of root comments with reply previews.
     * A full walk shows every root that stood at its start, and was not removed before its end,
     * exactly once, while others write. Pages are the same for every reader; ask BatchGetLikeStates
     * for one's own likes. Under `auto_create` an absent subject reads as empty.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (around_comment_id),
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, PAGE_TOKEN_EXPIRED, REVISION_NOT_REACHED.
     * Example: `{"subject": {"objectType": "article", "objectId": "1"}, "sort":
     * "COMMENT_SORT_OLDEST", "pageSize": 50}`.
     * </pre>
     */
    public void listComments(dev.riposte.v1.ListCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListCommentsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListCommentsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes what a comment says. Only its author may, within the object type's edit window; the
     * former text is kept.
     * Where comments wait for review, an edit of an ACTIVE comment waits beside the text in sight:
     * `proposed_edit` of the response. A newer one replaces it. A PENDING comment goes on waiting. A
     * REJECTED one waits again, within `resubmit_window` of the refusal. At most 3 edits wait for a
     * moderator one after the other.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), MEMBER_NOT_ALLOWED, STATE_CONFLICT (the comment
     * is HIDDEN; or `why` = edits), EDIT_WINDOW_CLOSED, ETAG_MISMATCH, SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7", "content": {"text": "Hello"}}`.
     * </pre>
     */
    public void updateComment(dev.riposte.v1.UpdateCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UpdateCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the former texts of a comment, latest first.
     * Errors: COMMENT_NOT_FOUND (also for a comment that is not ACTIVE), PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public void listCommentRevisions(dev.riposte.v1.ListCommentRevisionsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListCommentRevisionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListCommentRevisionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes one comment, as its author or as the owner of the subject. Replies stay; a pin is taken
     * off.
     * Errors: COMMENT_NOT_FOUND (a second delete too), MEMBER_NOT_ALLOWED, ETAG_MISMATCH,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED (of an owner alone), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7", "actingAs":
     * "ACTING_AS_SUBJECT_OWNER"}`.
     * </pre>
     */
    public void deleteComment(dev.riposte.v1.DeleteCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.DeleteCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Brings a deleted comment back to the state it had; only for the member who deleted it.
     * Errors: COMMENT_NOT_FOUND, COMMENT_ALREADY_EXISTS (it is not deleted),
     * MEMBER_NOT_ALLOWED (another member, or a moderator deleted it), STATE_CONFLICT (it was imported
     * as a tombstone without a text), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7"}`.
     * </pre>
     */
    public void undeleteComment(dev.riposte.v1.UndeleteCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UndeleteCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUndeleteCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Pins a root, at most three per subject; only for the owner of the subject.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), MEMBER_NOT_ALLOWED, PIN_LIMIT_REACHED, STATE_CONFLICT (the comment is HIDDEN),
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public void pinComment(dev.riposte.v1.PinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.PinCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPinCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Takes the pin off a root; only for the owner of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), MEMBER_NOT_ALLOWED, SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public void unpinComment(dev.riposte.v1.UnpinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UnpinCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUnpinCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the comments of one member across all subjects of an object type, newest first.
     * The list follows the commits by some 100 ms; each comment in it is shown as it is now. Comments
     * below a deleted or hidden subject are left out, so a page may be short or even empty:
     * `next_page_token` alone says the end. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public void listMemberComments(dev.riposte.v1.ListMemberCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberCommentsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListMemberCommentsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the author's own comments of a subject that are in no list, because they wait for review
     * or were refused, and those with an edit that waits.
     * Nothing of it is in public pages, counts or caches. Errors: SUBJECT_NOT_FOUND (unless the type
     * creates its subjects), SUBJECT_HIDDEN, OBJECT_TYPE_UNKNOWN, REVISION_NOT_REACHED,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7"}`.
     * </pre>
     */
    public void listUnlistedComments(dev.riposte.v1.ListUnlistedCommentsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListUnlistedCommentsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListUnlistedCommentsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service CommentService.
   * <pre>
   * Comments: roots under subjects, and what is done to any single comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first id, floor,
   * subject_revision and ack again, for ever, with the body as it is now; with another body it fails
   * with REQUEST_ID_REUSED. A failed attempt does not use it up. The deletion of a subject changes no
   * comment, so a repeat of a write below a deleted subject answers the comment with its text, which
   * no read returns.
   * </pre>
   */
  public static final class CommentServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<CommentServiceBlockingV2Stub> {
    private CommentServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected CommentServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new CommentServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a root comment.
     * Floors are dense; if one create was answered before another was sent, its floor is lower. Where
     * the object type's comments wait for review, the comment is PENDING and is answered whole to its
     * author. Errors: SUBJECT_NOT_FOUND (unless the type creates its subjects), OBJECT_TYPE_UNKNOWN,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_NOT_ALLOWED,
     * MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED. Not served yet: DUPLICATE_CONTENT,
     * MEMBER_BLOCKED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7", "content":
     * {"text": "Hi"}}`.
     * </pre>
     */
    public dev.riposte.v1.CreateCommentResponse createComment(dev.riposte.v1.CreateCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one comment by its id.
     * A deleted comment is answered as its tombstone; one that is neither ACTIVE nor DELETED
     * likewise, except to its author (`viewer_member_id`). One that was never visible is
     * COMMENT_NOT_FOUND to all but its author. Errors: COMMENT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.GetCommentResponse getComment(dev.riposte.v1.GetCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 200 comments by their ids, in the order of the request.
     * Atomic by default; see `allow_missing`. Knows no viewer: a comment that was never visible is
     * missing to its author too. Errors: COMMENT_NOT_FOUND with the first missing id in its metadata.
     * Example: `{"ids": ["1234567890123456789"], "allowMissing": true}`.
     * </pre>
     */
    public dev.riposte.v1.BatchGetCommentsResponse batchGetComments(dev.riposte.v1.BatchGetCommentsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchGetCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a page of root comments with reply previews.
     * A full walk shows every root that stood at its start, and was not removed before its end,
     * exactly once, while others write. Pages are the same for every reader; ask BatchGetLikeStates
     * for one's own likes. Under `auto_create` an absent subject reads as empty.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (around_comment_id),
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, PAGE_TOKEN_EXPIRED, REVISION_NOT_REACHED.
     * Example: `{"subject": {"objectType": "article", "objectId": "1"}, "sort":
     * "COMMENT_SORT_OLDEST", "pageSize": 50}`.
     * </pre>
     */
    public dev.riposte.v1.ListCommentsResponse listComments(dev.riposte.v1.ListCommentsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes what a comment says. Only its author may, within the object type's edit window; the
     * former text is kept.
     * Where comments wait for review, an edit of an ACTIVE comment waits beside the text in sight:
     * `proposed_edit` of the response. A newer one replaces it. A PENDING comment goes on waiting. A
     * REJECTED one waits again, within `resubmit_window` of the refusal. At most 3 edits wait for a
     * moderator one after the other.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), MEMBER_NOT_ALLOWED, STATE_CONFLICT (the comment
     * is HIDDEN; or `why` = edits), EDIT_WINDOW_CLOSED, ETAG_MISMATCH, SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7", "content": {"text": "Hello"}}`.
     * </pre>
     */
    public dev.riposte.v1.UpdateCommentResponse updateComment(dev.riposte.v1.UpdateCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the former texts of a comment, latest first.
     * Errors: COMMENT_NOT_FOUND (also for a comment that is not ACTIVE), PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListCommentRevisionsResponse listCommentRevisions(dev.riposte.v1.ListCommentRevisionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListCommentRevisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes one comment, as its author or as the owner of the subject. Replies stay; a pin is taken
     * off.
     * Errors: COMMENT_NOT_FOUND (a second delete too), MEMBER_NOT_ALLOWED, ETAG_MISMATCH,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED (of an owner alone), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7", "actingAs":
     * "ACTING_AS_SUBJECT_OWNER"}`.
     * </pre>
     */
    public dev.riposte.v1.DeleteCommentResponse deleteComment(dev.riposte.v1.DeleteCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Brings a deleted comment back to the state it had; only for the member who deleted it.
     * Errors: COMMENT_NOT_FOUND, COMMENT_ALREADY_EXISTS (it is not deleted),
     * MEMBER_NOT_ALLOWED (another member, or a moderator deleted it), STATE_CONFLICT (it was imported
     * as a tombstone without a text), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.UndeleteCommentResponse undeleteComment(dev.riposte.v1.UndeleteCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUndeleteCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Pins a root, at most three per subject; only for the owner of the subject.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), MEMBER_NOT_ALLOWED, PIN_LIMIT_REACHED, STATE_CONFLICT (the comment is HIDDEN),
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public dev.riposte.v1.PinCommentResponse pinComment(dev.riposte.v1.PinCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes the pin off a root; only for the owner of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), MEMBER_NOT_ALLOWED, SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public dev.riposte.v1.UnpinCommentResponse unpinComment(dev.riposte.v1.UnpinCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUnpinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the comments of one member across all subjects of an object type, newest first.
     * The list follows the commits by some 100 ms; each comment in it is shown as it is now. Comments
     * below a deleted or hidden subject are left out, so a page may be short or even empty:
     * `next_page_token` alone says the end. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListMemberCommentsResponse listMemberComments(dev.riposte.v1.ListMemberCommentsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListMemberCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the author's own comments of a subject that are in no list, because they wait for review
     * or were refused, and those with an edit that waits.
     * Nothing of it is in public pages, counts or caches. Errors: SUBJECT_NOT_FOUND (unless the type
     * creates its subjects), SUBJECT_HIDDEN, OBJECT_TYPE_UNKNOWN, REVISION_NOT_REACHED,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListUnlistedCommentsResponse listUnlistedComments(dev.riposte.v1.ListUnlistedCommentsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListUnlistedCommentsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service CommentService.
   * <pre>
   * Comments: roots under subjects, and what is done to any single comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first id, floor,
   * subject_revision and ack again, for ever, with the body as it is now; with another body it fails
   * with REQUEST_ID_REUSED. A failed attempt does not use it up. The deletion of a subject changes no
   * comment, so a repeat of a write below a deleted subject answers the comment with its text, which
   * no read returns.
   * </pre>
   */
  public static final class CommentServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<CommentServiceBlockingStub> {
    private CommentServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected CommentServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new CommentServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a root comment.
     * Floors are dense; if one create was answered before another was sent, its floor is lower. Where
     * the object type's comments wait for review, the comment is PENDING and is answered whole to its
     * author. Errors: SUBJECT_NOT_FOUND (unless the type creates its subjects), OBJECT_TYPE_UNKNOWN,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_NOT_ALLOWED,
     * MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED. Not served yet: DUPLICATE_CONTENT,
     * MEMBER_BLOCKED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7", "content":
     * {"text": "Hi"}}`.
     * </pre>
     */
    public dev.riposte.v1.CreateCommentResponse createComment(dev.riposte.v1.CreateCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one comment by its id.
     * A deleted comment is answered as its tombstone; one that is neither ACTIVE nor DELETED
     * likewise, except to its author (`viewer_member_id`). One that was never visible is
     * COMMENT_NOT_FOUND to all but its author. Errors: COMMENT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.GetCommentResponse getComment(dev.riposte.v1.GetCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 200 comments by their ids, in the order of the request.
     * Atomic by default; see `allow_missing`. Knows no viewer: a comment that was never visible is
     * missing to its author too. Errors: COMMENT_NOT_FOUND with the first missing id in its metadata.
     * Example: `{"ids": ["1234567890123456789"], "allowMissing": true}`.
     * </pre>
     */
    public dev.riposte.v1.BatchGetCommentsResponse batchGetComments(dev.riposte.v1.BatchGetCommentsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchGetCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a page of root comments with reply previews.
     * A full walk shows every root that stood at its start, and was not removed before its end,
     * exactly once, while others write. Pages are the same for every reader; ask BatchGetLikeStates
     * for one's own likes. Under `auto_create` an absent subject reads as empty.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (around_comment_id),
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, PAGE_TOKEN_EXPIRED, REVISION_NOT_REACHED.
     * Example: `{"subject": {"objectType": "article", "objectId": "1"}, "sort":
     * "COMMENT_SORT_OLDEST", "pageSize": 50}`.
     * </pre>
     */
    public dev.riposte.v1.ListCommentsResponse listComments(dev.riposte.v1.ListCommentsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes what a comment says. Only its author may, within the object type's edit window; the
     * former text is kept.
     * Where comments wait for review, an edit of an ACTIVE comment waits beside the text in sight:
     * `proposed_edit` of the response. A newer one replaces it. A PENDING comment goes on waiting. A
     * REJECTED one waits again, within `resubmit_window` of the refusal. At most 3 edits wait for a
     * moderator one after the other.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), MEMBER_NOT_ALLOWED, STATE_CONFLICT (the comment
     * is HIDDEN; or `why` = edits), EDIT_WINDOW_CLOSED, ETAG_MISMATCH, SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7", "content": {"text": "Hello"}}`.
     * </pre>
     */
    public dev.riposte.v1.UpdateCommentResponse updateComment(dev.riposte.v1.UpdateCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the former texts of a comment, latest first.
     * Errors: COMMENT_NOT_FOUND (also for a comment that is not ACTIVE), PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public dev.riposte.v1.ListCommentRevisionsResponse listCommentRevisions(dev.riposte.v1.ListCommentRevisionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListCommentRevisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes one comment, as its author or as the owner of the subject. Replies stay; a pin is taken
     * off.
     * Errors: COMMENT_NOT_FOUND (a second delete too), MEMBER_NOT_ALLOWED, ETAG_MISMATCH,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED (of an owner alone), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7", "actingAs":
     * "ACTING_AS_SUBJECT_OWNER"}`.
     * </pre>
     */
    public dev.riposte.v1.DeleteCommentResponse deleteComment(dev.riposte.v1.DeleteCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Brings a deleted comment back to the state it had; only for the member who deleted it.
     * Errors: COMMENT_NOT_FOUND, COMMENT_ALREADY_EXISTS (it is not deleted),
     * MEMBER_NOT_ALLOWED (another member, or a moderator deleted it), STATE_CONFLICT (it was imported
     * as a tombstone without a text), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.UndeleteCommentResponse undeleteComment(dev.riposte.v1.UndeleteCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUndeleteCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Pins a root, at most three per subject; only for the owner of the subject.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), MEMBER_NOT_ALLOWED, PIN_LIMIT_REACHED, STATE_CONFLICT (the comment is HIDDEN),
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public dev.riposte.v1.PinCommentResponse pinComment(dev.riposte.v1.PinCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes the pin off a root; only for the owner of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), MEMBER_NOT_ALLOWED, SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public dev.riposte.v1.UnpinCommentResponse unpinComment(dev.riposte.v1.UnpinCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUnpinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the comments of one member across all subjects of an object type, newest first.
     * The list follows the commits by some 100 ms; each comment in it is shown as it is now. Comments
     * below a deleted or hidden subject are left out, so a page may be short or even empty:
     * `next_page_token` alone says the end. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListMemberCommentsResponse listMemberComments(dev.riposte.v1.ListMemberCommentsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListMemberCommentsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the author's own comments of a subject that are in no list, because they wait for review
     * or were refused, and those with an edit that waits.
     * Nothing of it is in public pages, counts or caches. Errors: SUBJECT_NOT_FOUND (unless the type
     * creates its subjects), SUBJECT_HIDDEN, OBJECT_TYPE_UNKNOWN, REVISION_NOT_REACHED,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7"}`.
     * </pre>
     */
    public dev.riposte.v1.ListUnlistedCommentsResponse listUnlistedComments(dev.riposte.v1.ListUnlistedCommentsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListUnlistedCommentsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service CommentService.
   * <pre>
   * Comments: roots under subjects, and what is done to any single comment.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED (by subject key; by comment id a type that was not
   * granted reads as COMMENT_NOT_FOUND), FIELD_INVALID with all violations at once, and the general
   * errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first id, floor,
   * subject_revision and ack again, for ever, with the body as it is now; with another body it fails
   * with REQUEST_ID_REUSED. A failed attempt does not use it up. The deletion of a subject changes no
   * comment, so a repeat of a write below a deleted subject answers the comment with its text, which
   * no read returns.
   * </pre>
   */
  public static final class CommentServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<CommentServiceFutureStub> {
    private CommentServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected CommentServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new CommentServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Writes a root comment.
     * Floors are dense; if one create was answered before another was sent, its floor is lower. Where
     * the object type's comments wait for review, the comment is PENDING and is answered whole to its
     * author. Errors: SUBJECT_NOT_FOUND (unless the type creates its subjects), OBJECT_TYPE_UNKNOWN,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_NOT_ALLOWED,
     * MEMBER_SUSPENDED, POLICY_UNAVAILABLE, REQUEST_ID_REUSED. Not served yet: DUPLICATE_CONTENT,
     * MEMBER_BLOCKED.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7", "content":
     * {"text": "Hi"}}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.CreateCommentResponse> createComment(
        dev.riposte.v1.CreateCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one comment by its id.
     * A deleted comment is answered as its tombstone; one that is neither ACTIVE nor DELETED
     * likewise, except to its author (`viewer_member_id`). One that was never visible is
     * COMMENT_NOT_FOUND to all but its author. Errors: COMMENT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.GetCommentResponse> getComment(
        dev.riposte.v1.GetCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads up to 200 comments by their ids, in the order of the request.
     * Atomic by default; see `allow_missing`. Knows no viewer: a comment that was never visible is
     * missing to its author too. Errors: COMMENT_NOT_FOUND with the first missing id in its metadata.
     * Example: `{"ids": ["1234567890123456789"], "allowMissing": true}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.BatchGetCommentsResponse> batchGetComments(
        dev.riposte.v1.BatchGetCommentsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchGetCommentsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads a page of root comments with reply previews.
     * A full walk shows every root that stood at its start, and was not removed before its end,
     * exactly once, while others write. Pages are the same for every reader; ask BatchGetLikeStates
     * for one's own likes. Under `auto_create` an absent subject reads as empty.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_HIDDEN, COMMENT_NOT_FOUND (around_comment_id),
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH, PAGE_TOKEN_EXPIRED, REVISION_NOT_REACHED.
     * Example: `{"subject": {"objectType": "article", "objectId": "1"}, "sort":
     * "COMMENT_SORT_OLDEST", "pageSize": 50}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListCommentsResponse> listComments(
        dev.riposte.v1.ListCommentsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListCommentsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes what a comment says. Only its author may, within the object type's edit window; the
     * former text is kept.
     * Where comments wait for review, an edit of an ACTIVE comment waits beside the text in sight:
     * `proposed_edit` of the response. A newer one replaces it. A PENDING comment goes on waiting. A
     * REJECTED one waits again, within `resubmit_window` of the refusal. At most 3 edits wait for a
     * moderator one after the other.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), MEMBER_NOT_ALLOWED, STATE_CONFLICT (the comment
     * is HIDDEN; or `why` = edits), EDIT_WINDOW_CLOSED, ETAG_MISMATCH, SUBJECT_READ_ONLY,
     * SUBJECT_HIDDEN, CONTENT_TOO_LONG, CONTENT_BLOCKED, MEMBER_SUSPENDED, POLICY_UNAVAILABLE,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7", "content": {"text": "Hello"}}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.UpdateCommentResponse> updateComment(
        dev.riposte.v1.UpdateCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the former texts of a comment, latest first.
     * Errors: COMMENT_NOT_FOUND (also for a comment that is not ACTIVE), PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"id": "1234567890123456789"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListCommentRevisionsResponse> listCommentRevisions(
        dev.riposte.v1.ListCommentRevisionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListCommentRevisionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes one comment, as its author or as the owner of the subject. Replies stay; a pin is taken
     * off.
     * Errors: COMMENT_NOT_FOUND (a second delete too), MEMBER_NOT_ALLOWED, ETAG_MISMATCH,
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED (of an owner alone), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7", "actingAs":
     * "ACTING_AS_SUBJECT_OWNER"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.DeleteCommentResponse> deleteComment(
        dev.riposte.v1.DeleteCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Brings a deleted comment back to the state it had; only for the member who deleted it.
     * Errors: COMMENT_NOT_FOUND, COMMENT_ALREADY_EXISTS (it is not deleted),
     * MEMBER_NOT_ALLOWED (another member, or a moderator deleted it), STATE_CONFLICT (it was imported
     * as a tombstone without a text), SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "m7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.UndeleteCommentResponse> undeleteComment(
        dev.riposte.v1.UndeleteCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUndeleteCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Pins a root, at most three per subject; only for the owner of the subject.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), MEMBER_NOT_ALLOWED, PIN_LIMIT_REACHED, STATE_CONFLICT (the comment is HIDDEN),
     * SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.PinCommentResponse> pinComment(
        dev.riposte.v1.PinCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPinCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Takes the pin off a root; only for the owner of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), MEMBER_NOT_ALLOWED, SUBJECT_READ_ONLY, SUBJECT_HIDDEN, MEMBER_SUSPENDED,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "memberId": "up-7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.UnpinCommentResponse> unpinComment(
        dev.riposte.v1.UnpinCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUnpinCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the comments of one member across all subjects of an object type, newest first.
     * The list follows the commits by some 100 ms; each comment in it is shown as it is now. Comments
     * below a deleted or hidden subject are left out, so a page may be short or even empty:
     * `next_page_token` alone says the end. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "memberId": "m7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListMemberCommentsResponse> listMemberComments(
        dev.riposte.v1.ListMemberCommentsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListMemberCommentsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the author's own comments of a subject that are in no list, because they wait for review
     * or were refused, and those with an edit that waits.
     * Nothing of it is in public pages, counts or caches. Errors: SUBJECT_NOT_FOUND (unless the type
     * creates its subjects), SUBJECT_HIDDEN, OBJECT_TYPE_UNKNOWN, REVISION_NOT_REACHED,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "memberId": "m7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListUnlistedCommentsResponse> listUnlistedComments(
        dev.riposte.v1.ListUnlistedCommentsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListUnlistedCommentsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_COMMENT = 0;
  private static final int METHODID_GET_COMMENT = 1;
  private static final int METHODID_BATCH_GET_COMMENTS = 2;
  private static final int METHODID_LIST_COMMENTS = 3;
  private static final int METHODID_UPDATE_COMMENT = 4;
  private static final int METHODID_LIST_COMMENT_REVISIONS = 5;
  private static final int METHODID_DELETE_COMMENT = 6;
  private static final int METHODID_UNDELETE_COMMENT = 7;
  private static final int METHODID_PIN_COMMENT = 8;
  private static final int METHODID_UNPIN_COMMENT = 9;
  private static final int METHODID_LIST_MEMBER_COMMENTS = 10;
  private static final int METHODID_LIST_UNLISTED_COMMENTS = 11;

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
        case METHODID_CREATE_COMMENT:
          serviceImpl.createComment((dev.riposte.v1.CreateCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.CreateCommentResponse>) responseObserver);
          break;
        case METHODID_GET_COMMENT:
          serviceImpl.getComment((dev.riposte.v1.GetCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.GetCommentResponse>) responseObserver);
          break;
        case METHODID_BATCH_GET_COMMENTS:
          serviceImpl.batchGetComments((dev.riposte.v1.BatchGetCommentsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetCommentsResponse>) responseObserver);
          break;
        case METHODID_LIST_COMMENTS:
          serviceImpl.listComments((dev.riposte.v1.ListCommentsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListCommentsResponse>) responseObserver);
          break;
        case METHODID_UPDATE_COMMENT:
          serviceImpl.updateComment((dev.riposte.v1.UpdateCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.UpdateCommentResponse>) responseObserver);
          break;
        case METHODID_LIST_COMMENT_REVISIONS:
          serviceImpl.listCommentRevisions((dev.riposte.v1.ListCommentRevisionsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListCommentRevisionsResponse>) responseObserver);
          break;
        case METHODID_DELETE_COMMENT:
          serviceImpl.deleteComment((dev.riposte.v1.DeleteCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.DeleteCommentResponse>) responseObserver);
          break;
        case METHODID_UNDELETE_COMMENT:
          serviceImpl.undeleteComment((dev.riposte.v1.UndeleteCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.UndeleteCommentResponse>) responseObserver);
          break;
        case METHODID_PIN_COMMENT:
          serviceImpl.pinComment((dev.riposte.v1.PinCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.PinCommentResponse>) responseObserver);
          break;
        case METHODID_UNPIN_COMMENT:
          serviceImpl.unpinComment((dev.riposte.v1.UnpinCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.UnpinCommentResponse>) responseObserver);
          break;
        case METHODID_LIST_MEMBER_COMMENTS:
          serviceImpl.listMemberComments((dev.riposte.v1.ListMemberCommentsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListMemberCommentsResponse>) responseObserver);
          break;
        case METHODID_LIST_UNLISTED_COMMENTS:
          serviceImpl.listUnlistedComments((dev.riposte.v1.ListUnlistedCommentsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListUnlistedCommentsResponse>) responseObserver);
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
          getCreateCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.CreateCommentRequest,
              dev.riposte.v1.CreateCommentResponse>(
                service, METHODID_CREATE_COMMENT)))
        .addMethod(
          getGetCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.GetCommentRequest,
              dev.riposte.v1.GetCommentResponse>(
                service, METHODID_GET_COMMENT)))
        .addMethod(
          getBatchGetCommentsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.BatchGetCommentsRequest,
              dev.riposte.v1.BatchGetCommentsResponse>(
                service, METHODID_BATCH_GET_COMMENTS)))
        .addMethod(
          getListCommentsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListCommentsRequest,
              dev.riposte.v1.ListCommentsResponse>(
                service, METHODID_LIST_COMMENTS)))
        .addMethod(
          getUpdateCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.UpdateCommentRequest,
              dev.riposte.v1.UpdateCommentResponse>(
                service, METHODID_UPDATE_COMMENT)))
        .addMethod(
          getListCommentRevisionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListCommentRevisionsRequest,
              dev.riposte.v1.ListCommentRevisionsResponse>(
                service, METHODID_LIST_COMMENT_REVISIONS)))
        .addMethod(
          getDeleteCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.DeleteCommentRequest,
              dev.riposte.v1.DeleteCommentResponse>(
                service, METHODID_DELETE_COMMENT)))
        .addMethod(
          getUndeleteCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.UndeleteCommentRequest,
              dev.riposte.v1.UndeleteCommentResponse>(
                service, METHODID_UNDELETE_COMMENT)))
        .addMethod(
          getPinCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.PinCommentRequest,
              dev.riposte.v1.PinCommentResponse>(
                service, METHODID_PIN_COMMENT)))
        .addMethod(
          getUnpinCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.UnpinCommentRequest,
              dev.riposte.v1.UnpinCommentResponse>(
                service, METHODID_UNPIN_COMMENT)))
        .addMethod(
          getListMemberCommentsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListMemberCommentsRequest,
              dev.riposte.v1.ListMemberCommentsResponse>(
                service, METHODID_LIST_MEMBER_COMMENTS)))
        .addMethod(
          getListUnlistedCommentsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListUnlistedCommentsRequest,
              dev.riposte.v1.ListUnlistedCommentsResponse>(
                service, METHODID_LIST_UNLISTED_COMMENTS)))
        .build();
  }

  private static abstract class CommentServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    CommentServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.CommentServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("CommentService");
    }
  }

  private static final class CommentServiceFileDescriptorSupplier
      extends CommentServiceBaseDescriptorSupplier {
    CommentServiceFileDescriptorSupplier() {}
  }

  private static final class CommentServiceMethodDescriptorSupplier
      extends CommentServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    CommentServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (CommentServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new CommentServiceFileDescriptorSupplier())
              .addMethod(getCreateCommentMethod())
              .addMethod(getGetCommentMethod())
              .addMethod(getBatchGetCommentsMethod())
              .addMethod(getListCommentsMethod())
              .addMethod(getUpdateCommentMethod())
              .addMethod(getListCommentRevisionsMethod())
              .addMethod(getDeleteCommentMethod())
              .addMethod(getUndeleteCommentMethod())
              .addMethod(getPinCommentMethod())
              .addMethod(getUnpinCommentMethod())
              .addMethod(getListMemberCommentsMethod())
              .addMethod(getListUnlistedCommentsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
