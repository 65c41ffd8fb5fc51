"""What a client adds to every call, against a service of this process."""

import asyncio
import contextlib
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from standin import LIKE, Likes, StandIn, serving

import riposte_sdk
import riposte_sdk.aio
from riposte_sdk import v1

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


def test_a_write_is_repeated_on_unavailable_with_the_request_id_of_its_first_attempt(like: Likes) -> None:
    service = StandIn(UNAVAILABLE, UNAVAILABLE)
    with serving(service) as target:
        assert like(target, LIKE).like_count == 1
    assert len(service.requests) == 3
    assert len(service.requests[0].request_id) == 36
    assert all(request == service.requests[0] for request in service.requests)
    assert not LIKE.request_id, "the caller's message stays as it is"


def test_a_request_id_of_the_caller_is_kept(like: Likes) -> None:
    service = StandIn()
    with serving(service) as target:
        like(target, v1.SetLikeRequest(request_id="mine"))
    assert service.requests[0].request_id == "mine"


def test_the_third_failure_is_the_callers_and_no_other_code_is_repeated(like: Likes) -> None:
    for failure, calls in [(UNAVAILABLE, 3), (grpc.StatusCode.INTERNAL, 1), (grpc.StatusCode.RESOURCE_EXHAUSTED, 1)]:
        service = StandIn(*[failure] * 4)
        with serving(service) as target, pytest.raises(riposte_sdk.Error) as caught:
            like(target, LIKE)
        assert (caught.value.code, len(service.requests)) == (failure, calls)


def test_a_dead_service_sees_hardly_more_attempts_than_calls() -> None:
    service = StandIn(*[UNAVAILABLE] * 2000)

    def call(client: riposte_sdk.Client) -> None:
        with contextlib.suppress(riposte_sdk.Unavailable):
            client.likes.SetLike(LIKE)

    with serving(service) as target, riposte_sdk.connect(target) as client, ThreadPoolExecutor(8) as pool:
        list(pool.map(call, [client] * 600))
    assert 600 < len(service.requests) <= 660


def test_an_address_where_nobody_listens_is_told_by_the_first_call_and_by_wait_ready(like: Likes) -> None:
    with pytest.raises(riposte_sdk.Unavailable):
        like("127.0.0.1:1", LIKE)
    with (
        riposte_sdk.connect("127.0.0.1:1") as client,
        pytest.raises(riposte_sdk.Unavailable, match="was not ready within"),
    ):
        client.wait_ready(0.1)

    async def wait() -> None:
        async with riposte_sdk.aio.connect("127.0.0.1:1") as client:
            await client.wait_ready(0.1)

    with pytest.raises(riposte_sdk.Unavailable, match="was not ready within"):
        asyncio.run(wait())


def test_the_service_learns_who_calls(like: Likes) -> None:
    service = StandIn()
    with serving(service) as target:
        like(target, LIKE)
    assert service.headers[0]["user-agent"].startswith("riposte-python/")


def test_a_token_over_plaintext_needs_the_switch_and_then_warns_once(
    like: Likes, caplog: pytest.LogCaptureFixture
) -> None:
    service = StandIn()
    with serving(service) as target:
        with pytest.raises(riposte_sdk.InvalidArgument, match="insecure_token=True"):
            like(target, LIKE, token="s3cret")
        with caplog.at_level(logging.WARNING, "riposte"):
            like(target, LIKE, token="s3cret", insecure_token=True)
    assert service.headers[0]["authorization"] == "Bearer s3cret"
    assert [record.message for record in caplog.records] == [f"the token travels unencrypted to {target}"]


