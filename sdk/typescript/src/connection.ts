import { create, fromBinary, toBinary, type DescMessage, type DescMethod } from "@bufbuild/protobuf";
import type { Message, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { Client, type Metadata, type ClientUnaryCall } from "@grpc/grpc-js";
import { randomInt } from "node:crypto";
import { Readable, type Writable } from "node:stream";
import { promisify } from "node:util";
import { checkOptions, type CallOptions } from "./callOptions.js";
import { Code, invalid, refused, RiposteError, type Violation } from "./error.js";
import * as config from "./gen/config.js";
import type { Options } from "./gen/options.js";
import { stringifiable } from "./json.js";
import { endpoint } from "./options.js";
import { RequestIds } from "./requestIds.js";

/** The largest answer read, in bytes: 200 comments of the greatest length, with room to spare. */
const MAX_ANSWER = 16 << 20;

/**
 * The service configuration without its deadlines: those are set here, because a caller's own one
 * wins.
 */
const CONFIG = JSON.stringify(config.serviceConfig, (key, value) => (key === "timeout" ? undefined : value));

/** A method of the contract, of a kind, with the types of its messages. */
export type Method<Kind, I, O> = DescMethod & { methodKind: Kind; input: I; output: O };

/**
 * The transport under all services: it adds the token, the deadline, the request id and, by the
 * service configuration, the retries, so that every call has them.
 */
export class Connection {
  /** The request ids of this client. */
  readonly requestIds = new RequestIds();
  readonly #closing = new AbortController();
  /** Aborts when the connection is closed. */
  readonly closed: AbortSignal = this.#closing.signal;
  readonly #client: Client;
  readonly #metadata: Metadata;

  /**
   * Dials nothing before the first call. Throws INVALID_ARGUMENT for options that cannot be used.
   */
  constructor(target: string, options: Options) {
    const { address, credentials, metadata, direct } = endpoint(target, options);
    this.#metadata = metadata;
    this.#client = new Client(address, credentials, {
      "grpc.primary_user_agent": `riposte-typescript/${config.VERSION}`,
      "grpc.service_config": CONFIG,
      "grpc.service_config_disable_resolution": 1,
      "grpc.keepalive_time_ms": 20_000,
      "grpc.max_receive_message_length": MAX_ANSWER,
      "grpc.initial_reconnect_backoff_ms": randomInt(config.LEAST_FIRST_WAIT, config.MOST_FIRST_WAIT),
      "grpc.max_reconnect_backoff_ms": config.LONGEST_WAIT,
      "grpc.dns_min_time_between_resolutions_ms": config.RESOLVE_AFTER,
      "grpc.enable_http_proxy": direct ? 0 : 1,
    });
  }

  /**
   * Throws INVALID_ARGUMENT for a request that cannot be sent or has fields that are wrong, and for
   * options that a call does not take.
   */
  check<I extends DescMessage>(
    { input }: { input: I },
    init: MessageInitShape<I>,
    options: CallOptions = {},
    fields?: Fields<MessageShape<I>>,
  ): void {
    checkOptions(options);
    this.#headers(options);
    this.#request(input, init, fields);
  }

  /** One request, one answer. */
  unary<I extends DescMessage, O extends DescMessage>(
    method: Method<"unary", I, O>,
    init: MessageInitShape<I>,
    options: CallOptions = {},
  ): Promise<MessageShape<O>> {
    return new Promise((resolve, reject) => {
      checkOptions(options);
      const { path, read, metadata, timing } = this.#terms(method, options);
      const request = this.#request(method.input, init);
      const call = this.#client.makeUnaryRequest(path, asIs, read, request, metadata, timing, (error, answer) => {
        if (error) reject(RiposteError.from(error));
        else resolve(answer as MessageShape<O>);
      });
      follow(call, options);
    });
  }

  /**
   * Requests, answers; the call begins when answers are first asked for, and ends when nobody asks
   * any more. Throws INVALID_ARGUMENT for options that a call does not take.
   */
  stream<I extends DescMessage, O extends DescMessage>(
    method: Method<"server_streaming" | "bidi_streaming", I, O>,
    inits: Iterable<MessageInitShape<I>> | AsyncIterable<MessageInitShape<I>>,
    options: CallOptions = {},
  ): AsyncGenerator<MessageShape<O>, void> {
    checkOptions(options);
    return this.#answers(method, inits, options);
  }

  async *#answers<I extends DescMessage, O extends DescMessage>(
    method: Method<"server_streaming" | "bidi_streaming", I, O>,
    inits: Iterable<MessageInitShape<I>> | AsyncIterable<MessageInitShape<I>>,
    options: CallOptions,
  ): AsyncGenerator<MessageShape<O>, void> {
    const { path, read, metadata, timing } = this.#terms(method, options);
    const call = this.#client.makeBidiStreamRequest(path, asIs, read, metadata, timing);
    follow(call, { ...options, signal: AbortSignal.any([this.closed, options.signal ?? []].flat()) });
    const requests = Readable.from(this.#requests(method.input, inits));
    let fault: unknown;
    requests.once("error", (error) => (fault = error)).once("error", () => call.cancel());
    requests.pipe(call as unknown as Writable);
    try {
      for await (const answer of call) yield answer as MessageShape<O>;
    } catch (error) {
      throw fault ?? RiposteError.from(error);
    } finally {
      requests.destroy();
      call.cancel();
    }
  }

  /**
   * Resolves once connected; rejects with UNAVAILABLE if that takes longer than the given
   * milliseconds.
   */
  async ready(timeoutMs: number): Promise<void> {
    const ready = promisify(this.#client.waitForReady.bind(this.#client));
    await ready(this.#timing(timeoutMs).deadline!).catch((error: unknown) => {
      throw RiposteError.local(Code.UNAVAILABLE, `not connected within ${timeoutMs} ms`, error);
    });
  }

  /** Ends the connection and the streams over it. Unary calls under way go on to their end. */
  close(): void {
    this.#closing.abort();
    this.#client.close();
  }

  /** What gRPC is told of a call, but its request. */
  #terms({ parent, name, output }: DescMethod, options: CallOptions) {
    const path = `/${parent.typeName}/${name}`;
    const metadata = this.#headers(options);
    const read = (bytes: Buffer) => stringifiable(fromBinary(output, bytes));
    return { path, read, metadata, timing: this.#timing(options.timeoutMs ?? config.timeouts[path]) };
  }

  /** The headers of a call: those of every call, and its own. */
  #headers({ headers = {} }: CallOptions): Metadata {
    const metadata = this.#metadata.clone();
    try {
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    } catch (error) {
      throw invalid(`headers: ${(error as Error).message}`, error);
    }
    return metadata;
  }

  /** When a call has to be over. */
  #timing(timeoutMs: number | undefined): { deadline?: number } {
    if (this.closed.aborted) throw RiposteError.local(Code.CANCELLED, "the client is closed");
    if (timeoutMs === undefined) return {};
    checkOptions({ timeoutMs });
    return { deadline: Date.now() + timeoutMs };
  }

  async *#requests<I extends DescMessage>(type: I, inits: Iterable<MessageInitShape<I>> | AsyncIterable<MessageInitShape<I>>) {
    for await (const init of inits) yield this.#request(type, init);
  }

  /**
   * A request as bytes, with a request id if it can have one and has none. The caller's own message
   * stays as it is.
   */
  #request<I extends DescMessage>(type: I, init: MessageInitShape<I>, fields?: Fields<MessageShape<I>>): Buffer {
    try {
      const made = create(type, init);
      const request: Message & { requestId?: string } = made;
      const wrong = fields?.(made).filter(([wrong]) => wrong) ?? [];
      const violations = [...textsAtFault(request), ...wrong.map(([, field, description]) => ({ field, description }))];
      if (violations.length > 0) throw refused(violations, violations.length === 1 ? wrong[0]?.[3] : undefined);
      exact(request);
      const own = request.requestId === "" ? { requestId: this.requestIds.next() } : {};
      return Buffer.from(toBinary(type, { ...request, ...own } as MessageShape<I>));
    } catch (error) {
      throw error instanceof RiposteError ? error : invalid(`the request: ${(error as Error).message}`, error);
    }
  }
}

