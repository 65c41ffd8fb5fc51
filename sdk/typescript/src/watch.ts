import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions, Connection, Method } from "./connection.js";
import { Code, RiposteError } from "./error.js";
import { LEAST_FIRST_WAIT, LONGEST_WAIT } from "./gen/config.js";

/** Where a watch keeps its place. */
export interface Cursor {
  /** The field of the request that takes the last revision seen. */
  readonly resume: string;
  /** By the kind of an event, its field that holds its last revision. */
  readonly revisions: Readonly<Record<string, string>>;
}

/**
 * The events of a watch, which opens again behind the last one when the stream ends or breaks, and
 * where the service found the reader too slow. It goes on until the caller stops reading or closes
 * the client, the signal aborts, or the service refuses.
 */
export async function* watching<I extends DescMessage, O extends DescMessage>(
  connection: Connection,
  method: Method<"server_streaming", I, O>,
  init: MessageInitShape<I>,
  cursor: Cursor,
  { timeoutMs, ...options }: CallOptions = {},
): AsyncGenerator<MessageShape<O>, void> {
  const end = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  let request = init;
  let left = timeoutMs;
  for (let failures = 0; ; failures++) {
    let wait = 0;
    try {
      for await (const event of connection.stream(method, [request], { ...options, timeoutMs: left })) {
        failures = 0;
        request = { ...request, [cursor.resume]: revision(event, cursor) ?? request[cursor.resume as keyof typeof request] };
        yield event;
      }
    } catch (error) {
      const fault = RiposteError.from(error);
      if (!connection.closed.aborted && (options.signal?.aborted || !resumes(fault))) throw fault;
      wait = fault.retryAfterMs ?? 0;
    }
    // Anywhere up to the bound, which doubles with each failure to the longest wait of a
    // connection, so that watches that broke together do not come back together.
    const bound = Math.min(LEAST_FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
    const signal = AbortSignal.any([connection.closed, options.signal ?? []].flat());
    await sleep(Math.max(wait, Math.random() * bound), undefined, { signal }).catch(() => {});
    if (connection.closed.aborted) return;
    left = end && Math.max(1, end - Date.now());
    if (options.signal?.aborted) throw RiposteError.local(Code.CANCELLED, "the watch was aborted", options.signal.reason);
  }
}

/** The last revision that an event tells. */
function revision(event: object, { revisions }: Cursor): string | undefined {
  const [choice] = Object.values(event).filter((value) => value?.case in revisions);
  return choice?.value[revisions[choice.case]!];
}

/**
 * Whether a watch goes on after an error: what may pass, and a stream that was reset on its way,
 * for which no one gives a reason.
 */
function resumes({ retryable, code, reason }: RiposteError): boolean {
  return retryable || (reason === "" && [Code.INTERNAL, Code.UNKNOWN, Code.CANCELLED].includes(code));
}