def test_every_way_to_make_a_call_sends_the_token_and_fails_alike() -> None:
    service = StandIn(None, None, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.NOT_FOUND)
    with serving(service) as target, riposte_sdk.connect(target, token="s3cret", insecure_token=True) as client:
        _, call = client.likes.SetLike.with_call(LIKE)
        assert call.code() is grpc.StatusCode.OK
        assert client.likes.SetLike.future(LIKE).result().like_count == 1
        with pytest.raises(riposte_sdk.NotFound):
            client.likes.SetLike.with_call(LIKE)
        with pytest.raises(riposte_sdk.NotFound):
            client.likes.SetLike.future(LIKE).result()
    assert [headers["authorization"] for headers in service.headers] == ["Bearer s3cret"] * 4


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"target": "ftp://host:1"}, "ftp://host:1"),
        ({"target": "https://"}, "https://"),
        ({"target": "https://host:1", "tls_cert": b"x"}, "tls_key"),
        ({"target": "host:1", "tls_cert": b"x", "tls_key": b"x"}, "https://"),
        ({"target": "https://host:1", "token": "line\n"}, "printable"),
        ({"target": "https://host:1", "tls_ca": b"junk"}, "tls_ca"),
    ],
)
def test_options_that_make_no_sense_are_told(options: dict[str, Any], says: str) -> None:
    with pytest.raises(riposte_sdk.InvalidArgument, match=says) as caught:
        riposte_sdk.connect(**options)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "target", ["a:1", "a_b.c-d:65535", "http://a:1/", "https://[::1]:7", "dns:///a:1", "127.0.0.1:7171"]
)
def test_an_address_of_any_form_is_taken(target: str) -> None:
    riposte_sdk.connect(target).close()


@pytest.mark.parametrize(
    "target",
    [
        *["", "a", ":1", "a:0", "a:01", "a:65536", "a:99999", "a:1x", "::1:7", "[::1]", "[a]:1", " a:1", "a:1\n"],
        *["http://a b:1", "https://a", "HTTP://a:1", "unix:///a", "http://u@a:1", "http://a:1/path", "http://a:1?q"],
    ],
)
def test_an_address_that_is_none_is_refused(target: str) -> None:
    with pytest.raises(riposte_sdk.InvalidArgument, match="is none of"):
        riposte_sdk.connect(target)
    with pytest.raises(riposte_sdk.InvalidArgument, match="is none of"):
        riposte_sdk.connect(admin_target=target)


def test_a_switch_is_one_of_four_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for word, means in {"": False, "1": True, "True": True, "TRUE": True, "0": False, "false": False}.items():
        monkeypatch.setenv("RIPOSTE_INSECURE_TOKEN", word)
        assert riposte_sdk.Options.from_env().insecure_token is means
    for word in ("t", "yes", "on", "2"):
        monkeypatch.setenv("RIPOSTE_INSECURE_TOKEN", word)
        with pytest.raises(riposte_sdk.InvalidArgument, match="RIPOSTE_INSECURE_TOKEN"):
            riposte_sdk.Options.from_env()


def test_a_client_that_is_closed_says_so() -> None:
    service = StandIn()
    with serving(service) as target:
        client = riposte_sdk.connect(target)
        client.likes.SetLike(LIKE)
        client.close()
        for call in (
            lambda: client.likes.SetLike(LIKE),
            lambda: client.likes.SetLike.future(LIKE),
            lambda: client.wait_ready(1),
        ):
            with pytest.raises(riposte_sdk.Cancelled, match="the client is closed"):
                call()


def test_a_client_with_asyncio_that_is_closed_says_so() -> None:
    async def run(target: str) -> None:
        client = riposte_sdk.aio.connect(target)
        await client.close()
        with pytest.raises(riposte_sdk.Cancelled):
            await client.likes.SetLike(LIKE)
        with pytest.raises(riposte_sdk.Cancelled):
            await client.wait_ready(1)

    with serving(StandIn()) as target:
        asyncio.run(run(target))


def test_a_client_with_asyncio_is_not_made_outside_of_its_event_loop() -> None:
    with pytest.raises(RuntimeError, match="belongs to a running event loop"):
        riposte_sdk.aio.from_env()


