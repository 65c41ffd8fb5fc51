import assert from "node:assert/strict";
import test from "node:test";
import { Code, Riposte, RiposteError } from "riposte-sdk";
import { DevServer } from "riposte-sdk/testing";
import { generate } from "selfsigned";

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
  for (const target of ["127.0.0.1:1", "http://h:1", "https://h:1/", "dns:///h:1", "[::1]:7171", "a_b.c-d:65535"]) Riposte.connect(target).close();
  const bare = ["", "h", ":1", "a:0", "a:01", "a:65536", "a:99999", "a:1x", "::1:7", "[::1]", "[a]:1", " a:1", "a:1\n"];
  const others = ["http://no host:1", "ftp://h:1", "HTTP://a:1", "unix:///a", "http://u@a:1", "http://h:1/path", "http://a:1?q", "http://dns:///h:1"];
  for (const target of [...bare, ...others]) {
    assert.throws(() => Riposte.connect(target), refused(/target/), target);
    assert.throws(() => Riposte.connect("h:1", { adminTarget: target }), refused(/target/), target);
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

test("an option of an unknown name is refused, of a client and of a server", async () => {
  // What the compiler refuses, a program in JavaScript may pass.
  const untyped: object = { tokn: "s" };
  assert.throws(() => Riposte.connect("h:1", untyped), refused(/: tokn: not an option of a client$/));
  assert.throws(() => Riposte.connect("h:1", { token: "s", insecureToken: true, ...untyped }), refused(/tokn/));
  Riposte.connect("h:1", { token: undefined }).close();
  await assert.rejects(DevServer.start({ ...untyped }), refused(/tokn/));
});

test("the environment says all of it", () => {
  withEnv({}, () => Riposte.fromEnv().close());
  withEnv({ RIPOSTE_TARGET: "https://h:1", RIPOSTE_TOKEN: "s" }, () => Riposte.fromEnv().close());
  withEnv({ RIPOSTE_TOKEN: "s" }, () => assert.throws(() => Riposte.fromEnv(), refused(/plaintext/)));
  withEnv({ RIPOSTE_TLS_CA: "/no/such.pem" }, () => assert.throws(() => Riposte.fromEnv(), refused(/RIPOSTE_TLS_CA, \/no\/such\.pem/)));
  withEnv({ RIPOSTE_ADMIN_TARGET: "h:2" }, () => {
    const client = Riposte.fromEnv();
    client.admin();
    client.close();
  });
});

test("the administration of no address is that of a dev server, or not known", () => {
  withEnv({}, () => Riposte.fromEnv().admin());
  for (const target of ["127.0.0.1:7171", "http://localhost:7171/"]) Riposte.connect(target).admin();
  for (const target of ["h:7171", "https://127.0.0.1:7171"]) {
    assert.throws(() => Riposte.connect(target).admin(), refused(/RIPOSTE_ADMIN_TARGET/));
  }
});

test("a switch is one of four words", () => {
  const options = { RIPOSTE_TOKEN: "s" };
  for (const word of ["1", "true", "TRUE"]) withEnv({ ...options, RIPOSTE_INSECURE_TOKEN: word }, () => Riposte.fromEnv().close());
  for (const word of ["", "0", "False"]) {
    withEnv({ ...options, RIPOSTE_INSECURE_TOKEN: word }, () => assert.throws(() => Riposte.fromEnv(), refused(/plaintext/)));
  }
  for (const word of ["t", "yes", "2"]) {
    withEnv({ RIPOSTE_INSECURE_TOKEN: word }, () => assert.throws(() => Riposte.fromEnv(), refused(/RIPOSTE_INSECURE_TOKEN/)));
  }
});

test("a key in the place of the certificate is refused", async () => {
  const pair = await generate([{ name: "commonName", value: "h" }], { keyType: "ec" });
  const swapped = { tlsCert: pair.private, tlsKey: pair.cert };
  assert.throws(() => Riposte.connect("https://h:1", swapped), refused(/tlsCert/));
});
