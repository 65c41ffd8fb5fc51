import { create, fromBinary, toBinary, type DescMessage, type DescMethod, type Message } from "@bufbuild/protobuf";
import {
  Client,
  Metadata,
  type CallOptions as GrpcOptions,
  type ClientReadableStream,
  type ClientUnaryCall,
} from "@grpc/grpc-js";
import { Readable, type Writable } from "node:stream";
import { Code, RiposteError } from "./error.js";
import { serviceConfig, timeouts, VERSION } from "./gen/config.js";
import { stringifiable } from "./json.js";
import { endpoint, type Options } from "./options.js";
import { RequestIds } from "./requestIds.js";

/** The largest answer read, in bytes: 200 comments of the greatest length, with room to spare. */
const MAX_ANSWER = 16 << 20;

/** What one call may have of its own. */
export interface CallOptions {
  /** How long the whole call may take, in milliseconds, retries included. Default: as the service configuration says. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call with CANCELLED when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Headers to send. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Is handed the trailers at the end of the call: its request id and the server's version among them. */
  readonly onTrailers?: ((trailers: Readonly<Record<string, string>>) => void) | undefined;
}

/** A message to send: a whole one, or as many of its fields as are wanted. */
export type Init = Record<string, unknown>;

/**
 * The transport under all services: it adds the token, the deadline, the request id and, by the service configuration,
 * the retries, so that every call has them.
 */
export class Connection {
  /** The request ids of this client, for a caller that keeps the id of a write itself. */
  readonly requestIds = new RequestIds();
  readonly #client: Client;
  readonly #headers: Metadata;

  /** Dials nothing before the first call. Throws INVALID_ARGUMENT for options that cannot be used. */
  constructor(target: string, options: Options) {
    const { address, credentials, headers } = endpoint(target, options);
    this.#headers = headers;
    this.#client = new Client(address, credentials, {
      "grpc.primary_user_agent": `riposte-typescript/${VERSION}`,
      "grpc.service_config": CHANNEL_CONFIG,
      "grpc.service_config_disable_resolution": 1,
      "grpc.keepalive_time_ms": 20_000,
      "grpc.max_receive_message_length": MAX_ANSWER,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 5_000,
    });
  }

  /** One request, one answer. */
  unary(method: DescMethod, init: Init, options: CallOptions = {}): Promise<Message> {
    return new Promise((resolve, reject) => {
      const { path, write, read } = codec(method);
      const finish = (error: unknown, answer?: Message) => (answer ? resolve(answer) : reject(RiposteError.from(error)));
      const request = this.#identified(method.input, init);
      const headers = this.#metadata(options);
      const timing = deadline(path, options);
      this.#watch(this.#client.makeUnaryRequest(path, write, read, request, headers, timing, finish), options);
    });
  }

  /** One request, many answers; the call begins when they are first asked for and ends when nobody asks any more. */
  async *serverStream(
    method: DescMethod,
    init: Init,
    options: CallOptions = {},
    onOpen: () => void = () => {},
  ): AsyncGenerator<Message, void> {
    const { path, write, read } = codec(method);
    const request = this.#identified(method.input, init);
    const headers = this.#metadata(options);
    const call = this.#client.makeServerStreamRequest(path, write, read, request, headers, deadline(path, options));
    call.once("metadata", onOpen);
    yield* this.#answers(call, options);
  }

  /** Many requests, many answers; both sides wait for one another. */
  async *bidiStream(
    method: DescMethod,
    inits: Iterable<Init> | AsyncIterable<Init>,
    options: CallOptions = {},
  ): AsyncGenerator<Message, void> {
    const { path, write, read } = codec(method);
    const call = this.#client.makeBidiStreamRequest(path, write, read, this.#metadata(options), deadline(path, options));
    const requests = Readable.from(inits).map((init: Init) => create(method.input, init));
    let fault: unknown;
    requests.on("error", (error) => {
      fault = error;
      call.cancel();
    });
    requests.pipe(call as unknown as Writable);
    try {
      yield* this.#answers(call, options);
    } catch (error) {
      throw fault ?? error;
    } finally {
      requests.destroy();
    }
  }

  /** Resolves once connected; rejects with UNAVAILABLE if that takes longer than the given milliseconds. */
  ready(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#client.waitForReady(Date.now() + timeoutMs, (error) => {
        if (error) reject(RiposteError.local(Code.UNAVAILABLE, `not connected within ${timeoutMs} ms`, error));
        else resolve();
      });
    });
  }

  /** Ends the connection. Calls under way go on to their end. */
  close(): void {
    this.#client.close();
  }

  async *#answers(call: ClientReadableStream<Message>, options: CallOptions): AsyncGenerator<Message, void> {
    this.#watch(call, options);
    try {
      for await (const answer of call) yield answer as Message;
    } catch (error) {
      throw RiposteError.from(error);
    } finally {
      call.cancel();
    }
  }

  /** Ends a call on the caller's signal, and hands over its trailers. */
  #watch(call: ClientUnaryCall, { signal, onTrailers }: CallOptions): void {
    if (signal === undefined && onTrailers === undefined) return;
    const cancel = () => call.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    call.on("status", ({ metadata }) => {
      signal?.removeEventListener("abort", cancel);
      onTrailers?.(metadata.getMap() as Record<string, string>);
    });
  }

  /** The headers of one call. */
  #metadata({ headers }: CallOptions): Metadata {
    const metadata = this.#headers.clone();
    for (const [name, value] of Object.entries(headers ?? {})) metadata.set(name, value);
    return metadata;
  }

  /** A request with a request id, if it can have one and has none. The caller's own message stays as it is. */
  #identified(type: DescMessage, init: Init): Message {
    const request = create(type, init) as Message & { requestId?: string };
    if (request.requestId !== "") return request;
    return { ...request, requestId: this.requestIds.next() } as Message;
  }
}

/** The service configuration without its deadlines: those are ours to set, because here a caller's own one wins. */
const CHANNEL_CONFIG = JSON.stringify(serviceConfig, (key, value) => (key === "timeout" ? undefined : value));

function deadline(path: string, { timeoutMs = timeouts[path] }: CallOptions): GrpcOptions {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

interface Codec {
  path: string;
  write: (message: Message) => Buffer;
  read: (bytes: Buffer) => Message;
}

const codecs = new Map<DescMethod, Codec>();

/** How the messages of a method become bytes. */
function codec(method: DescMethod): Codec {
  let found = codecs.get(method);
  if (found === undefined) {
    found = {
      path: `/${method.parent.typeName}/${method.name}`,
      write: (message) => {
        const bytes = toBinary(method.input, message);
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      },
      read: (bytes) => stringifiable(method.output, fromBinary(method.output, bytes)),
    };
    codecs.set(method, found);
  }
  return found;
}
