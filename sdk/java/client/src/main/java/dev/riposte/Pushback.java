package dev.riposte;

import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;

/**
 * Keeps the retries to the service configuration. A server that is overloaded tells in its trailers
 * when to come again, for callers to read; gRPC in Java, unlike in other languages, takes that for
 * an order to repeat a call whose code the configuration does not name.
 */
final class Pushback extends ClientStreamTracer.Factory {
  private static final Metadata.Key<String> WAIT = Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<com.google.rpc.Status> STATUS = Metadata.Key.of(
      "grpc-status-details-bin", ProtoUtils.metadataMarshaller(com.google.rpc.Status.getDefaultInstance()));

  @Override
  public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
    return new ClientStreamTracer() {
      @Override
      public void inboundTrailers(Metadata trailers) {
        com.google.rpc.Status status = trailers.get(WAIT) == null ? null : trailers.get(STATUS);
        if (status != null && status.getCode() == Status.Code.RESOURCE_EXHAUSTED.value()) {
          trailers.discardAll(WAIT);
        }
      }
    };
  }
}
