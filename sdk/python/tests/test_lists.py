"""Walks over lists and the handles, against a real server."""

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from standin import FailingLikes, serving

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
    assert reply.update("m8", "Hello").comment.content.text == "Hello"
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


def test_a_wrong_argument_is_told_at_the_call(riposte_client: riposte_sdk.Client) -> None:
    subject, comment = riposte_client.subject("article", "1"), riposte_client.comment(7)
    lists = riposte_client.comments.list_comments
    wrong: list[Callable[[], object]] = [
        lambda: subject.comments(sort="loudest"),  # type: ignore[arg-type]
        lambda: subject.comments(sort=["hot"]),  # type: ignore[arg-type]
        lambda: lists(None),  # type: ignore[arg-type]
        lambda: lists(v1.ListRepliesRequest()),  # type: ignore[arg-type]
        lambda: riposte_client.comments.GetComment(None),  # type: ignore[arg-type]
        lambda: riposte_client.subjects.watch_subject(None),  # type: ignore[arg-type]
        lambda: riposte_sdk.connect(None),  # type: ignore[arg-type]
        lambda: subject.comments(page_size=5),  # type: ignore[call-arg]
        lambda: comment.replies(sort="hot"),  # type: ignore[arg-type]
        lambda: riposte_client.comment(0).replies(),
        lambda: riposte_client.member("article", "").comments(),
        lambda: subject.page(page_size="many"),  # type: ignore[arg-type]
        lambda: subject.page(page_size=-1),
        lambda: subject.watch(after_revision="1.5"),
        lambda: subject.comment("m7", 5),  # type: ignore[arg-type]
        lambda: subject.comment("m7", "Hi", deadline=3),  # type: ignore[call-arg]
        lambda: riposte_client.comment("seven"),
        lambda: subject.page(viewer=5),  # type: ignore[arg-type]
        lambda: subject.page().with_just_made([5]),  # type: ignore[list-item]
        lambda: subject.page().with_just_made(None),  # type: ignore[arg-type]
        lambda: riposte_client.comments_by_id(None),  # type: ignore[arg-type]
        lambda: riposte_client.comments_by_id("12"),
        lambda: riposte_client.comments_by_id([None]),  # type: ignore[list-item]
        lambda: subject.listen(buffer="x"),  # type: ignore[arg-type]
    ]
    for call in wrong:
        with pytest.raises(riposte_sdk.InvalidArgument):
            call()


WRONG_OPTIONS: list[dict[str, object]] = [
    {"timeout": "x"},
    {"timeout": True},
    {"timeout": float("nan")},
    {"metadata": "x"},
    {"metadata": 5},
    {"metadata": {"a": "b"}},
    {"metadata": [("a", 5)]},
    {"metadata": [("A B", "x")]},
    {"metadata": [("", "x")]},
    {"metadata": [("a", "x\n")]},
    {"metadata": [("a", "é")]},
    {"credentials": "x"},
    {"wait_for_ready": "x"},
    {"compression": "x"},
]


@pytest.mark.parametrize("options", WRONG_OPTIONS, ids=str)
def test_an_option_of_a_wrong_type_is_told_at_the_call(
    riposte_server: DevServer, riposte_client: riposte_sdk.Client, options: dict[str, Any]
) -> None:
    [name] = options
    subject = riposte_client.subject("article", "1")
    for call in (subject.page, subject.comments, subject.get, subject.watch):
        with pytest.raises(riposte_sdk.InvalidArgument, match=f"{name}: "):
            call(**options)
    with pytest.raises(riposte_sdk.InvalidArgument, match=f"{name}: "):
        riposte_client.comments_by_id([], **options)

    async def run() -> None:
        async with riposte_sdk.aio.connect(riposte_server.target) as client:
            subject = client.subject("article", "1")
            for call in (subject.page, subject.get):
                with pytest.raises(riposte_sdk.InvalidArgument, match=f"{name}: "):
                    await call(**options)
            for make in (subject.comments, subject.watch):
                with pytest.raises(riposte_sdk.InvalidArgument, match=f"{name}: "):
                    make(**options)
            with pytest.raises(riposte_sdk.InvalidArgument, match=f"{name}: "):
                await client.comments_by_id([], **options)
            with pytest.raises(riposte_sdk.InvalidArgument, match="no comment"):
                (await subject.page()).with_just_made([5])  # type: ignore[list-item]

    asyncio.run(run())


