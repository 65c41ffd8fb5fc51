/** A request as a bag of its fields; a list's request has these two, by AIP-158. */
type ListRequest = Record<string, unknown> & { readonly pageToken?: string };
/** The answer of a list, by AIP-158. */
export type ListResponse = { readonly nextPageToken: string };

/**
 * A list, as a promise of one page, as its items, or as its pages, from the page that the request names to the end:
 *
 * ```ts
 * const page = await list;
 * for await (const item of list) …
 * for await (const page of list.pages()) …
 * ```
 *
 * Nothing is asked for before one of these is used, and one page at a time is held.
 */
export class Pages<Page extends ListResponse, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #ask: (request: ListRequest) => Promise<Page>;
  readonly #request: ListRequest;
  readonly #items: (page: Page) => Iterable<Item>;

  /** @internal */
  constructor(
    ask: (request: ListRequest) => Promise<Page>,
    request: ListRequest,
    items: (page: Page) => Iterable<Item>,
  ) {
    [this.#ask, this.#request, this.#items] = [ask, request, items];
  }

  /** The page that the request names. */
  then<A = Page, B = never>(
    fulfilled?: ((page: Page) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#ask(this.#request).then(fulfilled, rejected);
  }

  /** The pages. After an error, ask anew with the `nextPageToken` of the last page that came. */
  async *pages(): AsyncGenerator<Page, void> {
    let page = await this.#ask(this.#request);
    yield page;
    while (page.nextPageToken !== "") {
      page = await this.#ask({ ...this.#request, pageToken: page.nextPageToken });
      yield page;
    }
  }

  /** The items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* this.#items(page);
  }
}
