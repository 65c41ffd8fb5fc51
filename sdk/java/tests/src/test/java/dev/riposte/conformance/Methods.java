package dev.riposte.conformance;

import com.google.protobuf.Message;
import dev.riposte.Pages;
import dev.riposte.Riposte;
import dev.riposte.Watch;
import io.grpc.Deadline;
import io.grpc.stub.AbstractBlockingStub;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/** The methods of the contract by their names, through what a client offers to its user. */
record Methods(Riposte client) {
  /** One unary call, by the stub of its service. */
  Message call(String name, Object request, Deadline deadline) {
    AbstractBlockingStub<?> stub = stub(name);
    return (Message) run(deadline == null ? stub : stub.withDeadline(deadline), name, request);
  }

  /** All answers of a call, by the stub of its service. */
  List<Object> stream(String name, Object request) {
    List<Object> answers = new ArrayList<>();
    ((Iterator<?>) run(stub(name), name, request)).forEachRemaining(one -> answers.add(Json.print((Message) one)));
    return answers;
  }

  private AbstractBlockingStub<?> stub(String name) {
    String service = name.substring(0, name.indexOf('.'));
    return (AbstractBlockingStub<?>) invoke(client,
        find(Riposte.class, name, method -> method.getReturnType().getSimpleName().equals(service)));
  }

  /** A walk over a list. */
  Pages<?, ?> list(String name, Object request) {
    return (Pages<?, ?>) run(client, name, request);
  }

  /** A stream that resumes. */
  Watch<?> watch(String name, Object request) {
    return (Watch<?>) run(client, name, request);
  }

  private static Object run(Object target, String name, Object request) {
    String wanted = name.substring(name.indexOf('.') + 1);
    Method method = find(target.getClass(), name, one -> one.getName().equalsIgnoreCase(wanted)
        && one.getParameterCount() == 1 && Message.class.isAssignableFrom(one.getParameterTypes()[0]));
    Message none = (Message) com.google.protobuf.Internal.getDefaultInstance(
        method.getParameterTypes()[0].asSubclass(Message.class));
    return invoke(target, method, Json.parse(request, none));
  }

  private static Method find(Class<?> type, String name, Predicate<Method> wanted) {
    return Arrays.stream(type.getMethods()).filter(wanted).findFirst()
        .orElseThrow(() -> new AssertionError(type.getSimpleName() + " has no " + name));
  }

  private static Object invoke(Object target, Method method, Object... arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(thrown.getCause());
    } catch (IllegalAccessException hidden) {
      throw new AssertionError(hidden);
    }
  }
}