WRONG_VIEWERS = ["", "m" * 65, "é" * 33, "m\t1", "m\x851", "\ud83d"]


@pytest.mark.parametrize("viewer", WRONG_VIEWERS, ids=ascii)
def test_a_wrong_viewer_is_told_at_the_call(
    riposte_server: DevServer, riposte_client: riposte_sdk.Client, viewer: str
) -> None:
    # What does not exist is never asked for.
    absent, comment = riposte_client.subject("article", secrets.token_hex(8)), riposte_client.comment(1)
    full = riposte_client.subject("article", secrets.token_hex(8))
    id = full.comment("m7", "Hi").id

    def told(error: pytest.ExceptionInfo[riposte_sdk.InvalidArgument]) -> None:
        assert error.value.reason is riposte_sdk.Reason.FIELD_INVALID
        assert [at.field for at in error.value.violations] == ["viewer"]
        assert error.value.request_id is None

    for page in (absent.page, comment.page, full.page):
        with pytest.raises(riposte_sdk.InvalidArgument) as error:
            page(viewer=viewer)
        told(error)
    with pytest.raises(riposte_sdk.InvalidArgument) as error:
        riposte_client.comments_by_id([id], viewer=viewer)
    told(error)

    async def run() -> None:
        async with riposte_sdk.aio.connect(riposte_server.target) as client:
            with pytest.raises(riposte_sdk.InvalidArgument) as error:
                await client.subject("article", "none").page(viewer=viewer)
            told(error)
            with pytest.raises(riposte_sdk.InvalidArgument) as error:
                await client.comments_by_id([1], viewer=viewer)
            told(error)

    asyncio.run(run())


def test_a_page_has_handles_its_cursor_and_what_its_viewer_likes(riposte_client: riposte_sdk.Client) -> None:
    subject = riposte_client.subject("article", secrets.token_hex(8))
    assert (subject.ensure(), subject.ensure()) == (True, False)
    roots = [subject.comment("m7", str(number)) for number in range(3)]
    reply = riposte_client.comment(str(roots[0].id)).reply("m8", "Welcome")
    riposte_client.comment(reply.id).like("m9")
    roots[0].dislike("m9")
    page = subject.page(sort="oldest", page_size=2, reply_preview_size=1, viewer="m9")
    assert [one.comment.content.text for one in page.threads] == ["0", "1"]
    assert [one.own_like for one in page.threads] == [v1.LIKE_VALUE_DISLIKE, v1.LIKE_VALUE_NONE]
    assert [one.own_like for one in page.threads[0].replies] == [v1.LIKE_VALUE_LIKE]
    last = subject.page(sort="oldest", page_size=2, page_token=page.next_page_token)
    assert [one.comment.id for one in last.threads] == [roots[2].id]
    assert last.threads[0].own_like == v1.LIKE_VALUE_UNSPECIFIED
    revision = page.subject_revision
    for around in (
        subject.page(sort="oldest", page_size=1, around_comment_id=str(roots[2].id), min_revision=revision),
        subject.page(sort="oldest", page_size=1, around_floor=roots[2].floor, min_revision=revision),
    ):
        assert roots[2].id in [one.comment.id for one in around.threads]
        assert around.previous_page_token
    replies = riposte_client.comment(roots[0].id).page(sort="top", viewer="m9")
    assert [(one.id, one.own_like) for one in replies.replies] == [(reply.id, v1.LIKE_VALUE_LIKE)]
    assert [one.comment_id for one in subject.member_likes_page("m9", page_size=1).likes] == [roots[0].id]


def test_what_was_just_written_stands_above_the_first_page(riposte_client: riposte_sdk.Client) -> None:
    subject = riposte_client.subject("article", secrets.token_hex(8))
    roots = [subject.comment("m7", str(number)) for number in range(3)]
    reply = roots[0].reply("m7", "mine")
    elsewhere = riposte_client.subject("article", secrets.token_hex(8)).comment("m7", "elsewhere")
    handed: list[riposte_sdk.Comment | v1.Comment]
    handed = [roots[2], roots[1].message, reply, elsewhere, roots[2].message]
    page = subject.page(sort="oldest", page_size=2)
    assert [one.comment.id for one in page.with_just_made(handed)] == [one.id for one in (roots[2], roots[1], roots[0])]
    assert len(page.threads) == 2
    second = subject.page(sort="oldest", page_size=2, page_token=page.next_page_token)
    assert second.with_just_made(handed) == []


