import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { useDevServer } from "riposte-sdk/testing";
import { parse } from "yaml";
import { proxied } from "./support/gate.js";
import { Scenario } from "./support/scenario.js";

const folder = process.env["RIPOSTE_CONFORMANCE"];
assert.ok(folder, "RIPOSTE_CONFORMANCE names the folder of the scenarios");
// What stands in the environment of a company: no call to this machine goes there.
proxied("http://127.0.0.1:1");
const within: number = parse(readFileSync(join(folder, "../options.yaml"), "utf8")).reconnect.within_ms;
const dev = useDevServer(before, after);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
  describe(file, () => {
    for (const { name, steps } of parse(readFileSync(join(folder, file), "utf8")).scenarios) {
      const admins = () => ({
        AdminService: dev.client.admin(),
        ModerationService: dev.client.moderation(),
        PolicyService: dev.client.policy(),
      });
      test(name, { timeout: 300_000 }, () => new Scenario(dev.client, admins(), dev.server.target, within).run(steps));
    }
  });
}
