from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message

from riposte_sdk._arguments import check_options, check_request
from riposte_sdk._error import Error
from riposte_sdk._generated.config import TIMEOUT_S, WITH_REQUEST_ID
from riposte_sdk._request_ids import RequestIds

Metadata = Sequence[tuple[str, str | bytes]]

# The time after the deadline of a call in which gRPC may end it, in seconds.
SLACK_S = 1.0


class Connection:
    """The channel that stubs call through: it adds the token, the deadline and the request id to
    every call, and turns the errors of gRPC into ours, whichever stub makes it. Retries are gRPC's
    own, by the service configuration.

    ``channel`` is one of ``grpc`` or of ``grpc.aio``; ``token`` is sent with every call if there is
    one."""

    def __init__(self, channel: Any, token: str | None) -> None:
        self.channel = channel
        self.closed = False
        self.request_ids = RequestIds()
        self.token: Metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._asynchronous = isinstance(channel, grpc.aio.Channel)

    def check_open(self) -> None:
        """Raises ``Cancelled`` once the client is closed."""
        if self.closed:
            raise Error.made(grpc.StatusCode.CANCELLED, "the client is closed")

    def unary_unary(self, path: str, **method: Any) -> _Method:
        """A method with one answer, for the constructor of a stub."""
        return self._method(self.channel.unary_unary, path, None, method)

    def unary_stream(self, path: str, **method: Any) -> _Method:
        """A method that answers with a stream, for the constructor of a stub."""
        return self._method(self.channel.unary_stream, path, _Call, method)

    def stream_stream(self, path: str, **method: Any) -> _Method:
        """A method of two streams, for the constructor of a stub."""
        return self._method(self.channel.stream_stream, path, _Call, method, False)

    def _method(
        self, make: Callable[..., Any], path: str, wrap: type | None, method: dict[str, Any], takes_one: bool = True
    ) -> _Method:
        if path in WITH_REQUEST_ID:
            method["request_serializer"] = self.request_ids.filling(method["request_serializer"])
        wrap = _AsyncCall if self._asynchronous else wrap
        return _Method(make(path, **method), self, TIMEOUT_S.get(path), wrap, takes_one)


class _Method:
    """A method of a stub."""

    def __init__(
        self, method: Any, connection: Connection, timeout: float | None, wrap: type | None, takes_one: bool
    ) -> None:
        self._method, self.connection, self._timeout, self._wrap = method, connection, timeout, wrap
        self._takes_one = takes_one

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        answer = self._made(self._method, *arguments, **options)
        return self._wrap(answer) if self._wrap else answer

    def with_call(self, *arguments: Any, **options: Any) -> Any:
        return self._made(self._method.with_call, *arguments, **options)

    def future(self, *arguments: Any, **options: Any) -> _Call:
        return _Call(self._made(self._method.future, *arguments, **options))

    def _made(
        self,
        call: Callable[..., Any],
        request: Any = None,
        timeout: float | None = None,
        metadata: Metadata | None = None,
        **options: Any,
    ) -> Any:
        self.connection.check_open()
        if self._takes_one:
            check_request(request, Message)
        check_options({"timeout": timeout, "metadata": metadata, **options})
        timeout = self._timeout if timeout is None else timeout
        metadata = (*self.connection.token, *(metadata or ()))
        with _OURS:
            return call(request, timeout=timeout, metadata=metadata, **options)


class _Ours:
    """Turns an error of gRPC that leaves its body into ours."""

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: object, __: object) -> None:
        if isinstance(error, grpc.RpcError):
            raise Error.of(error) from error


_OURS = _Ours()


class _UnderWay:
    """A call under way: gRPC's own, but for its errors."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)


class _Call(_UnderWay, Iterator[Any]):
    """One without asyncio."""

    def __next__(self) -> Any:
        with _OURS:
            return next(self._call)

    def result(self, timeout: float | None = None) -> Any:
        with _OURS:
            return self._call.result(timeout)


class _AsyncCall(_UnderWay, AsyncIterator[Any]):
    """One with asyncio. It ends soon after its deadline even if gRPC does not end it: gRPC 1.85
    loses the end of some calls of a connection on which the server was overloaded."""

    def __init__(self, call: Any) -> None:
        super().__init__(call)
        left = call.time_remaining()
        self._end = None if left is None else asyncio.get_running_loop().time() + left + SLACK_S

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._answer(self._call).__await__()

    async def __anext__(self) -> Any:
        return await self._answer(anext(aiter(self._call)))

    async def _answer(self, call: Awaitable[Any]) -> Any:
        with _OURS:
            if self._end is None:
                return await call
            answer = asyncio.ensure_future(call)
            try:
                await asyncio.wait({answer}, timeout=self._end - asyncio.get_running_loop().time())
                if answer.done():
                    return answer.result()
            finally:
                answer.cancel()
        raise Error.made(grpc.StatusCode.DEADLINE_EXCEEDED, "gRPC did not end the call at its deadline")
