import assert from "node:assert/strict";
import test from "node:test";
import { create } from "@bufbuild/protobuf";
import { Metadata } from "@grpc/grpc-js";
import { Code, Riposte, RiposteError } from "riposte-sdk";
import { WatchSubjectResponseSchema } from "riposte-sdk/v1";
import { Flaky, Refusal } from "./support/flaky.js";

const change = (revision: string) => create(WatchSubjectResponseSchema, { event: { case: "change", value: { revision } } });
const gap = (lastRevision: string) => create(WatchSubjectResponseSchema, { event: { case: "gap", value: { lastRevision } } });
type Send = (call: any) => void;

/** A watch that is answered so each time it is opened; the last way is repeated. */
async function watched(t: test.TestContext, ...ways: (Send | Refusal)[]) {
  const watchSubject = (_: unknown, call: any) => {
    const way = ways.length > 1 ? ways.shift()! : ways[0]!;
    return way instanceof Refusal ? way : (way(call), undefined);
  };
  const server = await Flaky.start(t, { watchSubject });
  const client = Riposte.connect(server.target);
  t.after(() => client.close());
  return { server, client, subject: client.subject("article", "42") };
}

const fails = (code: Code) => (error: unknown) => error instanceof RiposteError && error.code === code;
const broken = (call: any, code = Code.UNAVAILABLE) => call.emit("error", { code, details: "cut", metadata: new Metadata() });

test("a watch opens again behind the last revision it saw, after an end, a cut and a gap", async (t) => {
  const { server, subject } = await watched(
    t,
    (call) => (call.write(change("5")), call.end()),
    (call) => (call.write(gap("8")), setImmediate(broken, call)),
    (call) => (call.write(change("9")), setImmediate(broken, call, Code.INTERNAL)),
    (call) => call.write(change("10")),
  );
  const seen: string[] = [];
  for await (const { event } of await subject.watch({ afterRevision: "4" })) {
    seen.push(`${event.case} ${event.case === "gap" ? event.value.lastRevision : event.value?.revision}`);
    if (seen.length === 4) break;
  }
  assert.deepEqual(seen, ["change 5", "gap 8", "change 9", "change 10"]);
  assert.deepEqual(server.calls.map(({ request }) => request.afterRevision), ["4", "5", "8", "9"]);
});

test("a watch that cannot be opened is tried until it can, and not again where it is refused", async (t) => {
  const refused = Array.from({ length: 4 }, () => new Refusal(Code.UNAVAILABLE));
  const { server, subject } = await watched(t, ...refused, (call) => call.write(change("1")), new Refusal(Code.NOT_FOUND));
  for await (const _ of await subject.watch()) break;
  assert.equal(server.calls.length, 5);
  await assert.rejects(subject.watch(), fails(Code.NOT_FOUND));
  assert.equal(server.calls.length, 6);
});

test("a watch ends quietly when its client is closed", async (t) => {
  const { client, subject } = await watched(t, (call) => call.write(change("1")));
  const seen: unknown[] = [];
  for await (const event of await subject.watch()) {
    seen.push(event);
    setImmediate(() => client.close());
  }
  assert.equal(seen.length, 1);
});

test("a watch ends with the signal and with the caller's deadline", async (t) => {
  const { subject } = await watched(t, (call) => call.sendMetadata(new Metadata()));
  const reading = async (options: { signal?: AbortSignal; timeoutMs?: number }) => {
    for await (const _ of await subject.watch(options)) assert.fail("an event came");
  };
  await assert.rejects(reading({ signal: AbortSignal.timeout(100) }), fails(Code.CANCELLED));
  await assert.rejects(reading({ timeoutMs: 100 }), fails(Code.DEADLINE_EXCEEDED));
});

test("a watch whose request cannot be sent fails at once", async (t) => {
  const { server, subject } = await watched(t, (call) => call.write(change("1")));
  await assert.rejects(subject.watch({ afterRevision: "1.5" }), fails(Code.INVALID_ARGUMENT));
  assert.equal(server.calls.length, 0);
});

test("a gap that goes back is resumed at its end", async (t) => {
  const back = create(WatchSubjectResponseSchema, { event: { case: "gap", value: { firstRevision: "9", lastRevision: "3" } } });
  const { server, subject } = await watched(t, (call) => (call.write(back), call.end()), (call) => call.write(change("4")));
  const watch = await subject.watch({ afterRevision: "8" });
  assert.equal((await watch.next()).value?.event.case, "gap");
  assert.equal((await watch.next()).value?.event.case, "change");
  watch.close();
  assert.deepEqual(server.calls.map(({ request }) => request.afterRevision), ["8", "3"]);
});
