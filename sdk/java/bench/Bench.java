import com.sun.management.OperatingSystemMXBean;
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
import java.util.Locale;
import java.util.concurrent.Semaphore;

/**
 * Calls per second of one client beside those of the bare generated stub, at the server that
 * RIPOSTE_TARGET names. {@code cargo xtask bench sdk} runs it; docs/benchmarks/sdk.md says what the
 * figures mean.
 *
 * <p>{@code first} makes one call, from nothing; {@code ROUNDS SECONDS} measures both by turns and
 * prints a line of JSON for each way to call.
 */
public final class Bench {
  private static final GetSubjectRequest REQUEST = GetSubjectRequest.newBuilder()
      .setKey(SubjectKey.newBuilder().setObjectType("article").setObjectId("42"))
      .build();

  private Bench() {}

  public static void main(String[] arguments) throws InterruptedException {
    Riposte client = Riposte.fromEnv();
    client.waitReady(Duration.ofSeconds(30));
    if (arguments[0].equals("first")) {
      client.subject("article", "42").get();
      System.out.println("answered");
    } else {
      int rounds = Integer.parseInt(arguments[0]);
      double seconds = Double.parseDouble(arguments[1]);
      ManagedChannel bare = ManagedChannelBuilder.forTarget(System.getenv("RIPOSTE_TARGET")).usePlaintext().build();
      for (int inFlight : new int[] {1, 64}) {
        compare(new Channel[] {client.channel(), bare}, inFlight, rounds, seconds);
      }
      bare.shutdownNow();
    }
    client.close();
  }

  /** Lets the sides take turns and changes who begins; the first round warms both up. */
  private static void compare(Channel[] sides, int inFlight, int rounds, double seconds) throws InterruptedException {
    double[][] rates = new double[2][rounds];
    double[][] costs = new double[2][rounds];
    double[] ratios = new double[rounds];
    for (int round = -1; round < rounds; round++) {
      for (int turn = 0; turn < 2; turn++) {
        int side = (turn + round + 1) % 2;
        double[] measured = measure(sides[side], inFlight, seconds);
        if (round >= 0) {
          rates[side][round] = measured[0];
          costs[side][round] = measured[1];
        }
      }
      if (round >= 0) {
        ratios[round] = rates[0][round] / rates[1][round];
      }
    }
    String form = "{\"how\": \"%d in flight\", \"client\": %f, \"client_us\": %f, \"stub\": %f, \"stub_us\": %f, \"ratio\": %f}%n";
    System.out.printf(Locale.ROOT, form, inFlight, median(rates[0]), median(costs[0]), median(rates[1]), median(costs[1]),
        median(ratios));
  }

  /** Calls per second, and microseconds of this process's processor time for each. */
  private static double[] measure(Channel channel, int inFlight, double seconds) throws InterruptedException {
    long begin = System.nanoTime();
    long used = processor();
    long calls = inFlight == 1 ? oneByOne(channel, begin, seconds) : atOnce(channel, inFlight, begin, seconds);
    return new double[] {calls * 1e9 / (System.nanoTime() - begin), (processor() - used) / 1e3 / calls};
  }

  private static long oneByOne(Channel channel, long begin, double seconds) {
    var stub = SubjectServiceGrpc.newBlockingStub(channel);
    long calls = 0;
    for (; System.nanoTime() - begin < seconds * 1e9; calls++) {
      stub.getSubject(REQUEST);
    }
    return calls;
  }

  private static long atOnce(Channel channel, int inFlight, long begin, double seconds) throws InterruptedException {
    var stub = SubjectServiceGrpc.newFutureStub(channel);
    Semaphore free = new Semaphore(inFlight);
    long calls = 0;
    for (; System.nanoTime() - begin < seconds * 1e9; calls++) {
      free.acquire();
      stub.getSubject(REQUEST).addListener(free::release, Runnable::run);
    }
    free.acquire(inFlight);
    return calls;
  }

  /** The processor time that this process has used, in nanoseconds. */
  private static long processor() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
