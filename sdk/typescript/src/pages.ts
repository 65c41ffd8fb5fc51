/** The answer of a list, by AIP-158. */
interface ListResponse {
  readonly nextPageToken: string;
}

/**
 * A list: a promise of one page, the items of all pages, or the pages, from the page that the
 * request names to the end.
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
  readonly #ask: (changes: object) => Promise<Page>;
  readonly #further: object;
  readonly #items: (page: Page) => Item[];

  /**
   * @internal `ask` calls with changes to the request; `further` are those for any page but the
   *     first.
   */
  constructor(ask: (changes: object) => Promise<Page>, further: object, items: (page: Page) => Item[]) {
    [this.#ask, this.#further, this.#items] = [ask, further, items];
  }

  /** @internal The same list, with something made of each item. */
  map<Made>(make: (item: Item) => Made): Pages<Page, Made> {
    return new Pages(this.#ask, this.#further, (page) => this.#items(page).map(make));
  }

  /** The page that the request names. */
  then<A = Page, B = never>(
    fulfilled?: ((page: Page) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#ask({}).then(fulfilled, rejected);
  }

  /** The pages. After an error, ask anew with the `nextPageToken` of the last page that came. */
  async *pages(): AsyncGenerator<Page, void> {
    let page = await this.#ask({});
    yield page;
    while (page.nextPageToken !== "") {
      page = await this.#ask({ ...this.#further, pageToken: page.nextPageToken });
      yield page;
    }
  }

  /** The items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* this.#items(page);
  }
}