def test_a_call_with_asyncio_that_grpc_never_ends_ends_after_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any) -> None:
        await asyncio.Event().wait()

    async def run(target: str) -> None:
        async with riposte_sdk.aio.connect(target) as client:
            call = client.likes.SetLike(LIKE, timeout=0.1)
            with pytest.raises(riposte_sdk.DeadlineExceeded):
                await asyncio.wait_for(call, 60)
            stream = client.subjects.WatchSubject(v1.WatchSubjectRequest(), timeout=0.1)
            with pytest.raises(riposte_sdk.DeadlineExceeded):
                await asyncio.wait_for(anext(aiter(stream)), 60)

    monkeypatch.setattr("grpc.aio._call.UnaryUnaryCall._invoke", never)
    monkeypatch.setattr("grpc.aio._call.UnaryStreamCall._read", never)
    with serving(StandIn()) as target:
        asyncio.run(run(target))


def test_the_environment_says_how_to_connect(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "ca.pem").write_bytes(b"pem")
    monkeypatch.setenv("RIPOSTE_TARGET", "https://comments.example:443")
    monkeypatch.setenv("RIPOSTE_TLS_CA", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("RIPOSTE_TOKEN", "s3cret")
    monkeypatch.setenv("RIPOSTE_INSECURE_TOKEN", "true")
    monkeypatch.setenv("RIPOSTE_ADMIN_TARGET", "admin.example:1")
    options = riposte_sdk.Options.from_env()
    assert options == riposte_sdk.Options(
        "https://comments.example:443",
        token="s3cret",
        tls_ca=b"pem",
        insecure_token=True,
        admin_target="admin.example:1",
    )
    assert "s3cret" not in repr(options)
    monkeypatch.setenv("RIPOSTE_TLS_CA", "/nowhere")
    with pytest.raises(riposte_sdk.InvalidArgument, match="RIPOSTE_TLS_CA, /nowhere"):
        riposte_sdk.from_env()


def test_the_administration_of_no_address_is_that_of_a_dev_server_or_not_known() -> None:
    for target in ("127.0.0.1:7171", "http://localhost:7171/", "dns:///127.0.0.1:7171"):
        assert riposte_sdk.Options(target).administration() == "127.0.0.1:7172"
        with riposte_sdk.connect(target) as client:
            client.admin()
    for target in ("127.0.0.1:1", "https://127.0.0.1:7171"):
        with (
            riposte_sdk.connect(target) as client,
            pytest.raises(riposte_sdk.InvalidArgument, match="RIPOSTE_ADMIN_TARGET"),
        ):
            client.admin()


def test_what_the_message_counts_is_told_instead() -> None:
    error = riposte_sdk.InvalidArgument.made(grpc.StatusCode.INVALID_ARGUMENT, "member_id: is empty (and 1 more)")
    error.violations = tuple(
        riposte_sdk.Violation(*at) for at in (("member_id", "is empty"), ("content.text", "is blank"))
    )
    assert str(error) == "INVALID_ARGUMENT: member_id: is empty; content.text: is blank"


def test_a_wrong_id_or_option_is_told_with_what_is_right() -> None:
    with riposte_sdk.connect() as client:
        with pytest.raises(riposte_sdk.InvalidArgument, match="'abc' is not a comment id"):
            client.comment("abc")
        with pytest.raises(
            riposte_sdk.InvalidArgument, match="deadline: not an option of this call; all calls take timeout"
        ):
            client.subject("article", "1").get(deadline=1)  # type: ignore[call-arg]


def test_a_client_is_shared_by_threads() -> None:
    service = StandIn()
    with serving(service) as target, riposte_sdk.connect(target) as client, ThreadPoolExecutor(4) as pool:
        list(pool.map(client.likes.SetLike, [LIKE] * 100))
    assert len({request.request_id for request in service.requests}) == 100


def test_waits_between_attempts_are_short(like: Likes) -> None:
    service = StandIn(UNAVAILABLE, UNAVAILABLE)
    with serving(service) as target:
        started = time.monotonic()
        like(target, LIKE)
    # 100 and 200 ms, each by a fifth more or less, beside the calls themselves.
    assert 0.2 < time.monotonic() - started < 4
