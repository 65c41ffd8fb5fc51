import { invalid } from "./error.js";

/** What one call may have of its own. */
export interface CallOptions {
  /**
   * How long the whole call may take, in milliseconds, retries included. Default: as the service
   * configuration says.
   */
  readonly timeoutMs?: number | undefined;
  /** Ends the call with CANCELLED when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Headers to send. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Is handed the trailers at the end of the call: its request id and the server's version among
   * them.
   */
  readonly onTrailers?: ((trailers: Readonly<Record<string, string>>) => void) | undefined;
}

/** What each option takes, and the words for it. */
const TAKES: Record<keyof CallOptions, [fits: (value: unknown) => boolean, what: string]> = {
  // This gRPC has no form for a deadline that lies much farther off, and fails in a way that nobody
  // can catch.
  timeoutMs: [(value) => typeof value === "number" && value > 0 && value < 2 ** 48, "time to wait"],
  signal: [(value) => typeof (value as AbortSignal | null)?.addEventListener === "function", "AbortSignal"],
  headers: [(value) => typeof value === "object" && Object.values(value ?? [0]).every((one) => typeof one === "string"), "record of texts"],
  onTrailers: [(value) => typeof value === "function", "function"],
};

/** Refuses options that are no object: programs in JavaScript may have `null` here. */
export function checkIsObject(options: unknown): void {
  if (typeof options !== "object" || options === null) throw invalid(`options: ${String(options)} is no object`);
}

/**
 * Refuses, as programs in JavaScript may have them, options that a call does not take, and values
 * that they cannot have.
 */
export function checkOptions(options: object, names: (keyof typeof TAKES)[] = ["timeoutMs", "signal", "headers", "onTrailers"]): void {
  checkIsObject(options);
  for (const [name, value] of Object.entries(options)) {
    const taken = names.find((one) => one === name);
    if (taken === undefined) throw invalid(`${name}: not an option of this call`);
    const [fits, what] = TAKES[taken];
    if (value !== undefined && !fits(value)) throw invalid(`${name}: ${String(value)} is no ${what}`);
  }
}
