// The routes: comments of a video as JSON. The member is the user whom the caller has signed in.
import Fastify, { type FastifyInstance } from "fastify";
import { Code, jsonOf, type Riposte, RiposteError } from "riposte-sdk";

const GONE = "This comment is not there any more.";
// Messages for the errors on which a reader can act, by their reason or by the field at fault.
const ERROR_MESSAGES: Record<string, string> = {
  CONTENT_TOO_LONG: "Your comment has {actual} characters, and the limit is {limit}.",
  CONTENT_BLOCKED: "This text is not allowed.",
  "content.text": "Please write something first.",
  COMMENT_NOT_FOUND: GONE,
  COMMENT_UNAVAILABLE: GONE,
  PARENT_UNAVAILABLE: GONE,
  MEMBER_NOT_ALLOWED: "You may not do this.",
  RATE_LIMITED: "You write too fast. Please wait a moment.",
  page_token: "This list is too old. Please load the page again.",
};
// Another try does not change a refusal. All else is a failure, after which it may succeed.
const REFUSALS = [Code.INVALID_ARGUMENT, Code.NOT_FOUND, Code.PERMISSION_DENIED, Code.FAILED_PRECONDITION];

type Video = { Params: { video: string }; Querystring: { page_token?: string } };
type Comment = { Params: { id: string } };
type Written = { Body: { text: string } };

const written = { schema: { body: { type: "object", required: ["text"], properties: { text: { type: "string" } } } } };

export function app(riposte: Riposte): FastifyInstance {
  const server = Fastify({ logger: { level: "warn" } });

  server.setErrorHandler((error, request, reply) => {
    if (!(error instanceof RiposteError)) return reply.send(error);
    request.log.warn(error.message);
    const known = [error.reason, ...error.violations.map(({ field }) => field)].find((key) => key in ERROR_MESSAGES);
    const refused = known || REFUSALS.includes(error.code);
    if (!refused) return reply.code(503).send({ detail: "Comments do not work at the moment. Please try again." });
    const message = known ? ERROR_MESSAGES[known]! : "This is not possible.";
    const detail = message.replace(/\{(\w+)\}/g, (_, fact: string) => error.metadata[fact] ?? "");
    return reply.code(400).send({ detail });
  });

  // Stands for your session: a header that a browser cannot be trusted with.
  const member = (headers: Record<string, unknown>) => String(headers["x-member"] ?? "");

  server.get<Video>("/videos/:video/comments", async ({ params, query, headers }) => {
    const viewer = member(headers);
    const page = await riposte.subject("video", params.video).page({
      sort: "hot", pageSize: 20, replyPreviewSize: 3, pageToken: query.page_token ?? "", ...(viewer && { viewer }),
    });
    const threads = page.threads.map(({ message, comment }) => ({ thread: jsonOf(message), ownLike: comment.ownLike }));
    return { threads, next: page.nextPageToken, revision: page.response.subjectRevision };
  });

  server.post<Video & Written>("/videos/:video/comments", written, async ({ params, body, headers }) => {
    const comment = await riposte.subject("video", params.video).comment(member(headers), body.text);
    return jsonOf(comment.message);
  });

  server.post<Comment & Written>("/comments/:id/replies", written, async ({ params, body, headers }) => {
    const reply = await riposte.comment(params.id).reply(member(headers), body.text);
    return jsonOf(reply.message);
  });

  server.put<Comment>("/comments/:id/like", async ({ params, headers }) => {
    const { likeCount } = await riposte.comment(params.id).like(member(headers));
    return { likeCount };
  });

  server.delete<Comment>("/comments/:id", async ({ params, headers }) => {
    await riposte.comment(params.id).delete(member(headers));
    return {};
  });
  return server;
}
