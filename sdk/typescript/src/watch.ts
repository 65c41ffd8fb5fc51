import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "./callOptions.js";
import type { Connection, Method } from "./connection.js";
import { Code, RiposteError } from "./error.js";
import { LEAST_FIRST_WAIT, LONGEST_WAIT, OPEN_WITHIN } from "./gen/config.js";

/**
 * Where a stream keeps its place: by revisions, or in the token that its request and its items
 * have, by the name of the field.
 */
export type Place = Cursor | string;

/** Where a watch keeps its place by revisions. */
export interface Cursor {
  /** The field of the request that takes the last revision seen. */
  readonly resume: string;
  /** The choice of an event's kinds. */
  readonly kinds: string;
  /** By the kind of an event, its field that holds its last revision. */
  readonly revisions: Readonly<Record<string, string>>;
  /** The kind that opens a stream. */
  readonly opened: string;
  /** The kind that tells of a gap, with the fields of its first and its last revision. */
  readonly gap: readonly [kind: string, first: string, last: string];
}

/**
 * The events of an open watch. Where the stream ends or breaks, it opens again behind the last
 * event seen. Leaving the walk ends the watch, and so do `close`, the signal, and the client's end.
 */
export class Watch<Event> implements AsyncIterableIterator<Event> {
  readonly #events: AsyncGenerator<Event, void>;
  readonly #stop: AbortController;
  #first: IteratorResult<Event, void> | undefined;

  /** @internal */
  constructor(events: AsyncGenerator<Event, void>, stop: AbortController, first: IteratorResult<Event, void>) {
    [this.#events, this.#stop, this.#first] = [events, stop, first];
  }

  /** The next event, as it comes. */
  next(): Promise<IteratorResult<Event, void>> {
    const first = this.#first;
    this.#first = undefined;
    return first === undefined ? this.#events.next() : Promise.resolve(first);
  }

  /** Ends the watch. */
  return(): Promise<IteratorResult<Event, void>> {
    this.close();
    return this.#events.return();
  }

  /** Ends the watch; who waits for its next event finds its end. */
  close(): void {
    this.#first = undefined;
    this.#stop.abort();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/**
 * Opens a watch. Rejects with any refusal but UNAVAILABLE at once, and with UNAVAILABLE where no
 * service opens it in time.
 */
export async function watching<I extends DescMessage, O extends DescMessage>(
  connection: Connection,
  method: Method<"server_streaming", I, O>,
  init: MessageInitShape<I>,
  place: Place,
  options: CallOptions = {},
): Promise<Watch<MessageShape<O>>> {
  const [stop, late] = [new AbortController(), new AbortController()];
  const timer = setTimeout(() => late.abort(), OPEN_WITHIN);
  const events = follow(connection, method, init, place, options, stop.signal, late.signal);
  const first = await events.next().finally(() => clearTimeout(timer));
  return new Watch(events, stop, first);
}

async function* follow<I extends DescMessage, O extends DescMessage>(
  connection: Connection,
  method: Method<"server_streaming", I, O>,
  init: MessageInitShape<I>,
  place: Place,
  { timeoutMs, ...options }: CallOptions,
  stop: AbortSignal,
  late: AbortSignal,
): AsyncGenerator<MessageShape<O>, void> {
  const end = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  const over = AbortSignal.any([connection.closed, stop]);
  let request = init;
  let left = timeoutMs;
  let began = false;
  for (let failures = 0; ; failures++) {
    let wait = 0;
    const signal = AbortSignal.any([over, options.signal ?? [], began ? [] : late].flat());
    try {
      for await (const event of connection.stream(method, [request], { ...options, signal, timeoutMs: left })) {
        failures = 0;
        const [field, value, lost] = kept(method.output, request as unknown as Fields, event, place, began);
        if (value !== undefined) request = { ...request, [field]: value };
        began = true;
        yield event;
        if (lost !== undefined) yield lost;
      }
    } catch (error) {
      const fault = RiposteError.from(error);
      if (!over.aborted && (options.signal?.aborted || (!late.aborted && !resumes(fault, began)))) throw fault;
      wait = fault.retryAfterMs ?? 0;
    }
    // Anywhere up to the bound, which doubles with each failure to the longest wait of a
    // connection, so that watches that broke together do not come back together.
    const bound = Math.min(LEAST_FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
    await sleep(Math.max(wait, Math.random() * bound), undefined, { signal }).catch(() => {});
    if (over.aborted) return;
    left = end && Math.max(1, end - Date.now());
    if (options.signal?.aborted) throw RiposteError.local(Code.CANCELLED, "the watch was aborted", options.signal.reason);
    if (!began && late.aborted) throw RiposteError.local(Code.UNAVAILABLE, `the watch was not opened within ${OPEN_WITHIN} ms`);
  }
}

type Fields = Record<string, string | undefined>;

/**
 * The field of the request and its value behind an event, and the event that comes after it, if
 * any: what came after revision 0, from which no stream can resume, is lost.
 */
function kept<O extends DescMessage>(
  output: O,
  request: Fields,
  event: MessageShape<O>,
  place: Place,
  began: boolean,
): [field: string, value: string | undefined, lost?: MessageShape<O>] {
  if (typeof place === "string") return [place, (event as unknown as Fields)[place]];
  const [kind, revision] = placed(event, place);
  const lost = began && kind === place.opened && BigInt(request[place.resume] ?? 0) === 0n && BigInt(revision ?? 0) > 0n;
  const [gap, first, last] = place.gap;
  return lost ? [place.resume, revision, eventOf(output, place, gap, { [first]: "1", [last]: revision! })] : [place.resume, revision];
}

/** The kind of an event, and the last revision that it tells. */
export function placed(event: object, { kinds, revisions }: Cursor): [kind?: string | undefined, revision?: string | undefined] {
  const choice = (event as Record<string, { case?: string; value?: Record<string, string> }>)[kinds];
  return [choice?.case, choice?.value?.[revisions[choice.case ?? ""] ?? ""]];
}

/** An event of a kind with these fields. */
export function eventOf<O extends DescMessage>(output: O, { kinds }: Cursor, kind: string, value: object): MessageShape<O> {
  return create(output, { [kinds]: { case: kind, value } } as unknown as MessageInitShape<O>);
}

/**
 * Whether a watch goes on after an error: what may pass, and a stream that was reset on its way,
 * for which no one gives a reason. The first stream is opened again only where no service is.
 */
function resumes({ retryable, code, reason }: RiposteError, began: boolean): boolean {
  const reset = reason === "" && [Code.INTERNAL, Code.UNKNOWN, Code.CANCELLED].includes(code);
  return reset || (began ? retryable : code === Code.UNAVAILABLE);
}
