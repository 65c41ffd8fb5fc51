import { create, toBinary, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { Code, invalid, RiposteError } from "./error.js";
import { eventOf, placed, type Cursor, type Watch } from "./watch.js";

/**
 * One of any number of readers of one watch. It ends with the error that ends the stream, with
 * `close`, with its client, and behind the gap of a listener that is dropped. Leaving the walk
 * closes it. Its events are those of the other listeners, too: a program does not change them.
 */
export class Listener<Event> implements AsyncIterableIterator<Event> {
  readonly #waiting: Event[] = [];
  readonly #buffer: number;
  readonly #leave: (listener: Listener<Event>) => void;
  #wake: (() => void)[] = [];
  #lastSent = 0n;
  #ended: { readonly error?: RiposteError | undefined } | undefined;
  #dropped = false;

  /** @internal */
  constructor(buffer: number, leave: (listener: Listener<Event>) => void) {
    [this.#buffer, this.#leave] = [buffer, leave];
  }

  /** Whether the listener fell behind. Its last event is then the gap of what it lost. */
  get dropped(): boolean {
    return this.#dropped;
  }

  /** The next event, as it comes. */
  async next(): Promise<IteratorResult<Event, void>> {
    await this.arrived();
    const event = this.#waiting.shift();
    if (event !== undefined) return { done: false, value: event };
    if (this.#ended?.error !== undefined) throw this.#ended.error;
    return { done: true, value: undefined };
  }

  /** Ends the listener. */
  return(): Promise<IteratorResult<Event, void>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the listener, and with the last one the stream. */
  close(): void {
    this.#waiting.length = 0;
    this.#leave(this);
    this.end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @internal Resolves once there is an event, or the end. */
  async arrived(): Promise<void> {
    while (this.#waiting.length === 0 && this.#ended === undefined) {
      await new Promise<void>((wake) => this.#wake.push(wake));
    }
  }

  /** @internal Puts an event into the buffer, or drops the listener. */
  take(event: Event, revision: bigint, gap: (first: bigint) => Event): void {
    if (this.#waiting.length < this.#buffer) {
      this.#waiting.push(event);
      this.#lastSent = revision;
    } else if (revision > this.#lastSent) {
      this.#waiting.push(gap(this.#lastSent + 1n));
      this.#dropped = true;
      this.#leave(this);
      this.#ended = {};
    }
    this.#woken();
  }

  /** @internal */
  end(error?: RiposteError): void {
    this.#ended ??= { error };
    this.#woken();
  }

  #woken(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const one of wake) one();
  }
}

/** One watch with those that listen to it. */
interface FanOut {
  readonly listeners: Set<Listener<unknown>>;
  watch?: Watch<unknown>;
  /** The revision of the last event; undefined before the first one. */
  last?: bigint;
}

/** The open watches to which a client's listeners listen, by their encoded requests. */
export class FanOuts {
  readonly #open = new Map<string, FanOut>();

  /** Joins the watch of a request, which the first listener opens; resolves once it is open. */
  async listen<I extends DescMessage, O extends DescMessage>(
    { input, output }: { readonly input: I; readonly output: O },
    init: MessageInitShape<I>,
    buffer: number,
    cursor: Cursor,
    open: () => Promise<Watch<MessageShape<O>>>,
  ): Promise<Listener<MessageShape<O>>> {
    type Event = MessageShape<O>;
    if (!Number.isSafeInteger(buffer) || buffer < 1) throw invalid("buffer: a listener needs one of at least 1");
    const key = Buffer.from(toBinary(input, create(input, init))).toString("base64");
    const known = this.#open.get(key);
    const fanOut: FanOut = known ?? { listeners: new Set() };
    const listener = new Listener<Event>(buffer, (leaving) => this.#leave(key, fanOut, leaving as Listener<unknown>));
    fanOut.listeners.add(listener as Listener<unknown>);
    const gap = (first: bigint) => eventOf(output, cursor, cursor.gap[0], { [cursor.gap[1]]: first.toString(), [cursor.gap[2]]: fanOut.last!.toString() });
    if (known === undefined) {
      this.#open.set(key, fanOut);
      void this.#run(key, fanOut, open, cursor, gap);
    } else if (known.last !== undefined) {
      const at = { [cursor.revisions[cursor.opened]!]: known.last.toString() };
      listener.take(eventOf(output, cursor, cursor.opened, at), known.last, gap);
    }
    await listener.arrived();
    if (fanOut.last === undefined) {
      await listener.next();
      throw RiposteError.local(Code.CANCELLED, "the client is closed");
    }
    return listener;
  }

  async #run<Event extends object>(key: string, fanOut: FanOut, open: () => Promise<Watch<Event>>, cursor: Cursor, gap: (first: bigint) => Event): Promise<void> {
    let failed: RiposteError | undefined;
    try {
      const watch = await open();
      fanOut.watch = watch;
      if (fanOut.listeners.size === 0) watch.close();
      for await (const event of watch) {
        const last = fanOut.last ?? 0n;
        const revision = BigInt(placed(event, cursor)[1] ?? last);
        fanOut.last = revision > last ? revision : last;
        for (const listener of [...fanOut.listeners]) listener.take(event, fanOut.last, gap);
      }
    } catch (error) {
      failed = RiposteError.from(error);
    }
    this.#forget(key, fanOut);
    for (const listener of fanOut.listeners) listener.end(failed);
    fanOut.listeners.clear();
  }

  /** Ends the watch with its last listener. */
  #leave(key: string, fanOut: FanOut, listener: Listener<unknown>): void {
    if (!fanOut.listeners.delete(listener) || fanOut.listeners.size > 0) return;
    this.#forget(key, fanOut);
    fanOut.watch?.close();
  }

  #forget(key: string, fanOut: FanOut): void {
    if (this.#open.get(key) === fanOut) this.#open.delete(key);
  }
}
