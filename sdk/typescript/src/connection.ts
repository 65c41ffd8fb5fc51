import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, Message, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { Client, type Metadata, type ClientUnaryCall } from "@grpc/grpc-js";
import { Readable, type Writable } from "node:stream";
import { promisify } from "node:util";
import { Code, RiposteError } from "./error.js";
import { serviceConfig, timeouts, VERSION } from "./gen/config.js";
import type { Options } from "./gen/options.js";
import { stringifiable } from "./json.js";
import { endpoint } from "./options.js";
import { RequestIds } from "./requestIds.js";

/** The largest answer read, in bytes: 200 comments of the greatest length, with room to spare. */
const MAX_ANSWER = 16 << 20;

/** The service configuration without its deadlines: those are set here, because a caller's own one wins. */
const CONFIG = JSON.stringify(serviceConfig, (key, value) => (key === "timeout" ? undefined : value));

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

/** A method of the contract, of a kind, with the types of its messages. */
export type Method<Kind, I, O> = DescMethod & { methodKind: Kind; input: I; output: O };

/**
 * The transport under all services: it adds the token, the deadline, the request id and, by the service configuration,
 * the retries, so that every call has them.
 */
export class Connection {
  /** The request ids of this client. */
  readonly requestIds = new RequestIds();
  readonly #closing = new AbortController();
  /** Aborts when the connection is closed. */
  readonly closed: AbortSignal = this.#closing.signal;
  readonly #client: Client;
  readonly #metadata: Metadata;

  /** Dials nothing before the first call. Throws INVALID_ARGUMENT for options that cannot be used. */
  constructor(target: string, options: Options) {
    const { address, credentials, metadata } = endpoint(target, options);
    this.#metadata = metadata;
    this.#client = new Client(address, credentials, {
      "grpc.primary_user_agent": `riposte-typescript/${VERSION}`,
      "grpc.service_config": CONFIG,
      "grpc.service_config_disable_resolution": 1,
      "grpc.keepalive_time_ms": 20_000,
      "grpc.max_receive_message_length": MAX_ANSWER,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 5_000,
    });
  }

  /** One request, one answer. */
  unary<I extends DescMessage, O extends DescMessage>(
    method: Method<"unary", I, O>,
    init: MessageInitShape<I>,
    options: CallOptions = {},
  ): Promise<MessageShape<O>> {
    return new Promise((resolve, reject) => {
      const { path, write, read } = codec(method);
      const { metadata, timing } = this.#terms(path, options);
      const request = this.#identified(method.input, init);
      const call = this.#client.makeUnaryRequest(path, write, read, request, metadata, timing, (error, answer) => {
        if (error) reject(RiposteError.from(error));
        else resolve(answer as MessageShape<O>);
      });
      follow(call, options);
    });
  }

  /** Requests, answers; the call begins when answers are first asked for, and ends when nobody asks any more. */
  async *stream<I extends DescMessage, O extends DescMessage>(
    method: Method<"server_streaming" | "bidi_streaming", I, O>,
    inits: Iterable<MessageInitShape<I>> | AsyncIterable<MessageInitShape<I>>,
    options: CallOptions = {},
  ): AsyncGenerator<MessageShape<O>, void> {
    const { path, write, read } = codec(method);
    const { metadata, timing } = this.#terms(path, options);
    const call = this.#client.makeBidiStreamRequest(path, write, read, metadata, timing);
    follow(call, { ...options, signal: AbortSignal.any([this.closed, options.signal ?? []].flat()) });
    const requests = Readable.from(this.#requests(method.input, inits));
    let fault: unknown;
    requests.once("error", (error) => {
      fault = error;
      call.cancel();
    });
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

  /** Resolves once connected; rejects with UNAVAILABLE if that takes longer than the given milliseconds. */
  async ready(timeoutMs: number): Promise<void> {
    const ready = promisify(this.#client.waitForReady.bind(this.#client));
    await ready(Date.now() + timeoutMs).catch((error: unknown) => {
      throw RiposteError.local(Code.UNAVAILABLE, `not connected within ${timeoutMs} ms`, error);
    });
  }

  /** Ends the connection and the streams over it. Unary calls under way go on to their end. */
  close(): void {
    this.#closing.abort();
    this.#client.close();
  }

  /** The headers and the deadline of one call. */
  #terms(path: string, { headers = {}, timeoutMs = timeouts[path] }: CallOptions) {
    const metadata = this.#metadata.clone();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return { metadata, timing: timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs } };
  }

  async *#requests<I extends DescMessage>(type: I, inits: Iterable<MessageInitShape<I>> | AsyncIterable<MessageInitShape<I>>) {
    for await (const init of inits) yield this.#identified(type, init);
  }

  /** A request with a request id, if it can have one and has none. The caller's own message stays as it is. */
  #identified<I extends DescMessage>(type: I, init: MessageInitShape<I>): Message {
    const request: Message & { requestId?: string } = create(type, init);
    return request.requestId === "" ? Object.assign({ ...request }, { requestId: this.requestIds.next() }) : request;
  }
}

/** Ends a call on the caller's signal, and hands over its trailers. */
function follow(call: ClientUnaryCall, { signal, onTrailers }: CallOptions): void {
  if (signal === undefined && onTrailers === undefined) return;
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  call.on("status", ({ metadata }) => {
    signal?.removeEventListener("abort", cancel);
    onTrailers?.(metadata.getMap() as Record<string, string>);
  });
}

/** How the messages of a method become bytes, by method. */
const codecs = new Map<DescMethod, ReturnType<typeof newCodec>>();

function codec(method: DescMethod) {
  const found = codecs.get(method) ?? newCodec(method);
  codecs.set(method, found);
  return found;
}

function newCodec({ parent, name, input, output }: DescMethod) {
  return {
    path: `/${parent.typeName}/${name}`,
    write: (message: Message) => {
      const bytes = toBinary(input, message);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    read: (bytes: Buffer) => stringifiable(fromBinary(output, bytes)),
  };
}
