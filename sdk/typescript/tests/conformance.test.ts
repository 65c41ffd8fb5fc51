import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { useDevServer } from "riposte-sdk/testing";
import { parse } from "yaml";
import { Scenario } from "./support/scenario.js";

const folder = process.env["RIPOSTE_CONFORMANCE"];
assert.ok(folder, "RIPOSTE_CONFORMANCE names the folder of the scenarios");
const dev = useDevServer(before, after);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
  describe(file, () => {
    for (const { name, steps } of parse(readFileSync(join(folder, file), "utf8")).scenarios) {
      test(name, { timeout: 300_000 }, () => new Scenario(dev.client, dev.client.admin()).run(steps));
    }
  });
}
