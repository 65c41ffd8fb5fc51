import { credentials as channelCredentials, Metadata, type ChannelCredentials } from "@grpc/grpc-js";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { invalid } from "./error.js";

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
    throw invalid(`${name}, ${path}: ${(error as Error).message}`, error);
  }
}

/**
 * What the channel has to know of a target: `http://host:port`, `host:port` and `dns:///host:port` are plaintext,
 * `https://host:port` is TLS.
 */
export function endpoint(target: string, options: Options) {
  const [, scheme, address] = /^(?:(https?):\/\/)?((?:dns:\/\/\/)?[^\s/]+:\d+)\/?$/.exec(target) ?? [];
  if (address === undefined) {
    const forms = "http://host:port, https://host:port, host:port or dns:///host:port";
    throw invalid(`target ${JSON.stringify(target)} is none of ${forms}`);
  }
  const metadata = new Metadata();
  if (options.token !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(options.token)) throw invalid("the token is not printable ASCII");
    metadata.set("authorization", `Bearer ${options.token}`);
  }
  return { address, metadata, credentials: scheme === "https" ? tls(options) : plaintext(target, options) };
}

function tls({ tlsCa, tlsCert, tlsKey }: Options): ChannelCredentials {
  try {
    // Node takes anything for an authority, and then trusts nobody.
    if (tlsCa !== undefined) new X509Certificate(tlsCa);
    const [ca, key, cert] = [tlsCa, tlsKey, tlsCert].map((pem) => (pem === undefined ? null : Buffer.from(pem)));
    return channelCredentials.createSsl(ca, key, cert);
  } catch (error) {
    throw invalid(`tlsCa, tlsCert, tlsKey: ${(error as Error).message}`, error);
  }
}

function plaintext(target: string, { token, insecureToken, tlsCert }: Options): ChannelCredentials {
  if (tlsCert !== undefined) throw invalid(`a client certificate needs TLS: write https:// in ${target}`);
  if (token !== undefined) {
    const ways = "use https://, or allow it with insecureToken (RIPOSTE_INSECURE_TOKEN=true)";
    if (!insecureToken) throw invalid(`a token is not sent over plaintext to ${target}: ${ways}`);
    process.emitWarning(`the token is sent over plaintext to ${target}`, "RiposteWarning");
  }
  return channelCredentials.createInsecure();
}
