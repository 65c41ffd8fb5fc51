package dev.riposte.conformance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Leads connections from a port of this machine to a server; shut, it ends them at once. */
final class Gate implements AutoCloseable {
  private final ServerSocket listener;
  private String host;
  private int port;
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private final Set<Socket> live = ConcurrentHashMap.newKeySet();
  private boolean shut;
  private int ended;

  Gate(String target) throws IOException {
    open(target);
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

  /** Leads connections again, to this server. */
  synchronized void open(String target) {
    host = target.substring(0, target.lastIndexOf(':'));
    port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    open();
  }

  /** Whether a client has sent this text. */
  boolean saw(String text) {
    return sent.toString(StandardCharsets.ISO_8859_1).contains(text);
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
    start(() -> copy(client, server, sent));
    start(() -> copy(server, client, OutputStream.nullOutputStream()));
  }

  private static void copy(Socket from, Socket to, OutputStream kept) {
    try {
      byte[] part = new byte[1 << 16];
      for (int read; (read = from.getInputStream().read(part)) >= 0; ) {
        kept.write(part, 0, read);
        to.getOutputStream().write(part, 0, read);
      }
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
