import type { DescMethod, Message } from "@bufbuild/protobuf";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions, Connection, Init } from "./connection.js";
import { Code, RiposteError } from "./error.js";

/** How a watch resumes. */
export interface Cursor {
  /** The last revision that an event tells. */
  readonly revision: (event: any) => string;
  /** The fields of a request for what follows a revision. */
  readonly after: (revision: string) => Init;
}

/** The longest wait before a watch is opened again, in milliseconds: the first, doubled after each failure, up to the last. */
const WAITS = { first: 100, last: 5_000 };
/** How often a watch that was never open is tried: as often as any other read. */
const ATTEMPTS = 3;

/**
 * The events of a watch, which opens again behind the last one when the stream ends or breaks; also where the service
 * found the reader too slow. It goes on until the caller stops reading, the signal aborts, or the service refuses.
 */
export async function* watching(
  connection: Connection,
  method: DescMethod,
  cursor: Cursor,
  init: Init,
  { timeoutMs, ...options }: CallOptions = {},
): AsyncGenerator<Message, void> {
  const end = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  let request = init;
  let opened = false;
  let failures = 0;
  const onOpen = () => {
    opened = true;
  };
  for (;;) {
    let pause = 0;
    try {
      const left = end === undefined ? {} : { timeoutMs: end - Date.now() };
      for await (const event of connection.serverStream(method, request, { ...options, ...left }, onOpen)) {
        failures = 0;
        request = { ...request, ...cursor.after(cursor.revision(event)) };
        yield event;
      }
    } catch (error) {
      const fault = RiposteError.from(error);
      if (!resumes(fault) || (!opened && failures + 1 >= ATTEMPTS)) throw fault;
      pause = fault.retryAfterMs ?? 0;
    }
    // Anywhere up to the bound, so that watches that broke together do not come back together.
    const bound = Math.min(WAITS.first * 2 ** failures++, WAITS.last);
    await sleep(Math.max(pause, Math.random() * bound), undefined, options).catch(() => {
      throw RiposteError.local(Code.CANCELLED, "the watch was aborted", options.signal?.reason);
    });
  }
}

/** Whether a watch goes on after an error: what may pass, and a stream that was reset on its way. */
function resumes(error: RiposteError): boolean {
  return error.retryable || (error.code === Code.INTERNAL && error.reason === "");
}
