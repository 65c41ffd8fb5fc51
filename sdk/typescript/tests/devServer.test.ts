import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { Code, RiposteError } from "riposte-sdk";
import { DevServer, useDevServer } from "riposte-sdk/testing";

/** Whether anybody listens at an address. */
async function listens(target: string): Promise<boolean> {
  const [host, port] = target.split(":");
  const socket = connect(Number(port), host);
  const heard = await once(socket, "connect").then(() => true, () => false);
  socket.destroy();
  return heard;
}

/** Resolves once nobody listens at an address any more. */
async function silence(target: string): Promise<void> {
  const end = Date.now() + 10_000;
  while (await listens(target)) assert.ok(Date.now() < end, `${target} still listens`);
}

test("servers that run at once know nothing of one another, and are gone when stopped", async () => {
  const servers = await Promise.all(Array.from({ length: 3 }, () => DevServer.start()));
  for (const server of servers) {
    const client = server.connect();
    await client.waitReady(5_000);
    assert.equal((await client.subject("article", "42").comment("m7", "Hi")).message.floor, 1);
    client.close();
  }
  await Promise.all(servers.map((server) => server.stop()));
  for (const { target } of servers) assert.equal(await listens(target), false);
  await servers[0]!.stop();
});

test("a server that cannot start says why", async () => {
  await assert.rejects(DevServer.start({ args: ["--no-such-flag"] }), /did not start: it ended with 2\n[^]*--no-such-flag/);
  await assert.rejects(DevServer.start({ binary: "/no/such/riposte" }), /\/no\/such\/riposte dev did not start: .*ENOENT/);
  await assert.rejects(DevServer.start({ timeoutMs: 1 }), /no answer within 1 ms/);
});

test("a server ends with the process that started it, also by a kill", async () => {
  const program = `
    const { DevServer } = await import("riposte-sdk/testing");
    console.log((await DevServer.start()).target);
    await new Promise((never) => setInterval(never, 1e9, 0));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [target] = await once(createInterface(child.stdout), "line");
  assert.equal(await listens(target), true);
  child.kill("SIGKILL");
  await silence(target);
});

test("a program that forgets to stop its server ends all the same", async () => {
  const program = `import("riposte-sdk/testing").then(({ DevServer }) => DevServer.start()).then((dev) => console.log(dev.target))`;
  const child = spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [[target], [code]] = await Promise.all([once(createInterface(child.stdout), "line"), once(child, "exit")]);
  assert.equal(code, 0);
  await silence(target);
});

const dev = useDevServer(before, after);

test("messages go through JSON.stringify, with ids as texts and times as proto3 JSON has them", async () => {
  const comment = await dev.client.subject("article", "json").comment("m7", "Hi");
  const reply = await comment.reply("m8", "Hello");
  await reply.like("m9");
  const { threads } = await dev.client.subject("article", "json").comments({ sort: "oldest" });
  const [thread] = JSON.parse(JSON.stringify(threads));
  assert.equal(thread.comment.id, comment.message.id);
  assert.match(thread.comment.createTime, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(thread.replies[0].content.text, "Hello");
  assert.equal(thread.replies[0].likeCount, 1);
});

test("trailers name the request, on success as on error", async () => {
  const subject = dev.client.subject("article", "trailers");
  let trailers: Readonly<Record<string, string>> = {};
  await subject.get({ onTrailers: (told) => (trailers = told) });
  assert.match(trailers["riposte-request-id"] ?? "", /^[0-9a-f-]{36}$/);
  const error = await subject.comment("", "", { onTrailers: (told) => (trailers = told) }).catch((error: unknown) => error);
  assert.ok(error instanceof RiposteError);
  assert.deepEqual([error.code, error.requestId], [Code.INVALID_ARGUMENT, trailers["riposte-request-id"]]);
});

test("a sort that is none is refused, with those there are", () => {
  const subject = dev.client.subject("article", "sort");
  assert.throws(() => subject.comments({ sort: "best of all" as "best" }), /sort: best of all is none of newest, oldest, hot/);
});

test("both sides of a stream go on until both have ended", async () => {
  const admin = dev.client.admin();
  const answers: unknown[] = [];
  for await (const answer of admin.importComments([])) answers.push(answer);
  assert.deepEqual(answers, []);
  async function* faulty() {
    yield {};
    throw new TypeError("the source broke");
  }
  await assert.rejects(async () => {
    for await (const _ of admin.importComments(faulty()));
  }, /the source broke|FIELD_INVALID/);
});
