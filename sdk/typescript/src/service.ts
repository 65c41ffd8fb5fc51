import type { DescMessage, DescMethod, DescService, Message, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { CallOptions, Connection, Init } from "./connection.js";
import { Pages, type ListResponse } from "./pages.js";
import { watching, type Cursor } from "./watch.js";

/** The lists of a service: by the name of the method, the field of the answer that holds the items. */
type Lists = Readonly<Record<string, string>>;

/** The watches of a service: by the name of the method, how one resumes. */
type Watches = Readonly<Record<string, Cursor>>;

/**
 * The calls of one service, by their names: a promise of the answer for a unary one, [[Pages]] for a list, an async
 * iterable of answers for a stream. Requests are plain objects; fields left out have their defaults.
 */
export type ServiceClient<S extends { method: object }, L extends Lists = Record<never, never>> = {
  readonly [M in keyof S["method"]]: Call<S["method"][M], M extends keyof L ? L[M] : undefined>;
};

/** One call, from the descriptor of its method and the field of its items. */
type Call<M, Items> = M extends { methodKind: infer Kind; input: infer I; output: infer O }
  ? I extends DescMessage
    ? O extends DescMessage
      ? (
          request: Kind extends "bidi_streaming" ? Many<MessageInitShape<I>> : MessageInitShape<I>,
          options?: CallOptions,
        ) => Kind extends "unary"
          ? Items extends keyof MessageShape<O>
            ? Pages<MessageShape<O> & ListResponse, Element<MessageShape<O>[Items]>>
            : Promise<MessageShape<O>>
          : AsyncIterable<MessageShape<O>>
      : never
    : never
  : never;
type Many<T> = Iterable<T> | AsyncIterable<T>;
type Page = Message & ListResponse & Record<string, unknown>;
type Element<T> = T extends readonly (infer E)[] ? E : never;

/** The calls of a service over a connection. */
export function serviceClient<S extends { method: object }, L extends Lists>(
  connection: Connection,
  service: S,
  lists: L,
  watches: Watches = {},
): ServiceClient<S, L> {
  const methods = Object.entries((service as unknown as DescService).method);
  const calls = methods.map(([name, method]) => [name, call(connection, method, lists[name], watches[name])] as const);
  return Object.fromEntries(calls) as ServiceClient<S, L>;
}

function call(connection: Connection, method: DescMethod, items?: string, cursor?: Cursor) {
  if (method.methodKind === "bidi_streaming") {
    return (inits: Many<Init>, options?: CallOptions) => connection.bidiStream(method, inits, options);
  }
  if (cursor !== undefined) {
    return (init: Init, options?: CallOptions) => watching(connection, method, cursor, init, options);
  }
  if (method.methodKind === "server_streaming") {
    return (init: Init, options?: CallOptions) => connection.serverStream(method, init, options);
  }
  if (items !== undefined) {
    return (init: Init, options?: CallOptions) => {
      const ask = (request: Init) => connection.unary(method, request, options) as Promise<Page>;
      return new Pages(ask, init, (page) => page[items] as Iterable<Message>);
    };
  }
  return (init: Init, options?: CallOptions) => connection.unary(method, init, options);
}
