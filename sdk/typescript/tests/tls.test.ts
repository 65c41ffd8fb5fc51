import assert from "node:assert/strict";
import { before, test, type TestContext } from "node:test";
import { ServerCredentials } from "@grpc/grpc-js";
import { Code, Riposte, RiposteError, type Options } from "riposte-sdk";
import { LikeValue } from "riposte-sdk/v1";
import { generate } from "selfsigned";
import { failing, Flaky } from "./support/flaky.js";

/** A certificate that is its own authority, and its key, in PEM. */
type Identity = { cert: string; private: string };
let [server, client, stranger]: Identity[] = [];

before(async () => {
  const names = [{ type: 2 as const, value: "localhost" }, { type: 7 as const, ip: "127.0.0.1" }];
  const identity = (name: string) => {
    const extensions = [{ name: "subjectAltName" as const, altNames: names }];
    return generate([{ name: "commonName", value: name }], { extensions, keyType: "ec" });
  };
  [server, client, stranger] = await Promise.all(["server", "client", "stranger"].map(identity));
});

/** One like through TLS; the server asks for a certificate if `mutual`. */
async function like(t: TestContext, mutual: boolean, options: Options) {
  const pair = { cert_chain: Buffer.from(server!.cert), private_key: Buffer.from(server!.private) };
  const credentials = ServerCredentials.createSsl(mutual ? Buffer.from(client!.cert) : null, [pair], mutual);
  const flaky = await Flaky.start(t, { setLike: failing() }, credentials);
  const riposte = Riposte.connect(`https://${flaky.target}`, options);
  t.after(() => riposte.close());
  await riposte.likes.setLike({ commentId: "7", memberId: "m9", value: LikeValue.LIKE });
  return flaky.calls[0]!.metadata.get("authorization");
}

const unavailable = (error: unknown) => error instanceof RiposteError && error.code === Code.UNAVAILABLE;

test("TLS with the server's authority, with a token and without", async (t) => {
  assert.deepEqual(await like(t, false, { tlsCa: server!.cert }), []);
  assert.deepEqual(await like(t, false, { tlsCa: server!.cert, token: "s3cret" }), ["Bearer s3cret"]);
});

test("a server whose authority is not trusted is not talked to", async (t) => {
  await assert.rejects(like(t, false, {}), unavailable);
  await assert.rejects(like(t, false, { tlsCa: stranger!.cert, token: "s3cret" }), unavailable);
});

test("mTLS, with a token and without; a stranger's certificate, or none, is refused", async (t) => {
  const tlsCa = server!.cert;
  const own = { tlsCa, tlsCert: client!.cert, tlsKey: client!.private };
  assert.deepEqual(await like(t, true, own), []);
  assert.deepEqual(await like(t, true, { ...own, token: "s3cret" }), ["Bearer s3cret"]);
  await assert.rejects(like(t, true, { tlsCa }), unavailable);
  await assert.rejects(like(t, true, { tlsCa, tlsCert: stranger!.cert, tlsKey: stranger!.private }), unavailable);
});
