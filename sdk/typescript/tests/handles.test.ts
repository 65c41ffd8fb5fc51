import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { Code, jsonOf, Riposte, RiposteError, type CommentHandle } from "riposte-sdk";
import { DevServer } from "riposte-sdk/testing";
import { CommentState, DeletedBy, LikeValue, ModerationAction } from "riposte-sdk/v1";
import { Flaky, Refusal } from "./support/flaky.js";

const { NONE, LIKE, DISLIKE, UNSPECIFIED } = LikeValue;
const wrong = (error: unknown) => error instanceof RiposteError && error.code === Code.INVALID_ARGUMENT;

test("the handles of a server", async (t) => {
  const server = await DevServer.start();
  t.after(() => server.stop());
  const client = Riposte.connect(server.target, { adminTarget: server.adminTarget });
  t.after(() => client.close());
  const made = () => client.subject("article", randomBytes(8).toString("hex"));

  await t.test("a wrong viewer is told at the call", async () => {
    const full = made();
    const { id } = await full.comment("m7", "Hi");
    const told = (error: unknown) =>
      error instanceof RiposteError && error.reason === "FIELD_INVALID" && error.requestId === undefined &&
      error.violations.map(({ field }) => field).join() === "viewer";
    for (const viewer of ["", "m".repeat(65), "é".repeat(33), "m\t1", "m\u00851", "\ud83d", 5 as never]) {
      // What does not exist is never asked for.
      await assert.rejects(made().page({ viewer }), told);
      await assert.rejects(client.comment("1").page({ viewer }), told);
      await assert.rejects(full.page({ viewer }), told);
      await assert.rejects(client.commentsById([id], { viewer }), told);
    }
  });

  await t.test("a page has handles, its cursor, and what its viewer likes", async () => {
    const subject = made();
    assert.deepEqual([await subject.ensure(), await subject.ensure()], [true, false]);
    const roots: CommentHandle[] = [];
    for (const text of ["0", "1", "2"]) roots.push(await subject.comment("m7", text));
    const reply = await client.comment(roots[0]!.id).reply("m8", "Welcome");
    await client.comment(reply.id).like("m9");
    await roots[0]!.dislike("m9");
    const page = await subject.page({ sort: "oldest", pageSize: 2, replyPreviewSize: 1, viewer: "m9" });
    assert.deepEqual(page.threads.map(({ comment }) => [comment.content?.text, comment.ownLike]), [["0", DISLIKE], ["1", NONE]]);
    assert.deepEqual(page.threads[0]!.replies.map(({ ownLike }) => ownLike), [LIKE]);
    const last = await subject.page({ sort: "oldest", pageSize: 2, pageToken: page.nextPageToken });
    assert.deepEqual(last.threads.map(({ comment }) => [comment.id, comment.ownLike]), [[roots[2]!.id, UNSPECIFIED]]);
    for (const place of [{ aroundCommentId: roots[2]!.id }, { aroundFloor: roots[2]!.floor }]) {
      const around = await subject.page({ sort: "oldest", pageSize: 1, minRevision: page.subjectRevision, ...place });
      assert.ok(around.threads.some(({ comment }) => comment.id === roots[2]!.id) && around.previousPageToken !== "");
    }
    const replies = await client.comment(roots[0]!.id).page({ sort: "top", viewer: "m9" });
    assert.deepEqual(replies.replies.map(({ id, ownLike }) => [id, ownLike]), [[reply.id, LIKE]]);

    const handed = [roots[2]!, roots[1]!.message, reply, roots[2]!.message];
    const above = page.withJustMade(handed).map(({ comment }) => [comment.id, comment.ownLike]);
    assert.deepEqual(above, [[roots[2]!.id, UNSPECIFIED], [roots[1]!.id, NONE], [roots[0]!.id, DISLIKE]]);
    assert.deepEqual([page.threads.length, last.withJustMade(handed).length], [2, 0]);
    assert.equal((await subject.memberLikesPage("m9", { pageSize: 1 })).likes.length, 1);
  });

  await t.test("what is unlisted stands above the first page of its author", async () => {
    const subject = made();
    const { id, message } = await subject.comment("m7", "waits");
    const seen = await client.moderation().getModeratedComments({ ids: [id] });
    await client.moderation().submitVerdicts({
      action: ModerationAction.WITHHOLD,
      grounds: { code: "to-be-checked" },
      targets: [{ commentId: id, etag: seen.comments[0]!.etag }],
      moderatorId: "mod",
    });
    const { comments } = await client.comments.listUnlistedComments({ subject: message.subject!, memberId: "m7" });
    const page = await subject.page({ pageSize: 1 });
    const above = page.withJustMade(comments);
    assert.deepEqual(page.threads, []);
    assert.deepEqual(above.map(({ comment }) => [comment.id, comment.state]), [[id, CommentState.PENDING]]);
  });

  await t.test("a moderator hides, shows and deletes", async () => {
    const comment = await made().comment("m7", "Hi");
    assert.equal((await comment.hide("mod", "spam")).comment?.state, CommentState.HIDDEN);
    assert.equal((await comment.unhide("mod", "fine")).comment?.state, CommentState.ACTIVE);
    assert.equal((await comment.moderatorDelete("mod", "spam")).comment?.deletedBy, DeletedBy.MODERATOR);
    assert.deepEqual((await client.member("article", "nobody").page()).comments, []);
  });

  await t.test("ids are strings in JSON", async () => {
    const { id, message } = await made().comment("m7", "Hi");
    const { rootId, likeCount, ...written } = jsonOf(message) as Record<string, unknown>;
    assert.deepEqual([written["id"], rootId, likeCount], [id, "0", 0]);
  });

  await t.test("a wrong argument is told at the call", async () => {
    assert.throws(() => made().comments({ sort: "loudest" as "hot" }), wrong);
    assert.throws(() => client.comment("1").replies({ sort: "hot" as "top" }), wrong);
    assert.throws(() => client.subject("article", "\ud83d").comments(), wrong);
    await assert.rejects(made().page({ pageSize: 1.5 }), wrong);
    // What the types forbid, a program in JavaScript may do.
    const refused = (option: string) => (error: unknown) => wrong(error) && (error as RiposteError).message.includes(`${option}: `);
    const none = (one: object) => one as never;
    for (const options of [{ pageSize: 5 }, { viewer: "m9" }, { timeoutMs: "x" }, { timeoutMs: -1 }, { headers: { a: 5 } }, { signal: 5 }]) {
      const [option] = Object.keys(options);
      assert.throws(() => made().comments(none(options)), refused(option!));
      assert.throws(() => client.comments.listComments({ subject: made().key }, none(options)), refused(option!));
    }
    for (const headers of [{ "no name": "" }, { name: "\n" }]) assert.throws(() => made().comments({ headers }), refused("headers"));
    const calls: [option: string, call: Promise<unknown>][] = [
      ["pagesize", made().page(none({ pagesize: 5 }))],
      ["viewer", made().page(none({ viewer: 5 }))],
      ["viewer", client.commentsById([], none({ viewer: 5 }))],
      ["viewer", client.member("article", "m9").page(none({ viewer: "m9" }))],
      ["timeoutMs", made().page(none({ timeoutMs: "5" }))],
      ["timeout", made().comment("m7", "Hi", none({ timeout: 5 }))],
      ["onTrailers", made().get(none({ onTrailers: 5 }))],
      ["headers", made().get({ headers: { "no name": "" } })],
      ["headers", made().page({ headers: { name: "\n" } })],
      ["from", made().watch(none({ from: "5" }))],
      ["content.text", made().comment("m7", none({}))],
      ["member_id", made().comment(none([7]), "Hi")],
      ["timeoutMs", made().watch(none({ timeoutMs: "x" }))],
      ["buffers", made().listen(none({ buffers: 5 }))],
    ];
    for (const [option, call] of calls) await assert.rejects(call, refused(option), option);
    const page = await made().page();
    assert.throws(() => made().memberLikes(none({ id: "m7" })), refused("member_id"));
    for (const one of [5, undefined, null, {}, "12"]) {
      assert.throws(() => page.withJustMade(one as never), refused("comments"));
      await assert.rejects(client.commentsById(one as never), refused("ids"));
    }
    for (const one of [5, undefined, {}]) assert.throws(() => page.withJustMade([one as never]), refused("comments"));
  });
});

test("own likes that cannot be asked are unknown", async (t) => {
  const asked: number[] = [];
  const replies = (root: number) => Array.from({ length: 10 }, (_, at) => ({ id: String(root * 11 + at + 2) }));
  const threads = Array.from({ length: 60 }, (_, at) => ({ comment: { id: String(at * 11 + 1) }, replies: replies(at) }));
  const server = await Flaky.start(t, {
    listComments: () => ({ threads }),
    batchGetLikeStates: ({ commentIds }: { commentIds: string[] }) => {
      asked.push(commentIds.length);
      if (commentIds.length > 60) return new Refusal(Code.INTERNAL);
      return { states: commentIds.map((commentId) => ({ commentId, value: LIKE })) };
    },
  });
  const client = Riposte.connect(server.target);
  t.after(() => client.close());
  const page = await client.subject("article", "1").page({ viewer: "m9" });
  assert.deepEqual(page.threads.map(({ comment }) => comment.ownLike), threads.map((_, at) => (at < 55 ? UNSPECIFIED : LIKE)));
  assert.deepEqual(asked.sort((a, b) => a - b), [60, 200, 200, 200]);
});
