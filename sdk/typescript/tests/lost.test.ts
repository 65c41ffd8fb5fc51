import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { useDevServer } from "riposte-sdk/testing";

const WRITES = 200;
const dev = useDevServer(before, after);

test("writes of which every twelfth loses its answer are each done once", async () => {
  const subject = dev.client.subject("article", "lost");
  let begun = 0;
  const answered: { id: string; floor: number }[] = [];
  const writer = async () => {
    while (begun < WRITES) {
      const i = begun++;
      const headers = i % 12 === 0 ? { "riposte-fault": `lose=1;key=${i}` } : undefined;
      answered.push((await subject.comment(`m${i}`, `number ${i}`, { headers, timeoutMs: 30_000 })).message);
    }
  };
  await Promise.all(Array.from({ length: 8 }, writer));
  const listed: string[] = [];
  for await (const { comment } of subject.comments({ sort: "oldest" })) listed.push(comment!.id);
  assert.equal(listed.length, WRITES);
  assert.deepEqual(answered.toSorted((a, b) => a.floor - b.floor).map(({ id }) => id), listed);
  assert.equal((await subject.get()).subject?.commentCount, WRITES);
});
