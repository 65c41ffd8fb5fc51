package example.comments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.riposte.testing.DevServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The routes, on a real server. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class CommentsTest {
  private static final DevServer SERVER = DevServer.start();
  private static final HttpClient BROWSER = HttpClient.newHttpClient();

  @Value("${local.server.port}")
  private int port;

  @DynamicPropertySource
  static void properties(DynamicPropertyRegistry properties) {
    properties.add("riposte.target", SERVER::target);
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private HttpResponse<String> call(String method, String path, String member, String body)
      throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .method(method, BodyPublishers.ofString(body))
        .header("content-type", "application/json")
        .header("x-member", member)
        .build();
    return BROWSER.send(request, BodyHandlers.ofString());
  }

  @Test
  void aNewCommentIsListedWithItsReplyAndTheLikeOfItsReader() throws Exception {
    String made = call("POST", "/videos/1/comments", "ann", "{\"text\": \"Hello\"}").body();
    var found = Pattern.compile("\"id\":\"(\\d+)\"").matcher(made);
    assertTrue(found.find(), made);
    String comment = "/comments/" + found.group(1);
    assertEquals(200, call("POST", comment + "/replies", "bob", "{\"text\": \"Welcome\"}").statusCode());
    assertEquals("{\"likeCount\":1}", call("PUT", comment + "/like", "bob", "").body());
    String page = call("GET", "/videos/1/comments", "bob", "").body();
    assertTrue(page.contains("\"text\":\"Hello\"") && page.contains("\"text\":\"Welcome\""), page);
    assertTrue(page.contains("\"id\":\"" + found.group(1) + "\"") && page.contains("\"liked\":true"), page);
    assertEquals(200, call("DELETE", comment, "ann", "").statusCode());
  }

  @Test
  void errorsAreMessagesForReaders() throws Exception {
    var refused = call("POST", "/videos/1/comments", "ann", "{\"text\": \"" + "x".repeat(5001) + "\"}");
    assertEquals(400, refused.statusCode());
    assertEquals("{\"detail\":\"Your comment has 5001 characters, and the limit is 5000.\"}", refused.body());
    String made = call("POST", "/videos/1/comments", "ann", "{\"text\": \"Mine\"}").body();
    var found = Pattern.compile("\"id\":\"(\\d+)\"").matcher(made);
    assertTrue(found.find(), made);
    isRefused(call("DELETE", "/comments/" + found.group(1), "bob", ""), "You may not do this.");
    isRefused(
        call("GET", "/videos/1/comments?page_token=old", "bob", ""), "This list is too old. Please load the page again.");
    isRefused(call("POST", "/videos/1/comments", "bob", "{\"text\": \" \"}"), "Please write something first.");
    isRefused(call("PUT", "/comments/-1/like", "bob", ""), "This is not possible.");
  }

  private static void isRefused(HttpResponse<String> answer, String detail) {
    assertEquals(400, answer.statusCode());
    assertEquals("{\"detail\":\"" + detail + "\"}", answer.body());
  }
}
