import { create, fromBinary, toBinary, type DescMethod, type Message } from "@bufbuild/protobuf";
import { Metadata, Server, ServerCredentials, status, type ServiceDefinition } from "@grpc/grpc-js";
import { CommentService, LikeService, ReplyService, SetLikeResponseSchema, SubjectService } from "riposte-sdk/v1";

/** What the server of this process does with a call: answers, fails, or says nothing. */
export type Behaviour = (request: any, call: any) => Record<string, unknown> | Message | Refusal | undefined;

/** A failure that a server answers with. */
export class Refusal {
  constructor(
    readonly code: status,
    readonly trailers: Record<string, string> = {},
  ) {}
}

/** A server of this process that remembers its calls; it stops with the test. */
export class Flaky {
  readonly calls: { request: any; metadata: Metadata }[] = [];
  readonly #server = new Server();
  target = "";

  /** Each behaviour by the name of its method. */
  static async start(
    test: { after: (stop: () => void) => void },
    behaviours: Record<string, Behaviour>,
    credentials = ServerCredentials.createInsecure(),
  ): Promise<Flaky> {
    const flaky = new Flaky();
    for (const service of [CommentService, LikeService, ReplyService, SubjectService]) {
      const methods = Object.entries(service.method as Record<string, DescMethod>).filter(([name]) => name in behaviours);
      if (methods.length === 0) continue;
      const definition = Object.fromEntries(methods.map(([name, method]) => [name, definitionOf(method)]));
      const handlers = methods.map(([name, method]) => [name, flaky.#handler(method, behaviours[name]!)]);
      flaky.#server.addService(definition as ServiceDefinition, Object.fromEntries(handlers));
    }
    const port = await new Promise<number>((resolve, reject) => {
      const bound = (error: Error | null, port: number) => (error ? reject(error) : resolve(port));
      flaky.#server.bindAsync("127.0.0.1:0", credentials, bound);
    });
    flaky.target = `127.0.0.1:${port}`;
    test.after(() => flaky.#server.forceShutdown());
    return flaky;
  }

  #handler(method: DescMethod, behaviour: Behaviour) {
    return (call: any, answer?: (error: object | null, response?: Message) => void) => {
      this.calls.push({ request: call.request, metadata: call.metadata });
      const result = behaviour(call.request, call);
      if (result instanceof Refusal) {
        const metadata = Metadata.fromHttp2Headers(result.trailers);
        if (answer) answer({ code: result.code, details: "refused", metadata });
        else call.emit("error", { code: result.code, details: "refused", metadata });
      } else if (result !== undefined) answer?.(null, create(method.output, result as Record<string, unknown>));
    };
  }
}

function definitionOf(method: DescMethod) {
  const bytes = (message: Message) => Buffer.from(toBinary(message.$typeName === method.input.typeName ? method.input : method.output, message));
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === "server_streaming",
    requestSerialize: bytes,
    requestDeserialize: (data: Buffer) => fromBinary(method.input, data),
    responseSerialize: bytes,
    responseDeserialize: (data: Buffer) => fromBinary(method.output, data),
  };
}

/** Fails as often as there are refusals, then answers a like. */
export function failing(...refusals: Refusal[]): Behaviour {
  return () => refusals.shift() ?? create(SetLikeResponseSchema, { likeCount: 1 });
}
