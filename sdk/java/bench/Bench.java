import dev.riposte.Riposte;
import dev.riposte.v1.GetSubjectRequest;
import dev.riposte.v1.SubjectKey;
import dev.riposte.v1.SubjectServiceGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;

/**
 * Calls per second of one client beside those of the bare generated stub, in rounds that take turns, and the time from
 * the start of the JVM to the first answer. Not for CI: a figure depends on the machine and on what else it does.
 */
public final class Bench {
  private static final int ROUNDS = 21;
  private static final long ROUND_NANOS = 500_000_000L;
  private static final int IN_FLIGHT = 64;
  private static final GetSubjectRequest REQUEST = GetSubjectRequest.newBuilder()
      .setKey(SubjectKey.newBuilder().setObjectType("article").setObjectId("1"))
      .build();

  private Bench() {}

  private interface Round {
    double callsPerSecond() throws InterruptedException;
  }

  public static void main(String[] arguments) throws InterruptedException {
    Riposte client = Riposte.fromEnv();
    var subject = client.subject("article", "1");
    client.waitReady(Duration.ofSeconds(30));
    subject.get();
    long first = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    System.out.printf("first answer %d ms after the start of the JVM%n", first);

    String target = System.getenv().getOrDefault("RIPOSTE_TARGET", "127.0.0.1:7171");
    ManagedChannel bare = ManagedChannelBuilder.forTarget(target).usePlaintext().build();
    var stub = SubjectServiceGrpc.newBlockingStub(bare);
    compare("GetSubject, one after the other", () -> sequential(subject::get), () -> sequential(() -> stub.getSubject(REQUEST)));
    compare("GetSubject, " + IN_FLIGHT + " in flight", () -> concurrent(client.channel()), () -> concurrent(bare));
    bare.shutdownNow();
    client.close();
  }

  /** Prints the medians of both; the first round of each only warms up. */
  private static void compare(String what, Round client, Round bare) throws InterruptedException {
    double[] ours = new double[ROUNDS];
    double[] theirs = new double[ROUNDS];
    client.callsPerSecond();
    bare.callsPerSecond();
    for (int round = 0; round < ROUNDS; round++) {
      ours[round] = client.callsPerSecond();
      theirs[round] = bare.callsPerSecond();
    }
    Arrays.sort(ours);
    Arrays.sort(theirs);
    double a = ours[ROUNDS / 2];
    double b = theirs[ROUNDS / 2];
    System.out.printf("| java | %s | %.0f/s | %.0f/s | %.2f |%n", what, a, b, a / b);
  }

  private static double sequential(Runnable call) {
    long begin = System.nanoTime();
    long calls = 0;
    for (; System.nanoTime() - begin < ROUND_NANOS; calls++) {
      call.run();
    }
    return calls * 1e9 / (System.nanoTime() - begin);
  }

  private static double concurrent(Channel channel) throws InterruptedException {
    var stub = SubjectServiceGrpc.newFutureStub(channel);
    Semaphore free = new Semaphore(IN_FLIGHT);
    long begin = System.nanoTime();
    long calls = 0;
    for (; System.nanoTime() - begin < ROUND_NANOS; calls++) {
      free.acquire();
      stub.getSubject(REQUEST).addListener(free::release, Runnable::run);
    }
    free.acquire(IN_FLIGHT);
    return calls * 1e9 / (System.nanoTime() - begin);
  }
}