/** Of fields of a request: whether each is wrong, its path, its description and its reason. */
type Fields<Request> = (made: Request) => [boolean, string, string, string][];

/** Refuses numbers that JavaScript has rounded, wherever they stand in a request. */
function exact(value: unknown, name = ""): void {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new RangeError(`${name}: ${value} is not exact; use a string`);
  if (typeof value === "object") for (const [key, inner] of Object.entries(value ?? {})) exact(inner, key);
}

/**
 * The texts of a request that are no valid Unicode, each by the path of its field in the contract:
 * the encoder would send others in their place.
 */
function textsAtFault(value: unknown, path = ""): Violation[] {
  if (typeof value === "string") {
    return /\p{Surrogate}/u.test(value) ? [{ field: path, description: "is no valid Unicode: it has a lone surrogate" }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((one, n) => textsAtFault(one, `${path}[${n}]`));
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return [];
  // A choice of fields stands as its case and its value.
  const chosen = value as { case?: unknown; value?: unknown };
  const fields: [string, unknown][] = typeof chosen.case === "string" ? [[chosen.case, chosen.value]] : Object.entries(value);
  return fields.flatMap(([name, inner]) => {
    const field = typeof chosen.case === "string" ? path.slice(0, path.lastIndexOf(".") + 1) : path && `${path}.`;
    return textsAtFault(inner, field + name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`));
  });
}

/**
 * Requests are bytes before gRPC sees them, so that one that cannot be sent is no fault of the
 * connection.
 */
const asIs = (request: Buffer) => request;

/** Ends a call on the caller's signal, and hands over its trailers. */
function follow(call: ClientUnaryCall, { signal, onTrailers }: CallOptions): void {
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  call.on("status", ({ metadata }) => {
    signal?.removeEventListener("abort", cancel);
    onTrailers?.(metadata.getMap() as Record<string, string>);
  });
}
