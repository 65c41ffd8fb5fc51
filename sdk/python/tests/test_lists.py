"""Walks over lists and the handles, against a real server."""

import asyncio
import secrets

import pytest

import riposte_sdk
import riposte_sdk.aio
from riposte_sdk import v1
from riposte_sdk.dev import DevServer


def test_the_handles_do_what_they_say(riposte_client: riposte_sdk.Client) -> None:
    subject = riposte_client.subject("article", secrets.token_hex(8))
    root = subject.comment("m7", "Hi")
    reply = root.reply("m8", "Welcome")
    assert (root.message.floor, reply.message.floor) == (1, 1)
    assert root.like("m9").like_count == 1
    assert root.dislike("m9").dislike_count == 1
    assert root.clear_like("m9").value == v1.LIKE_VALUE_NONE
    assert reply.edit("m8", "Hello").comment.content.text == "Hello"
    assert [one.content.text for one in root.replies(sort="oldest")] == ["Hello"]
    assert reply.delete("m8").comment.state == v1.COMMENT_STATE_DELETED
    assert subject.get(metadata=[]).subject.root_count == 1


def test_the_handles_do_the_same_with_asyncio(riposte_server: DevServer) -> None:
    async def run() -> None:
        async with riposte_sdk.aio.connect(riposte_server.target) as client:
            await client.wait_ready(10)
            subject = client.subject("article", secrets.token_hex(8))
            root = await subject.comment("m7", "Hi")
            reply = await root.reply("m8", "Welcome")
            assert (await root.like("m9")).like_count == 1
            assert [one.id async for one in root.replies()] == [reply.message.id]
            assert [one.comment.id async for one in subject.comments(sort="newest")] == [root.message.id]
            assert (await subject.get()).subject.comment_count == 2

    asyncio.run(run())


def test_a_walk_that_fails_stays_where_it_is(riposte_client: riposte_sdk.Client) -> None:
    subject = riposte_client.subject("article", secrets.token_hex(8))
    for number in range(5):
        subject.comment("m7", str(number))
    request = v1.ListCommentsRequest(subject=subject.key, sort=v1.COMMENT_SORT_OLDEST, page_size=2)
    # The first three attempts are one page's; the fourth goes through.
    fault = [("riposte-fault", f"code=UNAVAILABLE;n=3;key={secrets.token_hex(8)}")]
    walk = riposte_client.comments.list_comments(request, metadata=fault)
    with pytest.raises(riposte_sdk.Unavailable):
        next(walk)
    assert next(walk).comment.floor == 1
    assert request.page_token == "", "the caller's message stays as it is"


def test_the_pages_of_a_walk_can_be_had(riposte_client: riposte_sdk.Client) -> None:
    subject = riposte_client.subject("article", secrets.token_hex(8))
    for number in range(5):
        subject.comment("m7", str(number))
    request = v1.ListCommentsRequest(subject=subject.key, page_size=2, fresh=True)
    pages = list(riposte_client.comments.list_comments(request).pages())
    assert [len(page.threads) for page in pages] == [2, 2, 1]
    assert pages[0].subject.root_count == 5


def test_an_order_that_does_not_exist_is_told(riposte_client: riposte_sdk.Client) -> None:
    with pytest.raises(ValueError, match="COMMENT_SORT_LOUDEST"):
        riposte_client.subject("article", "1").comments(sort="loudest")  # type: ignore[arg-type]
