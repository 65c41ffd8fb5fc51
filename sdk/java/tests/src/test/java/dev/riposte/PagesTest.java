package dev.riposte;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Status;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class PagesTest {
  private record Page(String next, Integer... items) {}

  private final List<String> asked = new ArrayList<>();

  /**
   * Four pages, of which the second is empty and the third is refused when it is first asked for.
   */
  private Page read(String token) {
    asked.add(token);
    return switch (token) {
      case "" -> new Page("second", 1, 2);
      case "second" -> new Page("third");
      case "third" -> {
        if (asked.indexOf("third") == asked.size() - 1) {
          throw RiposteException.from(Status.INTERNAL.asRuntimeException());
        }
        yield new Page("fourth", 3);
      }
      default -> new Page("", 4);
    };
  }

  private final Pages<Page, Integer> pages = new Pages<>(this::read, Page::next, page -> List.of(page.items()));

  @Test
  void aWalkGoesOnByTokenUntilItIsEmptyAndStaysInPlaceWhenAPageFails() {
    Iterator<Integer> items = pages.iterator();
    assertEquals(List.of(), asked, "nothing is read before it is walked");
    assertEquals(1, items.next());
    assertEquals(2, items.next());
    assertEquals(List.of(""), asked, "one page at a time is read");
    assertThrows(Errors.Internal.class, items::next);
    assertEquals(3, items.next());
    assertEquals(4, items.next());
    assertFalse(items.hasNext());
    assertThrows(NoSuchElementException.class, items::next);
    assertEquals(List.of("", "second", "third", "third", "fourth"), asked);
  }

  @Test
  void theSameListIsWalkedAnewByPagesAndAsAStream() {
    asked.add("third"); // refused already
    List<String> tokens = new ArrayList<>();
    pages.pages().forEach(page -> tokens.add(page.next()));
    assertEquals(List.of("second", "third", "fourth", ""), tokens);
    assertEquals(List.of(1, 2, 3), pages.stream().limit(3).toList());
  }
}
