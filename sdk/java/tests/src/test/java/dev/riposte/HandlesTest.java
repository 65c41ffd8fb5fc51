package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.testing.RiposteExtension;
import dev.riposte.v1.BatchGetLikeStatesRequest;
import dev.riposte.v1.BatchGetLikeStatesResponse;
import dev.riposte.v1.Comment;
import dev.riposte.v1.CommentServiceGrpc;
import dev.riposte.v1.CommentState;
import dev.riposte.v1.CommentThread;
import dev.riposte.v1.DeletedBy;
import dev.riposte.v1.GetModeratedCommentsRequest;
import dev.riposte.v1.Grounds;
import dev.riposte.v1.LikeServiceGrpc;
import dev.riposte.v1.LikeState;
import dev.riposte.v1.LikeValue;
import dev.riposte.v1.ListCommentsRequest;
import dev.riposte.v1.ListCommentsResponse;
import dev.riposte.v1.ListUnlistedCommentsRequest;
import dev.riposte.v1.ModerationAction;
import dev.riposte.v1.SubmitVerdictsRequest;
import dev.riposte.v1.VerdictTarget;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RiposteExtension.class)
class HandlesTest {
  @Test
  void aWrongViewerIsToldAtTheCall(Riposte client) {
    Handles.Subject full = client.subject("article", "viewed");
    long id = full.comment("m7", "Hi").getId();
    for (String viewer : List.of("", "m".repeat(65), "é".repeat(33), "m\t1", "m\u00851", "\ud83d")) {
      // What does not exist is never asked for.
      List<org.junit.jupiter.api.function.Executable> calls = List.of(
          () -> client.subject("article", "absent").page(options -> options.viewer(viewer)),
          () -> client.comment(1).page(options -> options.viewer(viewer)),
          () -> full.page(options -> options.viewer(viewer)),
          () -> client.commentsById(List.of(id), viewer));
      for (org.junit.jupiter.api.function.Executable call : calls) {
        RiposteException failure = assertThrows(Errors.InvalidArgument.class, call);
        assertEquals(List.of("viewer"), failure.violations().stream().map(Violation::field).toList());
        assertTrue(failure.requestId().isEmpty());
      }
    }
  }

  @Test
  void aPageHasHandlesItsCursorAndWhatItsViewerLikes(Riposte client) {
    Handles.Subject subject = client.subject("article", "paged");
    assertTrue(subject.ensure());
    assertFalse(subject.ensure());
    List<Handles.Comment> roots = Stream.of("0", "1", "2").map(text -> subject.comment("m7", text)).toList();
    Handles.Comment reply = client.comment(roots.get(0).getId()).reply("m8", "Welcome");
    client.comment(reply.getId()).like("m9");
    roots.get(0).dislike("m9");
    UnaryOperator<Handles.Subject.PageOptions> two = options -> options.sort(Sort.OLDEST).pageSize(2);
    Handles.ThreadPage page = subject.page(options -> two.apply(options).replyPreviewSize(1).viewer("m9"));
    assertEquals(List.of(LikeValue.LIKE_VALUE_DISLIKE, LikeValue.LIKE_VALUE_NONE),
        page.threads().stream().map(thread -> thread.comment().ownLike()).toList());
    assertEquals(LikeValue.LIKE_VALUE_LIKE, page.threads().get(0).replies().get(0).ownLike());
    Handles.ThreadPage last = subject.page(options -> two.apply(options).pageToken(page.getNextPageToken()));
    assertEquals(List.of(roots.get(2).getId()), last.threads().stream().map(thread -> thread.comment().getId()).toList());
    assertEquals(LikeValue.LIKE_VALUE_UNSPECIFIED, last.threads().get(0).comment().ownLike());
    UnaryOperator<Handles.Subject.PageOptions> one = options -> options.sort(Sort.OLDEST).pageSize(1).minRevision(page.getSubjectRevision());
    for (Handles.ThreadPage around : List.of(
        subject.page(options -> one.apply(options).aroundCommentId(roots.get(2).getId())),
        subject.page(options -> one.apply(options).aroundFloor(roots.get(2).getFloor())))) {
      assertTrue(around.threads().stream().anyMatch(thread -> thread.comment().getId() == roots.get(2).getId()));
      assertFalse(around.getPreviousPageToken().isEmpty());
    }
    Handles.ReplyPage replies = client.comment(roots.get(0).getId())
        .page(options -> options.sort(Handles.ReplySort.TOP).viewer("m9"));
    assertEquals(List.of(LikeValue.LIKE_VALUE_LIKE), replies.replies().stream().map(Handles.Comment::ownLike).toList());

    List<Object> handed = List.of(roots.get(2), roots.get(1).message(), reply, roots.get(2).message());
    List<Handles.Comment> above = page.withJustMade(handed).stream().map(Handles.Thread::comment).toList();
    assertEquals(List.of(roots.get(2).getId(), roots.get(1).getId(), roots.get(0).getId()),
        above.stream().map(Handles.Comment::getId).toList());
    assertEquals(List.of(LikeValue.LIKE_VALUE_UNSPECIFIED, LikeValue.LIKE_VALUE_NONE, LikeValue.LIKE_VALUE_DISLIKE),
        above.stream().map(Handles.Comment::ownLike).toList());
    assertThrows(Errors.InvalidArgument.class, () -> page.withJustMade(List.of("1")));
    assertThrows(Errors.InvalidArgument.class, () -> page.withJustMade(java.util.Collections.singletonList(null)));
    assertThrows(Errors.InvalidArgument.class, () -> page.withJustMade(null));
    assertThrows(Errors.InvalidArgument.class, () -> client.commentsById(null));
    assertThrows(Errors.InvalidArgument.class, () -> client.commentsById(java.util.Collections.singletonList(null)));
    assertEquals(1, client.commentsById(List.of(reply.getId()), null).size());
    assertEquals(2, page.threads().size());
    assertEquals(List.of(), last.withJustMade(handed));
    assertEquals(1, subject.memberLikesPage("m9", options -> options.pageSize(1)).getLikesCount());
  }

