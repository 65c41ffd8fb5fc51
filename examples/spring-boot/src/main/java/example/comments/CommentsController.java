package example.comments;

import static dev.riposte.Sort.HOT;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.riposte.Json;
import dev.riposte.Riposte;
import dev.riposte.RiposteException;
import dev.riposte.v1.LikeValue;
import io.grpc.Status.Code;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Comments of a video as JSON. The header {@code x-member} stands for your session: a browser
 * cannot be trusted with it.
 */
@RestController
@RequestMapping(produces = "application/json")
class CommentsController {
  private static final Logger LOG = LoggerFactory.getLogger(CommentsController.class);
  private static final String GONE = "This comment is not there any more.";
  /** The errors on which a reader can act, by their reason or by the field at fault. */
  private static final Map<String, String> MESSAGES = Map.of(
      "CONTENT_TOO_LONG", "Your comment has {actual} characters, and the limit is {limit}.",
      "CONTENT_BLOCKED", "This text is not allowed.",
      "content.text", "Please write something first.",
      "page_token", "This list is too old. Please load the page again.",
      "RATE_LIMITED", "You write too fast. Please wait a moment.",
      "MEMBER_NOT_ALLOWED", "You may not do this.",
      "COMMENT_NOT_FOUND", GONE,
      "COMMENT_UNAVAILABLE", GONE,
      "PARENT_UNAVAILABLE", GONE);

  /** Another try does not change a refusal. All else is a failure, after which it may succeed. */
  private static final Set<Code> REFUSALS =
      Set.of(Code.INVALID_ARGUMENT, Code.NOT_FOUND, Code.PERMISSION_DENIED, Code.FAILED_PRECONDITION);

  private final Riposte riposte;

  CommentsController(Riposte riposte) {
    this.riposte = riposte;
  }

  record NewText(String text) {}

  record ThreadView(@JsonRawValue String thread, boolean liked) {}

  record PageView(List<ThreadView> threads, String next) {}

  @GetMapping("/videos/{video}/comments")
  PageView list(
      @PathVariable String video,
      @RequestParam(name = "page_token", defaultValue = "") String token,
      @RequestHeader(name = "x-member", required = false) String member) {
    var page = riposte.subject("video", video)
        .page(o -> o.sort(HOT).pageSize(20).replyPreviewSize(3).pageToken(token).viewer(member));
    // Json writes ids as texts, which a browser does not round.
    var threads = page.threads().stream().map(thread -> new ThreadView(
        Json.of(thread.message()), thread.comment().ownLike() == LikeValue.LIKE_VALUE_LIKE));
    return new PageView(threads.toList(), page.getNextPageToken());
  }

  @PostMapping("/videos/{video}/comments")
  String create(@PathVariable String video, @RequestHeader("x-member") String member, @RequestBody NewText body) {
    return Json.of(riposte.subject("video", video).comment(member, body.text()).message());
  }

  @PostMapping("/comments/{id}/replies")
  String reply(@PathVariable long id, @RequestHeader("x-member") String member, @RequestBody NewText body) {
    return Json.of(riposte.comment(id).reply(member, body.text()).message());
  }

  @PutMapping("/comments/{id}/like")
  Map<String, Integer> like(@PathVariable long id, @RequestHeader("x-member") String member) {
    return Map.of("likeCount", riposte.comment(id).like(member).getLikeCount());
  }

  @DeleteMapping("/comments/{id}")
  void delete(@PathVariable long id, @RequestHeader("x-member") String member) {
    riposte.comment(id).delete(member);
  }

  @ExceptionHandler
  ResponseEntity<Map<String, String>> failed(RiposteException error) {
    LOG.warn("{}", error.getMessage());
    Stream<String> keys = Stream.concat(Stream.of(error.reasonName()), error.violations().stream().map(at -> at.field()));
    Optional<String> known = keys.map(MESSAGES::get).filter(Objects::nonNull).findFirst();
    if (known.isEmpty() && !REFUSALS.contains(error.code())) {
      String later = "Comments do not work at the moment. Please try again.";
      return ResponseEntity.status(503).body(Map.of("detail", later));
    }
    String message = known.orElse("This is not possible.");
    for (var fact : error.metadata().entrySet()) {
      message = message.replace("{" + fact.getKey() + "}", fact.getValue());
    }
    return ResponseEntity.badRequest().body(Map.of("detail", message));
  }
}
