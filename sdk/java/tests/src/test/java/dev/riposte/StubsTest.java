package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Internal;
import com.google.protobuf.Message;
import dev.riposte.v1.LikeServiceGrpc;
import dev.riposte.v1.RepairCountsRequest;
import dev.riposte.v1.RepairCountsResponse;
import dev.riposte.v1.SetLikeRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The stubs of a client: those of gRPC, but for what they throw. */
class StubsTest {
  private static final SetLikeRequest LIKE = SetLikeRequest.getDefaultInstance();
  private static final RepairCountsRequest REPAIR = RepairCountsRequest.getDefaultInstance();

  private final Recorder server = new Recorder();
  private final Riposte client =
      Riposte.connect(new Options().target(server.target()).adminTarget(server.target()));

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  static Stream<MethodDescriptor> methods() {
    return ContractTest.methods().filter(method -> !method.isClientStreaming());
  }

  private static Method find(Class<?> type, String name) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getName().equalsIgnoreCase(name) && method.getParameterCount() == 1)
        .findFirst()
        .orElseThrow(() -> new AssertionError(type + " has no " + name));
  }

  @ParameterizedTest
  @MethodSource("methods")
  void everyMethodFailsWithTheOneException(MethodDescriptor method) throws Exception {
    // Whatever the server has a method for fails alike.
    server.failures.add(Status.UNIMPLEMENTED.asRuntimeException());
    String service = method.getService().getName();
    Object stub = Arrays.stream(Riposte.class.getMethods())
        .filter(made -> made.getReturnType().getSimpleName().equals(service))
        .findFirst().orElseThrow().invoke(client);
    Method call = find(stub.getClass(), method.getName());
    Message none = Internal.getDefaultInstance(call.getParameterTypes()[0].asSubclass(Message.class));
    if (method.isServerStreaming()) {
      Iterator<?> answers = (Iterator<?>) call.invoke(stub, none);
      assertThrows(Errors.Unimplemented.class, () -> answers.forEachRemaining(answer -> {}));
    } else {
      var thrown = assertThrows(InvocationTargetException.class, () -> call.invoke(stub, none));
      assertInstanceOf(Errors.Unimplemented.class, thrown.getCause());
    }
  }

  @Test
  void aStreamGivesItsAnswersAndThenThrowsHoweverItIsAsked() {
    server.failures.add(Status.ABORTED.asRuntimeException());
    Iterator<RepairCountsResponse> answers = client.admin().repairCounts(REPAIR);
    assertEquals(RepairCountsResponse.getDefaultInstance(), answers.next());
    assertThrows(Errors.Aborted.class, answers::hasNext);
    assertThrows(Errors.Aborted.class, answers::next);
  }

  @Test
  void aCallHasTheOptionsOfItsStub() {
    Metadata more = new Metadata();
    more.put(Metadata.Key.of("x-trace", Metadata.ASCII_STRING_MARSHALLER), "t1");
    Stubs.LikeService traced = client.likes().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(more));
    traced.setLike(LIKE);
    assertEquals("t1", server.header("x-trace"));
    assertThrows(Errors.DeadlineExceeded.class, () -> traced.withDeadlineAfter(-1, TimeUnit.SECONDS).setLike(LIKE));
    assertEquals(1, server.requests.size());
  }

  @Test
  void aStubThatGrpcGeneratesThrowsItsOwnExceptionWhichCanBeRead() {
    server.failures.add(Status.ABORTED.asRuntimeException());
    LikeServiceGrpc.LikeServiceBlockingStub bare = LikeServiceGrpc.newBlockingStub(client.channel());
    var status = assertThrows(StatusRuntimeException.class, () -> bare.setLike(LIKE));
    assertInstanceOf(Errors.Aborted.class, RiposteException.from(status));
    assertEquals(36, server.requests.peek().getRequestId().length(), "the channel adds what the client adds");
  }

  @Test
  void aClosedClientSaysThatItIsAndNotThatARepeatMaySucceed() {
    client.likes().setLike(LIKE);
    Riposte beside = client.with();
    var subject = client.subject("article", "1");
    client.close();
    List<Executable> calls = List.of(
        () -> client.likes().setLike(LIKE),
        () -> beside.likes().setLike(LIKE),
        () -> client.admin().repairCounts(REPAIR).hasNext(),
        () -> subject.comment("m1", "Hi"),
        () -> subject.comments(Sort.HOT).iterator().next(),
        () -> client.waitReady(Duration.ofMinutes(1)));
    for (Executable call : calls) {
      RiposteException error = assertThrows(Errors.Cancelled.class, call);
      assertEquals("CANCELLED: the client is closed", error.getMessage());
      assertFalse(error.isRetryable());
    }
    assertFalse(subject.watch().hasNext());
    assertEquals(1, server.requests.size());
  }

  @Test
  void whatIsUnderWayEndsWithItsClient() throws Exception {
    // It takes connections and never says a word.
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Riposte own = Riposte.connect("127.0.0.1:" + silent.getLocalPort());
      CompletableFuture<?> call = CompletableFuture.supplyAsync(() -> own.likes().setLike(LIKE));
      CompletableFuture<?> ready = CompletableFuture.runAsync(() -> {
        try {
          own.waitReady(Duration.ofMinutes(1));
        } catch (InterruptedException interrupted) {
          throw new AssertionError(interrupted);
        }
      });
      silent.accept().close();
      own.close();
      for (CompletableFuture<?> one : List.of(call, ready)) {
        var thrown = assertThrows(ExecutionException.class, () -> one.get(30, TimeUnit.SECONDS));
        assertInstanceOf(Errors.Cancelled.class, thrown.getCause());
      }
    }
  }
}
