package dev.riposte.testing;

import dev.riposte.Riposte;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives the tests of a class a server of their own: {@code @ExtendWith(RiposteExtension.class)}. A
 * constructor, test or life-cycle method may then have a parameter {@link Riposte}, a client of it,
 * or {@link DevServer}. The server starts when it is first asked for and stops after the last test
 * of the class.
 */
public final class RiposteExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(RiposteExtension.class);

  /** Made by JUnit. */
  public RiposteExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Riposte.class || type == DevServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ExtensionContext owner = context;
    // The outermost class: nested ones share its server.
    while (owner.getParent().filter(parent -> parent.getTestClass().isPresent()).isPresent()) {
      owner = owner.getParent().get();
    }
    Running running = owner.getStore(NAMESPACE)
        .getOrComputeIfAbsent(Running.class, key -> new Running(DevServer.start()), Running.class);
    return parameter.getParameter().getType() == Riposte.class ? running.client : running.server;
  }

  /** A server and its client, closed by JUnit with the class. */
  private record Running(DevServer server, Riposte client) implements ExtensionContext.Store.CloseableResource {
    Running(DevServer server) {
      this(server, server.connect());
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }
}
