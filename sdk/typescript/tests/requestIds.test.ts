import assert from "node:assert/strict";
import test from "node:test";
import { RequestIds } from "riposte-sdk";

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids are UUIDs of version 7 that rise and share their tail", () => {
  const ids = new RequestIds();
  const made = Array.from({ length: 50_000 }, () => ids.next());
  assert.ok(made.every((id) => UUID7.test(id)));
  assert.ok(made.every((id, i) => i === 0 || id > made[i - 1]!));
  assert.ok(made.every((id) => id.slice(24) === made[0]!.slice(24)));
  assert.notEqual(new RequestIds().next().slice(24), made[0]!.slice(24));
});

test("ids rise under a clock that stands or goes back, and bear its time", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_700_000_000_000 });
  const ids = new RequestIds();
  const made = Array.from({ length: 70_000 }, () => ids.next());
  t.mock.timers.setTime(1_600_000_000_000);
  made.push(ids.next());
  assert.ok(made.every((id, i) => i === 0 || id > made[i - 1]!));
  assert.equal(parseInt(made[0]!.replaceAll("-", "").slice(0, 12), 16), 1_700_000_000_000);
});
