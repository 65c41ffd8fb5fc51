package dev.riposte.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Leads connections from a port of this machine to a server; shut, it ends them at once. */
final class Gate implements AutoCloseable {
  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final Set<Socket> live = ConcurrentHashMap.newKeySet();
  private boolean shut;
  private int ended;

  Gate(String target) throws IOException {
    host = target.substring(0, target.lastIndexOf(':'));
    port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String target() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** How many connections were ended at once. */
  synchronized int ended() {
    return ended;
  }

  /** Ends all connections, and each new one at once. */
  synchronized void shut() {
    shut = true;
    live.forEach(Gate::end);
    live.clear();
  }

  /** Leads connections again. */
  synchronized void open() {
    shut = false;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    shut();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        lead(listener.accept());
      } catch (IOException closed) {
        // The loop ends with the listener.
      }
    }
  }

  private synchronized void lead(Socket client) throws IOException {
    if (shut) {
      ended++;
      client.close();
      return;
    }
    Socket server = new Socket(host, port);
    live.add(client);
    live.add(server);
    start(() -> copy(client, server));
    start(() -> copy(server, client));
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException gone) {
      // One side is gone, and the other follows.
    }
    end(from);
    end(to);
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void start(Runnable what) {
    Thread thread = new Thread(what);
    thread.setDaemon(true);
    thread.start();
  }
}
