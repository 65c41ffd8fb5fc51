import assert from "node:assert/strict";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { pipeline } from "node:stream";
import test from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, Riposte, RiposteError } from "riposte-sdk";
import { LikeValue, SetLikeRequestSchema } from "riposte-sdk/v1";
import { failing, Flaky, Refusal } from "./support/flaky.js";

const LIKE = { commentId: "7", memberId: "m9", value: LikeValue.LIKE };
const unavailable = () => new Refusal(Code.UNAVAILABLE);

/** A client of a server that likes behave so at, closed with the test. */
async function client(t: test.TestContext, behaviours: Parameters<typeof Flaky.start>[1], options = {}) {
  const server = await Flaky.start(t, behaviours);
  const client = Riposte.connect(server.target, options);
  t.after(() => client.close());
  return { server, client };
}

/** What a promise is rejected with. */
async function failure(promise: PromiseLike<unknown>): Promise<RiposteError> {
  const error = await promise.then(() => assert.fail("it succeeded"), (error: unknown) => error);
  assert.ok(error instanceof RiposteError, String(error));
  return error;
}

test("a write is repeated on UNAVAILABLE with the request id of its first attempt", async (t) => {
  const options = { token: "s3cret", insecureToken: true };
  const { server, client: c } = await client(t, { setLike: failing(unavailable(), unavailable()) }, options);
  assert.equal((await c.likes.setLike(LIKE)).likeCount, 1);
  assert.equal(server.calls.length, 3);
  const ids = new Set(server.calls.map(({ request }) => request.requestId));
  assert.equal(ids.size, 1);
  assert.match([...ids][0], /^[0-9a-f-]{36}$/);
  for (const { metadata } of server.calls) {
    assert.deepEqual(metadata.get("authorization"), ["Bearer s3cret"]);
    assert.match(String(metadata.get("user-agent")), /^riposte-typescript\/\d+\.\d+\.\d+ /);
  }
});

test("a request id of the caller is kept, and the caller's message stays as it is", async (t) => {
  const { server, client: c } = await client(t, { setLike: failing() });
  const requestId = c.requestIds.next();
  await c.likes.setLike({ ...LIKE, requestId });
  const message = create(SetLikeRequestSchema, LIKE);
  await c.likes.setLike(message);
  assert.equal(server.calls[0]!.request.requestId, requestId);
  assert.notEqual(server.calls[1]!.request.requestId, "");
  assert.equal(message.requestId, "");
});

test("the third failure is the caller's, and no other code is repeated", async (t) => {
  const three = await client(t, { setLike: failing(unavailable(), unavailable(), unavailable()) });
  const error = await failure(three.client.likes.setLike(LIKE));
  assert.deepEqual([error.code, error.reason, error.retryable], [Code.UNAVAILABLE, "", true]);
  assert.equal(three.server.calls.length, 3);
  for (const code of [Code.INTERNAL, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED]) {
    const one = await client(t, { setLike: failing(new Refusal(code)) });
    assert.equal((await failure(one.client.likes.setLike(LIKE))).code, code);
    assert.equal(one.server.calls.length, 1);
  }
});

test("a dead service sees at most 50 attempts more than calls", async (t) => {
  const { server, client: c } = await client(t, { setLike: () => new Refusal(Code.UNAVAILABLE, { "grpc-retry-pushback-ms": "0" }) });
  for (let i = 0; i < 150; i++) assert.equal((await failure(c.likes.setLike(LIKE))).code, Code.UNAVAILABLE);
  assert.ok(server.calls.length <= 200, `${server.calls.length} attempts for 150 calls`);
});

test("a silent server is left at the deadline; the caller's own one wins, shorter or longer", async (t) => {
  const { client: c } = await client(t, { batchGetLikeStates: () => undefined, setLike: () => undefined });
  const timed = async (call: PromiseLike<unknown>) => {
    const started = performance.now();
    assert.equal((await failure(call)).code, Code.DEADLINE_EXCEEDED);
    return performance.now() - started;
  };
  const between = (least: number, most: number, ms: number) => assert.ok(ms >= least && ms < most, `${ms} ms`);
  between(1450, 2400, await timed(c.likes.batchGetLikeStates({})));
  between(90, 900, await timed(c.likes.batchGetLikeStates({}, { timeoutMs: 100 })));
  between(1950, 2900, await timed(c.likes.batchGetLikeStates({}, { timeoutMs: 2000 })));
});

test("a call ends when its signal is aborted", async (t) => {
  const { client: c } = await client(t, { setLike: () => undefined });
  const abort = new AbortController();
  setImmediate(() => abort.abort());
  assert.equal((await failure(c.likes.setLike(LIKE, { signal: abort.signal }))).code, Code.CANCELLED);
  assert.equal((await failure(c.likes.setLike(LIKE, { signal: AbortSignal.abort() }))).code, Code.CANCELLED);
});

test("a connection that breaks is replaced within the call", async (t) => {
  const server = await Flaky.start(t, { setLike: failing() });
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    sockets.push(socket);
    pipeline(socket, connect(Number(server.target.split(":")[1]), "127.0.0.1"), socket, () => {});
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const c = Riposte.connect(`127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  t.after(() => {
    c.close();
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  await c.likes.setLike(LIKE);
  sockets[0]!.destroy();
  await c.likes.setLike(LIKE);
  assert.equal(server.calls.length, 2);
  assert.equal(sockets.length, 2);
});

test("a client of a dead address is made, and its first call is unavailable", async (t) => {
  const socket = createServer().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  socket.close();
  const c = Riposte.connect(`127.0.0.1:${port}`);
  t.after(() => c.close());
  assert.equal((await failure(c.likes.setLike(LIKE))).code, Code.UNAVAILABLE);
  assert.equal((await failure(c.waitReady(50))).code, Code.UNAVAILABLE);
});

test("a time that is none is refused, and the process lives", async (t) => {
  const { client: c } = await client(t, { setLike: failing() });
  for (const timeoutMs of [NaN, 0, -1, Infinity, 1e300]) {
    assert.equal((await failure(c.likes.setLike(LIKE, { timeoutMs }))).code, Code.INVALID_ARGUMENT, String(timeoutMs));
    assert.equal((await failure(c.waitReady(timeoutMs))).code, Code.INVALID_ARGUMENT, String(timeoutMs));
    assert.equal((await failure(c.subject("article", "42").watch({ timeoutMs }))).code, Code.INVALID_ARGUMENT, String(timeoutMs));
  }
});

test("an id that is none, or that JavaScript has rounded, is refused before it is sent", async (t) => {
  const { server, client: c } = await client(t, { setLike: failing() });
  for (const commentId of ["abc", "1.5", 12345678901234567890 as unknown as string]) {
    assert.equal((await failure(c.likes.setLike({ ...LIKE, commentId }))).code, Code.INVALID_ARGUMENT, commentId);
  }
  const nested = { ids: ["1", 2 ** 60 as unknown as string] };
  assert.match((await failure(c.comments.batchGetComments(nested))).message, /1152921504606847000 is not exact/);
  assert.equal(server.calls.length, 0);
});

test("calls of a closed client are CANCELLED", async (t) => {
  const { client: c } = await client(t, { setLike: failing() });
  await c.likes.setLike(LIKE);
  c.close();
  assert.equal((await failure(c.likes.setLike(LIKE))).code, Code.CANCELLED);
  assert.equal((await failure(c.waitReady(1000))).code, Code.CANCELLED);
});
