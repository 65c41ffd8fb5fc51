package dev.riposte.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Subjects: the things under which comments stand.
 * Every call: OBJECT_TYPE_UNKNOWN for a type that is not registered, CALLER_UNKNOWN and
 * CALLER_NOT_ALLOWED before the existence of the subject is revealed, FIELD_INVALID with all
 * violations at once, and the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE,
 * DEADLINE_EXCEEDED, INTERNAL.
 * Every write takes a `request_id`. The same request_id and body again answers the first
 * subject_revision again, for ever, with the body as it is now; with another body it fails with
 * REQUEST_ID_REUSED.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class SubjectServiceGrpc {

  private SubjectServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "riposte.v1.SubjectService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.CreateSubjectRequest,
      dev.riposte.v1.CreateSubjectResponse> getCreateSubjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateSubject",
      requestType = dev.riposte.v1.CreateSubjectRequest.class,
      responseType = dev.riposte.v1.CreateSubjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.CreateSubjectRequest,
      dev.riposte.v1.CreateSubjectResponse> getCreateSubjectMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.CreateSubjectRequest, dev.riposte.v1.CreateSubjectResponse> getCreateSubjectMethod;
    if ((getCreateSubjectMethod = SubjectServiceGrpc.getCreateSubjectMethod) == null) {
      synchronized (SubjectServiceGrpc.class) {
        if ((getCreateSubjectMethod = SubjectServiceGrpc.getCreateSubjectMethod) == null) {
          SubjectServiceGrpc.getCreateSubjectMethod = getCreateSubjectMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.CreateSubjectRequest, dev.riposte.v1.CreateSubjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateSubject"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CreateSubjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.CreateSubjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubjectServiceMethodDescriptorSupplier("CreateSubject"))
              .build();
        }
      }
    }
    return getCreateSubjectMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.GetSubjectRequest,
      dev.riposte.v1.GetSubjectResponse> getGetSubjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetSubject",
      requestType = dev.riposte.v1.GetSubjectRequest.class,
      responseType = dev.riposte.v1.GetSubjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.GetSubjectRequest,
      dev.riposte.v1.GetSubjectResponse> getGetSubjectMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.GetSubjectRequest, dev.riposte.v1.GetSubjectResponse> getGetSubjectMethod;
    if ((getGetSubjectMethod = SubjectServiceGrpc.getGetSubjectMethod) == null) {
      synchronized (SubjectServiceGrpc.class) {
        if ((getGetSubjectMethod = SubjectServiceGrpc.getGetSubjectMethod) == null) {
          SubjectServiceGrpc.getGetSubjectMethod = getGetSubjectMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.GetSubjectRequest, dev.riposte.v1.GetSubjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetSubject"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetSubjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.GetSubjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubjectServiceMethodDescriptorSupplier("GetSubject"))
              .build();
        }
      }
    }
    return getGetSubjectMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetSubjectsRequest,
      dev.riposte.v1.BatchGetSubjectsResponse> getBatchGetSubjectsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchGetSubjects",
      requestType = dev.riposte.v1.BatchGetSubjectsRequest.class,
      responseType = dev.riposte.v1.BatchGetSubjectsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetSubjectsRequest,
      dev.riposte.v1.BatchGetSubjectsResponse> getBatchGetSubjectsMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.BatchGetSubjectsRequest, dev.riposte.v1.BatchGetSubjectsResponse> getBatchGetSubjectsMethod;
    if ((getBatchGetSubjectsMethod = SubjectServiceGrpc.getBatchGetSubjectsMethod) == null) {
      synchronized (SubjectServiceGrpc.class) {
        if ((getBatchGetSubjectsMethod = SubjectServiceGrpc.getBatchGetSubjectsMethod) == null) {
          SubjectServiceGrpc.getBatchGetSubjectsMethod = getBatchGetSubjectsMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.BatchGetSubjectsRequest, dev.riposte.v1.BatchGetSubjectsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchGetSubjects"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchGetSubjectsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.BatchGetSubjectsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubjectServiceMethodDescriptorSupplier("BatchGetSubjects"))
              .build();
        }
      }
    }
    return getBatchGetSubjectsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.UpdateSubjectRequest,
      dev.riposte.v1.UpdateSubjectResponse> getUpdateSubjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateSubject",
      requestType = dev.riposte.v1.UpdateSubjectRequest.class,
      responseType = dev.riposte.v1.UpdateSubjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.UpdateSubjectRequest,
      dev.riposte.v1.UpdateSubjectResponse> getUpdateSubjectMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.UpdateSubjectRequest, dev.riposte.v1.UpdateSubjectResponse> getUpdateSubjectMethod;
    if ((getUpdateSubjectMethod = SubjectServiceGrpc.getUpdateSubjectMethod) == null) {
      synchronized (SubjectServiceGrpc.class) {
        if ((getUpdateSubjectMethod = SubjectServiceGrpc.getUpdateSubjectMethod) == null) {
          SubjectServiceGrpc.getUpdateSubjectMethod = getUpdateSubjectMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.UpdateSubjectRequest, dev.riposte.v1.UpdateSubjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateSubject"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UpdateSubjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UpdateSubjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubjectServiceMethodDescriptorSupplier("UpdateSubject"))
              .build();
        }
      }
    }
    return getUpdateSubjectMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.DeleteSubjectRequest,
      dev.riposte.v1.DeleteSubjectResponse> getDeleteSubjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteSubject",
      requestType = dev.riposte.v1.DeleteSubjectRequest.class,
      responseType = dev.riposte.v1.DeleteSubjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.DeleteSubjectRequest,
      dev.riposte.v1.DeleteSubjectResponse> getDeleteSubjectMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.DeleteSubjectRequest, dev.riposte.v1.DeleteSubjectResponse> getDeleteSubjectMethod;
    if ((getDeleteSubjectMethod = SubjectServiceGrpc.getDeleteSubjectMethod) == null) {
      synchronized (SubjectServiceGrpc.class) {
        if ((getDeleteSubjectMethod = SubjectServiceGrpc.getDeleteSubjectMethod) == null) {
          SubjectServiceGrpc.getDeleteSubjectMethod = getDeleteSubjectMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.DeleteSubjectRequest, dev.riposte.v1.DeleteSubjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteSubject"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.DeleteSubjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.DeleteSubjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubjectServiceMethodDescriptorSupplier("DeleteSubject"))
              .build();
        }
      }
    }
    return getDeleteSubjectMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.UndeleteSubjectRequest,
      dev.riposte.v1.UndeleteSubjectResponse> getUndeleteSubjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UndeleteSubject",
      requestType = dev.riposte.v1.UndeleteSubjectRequest.class,
      responseType = dev.riposte.v1.UndeleteSubjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.UndeleteSubjectRequest,
      dev.riposte.v1.UndeleteSubjectResponse> getUndeleteSubjectMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.UndeleteSubjectRequest, dev.riposte.v1.UndeleteSubjectResponse> getUndeleteSubjectMethod;
    if ((getUndeleteSubjectMethod = SubjectServiceGrpc.getUndeleteSubjectMethod) == null) {
      synchronized (SubjectServiceGrpc.class) {
        if ((getUndeleteSubjectMethod = SubjectServiceGrpc.getUndeleteSubjectMethod) == null) {
          SubjectServiceGrpc.getUndeleteSubjectMethod = getUndeleteSubjectMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.UndeleteSubjectRequest, dev.riposte.v1.UndeleteSubjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UndeleteSubject"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UndeleteSubjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.UndeleteSubjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubjectServiceMethodDescriptorSupplier("UndeleteSubject"))
              .build();
        }
      }
    }
    return getUndeleteSubjectMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.riposte.v1.WatchSubjectRequest,
      dev.riposte.v1.WatchSubjectResponse> getWatchSubjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WatchSubject",
      requestType = dev.riposte.v1.WatchSubjectRequest.class,
      responseType = dev.riposte.v1.WatchSubjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.riposte.v1.WatchSubjectRequest,
      dev.riposte.v1.WatchSubjectResponse> getWatchSubjectMethod() {
    io.grpc.MethodDescriptor<dev.riposte.v1.WatchSubjectRequest, dev.riposte.v1.WatchSubjectResponse> getWatchSubjectMethod;
    if ((getWatchSubjectMethod = SubjectServiceGrpc.getWatchSubjectMethod) == null) {
      synchronized (SubjectServiceGrpc.class) {
        if ((getWatchSubjectMethod = SubjectServiceGrpc.getWatchSubjectMethod) == null) {
          SubjectServiceGrpc.getWatchSubjectMethod = getWatchSubjectMethod =
              io.grpc.MethodDescriptor.<dev.riposte.v1.WatchSubjectRequest, dev.riposte.v1.WatchSubjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WatchSubject"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.WatchSubjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.riposte.v1.WatchSubjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubjectServiceMethodDescriptorSupplier("WatchSubject"))
              .build();
        }
      }
    }
    return getWatchSubjectMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static SubjectServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubjectServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubjectServiceStub>() {
        @java.lang.Override
        public SubjectServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubjectServiceStub(channel, callOptions);
        }
      };
    return SubjectServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static SubjectServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubjectServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubjectServiceBlockingV2Stub>() {
        @java.lang.Override
        public SubjectServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubjectServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return SubjectServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static SubjectServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubjectServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubjectServiceBlockingStub>() {
        @java.lang.Override
        public SubjectServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubjectServiceBlockingStub(channel, callOptions);
        }
      };
    return SubjectServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static SubjectServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubjectServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubjectServiceFutureStub>() {
        @java.lang.Override
        public SubjectServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubjectServiceFutureStub(channel, callOptions);
        }
      };
    return SubjectServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Subjects: the things under which comments stand.
   * Every call: OBJECT_TYPE_UNKNOWN for a type that is not registered, CALLER_UNKNOWN and
   * CALLER_NOT_ALLOWED before the existence of the subject is revealed, FIELD_INVALID with all
   * violations at once, and the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE,
   * DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first
   * subject_revision again, for ever, with the body as it is now; with another body it fails with
   * REQUEST_ID_REUSED.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Makes a subject.
     * Object types with `auto_create` make theirs with the first comment, so that this call is needed
     * only to give an owner or metadata. A deleted subject still holds its name.
     * Errors: SUBJECT_ALREADY_EXISTS.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}, "ownerId": "up-7"}`.
     * </pre>
     */
    default void createSubject(dev.riposte.v1.CreateSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CreateSubjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateSubjectMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one subject with its counts.
     * A deleted subject is answered with `delete_time`. Under `auto_create` an absent subject reads
     * as empty: state ACTIVE, counts 0, revision 0. Errors: SUBJECT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}}`.
     * </pre>
     */
    default void getSubject(dev.riposte.v1.GetSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetSubjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetSubjectMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads up to 200 subjects: the counts of a whole page of objects in one call.
     * Answers in the order of the request. Atomic by default; see `allow_missing`.
     * Errors: SUBJECT_NOT_FOUND with the first missing name in its metadata.
     * Example: `{"keys": [{"objectType": "video", "objectId": "1"}, {"objectType": "video",
     * "objectId": "2"}]}`.
     * </pre>
     */
    default void batchGetSubjects(dev.riposte.v1.BatchGetSubjectsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetSubjectsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchGetSubjectsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes owner, state, mode or metadata of a subject, as `update_mask` says.
     * Errors: SUBJECT_NOT_FOUND (a deleted one too), ETAG_MISMATCH, STATE_CONFLICT (`why` = mode),
     * REQUEST_ID_REUSED.
     * Example: `{"subject": {"key": {"objectType": "video", "objectId": "1"}, "state":
     * "SUBJECT_STATE_READ_ONLY"}, "updateMask": "state"}`.
     * </pre>
     */
    default void updateSubject(dev.riposte.v1.UpdateSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UpdateSubjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateSubjectMethod(), responseObserver);
    }

    /**
     * <pre>
     * Takes a subject away, with all that stands below it; nothing is erased.
     * Afterwards lists and writes by its name answer SUBJECT_NOT_FOUND, comments below it by their
     * ids COMMENT_NOT_FOUND; GetSubject and BatchGetSubjects still show it. Errors:
     * SUBJECT_NOT_FOUND (a second delete too), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    default void deleteSubject(dev.riposte.v1.DeleteSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.DeleteSubjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteSubjectMethod(), responseObserver);
    }

    /**
     * <pre>
     * Brings a deleted subject back, with all that stands below it.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_ALREADY_EXISTS for one that is not deleted,
     * REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    default void undeleteSubject(dev.riposte.v1.UndeleteSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UndeleteSubjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUndeleteSubjectMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sends the changes of one subject: dense revisions in order, resumable by `after_revision`. A
     * gap is an event of its own.
     * Every process sends a change some 100 ms after its commit. Likes change no revision and are not
     * sent. A subject that does not exist yet is watched from revision 0 where its type has
     * `auto_create`. If the subject is deleted or hidden during the watch, the watch sends that
     * change and continues, because the subject may come back. The stream has no end and no deadline
     * of its own. It ends with SERVER_STOPPING when the process stops and with WATCH_TOO_SLOW for a
     * reader that falls more than 1,024 revisions behind: watch again with the last revision received
     * as `after_revision`; changes that are then too old are a gap. Errors: SUBJECT_NOT_FOUND (a
     * deleted one too), SUBJECT_HIDDEN, WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "afterRevision": "42"}`.
     * </pre>
     */
    default void watchSubject(dev.riposte.v1.WatchSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.WatchSubjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWatchSubjectMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service SubjectService.
   * <pre>
   * Subjects: the things under which comments stand.
   * Every call: OBJECT_TYPE_UNKNOWN for a type that is not registered, CALLER_UNKNOWN and
   * CALLER_NOT_ALLOWED before the existence of the subject is revealed, FIELD_INVALID with all
   * violations at once, and the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE,
   * DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first
   * subject_revision again, for ever, with the body as it is now; with another body it fails with
   * REQUEST_ID_REUSED.
   * </pre>
   */
  public static abstract class SubjectServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return SubjectServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service SubjectService.
   * <pre>
   * Subjects: the things under which comments stand.
   * Every call: OBJECT_TYPE_UNKNOWN for a type that is not registered, CALLER_UNKNOWN and
   * CALLER_NOT_ALLOWED before the existence of the subject is revealed, FIELD_INVALID with all
   * violations at once, and the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE,
   * DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first
   * subject_revision again, for ever, with the body as it is now; with another body it fails with
   * REQUEST_ID_REUSED.
   * </pre>
   */
  public static final class SubjectServiceStub
      extends io.grpc.stub.AbstractAsyncStub<SubjectServiceStub> {
    private SubjectServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubjectServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubjectServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a subject.
     * Object types with `auto_create` make theirs with the first comment, so that this call is needed
     * only to give an owner or metadata. A deleted subject still holds its name.
     * Errors: SUBJECT_ALREADY_EXISTS.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}, "ownerId": "up-7"}`.
     * </pre>
     */
    public void createSubject(dev.riposte.v1.CreateSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.CreateSubjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateSubjectMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one subject with its counts.
     * A deleted subject is answered with `delete_time`. Under `auto_create` an absent subject reads
     * as empty: state ACTIVE, counts 0, revision 0. Errors: SUBJECT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}}`.
     * </pre>
     */
    public void getSubject(dev.riposte.v1.GetSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.GetSubjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetSubjectMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads up to 200 subjects: the counts of a whole page of objects in one call.
     * Answers in the order of the request. Atomic by default; see `allow_missing`.
     * Errors: SUBJECT_NOT_FOUND with the first missing name in its metadata.
     * Example: `{"keys": [{"objectType": "video", "objectId": "1"}, {"objectType": "video",
     * "objectId": "2"}]}`.
     * </pre>
     */
    public void batchGetSubjects(dev.riposte.v1.BatchGetSubjectsRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetSubjectsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchGetSubjectsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes owner, state, mode or metadata of a subject, as `update_mask` says.
     * Errors: SUBJECT_NOT_FOUND (a deleted one too), ETAG_MISMATCH, STATE_CONFLICT (`why` = mode),
     * REQUEST_ID_REUSED.
     * Example: `{"subject": {"key": {"objectType": "video", "objectId": "1"}, "state":
     * "SUBJECT_STATE_READ_ONLY"}, "updateMask": "state"}`.
     * </pre>
     */
    public void updateSubject(dev.riposte.v1.UpdateSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UpdateSubjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateSubjectMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Takes a subject away, with all that stands below it; nothing is erased.
     * Afterwards lists and writes by its name answer SUBJECT_NOT_FOUND, comments below it by their
     * ids COMMENT_NOT_FOUND; GetSubject and BatchGetSubjects still show it. Errors:
     * SUBJECT_NOT_FOUND (a second delete too), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public void deleteSubject(dev.riposte.v1.DeleteSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.DeleteSubjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteSubjectMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Brings a deleted subject back, with all that stands below it.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_ALREADY_EXISTS for one that is not deleted,
     * REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public void undeleteSubject(dev.riposte.v1.UndeleteSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.UndeleteSubjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUndeleteSubjectMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sends the changes of one subject: dense revisions in order, resumable by `after_revision`. A
     * gap is an event of its own.
     * Every process sends a change some 100 ms after its commit. Likes change no revision and are not
     * sent. A subject that does not exist yet is watched from revision 0 where its type has
     * `auto_create`. If the subject is deleted or hidden during the watch, the watch sends that
     * change and continues, because the subject may come back. The stream has no end and no deadline
     * of its own. It ends with SERVER_STOPPING when the process stops and with WATCH_TOO_SLOW for a
     * reader that falls more than 1,024 revisions behind: watch again with the last revision received
     * as `after_revision`; changes that are then too old are a gap. Errors: SUBJECT_NOT_FOUND (a
     * deleted one too), SUBJECT_HIDDEN, WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "afterRevision": "42"}`.
     * </pre>
     */
    public void watchSubject(dev.riposte.v1.WatchSubjectRequest request,
        io.grpc.stub.StreamObserver<dev.riposte.v1.WatchSubjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWatchSubjectMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service SubjectService.
   * <pre>
   * Subjects: the things under which comments stand.
   * Every call: OBJECT_TYPE_UNKNOWN for a type that is not registered, CALLER_UNKNOWN and
   * CALLER_NOT_ALLOWED before the existence of the subject is revealed, FIELD_INVALID with all
   * violations at once, and the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE,
   * DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first
   * subject_revision again, for ever, with the body as it is now; with another body it fails with
   * REQUEST_ID_REUSED.
   * </pre>
   */
  public static final class SubjectServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<SubjectServiceBlockingV2Stub> {
    private SubjectServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubjectServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubjectServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a subject.
     * Object types with `auto_create` make theirs with the first comment, so that this call is needed
     * only to give an owner or metadata. A deleted subject still holds its name.
     * Errors: SUBJECT_ALREADY_EXISTS.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}, "ownerId": "up-7"}`.
     * </pre>
     */
    public dev.riposte.v1.CreateSubjectResponse createSubject(dev.riposte.v1.CreateSubjectRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one subject with its counts.
     * A deleted subject is answered with `delete_time`. Under `auto_create` an absent subject reads
     * as empty: state ACTIVE, counts 0, revision 0. Errors: SUBJECT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}}`.
     * </pre>
     */
    public dev.riposte.v1.GetSubjectResponse getSubject(dev.riposte.v1.GetSubjectRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 200 subjects: the counts of a whole page of objects in one call.
     * Answers in the order of the request. Atomic by default; see `allow_missing`.
     * Errors: SUBJECT_NOT_FOUND with the first missing name in its metadata.
     * Example: `{"keys": [{"objectType": "video", "objectId": "1"}, {"objectType": "video",
     * "objectId": "2"}]}`.
     * </pre>
     */
    public dev.riposte.v1.BatchGetSubjectsResponse batchGetSubjects(dev.riposte.v1.BatchGetSubjectsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchGetSubjectsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes owner, state, mode or metadata of a subject, as `update_mask` says.
     * Errors: SUBJECT_NOT_FOUND (a deleted one too), ETAG_MISMATCH, STATE_CONFLICT (`why` = mode),
     * REQUEST_ID_REUSED.
     * Example: `{"subject": {"key": {"objectType": "video", "objectId": "1"}, "state":
     * "SUBJECT_STATE_READ_ONLY"}, "updateMask": "state"}`.
     * </pre>
     */
    public dev.riposte.v1.UpdateSubjectResponse updateSubject(dev.riposte.v1.UpdateSubjectRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes a subject away, with all that stands below it; nothing is erased.
     * Afterwards lists and writes by its name answer SUBJECT_NOT_FOUND, comments below it by their
     * ids COMMENT_NOT_FOUND; GetSubject and BatchGetSubjects still show it. Errors:
     * SUBJECT_NOT_FOUND (a second delete too), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public dev.riposte.v1.DeleteSubjectResponse deleteSubject(dev.riposte.v1.DeleteSubjectRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Brings a deleted subject back, with all that stands below it.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_ALREADY_EXISTS for one that is not deleted,
     * REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public dev.riposte.v1.UndeleteSubjectResponse undeleteSubject(dev.riposte.v1.UndeleteSubjectRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUndeleteSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sends the changes of one subject: dense revisions in order, resumable by `after_revision`. A
     * gap is an event of its own.
     * Every process sends a change some 100 ms after its commit. Likes change no revision and are not
     * sent. A subject that does not exist yet is watched from revision 0 where its type has
     * `auto_create`. If the subject is deleted or hidden during the watch, the watch sends that
     * change and continues, because the subject may come back. The stream has no end and no deadline
     * of its own. It ends with SERVER_STOPPING when the process stops and with WATCH_TOO_SLOW for a
     * reader that falls more than 1,024 revisions behind: watch again with the last revision received
     * as `after_revision`; changes that are then too old are a gap. Errors: SUBJECT_NOT_FOUND (a
     * deleted one too), SUBJECT_HIDDEN, WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "afterRevision": "42"}`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.riposte.v1.WatchSubjectResponse>
        watchSubject(dev.riposte.v1.WatchSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWatchSubjectMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service SubjectService.
   * <pre>
   * Subjects: the things under which comments stand.
   * Every call: OBJECT_TYPE_UNKNOWN for a type that is not registered, CALLER_UNKNOWN and
   * CALLER_NOT_ALLOWED before the existence of the subject is revealed, FIELD_INVALID with all
   * violations at once, and the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE,
   * DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first
   * subject_revision again, for ever, with the body as it is now; with another body it fails with
   * REQUEST_ID_REUSED.
   * </pre>
   */
  public static final class SubjectServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<SubjectServiceBlockingStub> {
    private SubjectServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubjectServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubjectServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a subject.
     * Object types with `auto_create` make theirs with the first comment, so that this call is needed
     * only to give an owner or metadata. A deleted subject still holds its name.
     * Errors: SUBJECT_ALREADY_EXISTS.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}, "ownerId": "up-7"}`.
     * </pre>
     */
    public dev.riposte.v1.CreateSubjectResponse createSubject(dev.riposte.v1.CreateSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one subject with its counts.
     * A deleted subject is answered with `delete_time`. Under `auto_create` an absent subject reads
     * as empty: state ACTIVE, counts 0, revision 0. Errors: SUBJECT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}}`.
     * </pre>
     */
    public dev.riposte.v1.GetSubjectResponse getSubject(dev.riposte.v1.GetSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 200 subjects: the counts of a whole page of objects in one call.
     * Answers in the order of the request. Atomic by default; see `allow_missing`.
     * Errors: SUBJECT_NOT_FOUND with the first missing name in its metadata.
     * Example: `{"keys": [{"objectType": "video", "objectId": "1"}, {"objectType": "video",
     * "objectId": "2"}]}`.
     * </pre>
     */
    public dev.riposte.v1.BatchGetSubjectsResponse batchGetSubjects(dev.riposte.v1.BatchGetSubjectsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchGetSubjectsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes owner, state, mode or metadata of a subject, as `update_mask` says.
     * Errors: SUBJECT_NOT_FOUND (a deleted one too), ETAG_MISMATCH, STATE_CONFLICT (`why` = mode),
     * REQUEST_ID_REUSED.
     * Example: `{"subject": {"key": {"objectType": "video", "objectId": "1"}, "state":
     * "SUBJECT_STATE_READ_ONLY"}, "updateMask": "state"}`.
     * </pre>
     */
    public dev.riposte.v1.UpdateSubjectResponse updateSubject(dev.riposte.v1.UpdateSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes a subject away, with all that stands below it; nothing is erased.
     * Afterwards lists and writes by its name answer SUBJECT_NOT_FOUND, comments below it by their
     * ids COMMENT_NOT_FOUND; GetSubject and BatchGetSubjects still show it. Errors:
     * SUBJECT_NOT_FOUND (a second delete too), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public dev.riposte.v1.DeleteSubjectResponse deleteSubject(dev.riposte.v1.DeleteSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Brings a deleted subject back, with all that stands below it.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_ALREADY_EXISTS for one that is not deleted,
     * REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public dev.riposte.v1.UndeleteSubjectResponse undeleteSubject(dev.riposte.v1.UndeleteSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUndeleteSubjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sends the changes of one subject: dense revisions in order, resumable by `after_revision`. A
     * gap is an event of its own.
     * Every process sends a change some 100 ms after its commit. Likes change no revision and are not
     * sent. A subject that does not exist yet is watched from revision 0 where its type has
     * `auto_create`. If the subject is deleted or hidden during the watch, the watch sends that
     * change and continues, because the subject may come back. The stream has no end and no deadline
     * of its own. It ends with SERVER_STOPPING when the process stops and with WATCH_TOO_SLOW for a
     * reader that falls more than 1,024 revisions behind: watch again with the last revision received
     * as `after_revision`; changes that are then too old are a gap. Errors: SUBJECT_NOT_FOUND (a
     * deleted one too), SUBJECT_HIDDEN, WATCH_TOO_SLOW, SERVER_STOPPING.
     * Example: `{"subject": {"objectType": "video", "objectId": "1"}, "afterRevision": "42"}`.
     * </pre>
     */
    public java.util.Iterator<dev.riposte.v1.WatchSubjectResponse> watchSubject(
        dev.riposte.v1.WatchSubjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWatchSubjectMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service SubjectService.
   * <pre>
   * Subjects: the things under which comments stand.
   * Every call: OBJECT_TYPE_UNKNOWN for a type that is not registered, CALLER_UNKNOWN and
   * CALLER_NOT_ALLOWED before the existence of the subject is revealed, FIELD_INVALID with all
   * violations at once, and the general errors RATE_LIMITED, OVERLOADED, SHARD_UNAVAILABLE,
   * DEADLINE_EXCEEDED, INTERNAL.
   * Every write takes a `request_id`. The same request_id and body again answers the first
   * subject_revision again, for ever, with the body as it is now; with another body it fails with
   * REQUEST_ID_REUSED.
   * </pre>
   */
  public static final class SubjectServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<SubjectServiceFutureStub> {
    private SubjectServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubjectServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubjectServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a subject.
     * Object types with `auto_create` make theirs with the first comment, so that this call is needed
     * only to give an owner or metadata. A deleted subject still holds its name.
     * Errors: SUBJECT_ALREADY_EXISTS.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}, "ownerId": "up-7"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.CreateSubjectResponse> createSubject(
        dev.riposte.v1.CreateSubjectRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateSubjectMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one subject with its counts.
     * A deleted subject is answered with `delete_time`. Under `auto_create` an absent subject reads
     * as empty: state ACTIVE, counts 0, revision 0. Errors: SUBJECT_NOT_FOUND, REVISION_NOT_REACHED.
     * Example: `{"key": {"objectType": "video", "objectId": "av170001"}}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.GetSubjectResponse> getSubject(
        dev.riposte.v1.GetSubjectRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetSubjectMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads up to 200 subjects: the counts of a whole page of objects in one call.
     * Answers in the order of the request. Atomic by default; see `allow_missing`.
     * Errors: SUBJECT_NOT_FOUND with the first missing name in its metadata.
     * Example: `{"keys": [{"objectType": "video", "objectId": "1"}, {"objectType": "video",
     * "objectId": "2"}]}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.BatchGetSubjectsResponse> batchGetSubjects(
        dev.riposte.v1.BatchGetSubjectsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchGetSubjectsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes owner, state, mode or metadata of a subject, as `update_mask` says.
     * Errors: SUBJECT_NOT_FOUND (a deleted one too), ETAG_MISMATCH, STATE_CONFLICT (`why` = mode),
     * REQUEST_ID_REUSED.
     * Example: `{"subject": {"key": {"objectType": "video", "objectId": "1"}, "state":
     * "SUBJECT_STATE_READ_ONLY"}, "updateMask": "state"}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.UpdateSubjectResponse> updateSubject(
        dev.riposte.v1.UpdateSubjectRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateSubjectMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Takes a subject away, with all that stands below it; nothing is erased.
     * Afterwards lists and writes by its name answer SUBJECT_NOT_FOUND, comments below it by their
     * ids COMMENT_NOT_FOUND; GetSubject and BatchGetSubjects still show it. Errors:
     * SUBJECT_NOT_FOUND (a second delete too), ETAG_MISMATCH, REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.DeleteSubjectResponse> deleteSubject(
        dev.riposte.v1.DeleteSubjectRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteSubjectMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Brings a deleted subject back, with all that stands below it.
     * Errors: SUBJECT_NOT_FOUND, SUBJECT_ALREADY_EXISTS for one that is not deleted,
     * REQUEST_ID_REUSED.
     * Example: `{"key": {"objectType": "video", "objectId": "1"}}`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.riposte.v1.UndeleteSubjectResponse> undeleteSubject(
        dev.riposte.v1.UndeleteSubjectRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUndeleteSubjectMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_SUBJECT = 0;
  private static final int METHODID_GET_SUBJECT = 1;
  private static final int METHODID_BATCH_GET_SUBJECTS = 2;
  private static final int METHODID_UPDATE_SUBJECT = 3;
  private static final int METHODID_DELETE_SUBJECT = 4;
  private static final int METHODID_UNDELETE_SUBJECT = 5;
  private static final int METHODID_WATCH_SUBJECT = 6;

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
        case METHODID_CREATE_SUBJECT:
          serviceImpl.createSubject((dev.riposte.v1.CreateSubjectRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.CreateSubjectResponse>) responseObserver);
          break;
        case METHODID_GET_SUBJECT:
          serviceImpl.getSubject((dev.riposte.v1.GetSubjectRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.GetSubjectResponse>) responseObserver);
          break;
        case METHODID_BATCH_GET_SUBJECTS:
          serviceImpl.batchGetSubjects((dev.riposte.v1.BatchGetSubjectsRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.BatchGetSubjectsResponse>) responseObserver);
          break;
        case METHODID_UPDATE_SUBJECT:
          serviceImpl.updateSubject((dev.riposte.v1.UpdateSubjectRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.UpdateSubjectResponse>) responseObserver);
          break;
        case METHODID_DELETE_SUBJECT:
          serviceImpl.deleteSubject((dev.riposte.v1.DeleteSubjectRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.DeleteSubjectResponse>) responseObserver);
          break;
        case METHODID_UNDELETE_SUBJECT:
          serviceImpl.undeleteSubject((dev.riposte.v1.UndeleteSubjectRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.UndeleteSubjectResponse>) responseObserver);
          break;
        case METHODID_WATCH_SUBJECT:
          serviceImpl.watchSubject((dev.riposte.v1.WatchSubjectRequest) request,
              (io.grpc.stub.StreamObserver<dev.riposte.v1.WatchSubjectResponse>) responseObserver);
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
          getCreateSubjectMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.CreateSubjectRequest,
              dev.riposte.v1.CreateSubjectResponse>(
                service, METHODID_CREATE_SUBJECT)))
        .addMethod(
          getGetSubjectMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.GetSubjectRequest,
              dev.riposte.v1.GetSubjectResponse>(
                service, METHODID_GET_SUBJECT)))
        .addMethod(
          getBatchGetSubjectsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.BatchGetSubjectsRequest,
              dev.riposte.v1.BatchGetSubjectsResponse>(
                service, METHODID_BATCH_GET_SUBJECTS)))
        .addMethod(
          getUpdateSubjectMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.UpdateSubjectRequest,
              dev.riposte.v1.UpdateSubjectResponse>(
                service, METHODID_UPDATE_SUBJECT)))
        .addMethod(
          getDeleteSubjectMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.DeleteSubjectRequest,
              dev.riposte.v1.DeleteSubjectResponse>(
                service, METHODID_DELETE_SUBJECT)))
        .addMethod(
          getUndeleteSubjectMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.riposte.v1.UndeleteSubjectRequest,
              dev.riposte.v1.UndeleteSubjectResponse>(
                service, METHODID_UNDELETE_SUBJECT)))
        .addMethod(
          getWatchSubjectMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.riposte.v1.WatchSubjectRequest,
              dev.riposte.v1.WatchSubjectResponse>(
                service, METHODID_WATCH_SUBJECT)))
        .build();
  }

  private static abstract class SubjectServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    SubjectServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.riposte.v1.SubjectServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("SubjectService");
    }
  }

  private static final class SubjectServiceFileDescriptorSupplier
      extends SubjectServiceBaseDescriptorSupplier {
    SubjectServiceFileDescriptorSupplier() {}
  }

  private static final class SubjectServiceMethodDescriptorSupplier
      extends SubjectServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    SubjectServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (SubjectServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new SubjectServiceFileDescriptorSupplier())
              .addMethod(getCreateSubjectMethod())
              .addMethod(getGetSubjectMethod())
              .addMethod(getBatchGetSubjectsMethod())
              .addMethod(getUpdateSubjectMethod())
              .addMethod(getDeleteSubjectMethod())
              .addMethod(getUndeleteSubjectMethod())
              .addMethod(getWatchSubjectMethod())
              .build();
        }
      }
    }
    return result;
  }
}
