"""Comments under a video: the back end of index.html. README.md says how to start it."""

import asyncio
import contextlib
import json
import os
import sqlite3
from collections import deque
from typing import Annotated

import riposte_sdk.aio
import uvicorn
from fastapi import Body, Cookie, FastAPI, HTTPException
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from riposte_sdk import Reason, to_json, v1

# The users belong to this program. Of them, Riposte stores no more than their ids.
table = sqlite3.connect(":memory:", check_same_thread=False)
table.execute("CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT, color TEXT, moderator INTEGER)")
PEOPLE = [("ann", "Ann Lee", "#c2410c", 0), ("bob", "Bob Ito", "#1d4ed8", 0), ("eva", "Eva Novak", "#a16207", 0)]
PEOPLE += [("kim", "Kim Park", "#7e22ce", 0), ("mo", "Mo Diaz", "#15803d", 1)]
table.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", PEOPLE)

GONE = "This comment is not there any more."
IN_PLAIN_WORDS = {
    Reason.FIELD_INVALID: "Please write something first.",
    Reason.CONTENT_TOO_LONG: "Your comment has {actual} characters, and the limit is {limit}.",
    Reason.RATE_LIMITED: "You write too fast. Please wait a moment.",
    Reason.PAGE_TOKEN_EXPIRED: "This list is too old. Please load the page again.",
} | dict.fromkeys([Reason.COMMENT_NOT_FOUND, Reason.COMMENT_UNAVAILABLE, Reason.PARENT_UNAVAILABLE], GONE)
# The last comments made here, with author and video. Several processes would share them in a cache.
just_made: deque[tuple[str, str, int]] = deque(maxlen=1000)
fan_outs: dict[str, "FanOut"] = {}
Member, Text = Annotated[str, Cookie()], Annotated[str, Body(embed=True)]


@contextlib.asynccontextmanager
async def lifespan(_: FastAPI):
    global riposte
    async with riposte_sdk.aio.from_env() as riposte:
        yield


app = FastAPI(lifespan=lifespan)


@app.exception_handler(riposte_sdk.Error)
async def tell(_, error: riposte_sdk.Error) -> JSONResponse:
    print(error)
    words = IN_PLAIN_WORDS.get(error.reason)
    if not words:
        return JSONResponse({"detail": "Comments do not work at the moment. Please try again."}, 503)
    return JSONResponse({"detail": words.format_map(error.metadata)}, 400)


def users(ids: set[str]) -> dict[str, dict]:
    """The users with these ids, in one query."""
    rows = table.execute(f"SELECT * FROM users WHERE id IN ({','.join('?' * len(ids))})", list(ids))
    return {row[0]: dict(zip(("id", "name", "color", "moderator"), row)) for row in rows}


def signed_in(member: str, moderating: bool = False) -> str:
    """The user of a request, whom your program takes from its own session."""
    user = users({member}).get(member)
    if not user or moderating and not user["moderator"]:
        raise HTTPException(403, "Only moderators can do this." if user else "Please sign in first.")
    return member


def answer(comments: list, **more) -> dict:
    """Comments for the page, ids as texts, with their authors and what is known of own likes."""
    liked = {c.id: c.own_like == v1.LIKE_VALUE_LIKE for c in comments if getattr(c, "own_like", 0)}
    messages = [to_json(getattr(c, "message", c)) for c in comments]
    return {"comments": messages, "users": users({c.member_id for c in comments}), "liked": liked, **more}


async def read(ids: list[int]) -> list[v1.Comment]:
    parts = [v1.BatchGetCommentsRequest(ids=ids[at : at + 200], allow_missing=True) for at in range(0, len(ids), 200)]
    return [c for part in parts for c in (await riposte.comments.BatchGetComments(part)).comments]


