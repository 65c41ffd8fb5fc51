from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc

from riposte_sdk._arguments import check_options
from riposte_sdk._error import Error
from riposte_sdk._generated.config import FIRST_WAIT_MS, LONGEST_WAIT_MS, OPEN_WITHIN_S

Event = TypeVar("Event")

_FIRST_WAIT_S, _LONGEST_WAIT_S = FIRST_WAIT_MS[0] / 1000, LONGEST_WAIT_MS / 1000


@dataclass(frozen=True)
class Place:
    """Where a watch keeps its place: the field of the request that takes a revision, the kinds of
    an event with the field that holds their last one, the kind that opens a stream, and the one
    that tells of a gap with its first and its last revision."""

    resume: str
    kinds: str
    revisions: Mapping[str, str]
    opened: str
    gap: tuple[str, str, str]

    def keep(self, request: Any, event: Any, began: bool) -> Any:
        """Moves a request behind an event. What came after revision 0, from which no stream can
        resume, while no stream was open is returned as a gap."""
        revision = self.revision(event)
        if revision is None:
            return None
        opened = event.WhichOneof(self.kinds) == self.opened
        lost = began and opened and revision > getattr(request, self.resume) == 0
        setattr(request, self.resume, revision)
        return self.lost(event, 1, revision) if lost else None

    def revision(self, event: Any) -> int | None:
        """The last revision that an event tells of."""
        kind = event.WhichOneof(self.kinds)
        return getattr(getattr(event, kind), self.revisions[kind]) if kind in self.revisions else None

    def opened_at(self, like: Any, revision: int) -> Any:
        """The event, of the type of another, that opens a stream."""
        event = type(like)()
        setattr(getattr(event, self.opened), self.revisions[self.opened], revision)
        # The first revision is that of a subject without a change, which no field tells.
        getattr(event, self.opened).SetInParent()
        return event

    def lost(self, like: Any, first: int, last: int) -> Any:
        """The event, of the type of another, that tells of a gap."""
        event = type(like)()
        gap, first_field, last_field = self.gap
        setattr(getattr(event, gap), first_field, first)
        setattr(getattr(event, gap), last_field, last)
        return event


@dataclass(frozen=True)
class Token:
    """The place of a stream whose items have the token with which a request goes on behind them:
    the field of both."""

    field: str

    def keep(self, request: Any, event: Any, began: bool) -> Any:
        """Moves a request behind an item."""
        setattr(request, self.field, getattr(event, self.field))


class _Resuming:
    """What both kinds of watch know: the request that goes on behind the last event, and how long
    to wait before it."""

    def __init__(self, open: Any, request: Any, place: Place | Token, options: Any) -> None:
        check_options(options)
        self._open, self._place, self._options = open, place, options
        self._request: Any = type(request)()
        self._request.CopyFrom(request)
        self._stream: Any = None
        self._failures = 0
        self._closed: Any = threading.Event()
        # Events that came and were not asked for yet.
        self._ahead: deque[Any] = deque()
        self._began = False
        # The end of the time to open the first stream; None once it is open.
        self._until: float | None = time.monotonic() + OPEN_WITHIN_S
        self._late: Error | None = None

    def _over(self) -> bool:
        """Whether the watch was closed, or its client."""
        return bool(self._closed.is_set() or self._open.connection.closed)

    def _seen(self, event: Any) -> None:
        """Keeps the place behind an event."""
        self._failures = 0
        lost = self._place.keep(self._request, event, self._began)
        if lost is not None:
            self._ahead.append(lost)
        self._began = True

    def _give_up(self) -> Error:
        """Ends the attempt to open the first stream."""
        message = f"the watch was not opened within {OPEN_WITHIN_S} s"
        self._late = self._late or Error.made(grpc.StatusCode.UNAVAILABLE, message)
        if self._stream is not None:
            self._stream.cancel()
        return self._late

    def _end_if_late(self) -> None:
        """Ends an attempt that began when the time to open the first stream was over."""
        if self._until is not None and self._late is not None:
            self._stream.cancel()

    def _wait_s(self, error: Error | None) -> float:
        """How long to wait before the stream is opened again, also if it was reset or just ended.

        Raises an error that a repeat does not heal: for the first stream, any but UNAVAILABLE."""
        if self._over():
            return 0.0
        self._stream = None
        if self._until is not None and self._late is not None:
            raise self._late
        reset = error is None or (error.code is grpc.StatusCode.INTERNAL and not error.reason_name)
        away = error is not None and error.code is grpc.StatusCode.UNAVAILABLE
        if error is not None and not (reset or away or (self._until is None and error.retryable)):
            raise error
        bound = min(_FIRST_WAIT_S * 2**self._failures, _LONGEST_WAIT_S)
        self._failures = min(self._failures + 1, 10)
        asked = error.retry_after.total_seconds() if error is not None and error.retry_after else 0.0
        # Watchers that lost one server together do not come to the next one together.
        wait = max(asked, random.uniform(bound / 2, bound))
        if self._until is None:
            return wait
        left = self._until - time.monotonic()
        if left <= 0:
            self._late = error if away else None
            raise self._give_up()
        return min(wait, left)


