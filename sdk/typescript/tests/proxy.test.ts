import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Code, Riposte, RiposteError, type Options } from "riposte-sdk";
import { nowhere, proxied } from "./support/gate.js";

let proxy: Awaited<ReturnType<typeof nowhere>>;
before(async () => proxied((proxy = await nowhere()).url));
after(() => proxy.close());

/** What the proxy is asked for by one call to a target, which fails. */
async function asked(target: string, options: Options = {}): Promise<string[]> {
  const client = Riposte.connect(target, options);
  await assert.rejects(client.subject("article", "42").get({ timeoutMs: 1_500 }), RiposteError);
  client.close();
  // A channel that was closed may still be about to connect.
  const [host] = target.replace(/^.*\/\//, "").split(/:\d+$/);
  return proxy.asked.filter((request) => request.includes(`CONNECT ${host!.replace(/^\//, "")}:`));
}

test("a target beyond this machine is reached through the proxy", async () => {
  const [first] = await asked("riposte.invalid:7171");
  assert.match(first ?? "", /^CONNECT riposte\.invalid:7171 /);
});

test("no proxy is asked where the option says none", async () => {
  assert.deepEqual(await asked("direct.invalid:7171", { proxy: "none" }), []);
});

for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "[::1]", "http://127.0.0.1", "dns:///localhost"]) {
  test(`no proxy is asked for ${host}`, async () => assert.deepEqual(await asked(`${host}:1`), []));
}

test("another value is refused with its name", () => {
  const refused = (name: RegExp) => (error: RiposteError) => error.code === Code.INVALID_ARGUMENT && name.test(error.message);
  assert.throws(() => Riposte.connect("127.0.0.1:1", { proxy: "maybe" as "none" }), refused(/maybe/));
  process.env["RIPOSTE_PROXY"] = "perhaps";
  assert.throws(() => Riposte.fromEnv(), refused(/RIPOSTE_PROXY: perhaps/));
});