class FanOut:
    """One watch of a video, and a queue for each browser of this process that shows the video."""

    def __init__(self, video: str) -> None:
        self.video, self.queues, self.revision = riposte.subject("video", video), set(), 0
        self.task = asyncio.create_task(self.run())

    async def run(self) -> None:
        """Sends what the watch tells. After an error or a gap, the browsers connect again."""
        try:
            async with self.video.watch() as watch:
                async for event in watch:
                    if event.HasField("gap"):
                        break
                    self.send(await self.news(event))
        except riposte_sdk.Error as error:
            print(error)
        finally:
            self.end()

    async def news(self, event: v1.WatchSubjectResponse) -> dict:
        if event.HasField("opened"):
            self.revision = event.opened.revision
            return {"opened": str(self.revision)}
        changes, self.revision = event.change.comments, event.change.revision
        changed = await read(list({id for c in changes for id in (c.comment_id, c.root_id) if id}))
        made = [str(c.comment_id) for c in changes if c.kind == v1.COMMENT_CHANGE_KIND_CREATED]
        count = (await self.video.get()).subject.comment_count
        return answer(changed, made=made, count=count, revision=str(self.revision))

    def send(self, event: dict) -> None:
        for queue in list(self.queues):
            # A slow browser delays no other: its stream ends, and it connects again.
            full = queue.qsize() == 100
            self.leave(queue) if full else queue.put_nowait(f"data: {json.dumps(event)}\n\n")

    def leave(self, queue: asyncio.Queue) -> None:
        self.queues.discard(queue)
        queue.put_nowait(None)
        if not self.queues:
            self.end()

    def end(self) -> None:
        self.task.cancel()
        if fan_outs.get(self.video.object_id) is self:
            del fan_outs[self.video.object_id]
        for queue in list(self.queues):
            self.leave(queue)

    async def events(self, queue: asyncio.Queue):
        try:
            yield f"retry: 1000\ndata: {json.dumps({'opened': str(self.revision)})}\n\n"
            while event := await queue.get():
                yield event
        finally:
            self.leave(queue)


@app.get("/api/users")
async def all_users() -> dict[str, dict]:
    return users({row[0] for row in PEOPLE})


@app.get("/api/videos/{video}/comments")
async def comments(video: str, page_token: str = "", member: Member = "") -> dict:
    subject, options = riposte.subject("video", video), {"viewer": member or None, "page_token": page_token}
    page = await subject.page(sort="hot", page_size=5, reply_preview_size=2, **options)
    # A ranked list shows a new comment some seconds later, or far below. Its author expects it now.
    mine = await read([id for of, by, id in reversed(just_made) if (of, by) == (video, member)][:3])
    threads = page.with_just_made(c for c in mine if c.state == v1.COMMENT_STATE_ACTIVE)
    listed = [c for t in threads for c in (t.comment, *t.replies)]
    more = {str(t.comment.id): t.reply_page_token for t in threads}
    revision, count = str(page.subject_revision), page.subject.comment_count
    return answer(listed, more=more, next=page.next_page_token, revision=revision, count=count)


@app.get("/api/comments/{id}/replies")
async def replies(id: str, page_token: str, member: Member = "") -> dict:
    page = await riposte.comment(id).page(page_token=page_token, viewer=member or None)
    return answer(page.replies, next=page.next_page_token)


@app.post("/api/videos/{video}/comments")
async def post(video: str, text: Text, member: Member = "") -> dict:
    made = await riposte.subject("video", video).comment(signed_in(member), text)
    just_made.append((video, member, made.id))
    return answer([made])


@app.post("/api/comments/{id}/replies")
async def reply(id: str, text: Text, member: Member = "") -> dict:
    return answer([await riposte.comment(id).reply(signed_in(member), text)])


@app.put("/api/comments/{id}/like")
async def like(id: str, liked: Annotated[bool, Body(embed=True)], member: Member = "") -> dict:
    set_like = riposte.comment(id).like if liked else riposte.comment(id).clear_like
    return {"liked": liked, "likeCount": (await set_like(signed_in(member))).like_count}


@app.delete("/api/comments/{id}")
async def delete(id: str, member: Member = "") -> dict:
    return answer([(await riposte.comment(id).delete(signed_in(member))).comment])


@app.post("/api/comments/{id}/hide")
async def hide(id: str, member: Member = "") -> dict:
    return answer([(await riposte.comment(id).hide(signed_in(member, moderating=True), "hidden on the page")).comment])


@app.get("/api/videos/{video}/events")
async def events(video: str) -> StreamingResponse:
    queue: asyncio.Queue = asyncio.Queue()
    fan_out = fan_outs[video] = fan_outs.get(video) or FanOut(video)
    fan_out.queues.add(queue)
    return StreamingResponse(fan_out.events(queue), media_type="text/event-stream")


app.mount("/", StaticFiles(directory="page", html=True))


class Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: object) -> None:
        """Ends the streams of the browsers too, for which the server would wait."""
        self.should_exit = True
        for fan_out in list(fan_outs.values()):
            asyncio.get_running_loop().call_soon_threadsafe(fan_out.end)


if __name__ == "__main__":
    config = uvicorn.Config(app, port=int(os.environ.get("PORT", "8000")), timeout_graceful_shutdown=5)
    Server(config).run()
