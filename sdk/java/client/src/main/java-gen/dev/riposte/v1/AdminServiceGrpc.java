package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * What operators and moderators do. Served on a port of its own, with its own authorisation; the
 * public port answers UNIMPLEMENTED to it.
 * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
 * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Streams have no
 * deadline of their own.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class AdminServiceGrpc {

  private AdminServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.AdminService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ImportCommentsRequest,
      dev.riposte.v1.ImportCommentsResponse> getImportCommentsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ImportComments",
      requestType = dev.riposte.v1.ImportCommentsRequest.class,
      responseType = dev.riposte.v1.ImportCommentsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ImportCommentsRequest,
      dev.riposte.v1.ImportCommentsResponse> getImportCommentsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ImportCommentsRequest, dev.riposte.v1.ImportCommentsResponse> getImportCommentsMethod;
    if ((getImportCommentsMethod = AdminServiceGrpc.getImportCommentsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getImportCommentsMethod = AdminServiceGrpc.getImportCommentsMethod) == null) {
          AdminServiceGrpc.getImportCommentsMethod = getImportCommentsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ImportCommentsRequest, dev.riposte.v1.ImportCommentsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ImportComments"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ImportCommentsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ImportCommentsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ImportComments"))
              .build();
        }
      }
    }
    return getImportCommentsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ExportSubjectRequest,
      dev.riposte.v1.ExportSubjectResponse> getExportSubjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExportSubject",
      requestType = dev.riposte.v1.ExportSubjectRequest.class,
      responseType = dev.riposte.v1.ExportSubjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ExportSubjectRequest,
      dev.riposte.v1.ExportSubjectResponse> getExportSubjectMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ExportSubjectRequest, dev.riposte.v1.ExportSubjectResponse> getExportSubjectMethod;
    if ((getExportSubjectMethod = AdminServiceGrpc.getExportSubjectMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getExportSubjectMethod = AdminServiceGrpc.getExportSubjectMethod) == null) {
          AdminServiceGrpc.getExportSubjectMethod = getExportSubjectMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ExportSubjectRequest, dev.riposte.v1.ExportSubjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExportSubject"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ExportSubjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ExportSubjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ExportSubject"))
              .build();
        }
      }
    }
    return getExportSubjectMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListSubjectsRequest,
      dev.riposte.v1.ListSubjectsResponse> getListSubjectsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListSubjects",
      requestType = dev.riposte.v1.ListSubjectsRequest.class,
      responseType = dev.riposte.v1.ListSubjectsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListSubjectsRequest,
      dev.riposte.v1.ListSubjectsResponse> getListSubjectsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListSubjectsRequest, dev.riposte.v1.ListSubjectsResponse> getListSubjectsMethod;
    if ((getListSubjectsMethod = AdminServiceGrpc.getListSubjectsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListSubjectsMethod = AdminServiceGrpc.getListSubjectsMethod) == null) {
          AdminServiceGrpc.getListSubjectsMethod = getListSubjectsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListSubjectsRequest, dev.riposte.v1.ListSubjectsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListSubjects"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListSubjectsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListSubjectsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListSubjects"))
              .build();
        }
      }
    }
    return getListSubjectsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.HideCommentRequest,
      dev.riposte.v1.HideCommentResponse> getHideCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "HideComment",
      requestType = dev.riposte.v1.HideCommentRequest.class,
      responseType = dev.riposte.v1.HideCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.HideCommentRequest,
      dev.riposte.v1.HideCommentResponse> getHideCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.HideCommentRequest, dev.riposte.v1.HideCommentResponse> getHideCommentMethod;
    if ((getHideCommentMethod = AdminServiceGrpc.getHideCommentMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getHideCommentMethod = AdminServiceGrpc.getHideCommentMethod) == null) {
          AdminServiceGrpc.getHideCommentMethod = getHideCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.HideCommentRequest, dev.riposte.v1.HideCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "HideComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.HideCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.HideCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("HideComment"))
              .build();
        }
      }
    }
    return getHideCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.UnhideCommentRequest,
      dev.riposte.v1.UnhideCommentResponse> getUnhideCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UnhideComment",
      requestType = dev.riposte.v1.UnhideCommentRequest.class,
      responseType = dev.riposte.v1.UnhideCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.UnhideCommentRequest,
      dev.riposte.v1.UnhideCommentResponse> getUnhideCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.UnhideCommentRequest, dev.riposte.v1.UnhideCommentResponse> getUnhideCommentMethod;
    if ((getUnhideCommentMethod = AdminServiceGrpc.getUnhideCommentMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getUnhideCommentMethod = AdminServiceGrpc.getUnhideCommentMethod) == null) {
          AdminServiceGrpc.getUnhideCommentMethod = getUnhideCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.UnhideCommentRequest, dev.riposte.v1.UnhideCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UnhideComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UnhideCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UnhideCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("UnhideComment"))
              .build();
        }
      }
    }
    return getUnhideCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.AdminServiceDeleteCommentRequest,
      dev.riposte.v1.AdminServiceDeleteCommentResponse> getDeleteCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteComment",
      requestType = dev.riposte.v1.AdminServiceDeleteCommentRequest.class,
      responseType = dev.riposte.v1.AdminServiceDeleteCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.AdminServiceDeleteCommentRequest,
      dev.riposte.v1.AdminServiceDeleteCommentResponse> getDeleteCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.AdminServiceDeleteCommentRequest, dev.riposte.v1.AdminServiceDeleteCommentResponse> getDeleteCommentMethod;
    if ((getDeleteCommentMethod = AdminServiceGrpc.getDeleteCommentMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getDeleteCommentMethod = AdminServiceGrpc.getDeleteCommentMethod) == null) {
          AdminServiceGrpc.getDeleteCommentMethod = getDeleteCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.AdminServiceDeleteCommentRequest, dev.riposte.v1.AdminServiceDeleteCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AdminServiceDeleteCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AdminServiceDeleteCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("DeleteComment"))
              .build();
        }
      }
    }
    return getDeleteCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.AdminServicePinCommentRequest,
      dev.riposte.v1.AdminServicePinCommentResponse> getPinCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PinComment",
      requestType = dev.riposte.v1.AdminServicePinCommentRequest.class,
      responseType = dev.riposte.v1.AdminServicePinCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.AdminServicePinCommentRequest,
      dev.riposte.v1.AdminServicePinCommentResponse> getPinCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.AdminServicePinCommentRequest, dev.riposte.v1.AdminServicePinCommentResponse> getPinCommentMethod;
    if ((getPinCommentMethod = AdminServiceGrpc.getPinCommentMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getPinCommentMethod = AdminServiceGrpc.getPinCommentMethod) == null) {
          AdminServiceGrpc.getPinCommentMethod = getPinCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.AdminServicePinCommentRequest, dev.riposte.v1.AdminServicePinCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PinComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AdminServicePinCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AdminServicePinCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("PinComment"))
              .build();
        }
      }
    }
    return getPinCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.AdminServiceUnpinCommentRequest,
      dev.riposte.v1.AdminServiceUnpinCommentResponse> getUnpinCommentMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UnpinComment",
      requestType = dev.riposte.v1.AdminServiceUnpinCommentRequest.class,
      responseType = dev.riposte.v1.AdminServiceUnpinCommentResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.AdminServiceUnpinCommentRequest,
      dev.riposte.v1.AdminServiceUnpinCommentResponse> getUnpinCommentMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.AdminServiceUnpinCommentRequest, dev.riposte.v1.AdminServiceUnpinCommentResponse> getUnpinCommentMethod;
    if ((getUnpinCommentMethod = AdminServiceGrpc.getUnpinCommentMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getUnpinCommentMethod = AdminServiceGrpc.getUnpinCommentMethod) == null) {
          AdminServiceGrpc.getUnpinCommentMethod = getUnpinCommentMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.AdminServiceUnpinCommentRequest, dev.riposte.v1.AdminServiceUnpinCommentResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UnpinComment"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AdminServiceUnpinCommentRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.AdminServiceUnpinCommentResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("UnpinComment"))
              .build();
        }
      }
    }
    return getUnpinCommentMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.GetClientInfoRequest,
      dev.riposte.v1.GetClientInfoResponse> getGetClientInfoMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetClientInfo",
      requestType = dev.riposte.v1.GetClientInfoRequest.class,
      responseType = dev.riposte.v1.GetClientInfoResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.GetClientInfoRequest,
      dev.riposte.v1.GetClientInfoResponse> getGetClientInfoMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.GetClientInfoRequest, dev.riposte.v1.GetClientInfoResponse> getGetClientInfoMethod;
    if ((getGetClientInfoMethod = AdminServiceGrpc.getGetClientInfoMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getGetClientInfoMethod = AdminServiceGrpc.getGetClientInfoMethod) == null) {
          AdminServiceGrpc.getGetClientInfoMethod = getGetClientInfoMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.GetClientInfoRequest, dev.riposte.v1.GetClientInfoResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetClientInfo"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetClientInfoRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetClientInfoResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("GetClientInfo"))
              .build();
        }
      }
    }
    return getGetClientInfoMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.SetModerationRequest,
      dev.riposte.v1.SetModerationResponse> getSetModerationMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetModeration",
      requestType = dev.riposte.v1.SetModerationRequest.class,
      responseType = dev.riposte.v1.SetModerationResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.SetModerationRequest,
      dev.riposte.v1.SetModerationResponse> getSetModerationMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.SetModerationRequest, dev.riposte.v1.SetModerationResponse> getSetModerationMethod;
    if ((getSetModerationMethod = AdminServiceGrpc.getSetModerationMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getSetModerationMethod = AdminServiceGrpc.getSetModerationMethod) == null) {
          AdminServiceGrpc.getSetModerationMethod = getSetModerationMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.SetModerationRequest, dev.riposte.v1.SetModerationResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetModeration"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetModerationRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.SetModerationResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("SetModeration"))
              .build();
        }
      }
    }
    return getSetModerationMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.VerifyCountsRequest,
      dev.riposte.v1.VerifyCountsResponse> getVerifyCountsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "VerifyCounts",
      requestType = dev.riposte.v1.VerifyCountsRequest.class,
      responseType = dev.riposte.v1.VerifyCountsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.VerifyCountsRequest,
      dev.riposte.v1.VerifyCountsResponse> getVerifyCountsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.VerifyCountsRequest, dev.riposte.v1.VerifyCountsResponse> getVerifyCountsMethod;
    if ((getVerifyCountsMethod = AdminServiceGrpc.getVerifyCountsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getVerifyCountsMethod = AdminServiceGrpc.getVerifyCountsMethod) == null) {
          AdminServiceGrpc.getVerifyCountsMethod = getVerifyCountsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.VerifyCountsRequest, dev.riposte.v1.VerifyCountsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "VerifyCounts"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.VerifyCountsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.VerifyCountsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("VerifyCounts"))
              .build();
        }
      }
    }
    return getVerifyCountsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.RepairCountsRequest,
      dev.riposte.v1.RepairCountsResponse> getRepairCountsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RepairCounts",
      requestType = dev.riposte.v1.RepairCountsRequest.class,
      responseType = dev.riposte.v1.RepairCountsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.RepairCountsRequest,
      dev.riposte.v1.RepairCountsResponse> getRepairCountsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.RepairCountsRequest, dev.riposte.v1.RepairCountsResponse> getRepairCountsMethod;
    if ((getRepairCountsMethod = AdminServiceGrpc.getRepairCountsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRepairCountsMethod = AdminServiceGrpc.getRepairCountsMethod) == null) {
          AdminServiceGrpc.getRepairCountsMethod = getRepairCountsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.RepairCountsRequest, dev.riposte.v1.RepairCountsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RepairCounts"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RepairCountsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RepairCountsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RepairCounts"))
              .build();
        }
      }
    }
    return getRepairCountsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.RebuildMemberHistoryRequest,
      dev.riposte.v1.RebuildMemberHistoryResponse> getRebuildMemberHistoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RebuildMemberHistory",
      requestType = dev.riposte.v1.RebuildMemberHistoryRequest.class,
      responseType = dev.riposte.v1.RebuildMemberHistoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.RebuildMemberHistoryRequest,
      dev.riposte.v1.RebuildMemberHistoryResponse> getRebuildMemberHistoryMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.RebuildMemberHistoryRequest, dev.riposte.v1.RebuildMemberHistoryResponse> getRebuildMemberHistoryMethod;
    if ((getRebuildMemberHistoryMethod = AdminServiceGrpc.getRebuildMemberHistoryMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRebuildMemberHistoryMethod = AdminServiceGrpc.getRebuildMemberHistoryMethod) == null) {
          AdminServiceGrpc.getRebuildMemberHistoryMethod = getRebuildMemberHistoryMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.RebuildMemberHistoryRequest, dev.riposte.v1.RebuildMemberHistoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RebuildMemberHistory"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RebuildMemberHistoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RebuildMemberHistoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RebuildMemberHistory"))
              .build();
        }
      }
    }
    return getRebuildMemberHistoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.RebuildRanksRequest,
      dev.riposte.v1.RebuildRanksResponse> getRebuildRanksMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RebuildRanks",
      requestType = dev.riposte.v1.RebuildRanksRequest.class,
      responseType = dev.riposte.v1.RebuildRanksResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.RebuildRanksRequest,
      dev.riposte.v1.RebuildRanksResponse> getRebuildRanksMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.RebuildRanksRequest, dev.riposte.v1.RebuildRanksResponse> getRebuildRanksMethod;
    if ((getRebuildRanksMethod = AdminServiceGrpc.getRebuildRanksMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRebuildRanksMethod = AdminServiceGrpc.getRebuildRanksMethod) == null) {
          AdminServiceGrpc.getRebuildRanksMethod = getRebuildRanksMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.RebuildRanksRequest, dev.riposte.v1.RebuildRanksResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RebuildRanks"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RebuildRanksRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RebuildRanksResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RebuildRanks"))
              .build();
        }
      }
    }
    return getRebuildRanksMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.RebuildCacheRequest,
      dev.riposte.v1.RebuildCacheResponse> getRebuildCacheMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RebuildCache",
      requestType = dev.riposte.v1.RebuildCacheRequest.class,
      responseType = dev.riposte.v1.RebuildCacheResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.RebuildCacheRequest,
      dev.riposte.v1.RebuildCacheResponse> getRebuildCacheMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.RebuildCacheRequest, dev.riposte.v1.RebuildCacheResponse> getRebuildCacheMethod;
    if ((getRebuildCacheMethod = AdminServiceGrpc.getRebuildCacheMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRebuildCacheMethod = AdminServiceGrpc.getRebuildCacheMethod) == null) {
          AdminServiceGrpc.getRebuildCacheMethod = getRebuildCacheMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.RebuildCacheRequest, dev.riposte.v1.RebuildCacheResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RebuildCache"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RebuildCacheRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.RebuildCacheResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RebuildCache"))
              .build();
        }
      }
    }
    return getRebuildCacheMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.ListHotSubjectsRequest,
      dev.riposte.v1.ListHotSubjectsResponse> getListHotSubjectsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListHotSubjects",
      requestType = dev.riposte.v1.ListHotSubjectsRequest.class,
      responseType = dev.riposte.v1.ListHotSubjectsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.ListHotSubjectsRequest,
      dev.riposte.v1.ListHotSubjectsResponse> getListHotSubjectsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.ListHotSubjectsRequest, dev.riposte.v1.ListHotSubjectsResponse> getListHotSubjectsMethod;
    if ((getListHotSubjectsMethod = AdminServiceGrpc.getListHotSubjectsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListHotSubjectsMethod = AdminServiceGrpc.getListHotSubjectsMethod) == null) {
          AdminServiceGrpc.getListHotSubjectsMethod = getListHotSubjectsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.ListHotSubjectsRequest, dev.riposte.v1.ListHotSubjectsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListHotSubjects"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListHotSubjectsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.ListHotSubjectsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListHotSubjects"))
              .build();
        }
      }
    }
    return getListHotSubjectsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static AdminServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceStub>() {
        @java.lang.Override
        public AdminServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceStub(channel, callOptions);
        }
      };
    return AdminServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static AdminServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingV2Stub>() {
        @java.lang.Override
        public AdminServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return AdminServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static AdminServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingStub>() {
        @java.lang.Override
        public AdminServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceBlockingStub(channel, callOptions);
        }
      };
    return AdminServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static AdminServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceFutureStub>() {
        @java.lang.Override
        public AdminServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceFutureStub(channel, callOptions);
        }
      };
    return AdminServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * What operators and moderators do. Served on a port of its own, with its own authorisation; the
   * public port answers UNIMPLEMENTED to it.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Streams have no
   * deadline of their own.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Brings subjects, comments and likes in from elsewhere, with their times, threads and states.
     * Every item gets an answer, in order; an item that cannot be imported is REJECTED in its answer
     * and the stream goes on. Idempotent by (source, external id): send the input again after any
     * break. An answer CREATED means durable. Reasons of rejection: FIELD_INVALID,
     * OBJECT_TYPE_UNKNOWN, SUBJECT_NOT_FOUND, COMMENT_NOT_FOUND (the parent, or the comment to like,
     * with its external id in the metadata), CONTENT_TOO_LONG, LIKE_INVALID.
     * A client may send ahead of the answers as far as HTTP/2 lets it, at least 256 items: the server
     * imports up to 768 items at a time, reads as many ahead while it does, of 4 MiB together, and
     * holds some 64 KiB that it has not read. It goes on when the answers to the items before are
     * taken. A client that is further ahead is held by flow control and loses neither items nor its
     * connection, with up to four streams a connection of the smallest messages there can be. So read
     * answers while you send. Items may come in any mixture of subjects; those of one subject are
     * imported in their order. When the process stops, the stream ends with SERVER_STOPPING: send the
     * items without an answer again.
     * Example: `{"item": {"source": "isso", "externalId": "17", "comment": {"subject": {"objectType":
     * "page", "objectId": "/a"}, "memberId": "ann", "content": {"text": "Hi"}, "createTime":
     * "2013-11-24T18:23:52Z"}}}`.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<dev.riposte.v1.ImportCommentsRequest> importComments(
        io.grpc.stub.StreamObserver<dev.riposte.v1.ImportCommentsResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getImportCommentsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads all of one subject: itself, its comments in all states, parents first, and its likes.
     * One consistent state as far as each item is concerned; writes during the export may or may not
     * be in it. What is imported from it is equal but for ids and floors. Errors: SUBJECT_NOT_FOUND.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    default void exportSubject(dev.riposte.v1.ExportSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ExportSubjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExportSubjectMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads a page of the subjects of one object type, deleted ones too.
     * Not ordered, but complete: a full walk shows every subject that stood from its start to its end
     * exactly once. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "pageSize": 100}`.
     * </pre>
     */
    default void listSubjects(dev.riposte.v1.ListSubjectsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListSubjectsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListSubjectsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Takes a comment out of sight; replies stay, and a pin is taken off.
     * Hiding a hidden comment fails. A comment that its author or the owner of the subject deleted
     * stays deleted, and would come back HIDDEN. Errors: COMMENT_NOT_FOUND (one that a moderator
     * deleted too), STATE_CONFLICT (the comment is HIDDEN), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "spam"}`.
     * </pre>
     */
    default void hideComment(dev.riposte.v1.HideCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.HideCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getHideCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Brings a hidden comment back to ACTIVE.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), STATE_CONFLICT (the comment is ACTIVE),
     * ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    default void unhideComment(dev.riposte.v1.UnhideCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UnhideCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUnhideCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes a comment from any state, deleted_by MODERATOR; neither author nor owner can undelete
     * it.
     * A comment that its author or the owner of the subject deleted is then deleted by MODERATOR.
     * Errors: COMMENT_NOT_FOUND (a second delete by a moderator too), ETAG_MISMATCH,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "court order 7/26"}`.
     * </pre>
     */
    default void deleteComment(dev.riposte.v1.AdminServiceDeleteCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServiceDeleteCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Pins a root as a moderator, in any state of the subject. The moderator need not own the
     * subject. A subject has at most three pins.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), STATE_CONFLICT (the root is not ACTIVE), PIN_LIMIT_REACHED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    default void pinComment(dev.riposte.v1.AdminServicePinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServicePinCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPinCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Takes the pin off a root as a moderator, in any state of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    default void unpinComment(dev.riposte.v1.AdminServiceUnpinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServiceUnpinCommentResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUnpinCommentMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads what is stored about the client that wrote a comment: address, platform and device.
     * Moderators read a token of the network and the platform in ModerationService. Errors:
     * COMMENT_NOT_FOUND.
     * Example: `{"id": "1234567890123456789", "reason": "court order 7/26"}`.
     * </pre>
     */
    default void getClientInfo(dev.riposte.v1.GetClientInfoRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetClientInfoResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetClientInfoMethod(), responseObserver);
    }

    /**
     * <pre>
     * Turns moderation off or on for all processes, and then goes once over everything that was ever
     * open or decided.
     * While it is off, no process makes a state that a program of before moderation does not know:
     * what would leave a comment PENDING or REJECTED or store a proposed edit is refused with
     * OVERLOADED, so members whose comments would wait cannot write. Off refuses the proposed edits
     * that wait, and decides on comments that are PENDING where `pending_action` says so; its
     * decisions have the code `moderation.off`. On sets open questions and counts as their comments
     * require it. The switch is set at every data source before the first answer, and within 2 s
     * every process goes by it; answers follow as the pass goes on. Safe to repeat: after off, repeat
     * until `settled_count` is 0. Only for callers that may use every object type.
     * Errors: SHARD_UNAVAILABLE (the switch may be set at some sources; a repeat sets them all).
     * Example: `{"off": true, "pendingAction": "PENDING_ACTION_REJECT", "moderatorId": "op-1"}`.
     * </pre>
     */
    default void setModeration(dev.riposte.v1.SetModerationRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetModerationResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetModerationMethod(), responseObserver);
    }

    /**
     * <pre>
     * Compares stored counts with the rows they count; one answer per subject, also where all agree.
     * Changes nothing. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    default void verifyCounts(dev.riposte.v1.VerifyCountsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.VerifyCountsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getVerifyCountsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets stored counts to what their rows say; one answer per subject.
     * Each subject is repaired under its lock, so its writers wait meanwhile; a subject whose counts
     * agree is not changed. A `next_floor` that stands too high is left: a lower one could give a
     * floor twice. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"key": {"objectType": "video", "objectId": "1"}}}`.
     * </pre>
     */
    default void repairCounts(dev.riposte.v1.RepairCountsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RepairCountsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRepairCountsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Rebuilds the members' own histories (ListMemberComments) of subjects from their comments, and
     * reports its progress.
     * Safe to run while others write, and twice. Rows are added and corrected. Resumable by
     * `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    default void rebuildMemberHistory(dev.riposte.v1.RebuildMemberHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildMemberHistoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRebuildMemberHistoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Rebuilds what ranked lists and reply previews are made from, from the comments of subjects, and
     * reports its progress.
     * Safe to run while others write, and twice. Needed after the profile of HOT was changed, and for
     * comments that are older than this version. Resumable by `resume_token`.
     * Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    default void rebuildRanks(dev.riposte.v1.RebuildRanksRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildRanksResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRebuildRanksMethod(), responseObserver);
    }

    /**
     * <pre>
     * Rebuilds what is cached of subjects from their rows, and reports its progress.
     * What is cached is forgotten, and the first page made anew. Safe to run while others read and
     * write, and twice. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    default void rebuildCache(dev.riposte.v1.RebuildCacheRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildCacheResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRebuildCacheMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads which subjects are under the greatest load in the process that answers: ListComments and
     * every write count. A rate is never too high; that of the least busy subjects may be too low.
     * Example: `{"limit": 10}`.
     * </pre>
     */
    default void listHotSubjects(dev.riposte.v1.ListHotSubjectsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListHotSubjectsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListHotSubjectsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service AdminService.
   * <pre>
   * What operators and moderators do. Served on a port of its own, with its own authorisation; the
   * public port answers UNIMPLEMENTED to it.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Streams have no
   * deadline of their own.
   * </pre>
   */
  public static abstract class AdminServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return AdminServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service AdminService.
   * <pre>
   * What operators and moderators do. Served on a port of its own, with its own authorisation; the
   * public port answers UNIMPLEMENTED to it.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Streams have no
   * deadline of their own.
   * </pre>
   */
  public static final class AdminServiceStub
      extends io.grpc.stub.AbstractAsyncStub<AdminServiceStub> {
    private AdminServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Brings subjects, comments and likes in from elsewhere, with their times, threads and states.
     * Every item gets an answer, in order; an item that cannot be imported is REJECTED in its answer
     * and the stream goes on. Idempotent by (source, external id): send the input again after any
     * break. An answer CREATED means durable. Reasons of rejection: FIELD_INVALID,
     * OBJECT_TYPE_UNKNOWN, SUBJECT_NOT_FOUND, COMMENT_NOT_FOUND (the parent, or the comment to like,
     * with its external id in the metadata), CONTENT_TOO_LONG, LIKE_INVALID.
     * A client may send ahead of the answers as far as HTTP/2 lets it, at least 256 items: the server
     * imports up to 768 items at a time, reads as many ahead while it does, of 4 MiB together, and
     * holds some 64 KiB that it has not read. It goes on when the answers to the items before are
     * taken. A client that is further ahead is held by flow control and loses neither items nor its
     * connection, with up to four streams a connection of the smallest messages there can be. So read
     * answers while you send. Items may come in any mixture of subjects; those of one subject are
     * imported in their order. When the process stops, the stream ends with SERVER_STOPPING: send the
     * items without an answer again.
     * Example: `{"item": {"source": "isso", "externalId": "17", "comment": {"subject": {"objectType":
     * "page", "objectId": "/a"}, "memberId": "ann", "content": {"text": "Hi"}, "createTime":
     * "2013-11-24T18:23:52Z"}}}`.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<dev.riposte.v1.ImportCommentsRequest> importComments(
        io.grpc.stub.StreamObserver<dev.riposte.v1.ImportCommentsResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getImportCommentsMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * Reads all of one subject: itself, its comments in all states, parents first, and its likes.
     * One consistent state as far as each item is concerned; writes during the export may or may not
     * be in it. What is imported from it is equal but for ids and floors. Errors: SUBJECT_NOT_FOUND.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public void exportSubject(dev.riposte.v1.ExportSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ExportSubjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getExportSubjectMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads a page of the subjects of one object type, deleted ones too.
     * Not ordered, but complete: a full walk shows every subject that stood from its start to its end
     * exactly once. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "pageSize": 100}`.
     * </pre>
     */
    public void listSubjects(dev.riposte.v1.ListSubjectsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListSubjectsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListSubjectsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Takes a comment out of sight; replies stay, and a pin is taken off.
     * Hiding a hidden comment fails. A comment that its author or the owner of the subject deleted
     * stays deleted, and would come back HIDDEN. Errors: COMMENT_NOT_FOUND (one that a moderator
     * deleted too), STATE_CONFLICT (the comment is HIDDEN), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "spam"}`.
     * </pre>
     */
    public void hideComment(dev.riposte.v1.HideCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.HideCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getHideCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Brings a hidden comment back to ACTIVE.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), STATE_CONFLICT (the comment is ACTIVE),
     * ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public void unhideComment(dev.riposte.v1.UnhideCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UnhideCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUnhideCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes a comment from any state, deleted_by MODERATOR; neither author nor owner can undelete
     * it.
     * A comment that its author or the owner of the subject deleted is then deleted by MODERATOR.
     * Errors: COMMENT_NOT_FOUND (a second delete by a moderator too), ETAG_MISMATCH,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "court order 7/26"}`.
     * </pre>
     */
    public void deleteComment(dev.riposte.v1.AdminServiceDeleteCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServiceDeleteCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Pins a root as a moderator, in any state of the subject. The moderator need not own the
     * subject. A subject has at most three pins.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), STATE_CONFLICT (the root is not ACTIVE), PIN_LIMIT_REACHED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public void pinComment(dev.riposte.v1.AdminServicePinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServicePinCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPinCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Takes the pin off a root as a moderator, in any state of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public void unpinComment(dev.riposte.v1.AdminServiceUnpinCommentRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServiceUnpinCommentResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUnpinCommentMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads what is stored about the client that wrote a comment: address, platform and device.
     * Moderators read a token of the network and the platform in ModerationService. Errors:
     * COMMENT_NOT_FOUND.
     * Example: `{"id": "1234567890123456789", "reason": "court order 7/26"}`.
     * </pre>
     */
    public void getClientInfo(dev.riposte.v1.GetClientInfoRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetClientInfoResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetClientInfoMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Turns moderation off or on for all processes, and then goes once over everything that was ever
     * open or decided.
     * While it is off, no process makes a state that a program of before moderation does not know:
     * what would leave a comment PENDING or REJECTED or store a proposed edit is refused with
     * OVERLOADED, so members whose comments would wait cannot write. Off refuses the proposed edits
     * that wait, and decides on comments that are PENDING where `pending_action` says so; its
     * decisions have the code `moderation.off`. On sets open questions and counts as their comments
     * require it. The switch is set at every data source before the first answer, and within 2 s
     * every process goes by it; answers follow as the pass goes on. Safe to repeat: after off, repeat
     * until `settled_count` is 0. Only for callers that may use every object type.
     * Errors: SHARD_UNAVAILABLE (the switch may be set at some sources; a repeat sets them all).
     * Example: `{"off": true, "pendingAction": "PENDING_ACTION_REJECT", "moderatorId": "op-1"}`.
     * </pre>
     */
    public void setModeration(dev.riposte.v1.SetModerationRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.SetModerationResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getSetModerationMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Compares stored counts with the rows they count; one answer per subject, also where all agree.
     * Changes nothing. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public void verifyCounts(dev.riposte.v1.VerifyCountsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.VerifyCountsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getVerifyCountsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets stored counts to what their rows say; one answer per subject.
     * Each subject is repaired under its lock, so its writers wait meanwhile; a subject whose counts
     * agree is not changed. A `next_floor` that stands too high is left: a lower one could give a
     * floor twice. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"key": {"objectType": "video", "objectId": "1"}}}`.
     * </pre>
     */
    public void repairCounts(dev.riposte.v1.RepairCountsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RepairCountsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getRepairCountsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Rebuilds the members' own histories (ListMemberComments) of subjects from their comments, and
     * reports its progress.
     * Safe to run while others write, and twice. Rows are added and corrected. Resumable by
     * `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public void rebuildMemberHistory(dev.riposte.v1.RebuildMemberHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildMemberHistoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getRebuildMemberHistoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Rebuilds what ranked lists and reply previews are made from, from the comments of subjects, and
     * reports its progress.
     * Safe to run while others write, and twice. Needed after the profile of HOT was changed, and for
     * comments that are older than this version. Resumable by `resume_token`.
     * Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public void rebuildRanks(dev.riposte.v1.RebuildRanksRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildRanksResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getRebuildRanksMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Rebuilds what is cached of subjects from their rows, and reports its progress.
     * What is cached is forgotten, and the first page made anew. Safe to run while others read and
     * write, and twice. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public void rebuildCache(dev.riposte.v1.RebuildCacheRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildCacheResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getRebuildCacheMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads which subjects are under the greatest load in the process that answers: ListComments and
     * every write count. A rate is never too high; that of the least busy subjects may be too low.
     * Example: `{"limit": 10}`.
     * </pre>
     */
    public void listHotSubjects(dev.riposte.v1.ListHotSubjectsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.ListHotSubjectsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListHotSubjectsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service AdminService.
   * <pre>
   * What operators and moderators do. Served on a port of its own, with its own authorisation; the
   * public port answers UNIMPLEMENTED to it.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Streams have no
   * deadline of their own.
   * </pre>
   */
  public static final class AdminServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<AdminServiceBlockingV2Stub> {
    private AdminServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Brings subjects, comments and likes in from elsewhere, with their times, threads and states.
     * Every item gets an answer, in order; an item that cannot be imported is REJECTED in its answer
     * and the stream goes on. Idempotent by (source, external id): send the input again after any
     * break. An answer CREATED means durable. Reasons of rejection: FIELD_INVALID,
     * OBJECT_TYPE_UNKNOWN, SUBJECT_NOT_FOUND, COMMENT_NOT_FOUND (the parent, or the comment to like,
     * with its external id in the metadata), CONTENT_TOO_LONG, LIKE_INVALID.
     * A client may send ahead of the answers as far as HTTP/2 lets it, at least 256 items: the server
     * imports up to 768 items at a time, reads as many ahead while it does, of 4 MiB together, and
     * holds some 64 KiB that it has not read. It goes on when the answers to the items before are
     * taken. A client that is further ahead is held by flow control and loses neither items nor its
     * connection, with up to four streams a connection of the smallest messages there can be. So read
     * answers while you send. Items may come in any mixture of subjects; those of one subject are
     * imported in their order. When the process stops, the stream ends with SERVER_STOPPING: send the
     * items without an answer again.
     * Example: `{"item": {"source": "isso", "externalId": "17", "comment": {"subject": {"objectType":
     * "page", "objectId": "/a"}, "memberId": "ann", "content": {"text": "Hi"}, "createTime":
     * "2013-11-24T18:23:52Z"}}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<dev.riposte.v1.ImportCommentsRequest, dev.riposte.v1.ImportCommentsResponse>
        importComments() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getImportCommentsMethod(), getCallOptions());
    }

    /**
     * <pre>
     * Reads all of one subject: itself, its comments in all states, parents first, and its likes.
     * One consistent state as far as each item is concerned; writes during the export may or may not
     * be in it. What is imported from it is equal but for ids and floors. Errors: SUBJECT_NOT_FOUND.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.ExportSubjectResponse>
        exportSubject(dev.riposte.v1.ExportSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getExportSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a page of the subjects of one object type, deleted ones too.
     * Not ordered, but complete: a full walk shows every subject that stood from its start to its end
     * exactly once. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "pageSize": 100}`.
     * </pre>
     */
    public dev.riposte.v1.ListSubjectsResponse listSubjects(dev.riposte.v1.ListSubjectsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListSubjectsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes a comment out of sight; replies stay, and a pin is taken off.
     * Hiding a hidden comment fails. A comment that its author or the owner of the subject deleted
     * stays deleted, and would come back HIDDEN. Errors: COMMENT_NOT_FOUND (one that a moderator
     * deleted too), STATE_CONFLICT (the comment is HIDDEN), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "spam"}`.
     * </pre>
     */
    public dev.riposte.v1.HideCommentResponse hideComment(dev.riposte.v1.HideCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getHideCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Brings a hidden comment back to ACTIVE.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), STATE_CONFLICT (the comment is ACTIVE),
     * ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.UnhideCommentResponse unhideComment(dev.riposte.v1.UnhideCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUnhideCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a comment from any state, deleted_by MODERATOR; neither author nor owner can undelete
     * it.
     * A comment that its author or the owner of the subject deleted is then deleted by MODERATOR.
     * Errors: COMMENT_NOT_FOUND (a second delete by a moderator too), ETAG_MISMATCH,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "court order 7/26"}`.
     * </pre>
     */
    public dev.riposte.v1.AdminServiceDeleteCommentResponse deleteComment(dev.riposte.v1.AdminServiceDeleteCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Pins a root as a moderator, in any state of the subject. The moderator need not own the
     * subject. A subject has at most three pins.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), STATE_CONFLICT (the root is not ACTIVE), PIN_LIMIT_REACHED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.AdminServicePinCommentResponse pinComment(dev.riposte.v1.AdminServicePinCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes the pin off a root as a moderator, in any state of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.AdminServiceUnpinCommentResponse unpinComment(dev.riposte.v1.AdminServiceUnpinCommentRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUnpinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what is stored about the client that wrote a comment: address, platform and device.
     * Moderators read a token of the network and the platform in ModerationService. Errors:
     * COMMENT_NOT_FOUND.
     * Example: `{"id": "1234567890123456789", "reason": "court order 7/26"}`.
     * </pre>
     */
    public dev.riposte.v1.GetClientInfoResponse getClientInfo(dev.riposte.v1.GetClientInfoRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetClientInfoMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Turns moderation off or on for all processes, and then goes once over everything that was ever
     * open or decided.
     * While it is off, no process makes a state that a program of before moderation does not know:
     * what would leave a comment PENDING or REJECTED or store a proposed edit is refused with
     * OVERLOADED, so members whose comments would wait cannot write. Off refuses the proposed edits
     * that wait, and decides on comments that are PENDING where `pending_action` says so; its
     * decisions have the code `moderation.off`. On sets open questions and counts as their comments
     * require it. The switch is set at every data source before the first answer, and within 2 s
     * every process goes by it; answers follow as the pass goes on. Safe to repeat: after off, repeat
     * until `settled_count` is 0. Only for callers that may use every object type.
     * Errors: SHARD_UNAVAILABLE (the switch may be set at some sources; a repeat sets them all).
     * Example: `{"off": true, "pendingAction": "PENDING_ACTION_REJECT", "moderatorId": "op-1"}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.SetModerationResponse>
        setModeration(dev.riposte.v1.SetModerationRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getSetModerationMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compares stored counts with the rows they count; one answer per subject, also where all agree.
     * Changes nothing. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.VerifyCountsResponse>
        verifyCounts(dev.riposte.v1.VerifyCountsRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getVerifyCountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets stored counts to what their rows say; one answer per subject.
     * Each subject is repaired under its lock, so its writers wait meanwhile; a subject whose counts
     * agree is not changed. A `next_floor` that stands too high is left: a lower one could give a
     * floor twice. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"key": {"objectType": "video", "objectId": "1"}}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.RepairCountsResponse>
        repairCounts(dev.riposte.v1.RepairCountsRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getRepairCountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Rebuilds the members' own histories (ListMemberComments) of subjects from their comments, and
     * reports its progress.
     * Safe to run while others write, and twice. Rows are added and corrected. Resumable by
     * `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.RebuildMemberHistoryResponse>
        rebuildMemberHistory(dev.riposte.v1.RebuildMemberHistoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getRebuildMemberHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Rebuilds what ranked lists and reply previews are made from, from the comments of subjects, and
     * reports its progress.
     * Safe to run while others write, and twice. Needed after the profile of HOT was changed, and for
     * comments that are older than this version. Resumable by `resume_token`.
     * Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.RebuildRanksResponse>
        rebuildRanks(dev.riposte.v1.RebuildRanksRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getRebuildRanksMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Rebuilds what is cached of subjects from their rows, and reports its progress.
     * What is cached is forgotten, and the first page made anew. Safe to run while others read and
     * write, and twice. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.RebuildCacheResponse>
        rebuildCache(dev.riposte.v1.RebuildCacheRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getRebuildCacheMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads which subjects are under the greatest load in the process that answers: ListComments and
     * every write count. A rate is never too high; that of the least busy subjects may be too low.
     * Example: `{"limit": 10}`.
     * </pre>
     */
    public dev.riposte.v1.ListHotSubjectsResponse listHotSubjects(dev.riposte.v1.ListHotSubjectsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListHotSubjectsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service AdminService.
   * <pre>
   * What operators and moderators do. Served on a port of its own, with its own authorisation; the
   * public port answers UNIMPLEMENTED to it.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Streams have no
   * deadline of their own.
   * </pre>
   */
  public static final class AdminServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<AdminServiceBlockingStub> {
    private AdminServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reads all of one subject: itself, its comments in all states, parents first, and its likes.
     * One consistent state as far as each item is concerned; writes during the export may or may not
     * be in it. What is imported from it is equal but for ids and floors. Errors: SUBJECT_NOT_FOUND.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.ExportSubjectResponse> exportSubject(
        dev.riposte.v1.ExportSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getExportSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads a page of the subjects of one object type, deleted ones too.
     * Not ordered, but complete: a full walk shows every subject that stood from its start to its end
     * exactly once. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "pageSize": 100}`.
     * </pre>
     */
    public dev.riposte.v1.ListSubjectsResponse listSubjects(dev.riposte.v1.ListSubjectsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListSubjectsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes a comment out of sight; replies stay, and a pin is taken off.
     * Hiding a hidden comment fails. A comment that its author or the owner of the subject deleted
     * stays deleted, and would come back HIDDEN. Errors: COMMENT_NOT_FOUND (one that a moderator
     * deleted too), STATE_CONFLICT (the comment is HIDDEN), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "spam"}`.
     * </pre>
     */
    public dev.riposte.v1.HideCommentResponse hideComment(dev.riposte.v1.HideCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getHideCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Brings a hidden comment back to ACTIVE.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), STATE_CONFLICT (the comment is ACTIVE),
     * ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.UnhideCommentResponse unhideComment(dev.riposte.v1.UnhideCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUnhideCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a comment from any state, deleted_by MODERATOR; neither author nor owner can undelete
     * it.
     * A comment that its author or the owner of the subject deleted is then deleted by MODERATOR.
     * Errors: COMMENT_NOT_FOUND (a second delete by a moderator too), ETAG_MISMATCH,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "court order 7/26"}`.
     * </pre>
     */
    public dev.riposte.v1.AdminServiceDeleteCommentResponse deleteComment(dev.riposte.v1.AdminServiceDeleteCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Pins a root as a moderator, in any state of the subject. The moderator need not own the
     * subject. A subject has at most three pins.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), STATE_CONFLICT (the root is not ACTIVE), PIN_LIMIT_REACHED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.AdminServicePinCommentResponse pinComment(dev.riposte.v1.AdminServicePinCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes the pin off a root as a moderator, in any state of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public dev.riposte.v1.AdminServiceUnpinCommentResponse unpinComment(dev.riposte.v1.AdminServiceUnpinCommentRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUnpinCommentMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads what is stored about the client that wrote a comment: address, platform and device.
     * Moderators read a token of the network and the platform in ModerationService. Errors:
     * COMMENT_NOT_FOUND.
     * Example: `{"id": "1234567890123456789", "reason": "court order 7/26"}`.
     * </pre>
     */
    public dev.riposte.v1.GetClientInfoResponse getClientInfo(dev.riposte.v1.GetClientInfoRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetClientInfoMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Turns moderation off or on for all processes, and then goes once over everything that was ever
     * open or decided.
     * While it is off, no process makes a state that a program of before moderation does not know:
     * what would leave a comment PENDING or REJECTED or store a proposed edit is refused with
     * OVERLOADED, so members whose comments would wait cannot write. Off refuses the proposed edits
     * that wait, and decides on comments that are PENDING where `pending_action` says so; its
     * decisions have the code `moderation.off`. On sets open questions and counts as their comments
     * require it. The switch is set at every data source before the first answer, and within 2 s
     * every process goes by it; answers follow as the pass goes on. Safe to repeat: after off, repeat
     * until `settled_count` is 0. Only for callers that may use every object type.
     * Errors: SHARD_UNAVAILABLE (the switch may be set at some sources; a repeat sets them all).
     * Example: `{"off": true, "pendingAction": "PENDING_ACTION_REJECT", "moderatorId": "op-1"}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.SetModerationResponse> setModeration(
        dev.riposte.v1.SetModerationRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getSetModerationMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compares stored counts with the rows they count; one answer per subject, also where all agree.
     * Changes nothing. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.VerifyCountsResponse> verifyCounts(
        dev.riposte.v1.VerifyCountsRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getVerifyCountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets stored counts to what their rows say; one answer per subject.
     * Each subject is repaired under its lock, so its writers wait meanwhile; a subject whose counts
     * agree is not changed. A `next_floor` that stands too high is left: a lower one could give a
     * floor twice. Resumable by `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN,
     * PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"key": {"objectType": "video", "objectId": "1"}}}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.RepairCountsResponse> repairCounts(
        dev.riposte.v1.RepairCountsRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getRepairCountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Rebuilds the members' own histories (ListMemberComments) of subjects from their comments, and
     * reports its progress.
     * Safe to run while others write, and twice. Rows are added and corrected. Resumable by
     * `resume_token`. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID,
     * PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.RebuildMemberHistoryResponse> rebuildMemberHistory(
        dev.riposte.v1.RebuildMemberHistoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getRebuildMemberHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Rebuilds what ranked lists and reply previews are made from, from the comments of subjects, and
     * reports its progress.
     * Safe to run while others write, and twice. Needed after the profile of HOT was changed, and for
     * comments that are older than this version. Resumable by `resume_token`.
     * Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.RebuildRanksResponse> rebuildRanks(
        dev.riposte.v1.RebuildRanksRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getRebuildRanksMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Rebuilds what is cached of subjects from their rows, and reports its progress.
     * What is cached is forgotten, and the first page made anew. Safe to run while others read and
     * write, and twice. Errors: SUBJECT_NOT_FOUND, OBJECT_TYPE_UNKNOWN.
     * Example: `{"scope": {"objectType": "video"}}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.RebuildCacheResponse> rebuildCache(
        dev.riposte.v1.RebuildCacheRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getRebuildCacheMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads which subjects are under the greatest load in the process that answers: ListComments and
     * every write count. A rate is never too high; that of the least busy subjects may be too low.
     * Example: `{"limit": 10}`.
     * </pre>
     */
    public dev.riposte.v1.ListHotSubjectsResponse listHotSubjects(dev.riposte.v1.ListHotSubjectsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListHotSubjectsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service AdminService.
   * <pre>
   * What operators and moderators do. Served on a port of its own, with its own authorisation; the
   * public port answers UNIMPLEMENTED to it.
   * Every call: CALLER_UNKNOWN, CALLER_NOT_ALLOWED, FIELD_INVALID with all violations at once, and
   * the general errors OVERLOADED, SHARD_UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL. Streams have no
   * deadline of their own.
   * </pre>
   */
  public static final class AdminServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<AdminServiceFutureStub> {
    private AdminServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Reads a page of the subjects of one object type, deleted ones too.
     * Not ordered, but complete: a full walk shows every subject that stood from its start to its end
     * exactly once. Errors: OBJECT_TYPE_UNKNOWN, PAGE_TOKEN_INVALID, PAGE_TOKEN_MISMATCH.
     * Example: `{"objectType": "video", "pageSize": 100}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListSubjectsResponse> listSubjects(
        dev.riposte.v1.ListSubjectsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListSubjectsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Takes a comment out of sight; replies stay, and a pin is taken off.
     * Hiding a hidden comment fails. A comment that its author or the owner of the subject deleted
     * stays deleted, and would come back HIDDEN. Errors: COMMENT_NOT_FOUND (one that a moderator
     * deleted too), STATE_CONFLICT (the comment is HIDDEN), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "spam"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.HideCommentResponse> hideComment(
        dev.riposte.v1.HideCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getHideCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Brings a hidden comment back to ACTIVE.
     * Errors: COMMENT_NOT_FOUND (a deleted one too), STATE_CONFLICT (the comment is ACTIVE),
     * ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.UnhideCommentResponse> unhideComment(
        dev.riposte.v1.UnhideCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUnhideCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes a comment from any state, deleted_by MODERATOR; neither author nor owner can undelete
     * it.
     * A comment that its author or the owner of the subject deleted is then deleted by MODERATOR.
     * Errors: COMMENT_NOT_FOUND (a second delete by a moderator too), ETAG_MISMATCH,
     * REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1", "reason": "court order 7/26"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.AdminServiceDeleteCommentResponse> deleteComment(
        dev.riposte.v1.AdminServiceDeleteCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Pins a root as a moderator, in any state of the subject. The moderator need not own the
     * subject. A subject has at most three pins.
     * Pinning a pinned root succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a deleted one
     * too), STATE_CONFLICT (the root is not ACTIVE), PIN_LIMIT_REACHED, REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.AdminServicePinCommentResponse> pinComment(
        dev.riposte.v1.AdminServicePinCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPinCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Takes the pin off a root as a moderator, in any state of the subject.
     * Unpinning a root that is not pinned succeeds and changes nothing. Errors: COMMENT_NOT_FOUND (a
     * deleted one too), REQUEST_ID_REUSED.
     * Example: `{"id": "1234567890123456789", "moderatorId": "mod-1"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.AdminServiceUnpinCommentResponse> unpinComment(
        dev.riposte.v1.AdminServiceUnpinCommentRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUnpinCommentMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads what is stored about the client that wrote a comment: address, platform and device.
     * Moderators read a token of the network and the platform in ModerationService. Errors:
     * COMMENT_NOT_FOUND.
     * Example: `{"id": "1234567890123456789", "reason": "court order 7/26"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.GetClientInfoResponse> getClientInfo(
        dev.riposte.v1.GetClientInfoRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetClientInfoMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads which subjects are under the greatest load in the process that answers: ListComments and
     * every write count. A rate is never too high; that of the least busy subjects may be too low.
     * Example: `{"limit": 10}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.ListHotSubjectsResponse> listHotSubjects(
        dev.riposte.v1.ListHotSubjectsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListHotSubjectsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_EXPORT_SUBJECT = 0;
  private static final int METHODID_LIST_SUBJECTS = 1;
  private static final int METHODID_HIDE_COMMENT = 2;
  private static final int METHODID_UNHIDE_COMMENT = 3;
  private static final int METHODID_DELETE_COMMENT = 4;
  private static final int METHODID_PIN_COMMENT = 5;
  private static final int METHODID_UNPIN_COMMENT = 6;
  private static final int METHODID_GET_CLIENT_INFO = 7;
  private static final int METHODID_SET_MODERATION = 8;
  private static final int METHODID_VERIFY_COUNTS = 9;
  private static final int METHODID_REPAIR_COUNTS = 10;
  private static final int METHODID_REBUILD_MEMBER_HISTORY = 11;
  private static final int METHODID_REBUILD_RANKS = 12;
  private static final int METHODID_REBUILD_CACHE = 13;
  private static final int METHODID_LIST_HOT_SUBJECTS = 14;
  private static final int METHODID_IMPORT_COMMENTS = 15;

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
        case METHODID_EXPORT_SUBJECT:
          serviceImpl.exportSubject((dev.riposte.v1.ExportSubjectRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ExportSubjectResponse>) responseObserver);
          break;
        case METHODID_LIST_SUBJECTS:
          serviceImpl.listSubjects((dev.riposte.v1.ListSubjectsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListSubjectsResponse>) responseObserver);
          break;
        case METHODID_HIDE_COMMENT:
          serviceImpl.hideComment((dev.riposte.v1.HideCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.HideCommentResponse>) responseObserver);
          break;
        case METHODID_UNHIDE_COMMENT:
          serviceImpl.unhideComment((dev.riposte.v1.UnhideCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.UnhideCommentResponse>) responseObserver);
          break;
        case METHODID_DELETE_COMMENT:
          serviceImpl.deleteComment((dev.riposte.v1.AdminServiceDeleteCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServiceDeleteCommentResponse>) responseObserver);
          break;
        case METHODID_PIN_COMMENT:
          serviceImpl.pinComment((dev.riposte.v1.AdminServicePinCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServicePinCommentResponse>) responseObserver);
          break;
        case METHODID_UNPIN_COMMENT:
          serviceImpl.unpinComment((dev.riposte.v1.AdminServiceUnpinCommentRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.AdminServiceUnpinCommentResponse>) responseObserver);
          break;
        case METHODID_GET_CLIENT_INFO:
          serviceImpl.getClientInfo((dev.riposte.v1.GetClientInfoRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.GetClientInfoResponse>) responseObserver);
          break;
        case METHODID_SET_MODERATION:
          serviceImpl.setModeration((dev.riposte.v1.SetModerationRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.SetModerationResponse>) responseObserver);
          break;
        case METHODID_VERIFY_COUNTS:
          serviceImpl.verifyCounts((dev.riposte.v1.VerifyCountsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.VerifyCountsResponse>) responseObserver);
          break;
        case METHODID_REPAIR_COUNTS:
          serviceImpl.repairCounts((dev.riposte.v1.RepairCountsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.RepairCountsResponse>) responseObserver);
          break;
        case METHODID_REBUILD_MEMBER_HISTORY:
          serviceImpl.rebuildMemberHistory((dev.riposte.v1.RebuildMemberHistoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildMemberHistoryResponse>) responseObserver);
          break;
        case METHODID_REBUILD_RANKS:
          serviceImpl.rebuildRanks((dev.riposte.v1.RebuildRanksRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildRanksResponse>) responseObserver);
          break;
        case METHODID_REBUILD_CACHE:
          serviceImpl.rebuildCache((dev.riposte.v1.RebuildCacheRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.RebuildCacheResponse>) responseObserver);
          break;
        case METHODID_LIST_HOT_SUBJECTS:
          serviceImpl.listHotSubjects((dev.riposte.v1.ListHotSubjectsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ListHotSubjectsResponse>) responseObserver);
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
        case METHODID_IMPORT_COMMENTS:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.importComments(
              (io.grpc.stub.StreamObserver<dev.riposte.v1.ImportCommentsResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getImportCommentsMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.ImportCommentsRequest,
              dev.riposte.v1.ImportCommentsResponse>(
                service, METHODID_IMPORT_COMMENTS)))
        .addMethod(
          getExportSubjectMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.ExportSubjectRequest,
              dev.riposte.v1.ExportSubjectResponse>(
                service, METHODID_EXPORT_SUBJECT)))
        .addMethod(
          getListSubjectsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListSubjectsRequest,
              dev.riposte.v1.ListSubjectsResponse>(
                service, METHODID_LIST_SUBJECTS)))
        .addMethod(
          getHideCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.HideCommentRequest,
              dev.riposte.v1.HideCommentResponse>(
                service, METHODID_HIDE_COMMENT)))
        .addMethod(
          getUnhideCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.UnhideCommentRequest,
              dev.riposte.v1.UnhideCommentResponse>(
                service, METHODID_UNHIDE_COMMENT)))
        .addMethod(
          getDeleteCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.AdminServiceDeleteCommentRequest,
              dev.riposte.v1.AdminServiceDeleteCommentResponse>(
                service, METHODID_DELETE_COMMENT)))
        .addMethod(
          getPinCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.AdminServicePinCommentRequest,
              dev.riposte.v1.AdminServicePinCommentResponse>(
                service, METHODID_PIN_COMMENT)))
        .addMethod(
          getUnpinCommentMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.AdminServiceUnpinCommentRequest,
              dev.riposte.v1.AdminServiceUnpinCommentResponse>(
                service, METHODID_UNPIN_COMMENT)))
        .addMethod(
          getGetClientInfoMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.GetClientInfoRequest,
              dev.riposte.v1.GetClientInfoResponse>(
                service, METHODID_GET_CLIENT_INFO)))
        .addMethod(
          getSetModerationMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.SetModerationRequest,
              dev.riposte.v1.SetModerationResponse>(
                service, METHODID_SET_MODERATION)))
        .addMethod(
          getVerifyCountsMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.VerifyCountsRequest,
              dev.riposte.v1.VerifyCountsResponse>(
                service, METHODID_VERIFY_COUNTS)))
        .addMethod(
          getRepairCountsMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.RepairCountsRequest,
              dev.riposte.v1.RepairCountsResponse>(
                service, METHODID_REPAIR_COUNTS)))
        .addMethod(
          getRebuildMemberHistoryMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.RebuildMemberHistoryRequest,
              dev.riposte.v1.RebuildMemberHistoryResponse>(
                service, METHODID_REBUILD_MEMBER_HISTORY)))
        .addMethod(
          getRebuildRanksMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.RebuildRanksRequest,
              dev.riposte.v1.RebuildRanksResponse>(
                service, METHODID_REBUILD_RANKS)))
        .addMethod(
          getRebuildCacheMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.RebuildCacheRequest,
              dev.riposte.v1.RebuildCacheResponse>(
                service, METHODID_REBUILD_CACHE)))
        .addMethod(
          getListHotSubjectsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.ListHotSubjectsRequest,
              dev.riposte.v1.ListHotSubjectsResponse>(
                service, METHODID_LIST_HOT_SUBJECTS)))
        .build();
  }

  private static abstract class AdminServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    AdminServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.AdminServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("AdminService");
    }
  }

  private static final class AdminServiceFileDescriptorSupplier
      extends AdminServiceBaseDescriptorSupplier {
    AdminServiceFileDescriptorSupplier() {}
  }

  private static final class AdminServiceMethodDescriptorSupplier
      extends AdminServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    AdminServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (AdminServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new AdminServiceFileDescriptorSupplier())
              .addMethod(getImportCommentsMethod())
              .addMethod(getExportSubjectMethod())
              .addMethod(getListSubjectsMethod())
              .addMethod(getHideCommentMethod())
              .addMethod(getUnhideCommentMethod())
              .addMethod(getDeleteCommentMethod())
              .addMethod(getPinCommentMethod())
              .addMethod(getUnpinCommentMethod())
              .addMethod(getGetClientInfoMethod())
              .addMethod(getSetModerationMethod())
              .addMethod(getVerifyCountsMethod())
              .addMethod(getRepairCountsMethod())
              .addMethod(getRebuildMemberHistoryMethod())
              .addMethod(getRebuildRanksMethod())
              .addMethod(getRebuildCacheMethod())
              .addMethod(getListHotSubjectsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
