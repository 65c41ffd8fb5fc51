package dev.riposte;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list, read page by page while it is walked; one page at a time is held. Each iterator begins
 * the walk anew. When a page cannot be read, the iterator throws {@link RiposteException} and stays
 * where it is: asking again asks for the same page.
 *
 * @param <P> a page
 * @param <T> an item
 */
public final class Pages<P, T> implements Iterable<T> {
  private final Function<String, P> read;
  private final Function<P, String> next;
  private final Function<P, List<T>> items;

  /**
   * @param read reads the page of a token; that of the empty token is the first
   * @param next the token after a page; empty after the last
   * @param items what stands on a page
   */
  Pages(Function<String, P> read, Function<P, String> next, Function<P, List<T>> items) {
    this.read = read;
    this.next = next;
    this.items = items;
  }

  /** The same list, with something made of each item. */
  <U> Pages<P, U> map(Function<T, U> make) {
    return new Pages<>(read, next, page -> items.apply(page).stream().map(make).toList());
  }

  /** Walks all items. */
  @Override
  public Iterator<T> iterator() {
    return new Items();
  }

  /**
   * Walks all items.
   *
   * @return the items, in order; sequential and lazy
   */
  public Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  /**
   * Walks the pages, with all that they tell beside their items.
   *
   * @return the pages, from the one that the request names to the last
   */
  public Iterable<P> pages() {
    return Walk::new;
  }

  private final class Walk implements Iterator<P> {
    /** The token of the next page; none after the last. */
    private Optional<String> token = Optional.of("");

    @Override
    public boolean hasNext() {
      return token.isPresent();
    }

    @Override
    public P next() {
      P page = read.apply(token.orElseThrow());
      token = Optional.of(next.apply(page)).filter(following -> !following.isEmpty());
      return page;
    }
  }

  private final class Items implements Iterator<T> {
    private final Walk walk = new Walk();
    private Iterator<T> page = Collections.emptyIterator();

    @Override
    public boolean hasNext() {
      // A page may be empty; only its token says the end.
      while (!page.hasNext() && walk.hasNext()) {
        page = items.apply(walk.next()).iterator();
      }
      return page.hasNext();
    }

    @Override
    public T next() {
      // Behind the last item, the iterator of the last page says that there is none.
      hasNext();
      return page.next();
    }
  }
}
