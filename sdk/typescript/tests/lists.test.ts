import assert from "node:assert/strict";
import test from "node:test";
import { Code, Riposte, RiposteError } from "riposte-sdk";
import { Flaky, Refusal } from "./support/flaky.js";

/** Three pages of two replies each; what comes at once is told by `refused`. */
async function three(t: test.TestContext, refused?: Refusal) {
  const pages: Record<string, string> = { "": "second", second: "third", third: "" };
  const server = await Flaky.start(t, {
    listReplies: ({ pageToken }) => {
      if (pageToken === "second" && refused) return refused;
      return { replies: [{ id: `${pageToken.length}1` }, { id: `${pageToken.length}2` }], nextPageToken: pages[pageToken] };
    },
  });
  const client = Riposte.connect(server.target);
  t.after(() => client.close());
  return { server, client };
}

test("a list yields its items over all pages, and asks for where it begins only once", async (t) => {
  const { server, client } = await three(t);
  const ids: string[] = [];
  for await (const { id } of client.replies.listReplies({ rootId: "7", pageSize: 2, aroundCommentId: "9" })) ids.push(id);
  assert.deepEqual(ids, ["01", "02", "61", "62", "51", "52"].map((id) => String(Number(id))));
  const asked = server.calls.map(({ request }) => [request.rootId, request.pageSize, request.pageToken, request.aroundCommentId]);
  assert.deepEqual(asked, [["7", 2, "", "9"], ["7", 2, "second", "0"], ["7", 2, "third", "0"]]);
});

test("a list asks for nothing before it is read, and for no page behind the one where reading stops", async (t) => {
  const { server, client } = await three(t);
  const list = client.replies.listReplies({ rootId: "7" });
  assert.equal(server.calls.length, 0);
  for await (const _ of list) break;
  assert.equal(server.calls.length, 1);
});

test("a list is also a promise of one page, and the pages", async (t) => {
  const { server, client } = await three(t);
  const list = client.replies.listReplies({ rootId: "7" });
  const page = await list;
  assert.deepEqual([page.replies.length, page.nextPageToken, server.calls.length], [2, "second", 1]);
  const tokens: string[] = [];
  for await (const { nextPageToken } of list.pages()) tokens.push(nextPageToken);
  assert.deepEqual(tokens, ["second", "third", ""]);
});

test("an error on the way ends the walk, which can begin again from the last token", async (t) => {
  const { client } = await three(t, new Refusal(Code.INTERNAL));
  const tokens: string[] = [];
  const walk = async () => {
    for await (const { nextPageToken } of client.replies.listReplies({ rootId: "7" }).pages()) tokens.push(nextPageToken);
  };
  await assert.rejects(walk, (error) => error instanceof RiposteError && error.code === Code.INTERNAL);
  assert.deepEqual(tokens, ["second"]);
  assert.equal((await client.replies.listReplies({ rootId: "7", pageToken: "third" })).nextPageToken, "");
});
