import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LikeValue } from "riposte-sdk/v1";
import { useDevServer } from "riposte-sdk/testing";
import { app } from "./app.js";

const dev = useDevServer(before, after);
const json = (payload: object) => ({ payload, headers: { "x-member": "ann" } });

test("what is written is listed, with its replies and the reader's like, and ids are texts", async () => {
  const server = app(dev.client);
  const made = await server.inject({ method: "POST", url: "/videos/1/comments", ...json({ text: "Hello" }) });
  assert.equal(made.statusCode, 200, made.body);
  const { id } = made.json();
  assert.equal(typeof id, "string");
  await server.inject({ method: "POST", url: `/comments/${id}/replies`, ...json({ text: "Welcome" }) });
  const like = await server.inject({ method: "PUT", url: `/comments/${id}/like`, headers: { "x-member": "bob" } });
  assert.deepEqual(like.json(), { likeCount: 1 });
  const page = await server.inject({ url: "/videos/1/comments", headers: { "x-member": "bob" } });
  const [{ thread, ownLike }] = page.json().threads;
  assert.equal(thread.comment.id, id);
  assert.equal(thread.replies[0].content.text, "Welcome");
  assert.equal(ownLike, LikeValue.LIKE);
  await server.close();
});

test("errors are messages for readers", async () => {
  const server = app(dev.client);
  const long = await server.inject({ method: "POST", url: "/videos/1/comments", ...json({ text: "x".repeat(5001) }) });
  assert.equal(long.statusCode, 400);
  assert.deepEqual(long.json(), { detail: "Your comment has 5001 characters, and the limit is 5000." });
  const gone = await server.inject({ method: "DELETE", url: "/comments/1", headers: { "x-member": "ann" } });
  assert.deepEqual(gone.json(), { detail: "This comment is not there any more." });
  const made = await server.inject({ method: "POST", url: "/videos/1/comments", ...json({ text: "Mine" }) });
  const refused: [method: "GET" | "DELETE" | "POST", url: string, detail: string][] = [
    ["DELETE", `/comments/${made.json().id}`, "You may not do this."],
    ["GET", "/videos/1/comments?page_token=old", "This list is too old. Please load the page again."],
    ["POST", "/comments/none/replies", "This is not possible."],
    ["POST", "/videos/1/comments", "Please write something first."],
  ];
  for (const [method, url, detail] of refused) {
    const payload = method === "POST" ? { payload: { text: " " } } : {};
    const answer = await server.inject({ method, url, headers: { "x-member": "bob" }, ...payload });
    assert.deepEqual([answer.statusCode, answer.json()], [400, { detail }], url);
  }
  dev.client.close();
  const failed = await server.inject({ url: "/videos/1/comments" });
  assert.equal(failed.statusCode, 503, failed.body);
  await server.close();
});
