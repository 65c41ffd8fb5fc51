from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

import grpc

from riposte_sdk._error import Error
from riposte_sdk._generated.config import FIRST_WAIT_MS, LONGEST_WAIT_MS

Event = TypeVar("Event")

_FIRST_WAIT_S, _LONGEST_WAIT_S = FIRST_WAIT_MS[0] / 1000, LONGEST_WAIT_MS / 1000


class _Resuming:
    """What both kinds of watch know: the request that goes on behind the last event, and how long
    to wait before it."""

    def __init__(self, open: Any, request: Any, after: Callable[[Any, Any], None], options: Any) -> None:
        self._open, self._after, self._options = open, after, options
        self._request: Any = type(request)()
        self._request.CopyFrom(request)
        # The stream is opened here and not at its first event, so that hardly a change is missed
        # between the two.
        self._stream: Any = self._open(self._request, **self._options)
        self._failures = 0
        self._closed: Any = threading.Event()

    def _over(self) -> bool:
        """Whether the watch was closed, or its client."""
        return bool(self._closed.is_set() or self._open.connection.closed)

    def _seen(self, event: Any) -> None:
        self._after(self._request, event)
        self._failures = 0

    def _wait_s(self, error: Error | None) -> float:
        """How long to wait before the stream is opened again, also if it was reset or just ended.

        Raises an error that a repeat does not heal."""
        if self._over():
            return 0.0
        reset = error is None or (error.code is grpc.StatusCode.INTERNAL and not error.reason_name)
        if error is not None and not reset and not error.retryable:
            raise error
        self._stream = None
        bound = min(_FIRST_WAIT_S * 2**self._failures, _LONGEST_WAIT_S)
        self._failures = min(self._failures + 1, 10)
        asked = error.retry_after.total_seconds() if error is not None and error.retry_after else 0.0
        # Watchers that lost one server together do not come to the next one together.
        return max(asked, random.uniform(bound / 2, bound))


class Watch(_Resuming, Iterator[Event]):
    """The events of a watch. A stream that breaks is opened again behind the last event seen, for
    as long as it takes; ``close``, from any thread, ends it, and so does that of its client. Use it
    in ``with``, or close it."""

    def __next__(self) -> Event:
        while not self._over():
            try:
                if self._stream is None:
                    self._stream = self._open(self._request, **self._options)
                    if self._closed.is_set():
                        self.close()
                event: Event = next(self._stream)
            except StopIteration:
                self._closed.wait(self._wait_s(None))
            except Error as error:
                self._closed.wait(self._wait_s(error))
            else:
                self._seen(event)
                return event
        raise StopIteration

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
    """The asyncio twin of ``Watch``. A task that is cancelled while it waits for an event leaves
    the watch usable."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._closed = asyncio.Event()
        self._reading: asyncio.Future[Event] | None = None

    async def __anext__(self) -> Event:
        while not self._over():
            try:
                if self._stream is None:
                    self._stream = self._open(self._request, **self._options)
                # The read outlives the task that waits for it, whose end would otherwise be that of
                # the stream.
                self._reading = self._reading or asyncio.ensure_future(anext(self._stream))
                event: Event = await asyncio.shield(self._reading)
            except StopAsyncIteration:
                await self._pause(self._wait_s(None))
            except Error as error:
                await self._pause(self._wait_s(error))
            except asyncio.CancelledError:
                # Either this task is cancelled, or ``close`` or that of the client has cancelled
                # the stream.
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
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()
