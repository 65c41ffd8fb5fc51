import assert = require("node:assert/strict");
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test = require("node:test");
import sdk = require("riposte-sdk");
import testing = require("riposte-sdk/testing");
import v1 = require("riposte-sdk/v1");

const root = join(dirname(require.resolve("riposte-sdk")), "../..");

test("the package serves programs of the older module form, too", async () => {
  const dev = await testing.DevServer.start();
  const client = dev.connect();
  const comment = await client.subject("article", "42").comment("m7", "Hi");
  assert.equal(comment.message.state, v1.CommentState.ACTIVE);
  client.close();
  await dev.stop();
  assert.equal((await import("riposte-sdk")).Riposte.name, sdk.Riposte.name);
});

test("every generated file of the contract is part of riposte-sdk/v1", async () => {
  const names = readdirSync(join(root, "dist/cjs/gen/riposte/v1")).filter((name) => name.endsWith("_pb.js"));
  assert.ok(names.length > 10);
  for (const name of names) {
    const file: object = await import(join(root, "dist/cjs/gen/riposte/v1", name));
    for (const key of Object.keys(file)) if (key !== "default" && key !== "__esModule" && key !== "module.exports") assert.ok(key in v1, `${name}: ${key}`);
  }
});

test("what is counted or named by 64 bits is a text, so that no program loses digits", () => {
  for (const schema of Object.values(v1)) {
    if (typeof schema !== "object" || !("kind" in schema) || schema.kind !== "message") continue;
    for (const field of schema.fields) assert.ok(!("longAsString" in field) || !/64$/.test(String(field.scalar)) || field.longAsString, `${field}`);
  }
});

test("the package names its version, and brings no file that it does not need", () => {
  const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.match(readFileSync(join(root, "dist/cjs/gen/config.js"), "utf8"), new RegExp(`VERSION = "${version}"`));
  assert.deepEqual(Object.keys(dependencies), ["@bufbuild/protobuf", "@grpc/grpc-js"]);
  assert.deepEqual(readdirSync(root).filter((name) => name !== "node_modules").sort(), ["LICENSE", "README.md", "dist", "package.json"]);
});

test("the README shows the quick start that is run", () => {
  const [, shown] = readFileSync(join(__dirname, "../examples/quickstart.ts"), "utf8").split("// [quickstart]\n");
  assert.ok(shown && readFileSync(join(root, "README.md"), "utf8").includes(shown));
});
