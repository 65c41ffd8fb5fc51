package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.RetryInfo;
import dev.riposte.v1.LikeServiceGrpc;
import dev.riposte.v1.LikeValue;
import dev.riposte.v1.RepairCountsRequest;
import dev.riposte.v1.SetLikeRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What goes over the wire, as a server sees it. */
class OutgoingTest {
  private static final SetLikeRequest LIKE =
      SetLikeRequest.newBuilder().setCommentId(7).setMemberId("m9").setValue(LikeValue.LIKE_VALUE_LIKE).build();

  private final Recorder server = new Recorder();
  private final Riposte client = Riposte.connect(server.target());

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static StatusRuntimeException pushedBack(Status.Code code, String wait) {
    Metadata trailers = new Metadata();
    trailers.put(Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER), wait);
    RetryInfo info = RetryInfo.newBuilder().setRetryDelay(com.google.protobuf.Duration.newBuilder().setSeconds(1)).build();
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder().setCode(code.value()).addDetails(Any.pack(info)).build(), trailers);
  }

  @Test
  void aWriteIsRepeatedOnUnavailableWithTheRequestIdOfItsFirstAttempt() {
    server.failures.add(Status.UNAVAILABLE.asRuntimeException());
    server.failures.add(Status.UNAVAILABLE.asRuntimeException());
    assertEquals(1, client.likes().setLike(LIKE).getLikeCount());
    List<SetLikeRequest> sent = List.copyOf(server.requests);
    assertEquals(3, sent.size());
    assertEquals(36, sent.get(0).getRequestId().length());
    assertEquals(List.of(sent.get(0), sent.get(0), sent.get(0)), sent);
  }

  @Test
  void aTextWithALoneSurrogateIsRefusedBeforeAnythingIsSent() {
    SetLikeRequest lone = LIKE.toBuilder().setMemberId("m\ud83d").build();
    var error = assertThrows(Errors.InvalidArgument.class, () -> client.likes().setLike(lone));
    assertEquals(List.of("member_id"), error.violations().stream().map(Violation::field).toList());
    assertTrue(server.headers.isEmpty());
    client.likes().setLike(LIKE.toBuilder().setMemberId("m\ud83d\ude00").build());
    assertEquals("m\ud83d\ude00", server.requests.peek().getMemberId());
  }

  @Test
  void aRequestIdOfTheCallerIsKept() {
    String id = client.requestIds().next();
    client.likes().setLike(LIKE.toBuilder().setRequestId(id).build());
    assertEquals(id, server.requests.peek().getRequestId());
  }

  @Test
  void theThirdFailureIsTheCallersAndNoOtherCodeIsRepeated() {
    for (int i = 0; i < 3; i++) {
      server.failures.add(Status.UNAVAILABLE.asRuntimeException());
    }
    assertThrows(Errors.Unavailable.class, () -> client.likes().setLike(LIKE));
    assertEquals(3, server.requests.size());
    for (Status status : List.of(Status.INTERNAL, Status.ABORTED, Status.DEADLINE_EXCEEDED, Status.RESOURCE_EXHAUSTED)) {
      server.requests.clear();
      server.failures.add(status.asRuntimeException());
      var error = assertThrows(RiposteException.class, () -> client.likes().setLike(LIKE));
      assertEquals(status.getCode(), error.code());
      assertEquals(1, server.requests.size(), status.toString());
    }
  }

  @Test
  void aConnectionThatEndsWhileItIsOpenedIsUnavailable() {
    Status closed = Status.UNKNOWN.withDescription("channel closed").withCause(new ClosedChannelException());
    for (Status status : List.of(closed, Status.UNKNOWN, Status.UNKNOWN.withCause(new IllegalStateException()))) {
      Channel outgoing = ClientInterceptors.intercept(endingWith(status), new Outgoing(null, new RequestIds(), () -> false));
      var error = assertThrows(StatusRuntimeException.class, () -> LikeServiceGrpc.newBlockingStub(outgoing).setLike(LIKE));
      assertEquals(status == closed ? Status.Code.UNAVAILABLE : Status.Code.UNKNOWN, error.getStatus().getCode());
      assertEquals(status.getDescription(), error.getStatus().getDescription());
    }
  }

  /** A channel whose calls end with a status before a server has answered. */
  private static Channel endingWith(Status status) {
    return new Channel() {
      @Override
      public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
        return new NoopClientCall<>() {
          @Override
          public void start(Listener<A> listener, Metadata headers) {
            listener.onClose(status, new Metadata());
          }
        };
      }

      @Override
      public String authority() {
        return "localhost";
      }
    };
  }

  private static class NoopClientCall<Q, A> extends ClientCall<Q, A> {
    @Override
    public void start(Listener<A> listener, Metadata headers) {}

    @Override
    public void request(int count) {}

    @Override
    public void cancel(String message, Throwable cause) {}

    @Override
    public void halfClose() {}

    @Override
    public void sendMessage(Q message) {}
  }

  @Test
  void aServerThatIsOverloadedIsNotAskedAgainAndOneThatForbidsItNeither() {
    server.failures.add(pushedBack(Status.Code.RESOURCE_EXHAUSTED, "1"));
    var error = assertThrows(Errors.ResourceExhausted.class, () -> client.likes().setLike(LIKE));
    assertEquals(Duration.ofSeconds(1), error.retryAfter().orElseThrow());
    server.failures.add(pushedBack(Status.Code.UNAVAILABLE, "-1"));
    assertThrows(Errors.Unavailable.class, () -> client.likes().setLike(LIKE));
    assertEquals(2, server.requests.size());
    server.failures.add(pushedBack(Status.Code.UNAVAILABLE, "1"));
    client.likes().setLike(LIKE);
    assertEquals(4, server.requests.size());
  }

  @Test
  void aDeadServiceSeesHardlyMoreAttemptsThanCalls() {
    for (int i = 0; i < 1000; i++) {
      server.failures.add(Status.UNAVAILABLE.asRuntimeException());
    }
    int calls = 200;
    for (int i = 0; i < calls; i++) {
      assertThrows(Errors.Unavailable.class, () -> client.likes().setLike(LIKE));
    }
    // The budget of 100 tokens allows 49 repeats.
    assertTrue(server.requests.size() <= calls + 49, server.requests.size() + " attempts");
  }

  @Test
  void everyCallSaysWhichSdkMakesItAndHasADeadline() {
    client.likes().setLike(LIKE);
    assertTrue(server.header("user-agent").startsWith("riposte-java/" + Contract.VERSION + " "));
    Duration left = Duration.ofNanos(server.deadlines.peek());
    assertTrue(!left.isNegative() && left.compareTo(Duration.ofSeconds(4)) <= 0, left.toString());
  }

  @Test
  void aDeadlineOfTheCallerWinsShorterOrLonger() throws Exception {
    client.likes().withDeadlineAfter(60, TimeUnit.SECONDS).setLike(LIKE);
    Context.CancellableContext context =
        Context.current().withDeadlineAfter(60, TimeUnit.SECONDS, Executors.newSingleThreadScheduledExecutor());
    context.call(() -> client.likes().setLike(LIKE));
    context.close();
    client.likes().withDeadlineAfter(2, TimeUnit.SECONDS).setLike(LIKE);
    List<Long> seconds = server.deadlines.stream().map(TimeUnit.NANOSECONDS::toSeconds).toList();
    assertTrue(seconds.get(0) > 30 && seconds.get(1) > 30 && seconds.get(2) < 2, seconds.toString());
  }

  @Test
  void aStreamThatChangesThingsHasARequestId() {
    Riposte administration = Riposte.connect(new Options().adminTarget(server.target()));
    try (administration) {
      assertFalse(administration.admin().repairCounts(RepairCountsRequest.getDefaultInstance()).hasNext());
    }
    assertEquals(36, server.repairs.peek().getRequestId().length());
  }

  @Test
  void interceptorsOfTheCallerSeeEachCall() {
    Metadata more = new Metadata();
    more.put(Metadata.Key.of("x-trace", Metadata.ASCII_STRING_MARSHALLER), "t1");
    client.with(io.grpc.stub.MetadataUtils.newAttachHeadersInterceptor(more)).likes().setLike(LIKE);
    assertEquals("t1", server.header("x-trace"));
    assertEquals(36, server.requests.peek().getRequestId().length());
  }

  @Test
  void aClientIsReadyOnceItIsConnected() throws InterruptedException {
    client.waitReady(Duration.ofSeconds(10));
    assertEquals(0, server.requests.size());
  }
}
