package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.riposte.v1.AdminServiceProto;
import dev.riposte.v1.CommentServiceProto;
import dev.riposte.v1.EventServiceProto;
import dev.riposte.v1.LikeServiceProto;
import dev.riposte.v1.ModerationServiceProto;
import dev.riposte.v1.PolicyServiceProto;
import dev.riposte.v1.ReplyServiceProto;
import dev.riposte.v1.ReportServiceProto;
import dev.riposte.v1.SubjectServiceProto;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ContractTest {
  static Stream<MethodDescriptor> methods() {
    return Stream.of(AdminServiceProto.getDescriptor(), CommentServiceProto.getDescriptor(),
            EventServiceProto.getDescriptor(), LikeServiceProto.getDescriptor(), ModerationServiceProto.getDescriptor(), PolicyServiceProto.getDescriptor(), ReplyServiceProto.getDescriptor(),
            ReportServiceProto.getDescriptor(), SubjectServiceProto.getDescriptor())
        .flatMap(file -> file.getServices().stream())
        .map(ServiceDescriptor::getMethods)
        .flatMap(List::stream);
  }

  private static String path(MethodDescriptor method) {
    return method.getService().getFullName() + "/" + method.getName();
  }

  private static Map<?, ?> rule(MethodDescriptor method) {
    Map<String, String> name = Map.of("service", method.getService().getFullName(), "method", method.getName());
    List<Map<?, ?>> found = ((List<?>) Contract.SERVICE_CONFIG.get("methodConfig")).stream()
        .<Map<?, ?>>map(rule -> (Map<?, ?>) rule)
        .filter(rule -> ((List<?>) rule.get("name")).contains(name))
        .toList();
    assertEquals(1, found.size(), () -> "rules of " + name);
    return found.get(0);
  }

  @ParameterizedTest
  @MethodSource("methods")
  void everyMethodHasOneRuleAndAUnaryOneADeadline(MethodDescriptor method) {
    boolean streams = method.isClientStreaming() || method.isServerStreaming();
    assertEquals(!streams, Contract.DEADLINES_MS.containsKey(path(method)));
    assertNull(rule(method).get("timeout"), "gRPC would cut a longer deadline of the caller");
  }

  @ParameterizedTest
  @MethodSource("methods")
  void onlyWhatReadsOrHasARequestIdIsRepeatedAndOnlyWhenUnavailable(MethodDescriptor method) {
    Map<?, ?> policy = (Map<?, ?>) rule(method).get("retryPolicy");
    if (policy == null) {
      return;
    }
    assertEquals(List.of("UNAVAILABLE"), policy.get("retryableStatusCodes"));
    boolean reads = method.getName().matches("(Get|List|BatchGet|BatchList|Check).*");
    assertTrue(reads || method.getInputType().findFieldByName("request_id") != null, method.getFullName());
    assertNotNull(Contract.DEADLINES_MS.get(path(method)));
  }
}
