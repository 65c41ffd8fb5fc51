/**
 * The TypeScript SDK of Riposte: a thin client over the types of `riposte.v1`, which are generated
 * and stand in `riposte-sdk/v1`. Servers for tests stand in `riposte-sdk/testing`.
 *
 * @packageDocumentation
 */
export type { CallOptions } from "./callOptions.js";
export { Riposte } from "./client.js";
export { jsonOf } from "./json.js";
export { Code, RiposteError, type Reason, type Violation } from "./error.js";
export * from "./gen/handles.js";
export * from "./gen/services.js";
export type { Options } from "./gen/options.js";
export type { Listener } from "./listener.js";
export { Pages } from "./pages.js";
export { RequestIds } from "./requestIds.js";
export type { Watch } from "./watch.js";
