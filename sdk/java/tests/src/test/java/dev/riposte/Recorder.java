package dev.riposte;

import dev.riposte.v1.AdminServiceGrpc;
import dev.riposte.v1.LikeServiceGrpc;
import dev.riposte.v1.RepairCountsRequest;
import dev.riposte.v1.RepairCountsResponse;
import dev.riposte.v1.SetLikeRequest;
import dev.riposte.v1.SetLikeResponse;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;

/**
 * A server that fails the first calls as it is told and remembers all of them: what a server can
 * see of a client.
 */
final class Recorder extends LikeServiceGrpc.LikeServiceImplBase implements ServerInterceptor, AutoCloseable {
  final Queue<StatusRuntimeException> failures = new ConcurrentLinkedQueue<>();
  final Queue<SetLikeRequest> requests = new ConcurrentLinkedQueue<>();
  final Queue<RepairCountsRequest> repairs = new ConcurrentLinkedQueue<>();
  final Queue<Metadata> headers = new ConcurrentLinkedQueue<>();
  final Queue<SSLSession> sessions = new ConcurrentLinkedQueue<>();
  /** The nanoseconds that a call had left when it came. */
  final Queue<Long> deadlines = new ConcurrentLinkedQueue<>();
  private final Server server;
  private final AdminServiceGrpc.AdminServiceImplBase administration = new AdminServiceGrpc.AdminServiceImplBase() {
    @Override
    public void repairCounts(RepairCountsRequest request, StreamObserver<RepairCountsResponse> answers) {
      repairs.add(request);
      StatusRuntimeException failure = failures.poll();
      if (failure != null) {
        answers.onNext(RepairCountsResponse.getDefaultInstance());
        answers.onError(failure);
        return;
      }
      answers.onCompleted();
    }
  };

  Recorder() {
    this(InsecureServerCredentials.create());
  }

  Recorder(ServerCredentials credentials) {
    server = loopback(credentials, this, administration).intercept(this).build();
    start(server);
  }

  /** A server of these services on a free port of the loopback. */
  static ServerBuilder<?> loopback(ServerCredentials credentials, BindableService... services) {
    try {
      // The transport is there at run time only, as for every user; and gRPC's own builder knows no
      // loopback address.
      ServerBuilder<?> builder = (ServerBuilder<?>) Class.forName("io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder")
              .getMethod("forAddress", SocketAddress.class, ServerCredentials.class)
              .invoke(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), credentials);
      for (BindableService service : services) {
        builder.addService(service);
      }
      return builder;
    } catch (ReflectiveOperationException failure) {
      throw new AssertionError(failure);
    }
  }

  private static void start(Server server) {
    try {
      server.start();
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  String target() {
    return "127.0.0.1:" + server.getPort();
  }

  String header(String name) {
    return headers.peek().get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata seen, ServerCallHandler<Q, A> next) {
    headers.add(seen);
    SSLSession session = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    if (session != null) {
      sessions.add(session);
    }
    return next.startCall(call, seen);
  }

  @Override
  public void setLike(SetLikeRequest request, StreamObserver<SetLikeResponse> answer) {
    requests.add(request);
    deadlines.add(Context.current().getDeadline().timeRemaining(TimeUnit.NANOSECONDS));
    StatusRuntimeException failure = failures.poll();
    if (failure != null) {
      answer.onError(failure);
      return;
    }
    answer.onNext(SetLikeResponse.newBuilder().setLikeCount(1).build());
    answer.onCompleted();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