  @Test
  void whatIsUnlistedStandsAboveTheFirstPageOfItsAuthor(Riposte client) {
    Handles.Subject subject = client.subject("article", "unlisted");
    Handles.Comment comment = subject.comment("m7", "waits");
    var seen = client.moderation().getModeratedComments(
        GetModeratedCommentsRequest.newBuilder().addIds(comment.getId()).build());
    client.moderation().submitVerdicts(SubmitVerdictsRequest.newBuilder()
        .setAction(ModerationAction.MODERATION_ACTION_WITHHOLD)
        .setGrounds(Grounds.newBuilder().setCode("to-be-checked"))
        .addTargets(VerdictTarget.newBuilder().setCommentId(comment.getId()).setEtag(seen.getComments(0).getEtag()))
        .setModeratorId("mod").build());
    var unlisted = client.comments().listUnlistedComments(ListUnlistedCommentsRequest.newBuilder()
        .setSubject(comment.message().getSubject()).setMemberId("m7").build());
    Handles.ThreadPage page = subject.page(options -> options.pageSize(1));
    assertEquals(List.of(), page.threads());
    List<Handles.Thread> above = page.withJustMade(unlisted.getCommentsList());
    assertEquals(List.of(comment.getId()), above.stream().map(thread -> thread.comment().getId()).toList());
    assertEquals(CommentState.COMMENT_STATE_PENDING, above.get(0).comment().getState());
  }

  @Test
  void aModeratorHidesShowsAndDeletes(Riposte client) {
    Handles.Comment comment = client.subject("article", "moderated").comment("m7", "Hi");
    assertEquals(CommentState.COMMENT_STATE_HIDDEN, comment.hide("mod", "spam").getComment().getState());
    assertEquals(CommentState.COMMENT_STATE_ACTIVE, comment.unhide("mod", "fine").getComment().getState());
    assertEquals(DeletedBy.DELETED_BY_MODERATOR, comment.moderatorDelete("mod", "spam").getComment().getDeletedBy());
    assertEquals(List.of(), client.member("article", "nobody").page().comments());
  }

  @Test
  void aWrongTextIsToldAtTheCall(Riposte client) {
    assertThrows(Errors.InvalidArgument.class, () -> client.subject("article", "\ud83d").comments());
  }

  @Test
  void idsAreTextsInJson(Riposte client) {
    Handles.Comment comment = client.subject("article", "json").comment("m7", "Hi \"there\"");
    String written = Json.of(comment.message());
    assertTrue(written.contains("\"id\":\"" + comment.getId() + "\""), written);
    assertTrue(written.contains("\"rootId\":\"0\""), written);
    assertTrue(written.contains("\"likeCount\":0"), written);
    assertTrue(written.contains("\"Hi \\\"there\\\"\""), written);
  }

  @Test
  void ownLikesThatCannotBeAskedAreUnknown() throws Exception {
    ConcurrentLinkedQueue<Integer> asked = new ConcurrentLinkedQueue<>();
    var comments = new CommentServiceGrpc.CommentServiceImplBase() {
      @Override
      public void listComments(ListCommentsRequest request, StreamObserver<ListCommentsResponse> answer) {
        ListCommentsResponse.Builder page = ListCommentsResponse.newBuilder();
        for (int at = 0; at < 60; at++) {
          CommentThread.Builder thread = page.addThreadsBuilder();
          thread.getCommentBuilder().setId(at * 11 + 1);
          int first = at * 11 + 2;
          IntStream.range(first, first + 10).forEach(id -> thread.addRepliesBuilder().setId(id));
        }
        answer.onNext(page.build());
        answer.onCompleted();
      }
    };
    var likes = new LikeServiceGrpc.LikeServiceImplBase() {
      @Override
      public void batchGetLikeStates(BatchGetLikeStatesRequest request, StreamObserver<BatchGetLikeStatesResponse> answer) {
        asked.add(request.getCommentIdsCount());
        if (request.getCommentIdsCount() > 60) {
          answer.onError(Status.INTERNAL.asRuntimeException());
          return;
        }
        BatchGetLikeStatesResponse.Builder states = BatchGetLikeStatesResponse.newBuilder();
        request.getCommentIdsList().forEach(id ->
            states.addStates(LikeState.newBuilder().setCommentId(id).setValue(LikeValue.LIKE_VALUE_LIKE)));
        answer.onNext(states.build());
        answer.onCompleted();
      }
    };
    Server server = Recorder.loopback(InsecureServerCredentials.create(), comments, likes).build().start();
    try (Riposte client = Riposte.connect("127.0.0.1:" + server.getPort())) {
      List<LikeValue> told = new ArrayList<>();
      client.subject("article", "1").page(options -> options.viewer("m9")).threads()
          .forEach(thread -> told.add(thread.comment().ownLike()));
      assertEquals(55, told.indexOf(LikeValue.LIKE_VALUE_LIKE));
      assertEquals(60, told.size());
      assertEquals(List.of(60, 200, 200, 200), asked.stream().sorted().toList());
    } finally {
      server.shutdownNow();
    }
  }
}
