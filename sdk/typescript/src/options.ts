import { credentials as channelCredentials, Metadata, type ChannelCredentials } from "@grpc/grpc-js";
import { readFileSync } from "node:fs";
import { RiposteError } from "./error.js";

/** Where `riposte dev` listens. */
export const DEFAULT_TARGET = "http://127.0.0.1:7171";

/** Who calls, and whom to trust. */
export interface Options {
  /** The bearer token to send with every call. Over plaintext only with `insecureToken`. */
  readonly token?: string | undefined;
  /** Sends the token also over plaintext, where anybody on the way can read it. Default: false. */
  readonly insecureToken?: boolean | undefined;
  /** The certificate authority to trust with `https://`, in PEM. Default: those of Node. */
  readonly tlsCa?: string | undefined;
  /** The client's own certificate chain, in PEM, for a service that knows its callers by mTLS. */
  readonly tlsCert?: string | undefined;
  /** The key of `tlsCert`, in PEM. */
  readonly tlsKey?: string | undefined;
  /** Where AdminService listens, which has an address of its own. */
  readonly adminTarget?: string | undefined;
}

/**
 * The target and options that the environment names: `RIPOSTE_TARGET`, `RIPOSTE_TOKEN`, `RIPOSTE_INSECURE_TOKEN` (`true`),
 * `RIPOSTE_ADMIN_TARGET`, and `RIPOSTE_TLS_CA`, `RIPOSTE_TLS_CERT`, `RIPOSTE_TLS_KEY`, the paths of PEM files.
 */
export function environment(): Options & { target: string } {
  return {
    target: variable("RIPOSTE_TARGET") ?? DEFAULT_TARGET,
    token: variable("RIPOSTE_TOKEN"),
    insecureToken: variable("RIPOSTE_INSECURE_TOKEN") === "true",
    tlsCa: file("RIPOSTE_TLS_CA"),
    tlsCert: file("RIPOSTE_TLS_CERT"),
    tlsKey: file("RIPOSTE_TLS_KEY"),
    adminTarget: variable("RIPOSTE_ADMIN_TARGET"),
  };
}

function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}

function file(name: string): string | undefined {
  const path = variable(name);
  try {
    return path && readFileSync(path, "utf8");
  } catch (error) {
    throw RiposteError.invalid(`${name}, ${path}: ${(error as Error).message}`, error);
  }
}

/** What the channel has to know. */
export interface Endpoint {
  address: string;
  credentials: ChannelCredentials;
  headers: Metadata;
}

/** Reads a target: `http://host:port`, `host:port` and `dns:///host:port` are plaintext, `https://host:port` is TLS. */
export function endpoint(target: string, options: Options): Endpoint {
  const [, scheme, address] = /^(?:(https?):\/\/)?((?:dns:\/\/\/)?[^\s/]+:\d+)\/?$/.exec(target) ?? [];
  if (address === undefined) {
    const forms = "http://host:port, https://host:port, host:port or dns:///host:port";
    throw RiposteError.invalid(`target ${JSON.stringify(target)} is none of ${forms}`);
  }
  const secure = scheme === "https";
  return { address, credentials: secure ? tls(options) : plaintext(target, options), headers: headers(options) };
}

function tls({ tlsCa, tlsCert, tlsKey }: Options): ChannelCredentials {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw RiposteError.invalid("a client certificate and its key are given together or not at all");
  }
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
  try {
    return channelCredentials.createSsl(pem(tlsCa), pem(tlsKey), pem(tlsCert));
  } catch (error) {
    throw RiposteError.invalid(`the certificates cannot be used: ${(error as Error).message}`, error);
  }
}

function plaintext(target: string, { token, insecureToken, tlsCert }: Options): ChannelCredentials {
  if (tlsCert !== undefined) {
    throw RiposteError.invalid(`a client certificate needs TLS: write https:// in ${target}`);
  }
  if (token !== undefined && !insecureToken) {
    const ways = "use https://, or allow it with insecureToken (RIPOSTE_INSECURE_TOKEN=true)";
    throw RiposteError.invalid(`a token is not sent over plaintext to ${target}: ${ways}`);
  }
  if (token !== undefined) process.emitWarning(`the token is sent over plaintext to ${target}`, "RiposteWarning");
  return channelCredentials.createInsecure();
}

function headers({ token }: Options): Metadata {
  const metadata = new Metadata();
  if (token === undefined) return metadata;
  if (!/^[\x21-\x7e]+$/.test(token)) throw RiposteError.invalid("the token is not printable ASCII");
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}
