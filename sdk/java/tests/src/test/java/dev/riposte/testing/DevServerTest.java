package dev.riposte.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.Errors;
import dev.riposte.Riposte;
import dev.riposte.v1.AdminServiceGrpc;
import dev.riposte.v1.ImportCommentsRequest;
import dev.riposte.v1.ImportItem;
import dev.riposte.v1.ImportOutcome;
import dev.riposte.v1.ImportedSubject;
import dev.riposte.v1.SubjectKey;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RiposteExtension.class)
class DevServerTest {
  @Test
  void testsOfAClassShareAServerAndOthersAreApart(DevServer shared, Riposte client) {
    client.subject("article", "1").comment("m1", "Hi");
    try (DevServer own = DevServer.start(); Riposte other = own.connect()) {
      assertNotEquals(shared.target(), own.target());
      assertEquals(0, other.subject("article", "1").get().getSubject().getRootCount());
      assertEquals(1, client.subject("article", "1").get().getSubject().getRootCount());
    }
  }

  @Test
  void aServerThatWasClosedIsGone() {
    DevServer server = DevServer.start();
    try (Riposte client = server.connect()) {
      client.subject("article", "1").get();
      server.close();
      assertThrows(Errors.Unavailable.class, () -> client.subject("article", "1").get());
    }
  }

  @Test
  void closingAClientEndsItsWatches(DevServer server) throws Exception {
    Riposte client = server.connect();
    var subject = client.subject("article", "watched");
    subject.comment("m1", "first");
    long revision = subject.get().getSubject().getRevision();
    subject.comment("m1", "second");
    try (var watch = subject.watch(revision)) {
      assertEquals(revision, watch.next().getOpened().getRevision());
      assertEquals(revision + 1, watch.next().getChange().getRevision());
      CompletableFuture<Boolean> more = CompletableFuture.supplyAsync(watch::hasNext);
      client.close();
      assertFalse(more.get(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void anImportIsMadeByAStubOfTheAdministrationsChannel(Riposte client) throws Exception {
    var subject = ImportedSubject.newBuilder()
        .setKey(SubjectKey.newBuilder().setObjectType("article").setObjectId("imported"));
    var item = ImportItem.newBuilder().setSource("old").setExternalId("1").setSubject(subject);
    var call = AdminServiceGrpc.newBlockingV2Stub(client.adminChannel()).importComments();
    call.write(ImportCommentsRequest.newBuilder().setItem(item).build());
    call.halfClose();
    assertEquals(ImportOutcome.IMPORT_OUTCOME_CREATED, call.read().getOutcome());
    assertNull(call.read());
    assertEquals(0, client.subject("article", "imported").get().getSubject().getRootCount());
  }

  /** A process that starts a server, tells where it listens, and waits. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] arguments) throws Exception {
      System.out.println(DevServer.start().target());
      System.in.read();
    }
  }

  @Test
  void aServerEndsWithAProcessThatIsKilled() throws Exception {
    Process owner = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp", System.getProperty("java.class.path"), Owner.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    String target = owner.inputReader().readLine();
    owner.destroyForcibly();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try (Riposte client = Riposte.connect(target)) {
      while (true) {
        client.subject("article", "1").get();
        assertTrue(System.nanoTime() < end, "the server outlives its owner");
      }
    } catch (Errors.Unavailable gone) {
      assertTrue(gone.isRetryable());
    }
  }

  @Test
  void aBinaryThatIsNotThereOrEndsIsTold(@TempDir Path folder) throws Exception {
    var absent = assertThrows(UncheckedIOException.class, () -> DevServer.start(folder.resolve("riposte")));
    assertTrue(absent.getMessage().contains(DevServer.BINARY));
    Path broken = folder.resolve("broken");
    Files.createFile(broken, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.writeString(broken, "#!/bin/sh\necho the disk is full >&2\nexit 3\n");
    var ended = assertThrows(IllegalStateException.class, () -> DevServer.start(broken));
    assertTrue(ended.getMessage().contains("ended with 3") && ended.getMessage().contains("the disk is full"));
  }
}
