package example.comments;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Comments of videos as JSON, in Spring Boot. README.md says how to start it. */
@SpringBootApplication
public class CommentsApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(CommentsApplication.class, arguments);
  }
}
