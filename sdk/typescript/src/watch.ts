import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "./connection.js";
import { Code, RiposteError } from "./error.js";

/** Where a watch keeps its place. */
export interface Cursor {
  /** The field of the request that takes the last revision seen. */
  readonly resume: string;
  /** By the kind of an event, its field that holds its last revision. */
  readonly revisions: Readonly<Record<string, string>>;
}

/** Opens a stream once, with these changes to its request; calls back when the service has accepted it. */
type Open<Event> = (changes: object, options: CallOptions, onOpen: () => void) => AsyncIterable<Event>;

/** The longest wait before a watch is opened again, in milliseconds: at first, and doubled after each failure up to a last one. */
const [FIRST_WAIT, LAST_WAIT] = [100, 5_000];
/** How often a watch that was never open is tried: as often as any other read. */
const ATTEMPTS = 3;

/**
 * The events of a watch, which opens again behind the last one when the stream ends or breaks, and where the service found
 * the reader too slow. It goes on until the caller stops reading, the signal aborts, or the service refuses.
 */
export async function* watching<Event extends object>(
  open: Open<Event>,
  cursor: Cursor,
  { timeoutMs = Infinity, ...options }: CallOptions = {},
): AsyncGenerator<Event, void> {
  const end = Date.now() + timeoutMs;
  let [changes, opened, failures] = [{}, false, 0];
  for (;;) {
    let wait = 0;
    try {
      const left = timeoutMs === Infinity ? undefined : end - Date.now();
      for await (const event of open(changes, { ...options, timeoutMs: left }, () => (opened = true))) {
        failures = 0;
        changes = { [cursor.resume]: revision(event, cursor) };
        yield event;
      }
    } catch (error) {
      const fault = RiposteError.from(error);
      if (!resumes(fault) || (!opened && failures + 1 >= ATTEMPTS)) throw fault;
      wait = fault.retryAfterMs ?? 0;
    }
    // Anywhere up to the bound, so that watches that broke together do not come back together.
    const bound = Math.min(FIRST_WAIT * 2 ** failures++, LAST_WAIT);
    await sleep(Math.max(wait, Math.random() * bound), undefined, options).catch((cause: unknown) => {
      throw RiposteError.local(Code.CANCELLED, "the watch was aborted", cause);
    });
  }
}

/** The last revision that an event tells. */
function revision(event: object, { revisions }: Cursor): string | undefined {
  const [choice] = Object.values(event).filter((value) => value?.case in revisions);
  return choice?.value[revisions[choice.case]!];
}

/** Whether a watch goes on after an error: what may pass, and a stream that was reset on its way. */
function resumes(error: RiposteError): boolean {
  return error.retryable || (error.code === Code.INTERNAL && error.reason === "");
}