class Watch(_Resuming, Iterator[Event]):
    """The events of a watch, whose stream is open once this is made. A stream that breaks is opened
    again behind the last event seen, for as long as it takes; ``close``, from any thread, ends it,
    and so does that of its client. Use it in ``with``, or close it."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        timer = threading.Timer(OPEN_WITHIN_S, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            self._ahead.extend(self._read())
        finally:
            timer.cancel()
        self._until = None

    def _read(self) -> Iterator[Event]:
        """The next event; none at the end."""
        while not self._over():
            try:
                if self._stream is None:
                    self._stream = self._open(self._request, **self._options)
                    if self._closed.is_set():
                        self.close()
                    self._end_if_late()
                event: Event = next(self._stream)
            except StopIteration:
                self._closed.wait(self._wait_s(None))
            except Error as error:
                self._closed.wait(self._wait_s(error))
            else:
                self._seen(event)
                yield event
                return

    def __next__(self) -> Event:
        if self._over():
            raise StopIteration
        if self._ahead:
            return self._ahead.popleft()  # type: ignore[no-any-return]
        return next(self._read())

    def close(self) -> None:
        """Ends the watch: whoever waits for its next event finds its end."""
        self._closed.set()
        if (stream := self._stream) is not None:
            stream.cancel()

    def __enter__(self) -> Watch[Event]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class AsyncWatch(_Resuming, AsyncIterator[Event]):
    """The asyncio twin of ``Watch``, whose stream is opened by ``await``, by ``async with``, or
    with its first event. A task that is cancelled while it waits for an event leaves the watch
    usable."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._closed = asyncio.Event()
        self._reading: asyncio.Future[Event] | None = None

    async def _opened(self) -> AsyncWatch[Event]:
        if self._until is None:
            return self
        self._until, self._late = time.monotonic() + OPEN_WITHIN_S, None
        timer = asyncio.get_running_loop().call_later(OPEN_WITHIN_S, self._give_up)
        try:
            self._ahead.appendleft(await self._read())
        except StopAsyncIteration:
            pass
        finally:
            timer.cancel()
        self._until = None
        return self

    def __await__(self) -> Generator[Any, None, AsyncWatch[Event]]:
        return self._opened().__await__()

    async def __anext__(self) -> Event:
        await self._opened()
        if self._over():
            raise StopAsyncIteration
        return self._ahead.popleft() if self._ahead else await self._read()

    async def _read(self) -> Event:
        while not self._over():
            try:
                if self._stream is None:
                    self._stream = self._open(self._request, **self._options)
                    self._end_if_late()
                # The read outlives the task that waits for it, whose end would otherwise be that of
                # the stream.
                self._reading = self._reading or asyncio.ensure_future(anext(self._stream))
                event: Event = await asyncio.shield(self._reading)
            except StopAsyncIteration:
                await self._pause(self._wait_s(None))
            except Error as error:
                self._reading = None
                await self._pause(self._wait_s(error))
            except asyncio.CancelledError:
                # Either this task is cancelled, or ``close``, that of the client, or the bound of
                # the opening has cancelled the stream.
                if self._until is not None and self._late is not None:
                    raise self._late from None
                if not self._over():
                    raise
            else:
                self._reading = None
                self._seen(event)
                return event
        raise StopAsyncIteration

    async def _pause(self, seconds: float) -> None:
        self._reading = None
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    async def close(self) -> None:
        """Ends the watch: whoever waits for its next event finds its end."""
        self._closed.set()
        if self._stream is not None:
            self._stream.cancel()

    async def __aenter__(self) -> AsyncWatch[Event]:
        return await self._opened()

    async def __aexit__(self, *exception: object) -> None:
        await self.close()
