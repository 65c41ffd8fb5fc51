import { credentials as channelCredentials, Metadata, type ChannelCredentials } from "@grpc/grpc-js";
import { X509Certificate } from "node:crypto";
import { invalid } from "./error.js";
import { LOOPBACK } from "./gen/config.js";
import type { Options } from "./gen/options.js";

/**
 * What the channel has to know of a target: `http://host:port`, `host:port` and `dns:///host:port`
 * are plaintext, `https://host:port` is TLS.
 */
export function endpoint(target: string, options: Options) {
  const form = /^(http:\/\/|https:\/\/|dns:\/\/\/)?((?:[\w.-]+|\[[\dA-Fa-f]*:[\dA-Fa-f:.]+\]):([1-9]\d{0,4}))\/?$/;
  const [, scheme, address, port] = form.exec(target) ?? [];
  if (address === undefined || Number(port) > 65_535) {
    throw invalid(`target ${JSON.stringify(target)} is none of http://host:port, https://host:port, host:port, dns:///host:port`);
  }
  const metadata = new Metadata();
  if (options.token !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(options.token)) throw invalid("the token is not printable ASCII");
    metadata.set("authorization", `Bearer ${options.token}`);
  }
  const proxy: string = options.proxy ?? "environment";
  if (!["environment", "none"].includes(proxy)) throw invalid(`proxy: ${proxy} is neither environment nor none`);
  const direct = proxy === "none" || LOOPBACK.test(address);
  const credentials = scheme === "https://" ? tls(options) : plaintext(target, options);
  return { address: `dns:///${address}`, metadata, credentials, direct };
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