def test_what_is_unlisted_stands_above_the_first_page_of_its_author(riposte_server: DevServer) -> None:
    with riposte_sdk.connect(riposte_server.target, admin_target=riposte_server.admin_target) as client:
        subject = client.subject("article", secrets.token_hex(8))
        comment = subject.comment("m7", "waits")
        moderation = client.moderation()
        seen = moderation.GetModeratedComments(v1.GetModeratedCommentsRequest(ids=[comment.id])).comments[0]
        withhold = v1.SubmitVerdictsRequest(
            action=v1.MODERATION_ACTION_WITHHOLD,
            grounds=v1.Grounds(code="to-be-checked"),
            targets=[v1.VerdictTarget(comment_id=comment.id, etag=seen.etag)],
            moderator_id="mod",
        )
        assert moderation.SubmitVerdicts(withhold).results[0].HasField("decision")
        request = v1.ListUnlistedCommentsRequest(subject=comment.message.subject, member_id="m7")
        unlisted = client.comments.ListUnlistedComments(request)
        page = subject.page(page_size=1)
        above = page.with_just_made(unlisted.comments)
    assert page.threads == []
    assert [(one.comment.id, one.comment.state) for one in above] == [(comment.id, v1.COMMENT_STATE_PENDING)]


def test_own_likes_that_cannot_be_asked_are_unknown() -> None:
    service = FailingLikes()
    with serving(service) as target, riposte_sdk.connect(target) as client:
        page = client.subject("article", "1").page(viewer="m9")
    assert [one.own_like for one in page.threads] == [v1.LIKE_VALUE_UNSPECIFIED] * 55 + [v1.LIKE_VALUE_LIKE] * 5
    assert sorted(len(request.comment_ids) for request in service.asked) == [60, 200, 200, 200]

    async def run(target: str) -> list[int]:
        async with riposte_sdk.aio.connect(target) as client:
            page = await client.subject("article", "1").page(viewer="m9")
            return [one.own_like for one in page.threads]

    with serving(service) as target:
        assert asyncio.run(run(target)) == [one.own_like for one in page.threads]


def test_a_moderator_hides_shows_and_deletes(riposte_server: DevServer) -> None:
    with riposte_sdk.connect(riposte_server.target, admin_target=riposte_server.admin_target) as client:
        comment = client.subject("article", secrets.token_hex(8)).comment("m7", "Hi")
        assert comment.hide("mod", "spam").comment.state == v1.COMMENT_STATE_HIDDEN
        assert comment.unhide("mod", "fine").comment.state == v1.COMMENT_STATE_ACTIVE
        assert comment.moderator_delete("mod", "spam").comment.deleted_by == v1.DELETED_BY_MODERATOR
        assert client.member("article", "nobody").page().comments == []


def test_ids_are_texts_in_json(riposte_client: riposte_sdk.Client) -> None:
    comment = riposte_client.subject("article", secrets.token_hex(8)).comment("m7", "Hi")
    written = riposte_sdk.to_json(comment.message)
    assert (written["id"], written["rootId"], written["likeCount"]) == (str(comment.id), "0", 0)
    assert riposte_sdk.to_json(comment) == written, "of a handle"
    page = riposte_client.subject("article", comment.message.subject.object_id).page()
    assert riposte_sdk.to_json(page)["threads"][0]["comment"]["id"] == str(comment.id), "of a page"
    with pytest.raises(TypeError, match="to_json takes a message, a handle or a page, not int"):
        riposte_sdk.to_json(7)  # type: ignore[arg-type]


def test_a_report_is_about_the_version_that_its_handle_shows(riposte_server: DevServer) -> None:
    with riposte_sdk.connect(riposte_server.target, admin_target=riposte_server.admin_target) as client:
        object_type = "r" + secrets.token_hex(8)
        root = client.subject(object_type, "1").comment("m7", "old")
        root.report("m8", reason="spam", claims_illegal=True)
        queue = client.review_queue(object_type)
        assert [(one.comment.comment.id, one.comment.report_count) for one in queue.items()] == [(root.id, 1)]
        assert len(queue.claim("mod", limit=1).items) == 1
        assert list(queue.items()) == [], "a moderator has leased it"
        root.update("m7", "new")
        root.report("m9", reason="hate")
        reports = [(one.member_id, one.open, one.claims_illegal) for one in root.reports()]
        assert reports == [("m9", False, False), ("m8", True, True)]
