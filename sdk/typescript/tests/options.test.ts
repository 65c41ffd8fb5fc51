import assert from "node:assert/strict";
import test from "node:test";
import { Code, Riposte, RiposteError } from "riposte-sdk";

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof RiposteError && error.code === Code.INVALID_ARGUMENT && pattern.test(error.message);

/** Runs with these variables alone among those of Riposte. */
function withEnv<T>(variables: Record<string, string>, run: () => T): T {
  const before = process.env;
  const kept = Object.entries(before).filter(([name]) => !name.startsWith("RIPOSTE_"));
  process.env = { ...Object.fromEntries(kept), ...variables };
  try {
    return run();
  } finally {
    process.env = before;
  }
}

test("targets of all forms make a client, and others are refused", () => {
  for (const target of ["127.0.0.1:1", "http://h:1", "https://h:1/", "dns:///h:1", "[::1]:7171"]) Riposte.connect(target).close();
  for (const target of ["", "h", "http://no host:1", "ftp://h:1", "http://h:1/path"]) {
    assert.throws(() => Riposte.connect(target), refused(/target/), target);
  }
});

test("a token goes over plaintext only by the switch, with one warning, and over TLS always", async () => {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on("warning", listen);
  assert.throws(() => Riposte.connect("h:1", { token: "s" }), refused(/insecureToken/));
  Riposte.connect("https://h:1", { token: "s" }).close();
  Riposte.connect("h:1", { token: "s", insecureToken: true }).close();
  await new Promise(setImmediate);
  process.off("warning", listen);
  assert.deepEqual(warnings, ["the token is sent over plaintext to h:1"]);
});

test("a token, certificate or key that cannot be used is refused, and the token is not told", () => {
  const line = { token: "line\nbreak", insecureToken: true };
  assert.throws(() => Riposte.connect("h:1", line), (error) => refused(/token/)(error) && !/break/.test(String(error)));
  assert.throws(() => Riposte.connect("https://h:1", { tlsCert: "x" }), refused(/tlsCert/));
  assert.throws(() => Riposte.connect("https://h:1", { tlsCa: "no certificate" }), refused(/tlsCa/));
  assert.throws(() => Riposte.connect("h:1", { tlsCert: "x", tlsKey: "y" }), refused(/needs TLS/));
});

test("the environment says all of it", () => {
  withEnv({}, () => Riposte.fromEnv().close());
  withEnv({ RIPOSTE_TARGET: "https://h:1", RIPOSTE_TOKEN: "s" }, () => Riposte.fromEnv().close());
  withEnv({ RIPOSTE_TOKEN: "s" }, () => assert.throws(() => Riposte.fromEnv(), refused(/plaintext/)));
  withEnv({ RIPOSTE_TLS_CA: "/no/such.pem" }, () => assert.throws(() => Riposte.fromEnv(), refused(/RIPOSTE_TLS_CA, \/no\/such\.pem/)));
  withEnv({}, () => assert.throws(() => Riposte.fromEnv().admin(), refused(/RIPOSTE_ADMIN_TARGET/)));
  withEnv({ RIPOSTE_ADMIN_TARGET: "h:2" }, () => {
    const client = Riposte.fromEnv();
    client.admin();
    client.close();
  });
});
