package dev.riposte;

import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A client for all services of one address. One is enough for a process; it may be used by any
 * number of threads.
 *
 * <p>Every call has a deadline and is repeated on UNAVAILABLE, as the service configuration says;
 * every write gets a request id if it has none, so that repeating it is safe. A deadline of the
 * caller, of a stub or of the current {@link io.grpc.Context}, wins. Whatever fails is thrown as
 * {@link RiposteException}; calls of a closed client end with CANCELLED.
 */
public final class Riposte extends Services implements AutoCloseable {
  private final RequestIds requestIds;
  private final ManagedChannel transport;
  private final Channel channel;
  /** Those of AdminService; null if its address is not known. */
  private final ManagedChannel adminTransport;
  private final Channel adminChannel;

  private Riposte(Options options) {
    requestIds = new RequestIds();
    transport = Channels.open(options.target, options);
    Outgoing outgoing = new Outgoing(options.token, requestIds, transport::isShutdown);
    channel = ClientInterceptors.intercept(transport, outgoing);
    adminTransport = administration(options);
    if (options.token != null && options.insecureToken) {
      System.getLogger("dev.riposte").log(Level.WARNING, "the token may cross in plaintext: insecureToken is set");
    }
    adminChannel = adminTransport == null ? null : ClientInterceptors.intercept(adminTransport, outgoing);
  }

  private ManagedChannel administration(Options options) {
    String target = options.administration();
    try {
      return target == null ? null : Channels.open(target, options);
    } catch (RiposteException refused) {
      transport.shutdownNow();
      throw refused;
    }
  }

  private Riposte(Riposte shared, ClientInterceptor... interceptors) {
    requestIds = shared.requestIds;
    transport = shared.transport;
    channel = ClientInterceptors.intercept(shared.channel, interceptors);
    adminTransport = shared.adminTransport;
    adminChannel = adminTransport == null ? null : ClientInterceptors.intercept(shared.adminChannel, interceptors);
  }

  /**
   * A client by the environment; see {@link Options#fromEnv}. Nothing is dialled before the first
   * call.
   *
   * @return a new client
   * @throws RiposteException INVALID_ARGUMENT if a variable is unusable
   */
  public static Riposte fromEnv() {
    return connect(Options.fromEnv());
  }

  /**
   * A client for one address, without a token; see {@link Options#target}. Nothing is dialled
   * before the first call.
   *
   * @param target the address
   * @return a new client
   * @throws RiposteException INVALID_ARGUMENT if the address is none
   */
  public static Riposte connect(String target) {
    return connect(new Options().target(target));
  }

  /**
   * A client as the options say. Nothing is dialled before the first call.
   *
   * @param options the options
   * @return a new client
   * @throws RiposteException INVALID_ARGUMENT if an option is unusable
   */
  public static Riposte connect(Options options) {
    return new Riposte(options);
  }

  /**
   * This client with interceptors of the caller around each call, for example to add metadata or to
   * trace. It shares the connection with this one; closing either closes both.
   *
   * @param interceptors the interceptors; the last one is called first
   * @return a client beside this one
   */
  public Riposte with(ClientInterceptor... interceptors) {
    return new Riposte(this, interceptors);
  }

  /**
   * Waits until there is a connection.
   *
   * @param timeout how long at most
   * @throws RiposteException UNAVAILABLE if there is none by then, CANCELLED once the client is
   *     closed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void waitReady(Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    ConnectivityState state = transport.getState(true);
    while (state != ConnectivityState.READY) {
      CountDownLatch changed = new CountDownLatch(1);
      transport.notifyWhenStateChanged(state, changed::countDown);
      if (isClosed() || !changed.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        String said = "no connection to " + transport.authority() + " within " + timeout.toMillis() + " ms";
        Status why = isClosed() ? Outgoing.CLOSED : Status.UNAVAILABLE.withDescription(said);
        throw RiposteException.from(why.asRuntimeException());
      }
      state = transport.getState(true);
    }
  }

  /**
   * The request ids of this client, for a caller that keeps the id of a write itself.
   *
   * @return the ids
   */
  public RequestIds requestIds() {
    return requestIds;
  }

  /**
   * The channel under all services but AdminService, for stubs of any kind: it adds what this
   * client adds.
   */
  @Override
  public Channel channel() {
    return channel;
  }

  /** The channel to AdminService, likewise. */
  @Override
  public Channel adminChannel() {
    Channels.refuseIf(adminChannel == null, "the address of AdminService is not known beside a target that is not the "
        + "default: set adminTarget (RIPOSTE_ADMIN_TARGET)");
    return adminChannel;
  }

  @Override
  boolean isClosed() {
    return transport.isShutdown();
  }

  /**
   * Closes the connection at once. Calls under way and later ones fail with CANCELLED, and watches
   * end.
   */
  @Override
  public void close() {
    transport.shutdownNow();
    if (adminTransport != null) {
      adminTransport.shutdownNow();
    }
  }
}
