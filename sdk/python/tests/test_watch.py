"""Watches that break, against a service of this process."""

import asyncio
import threading

import grpc
import pytest
from standin import StandIn, serving

import riposte_sdk
import riposte_sdk.aio
from riposte_sdk import v1
from riposte_sdk.dev import DevServer

BROKEN = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, None]


def change(revision: int) -> v1.WatchSubjectResponse:
    return v1.WatchSubjectResponse(change=v1.SubjectChange(revision=revision))


def gap(first: int, last: int) -> v1.WatchSubjectResponse:
    return v1.WatchSubjectResponse(gap=v1.RevisionGap(first_revision=first, last_revision=last))


def breaking() -> StandIn:
    """Its stream breaks in every way that heals: unavailable, reset, and just ended."""
    service = StandIn(*BROKEN)
    service.streams = [[change(1), change(2)], [gap(3, 9)], [change(10)], [change(11)]]
    return service


def check(service: StandIn, events: list[v1.WatchSubjectResponse]) -> None:
    assert events == [change(1), change(2), gap(3, 9), change(10), change(11)]
    assert [request.after_revision for request in service.requests[:4]] == [0, 2, 9, 10]


def test_a_watch_that_breaks_goes_on_behind_the_last_event() -> None:
    service = breaking()
    with (
        serving(service) as target,
        riposte_sdk.connect(target) as client,
        client.subject("article", "1").watch() as watch,
    ):
        events = [next(watch) for _ in range(5)]
    check(service, events)


def test_a_watch_with_asyncio_goes_on_too() -> None:
    async def run(target: str) -> list[v1.WatchSubjectResponse]:
        async with riposte_sdk.aio.connect(target) as client, client.subject("article", "1").watch() as watch:
            return [await anext(watch) for _ in range(5)]

    service = breaking()
    with serving(service) as target:
        events = asyncio.run(run(target))
    check(service, events)


@pytest.mark.parametrize("code", [grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.RESOURCE_EXHAUSTED])
def test_a_refusal_is_raised_when_the_watch_is_opened(code: grpc.StatusCode) -> None:
    service = StandIn(code)
    with serving(service) as target, riposte_sdk.connect(target) as client, pytest.raises(riposte_sdk.Error) as raised:
        client.subject("article", "1").watch()
    assert raised.value.code is code
    assert len(service.requests) == 1


def test_a_gap_that_goes_back_is_resumed_at_its_end() -> None:
    service = StandIn(*BROKEN)
    service.streams = [[gap(9, 3)], [change(4)]]
    with (
        serving(service) as target,
        riposte_sdk.connect(target) as client,
        client.subject("article", "1").watch(after_revision=8) as watch,
    ):
        assert [next(watch), next(watch)] == [gap(9, 3), change(4)]
    assert [request.after_revision for request in service.requests[:2]] == [8, 3]


def test_a_watch_is_closed_by_another_thread_while_it_waits(riposte_client: riposte_sdk.Client) -> None:
    subject = riposte_client.subject("article", "closed-while-it-waits")
    first = subject.comment("m7", "one")
    first.update("m7", "two")
    watch = subject.watch(after_revision=1)
    begun = threading.Event()
    ended: list[list[v1.WatchSubjectResponse]] = []

    def read() -> None:
        assert next(watch).opened.revision == 1
        assert next(watch).change.revision == 2
        begun.set()
        ended.append(list(watch))

    thread = threading.Thread(target=read)
    thread.start()
    assert begun.wait(10)
    watch.close()
    thread.join(10)
    assert ended == [[]]


def test_a_watch_that_waits_for_its_service_can_be_closed() -> None:
    service = StandIn()
    service.streams = [[change(1)]]
    with serving(service) as target, riposte_sdk.connect(target) as client:
        watch = client.subject("article", "1").watch()
        thread = threading.Thread(target=lambda: list(watch))
        thread.start()
        watch.close()
        thread.join(10)
        assert not thread.is_alive()


def test_a_task_that_is_cancelled_leaves_the_watch_usable(riposte_server: DevServer) -> None:
    async def run() -> None:
        async with riposte_sdk.aio.connect(riposte_server.target) as client:
            subject = client.subject("article", "cancelled")
            comment = await subject.comment("m7", "Hi")
            async with subject.watch(after_revision=1) as watch:
                assert (await asyncio.wait_for(anext(watch), 10)).opened.revision == 1
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(anext(watch), 0.1)
                await comment.update("m7", "Hello")
                assert (await asyncio.wait_for(anext(watch), 10)).change.revision == 2
                waiting = asyncio.ensure_future(anext(watch))
                await asyncio.sleep(0)
                await watch.close()
                with pytest.raises(StopAsyncIteration):
                    await waiting

    asyncio.run(run())


def test_a_change_that_comes_while_nobody_waits_is_not_lost(riposte_server: DevServer) -> None:
    async def run() -> None:
        async with riposte_sdk.aio.connect(riposte_server.target) as client:
            subject = client.subject("article", "nobody-waits")
            comment = await subject.comment("m7", "Hi")
            async with subject.watch() as watch:
                assert (await asyncio.wait_for(anext(watch), 10)).opened.revision == 1
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(anext(watch), 0.5)
                await comment.update("m7", "Hello")
                # The stream outlived the wait: one that was opened anew would tell so first.
                assert (await asyncio.wait_for(anext(watch), 10)).change.revision == 2

    asyncio.run(run())


def test_a_watch_ends_with_its_client(riposte_client: riposte_sdk.Client, riposte_server: DevServer) -> None:
    riposte_client.subject("article", "ends-with-its-client").comment("m7", "Hi")
    client = riposte_sdk.connect(riposte_server.target)
    watch = client.subject("article", "ends-with-its-client").watch()
    assert next(watch).opened.revision > 0
    threading.Timer(0.2, client.close).start()
    assert list(watch) == []


def test_a_watch_with_asyncio_ends_with_its_client(
    riposte_client: riposte_sdk.Client, riposte_server: DevServer
) -> None:
    riposte_client.subject("article", "ends-with-its-client").comment("m7", "Hi")

    async def run() -> None:
        client = riposte_sdk.aio.connect(riposte_server.target)
        watch = client.subject("article", "ends-with-its-client").watch()
        assert (await asyncio.wait_for(anext(watch), 10)).opened.revision > 0
        reader = asyncio.ensure_future(anext(watch, None))
        await asyncio.sleep(0.2)
        await client.close()
        assert await asyncio.wait_for(reader, 10) is None

    asyncio.run(run())
