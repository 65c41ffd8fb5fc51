"""Comments under a video: the back end of page/. README.md says how to start it."""

import asyncio
import contextlib
import functools
import json
import os
import sqlite3
from typing import Annotated

import riposte_sdk.aio
import uvicorn
from fastapi import Body, Cookie, FastAPI, Header, HTTPException, Response
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
NOT_NOW = "Comments do not work at the moment. Please try again."
# The errors on which a reader can act, by their reason or by the field at fault.
ERROR_MESSAGES = {
    "content.text": "Please write something first.",
    Reason.CONTENT_TOO_LONG: "Your comment has {actual} characters, and the limit is {limit}.",
    Reason.RATE_LIMITED: "You write too fast. Please wait a moment.",
    Reason.MEMBER_NOT_ALLOWED: "You may not do this.", Reason.CONTENT_BLOCKED: "This text is not allowed.",
    "page_token": "This list is too old. Please load the page again.",
} | dict.fromkeys([Reason.COMMENT_NOT_FOUND, Reason.COMMENT_UNAVAILABLE, Reason.PARENT_UNAVAILABLE], GONE)
Member, Text = Annotated[str, Header(alias="x-member")], Annotated[str, Body(embed=True)]
Made = Annotated[str, Cookie()]  # the ids of what was just made, with points between
open_streams: set = set()


@contextlib.asynccontextmanager
async def lifespan(_: FastAPI):
    global riposte
    async with riposte_sdk.aio.from_env() as riposte:
        yield


app = FastAPI(lifespan=lifespan)


@app.exception_handler(riposte_sdk.Error)
async def error_response(_, error: riposte_sdk.Error) -> JSONResponse:
    print(error)
    known = [*filter(None, map(ERROR_MESSAGES.get, (error.reason, *(at.field for at in error.violations))))]
    # Another try does not change a refusal, and may succeed after a failure.
    refused = known or error.code.name in ("INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "FAILED_PRECONDITION")
    message = (known or ["This is not possible." if refused else NOT_NOW])[0]
    return JSONResponse({"detail": message.format_map(error.metadata)}, 400 if refused else 503)


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
    liked = {c.id: c.own_like == v1.LIKE_VALUE_LIKE for c in comments if c.own_like}
    messages = [to_json(c.message) for c in comments]
    return {"comments": messages, "users": users({c.member_id for c in comments}), "liked": liked, **more}


@app.get("/api/videos/{video}/comments")
async def comments(video: str, page_token: str = "", made: Made = "", member: Member = "") -> dict:
    subject, options = riposte.subject("video", video), {"viewer": member or None, "page_token": page_token}
    page = await subject.page(sort="hot", page_size=5, reply_preview_size=2, **options)
    # A ranked list shows a new comment some seconds later, or far below. Its author expects it now.
    found = await riposte.comments_by_id((id for id in made.split(".") if id.isdecimal()), viewer=member or None)
    threads = page.with_just_made(c for c in found if c.member_id == member)
    listed = [c for t in threads for c in (t.comment, *t.replies)]
    more = {str(t.comment.id): t.reply_page_token for t in threads}
    revision, count, me = str(page.subject_revision), page.subject.comment_count, users({member}).get(member)
    return answer(listed, me=me, more=more, next=page.next_page_token, revision=revision, count=count)


@app.get("/api/comments/{id}/replies")
async def replies(id: str, page_token: str, member: Member = "") -> dict:
    page = await riposte.comment(id).page(page_token=page_token, viewer=member or None)
    return answer(page.replies, next=page.next_page_token)


def just_made(response: Response, comment, made: str) -> dict:
    """The answer for a new comment. The session keeps the last three ids at most, for a minute."""
    ids = [str(comment.id), *filter(str.isdecimal, made.split("."))][:3]
    response.set_cookie("made", ".".join(ids), max_age=60, httponly=True)
    return to_json(comment.message)


@app.post("/api/videos/{video}/comments")
async def post(video: str, text: Text, response: Response, made: Made = "", member: Member = "") -> dict:
    comment = await riposte.subject("video", video).comment(signed_in(member), text)
    return just_made(response, comment, made)


@app.post("/api/comments/{id}/replies")
async def reply(id: str, text: Text, response: Response, made: Made = "", member: Member = "") -> dict:
    return just_made(response, await riposte.comment(id).reply(signed_in(member), text), made)


@app.put("/api/comments/{id}/like")
async def like(id: str, liked: Annotated[bool, Body(embed=True)], member: Member = "") -> dict:
    set_like = riposte.comment(id).like if liked else riposte.comment(id).clear_like
    return {"liked": liked, "likeCount": (await set_like(signed_in(member))).like_count}


@app.delete("/api/comments/{id}")
async def delete(id: str, member: Member = "") -> dict:
    return to_json((await riposte.comment(id).delete(signed_in(member))).comment)


@app.post("/api/comments/{id}/hide")
async def hide(id: str, member: Member = "") -> dict:
    moderator = signed_in(member, moderating=True)
    return to_json((await riposte.comment(id).hide(moderator, "hidden on the page")).comment)


@app.get("/api/videos/{video}/events")
async def events(video: str) -> StreamingResponse:
    # All listeners of this process share one watch of the video.
    listener = await riposte.subject("video", video).listen()
    return StreamingResponse(stream(video, listener), media_type="text/event-stream")


async def stream(video: str, listener):
    open_streams.add(listener)
    try:
        async for event in listener:
            if event.HasField("gap"):
                break  # the browser connects again, and loads its page
            changes = tuple((c.comment_id, c.root_id, c.kind) for c in event.change.comments)
            news = {"opened": str(event.opened.revision)}
            if not event.HasField("opened"):
                news = await asyncio.shield(news_of(video, event.change.revision, changes))
            yield f"retry: 1000\ndata: {json.dumps(news)}\n\n"
    finally:
        open_streams.discard(listener)
        await listener.close()


@functools.lru_cache(maxsize=100)
def news_of(video: str, revision: int, changes: tuple) -> asyncio.Task:
    """What a change has changed, which is read once for all browsers."""

    async def read_all() -> dict:
        changed = await riposte.comments_by_id(id for comment, root, _ in changes for id in (comment, root))
        made = {str(id): kind == v1.COMMENT_CHANGE_KIND_CREATED for id, _, kind in changes}
        count = (await riposte.subject("video", video).get()).subject.comment_count
        return answer(changed, made=made, count=count, revision=str(revision))

    return asyncio.create_task(read_all())


app.mount("/", StaticFiles(directory="page", html=True))


class Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: object) -> None:
        """Ends the streams of the browsers too, for which the server would wait."""
        self.should_exit = True
        for listener in list(open_streams):
            asyncio.run_coroutine_threadsafe(listener.close(), asyncio.get_running_loop())


if __name__ == "__main__":
    Server(uvicorn.Config(app, port=int(os.environ.get("PORT", "8000")), timeout_graceful_shutdown=5)).run()
