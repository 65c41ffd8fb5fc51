"""The asyncio twin of ``riposte``: the same names, with ``await`` and ``async for``.

A client belongs to the event loop in which it is made: within a coroutine, not at the top of a
module."""

from __future__ import annotations

import asyncio

import grpc.aio
from typing_extensions import Self

from riposte_sdk._client import Base
from riposte_sdk._generated.handles import (
    AsyncComment,
    AsyncCommentPage,
    AsyncHandles,
    AsyncMember,
    AsyncReplyPage,
    AsyncSubject,
    AsyncThread,
    AsyncThreadPage,
)
from riposte_sdk._generated.listeners import AsyncListener
from riposte_sdk._generated.options import Options
from riposte_sdk._generated.services import AsyncAdminService, AsyncModerationService, AsyncPolicyService
from riposte_sdk._pages import AsyncPages, AsyncPageWalk
from riposte_sdk._watch import AsyncWatch

Comment = AsyncComment
CommentPage = AsyncCommentPage
Member = AsyncMember
ReplyPage = AsyncReplyPage
Subject = AsyncSubject
Thread = AsyncThread
ThreadPage = AsyncThreadPage
Pages = AsyncPages
PageWalk = AsyncPageWalk
Watch = AsyncWatch
Listener = AsyncListener


class Client(Base, AsyncHandles):
    """A client for all services of one address; see ``riposte_sdk.Client``. Use it in
    ``async with``, or close it."""

    _library = grpc.aio

    def __init__(self, options: Options) -> None:
        """See ``riposte_sdk.Client``. Raises RuntimeError where no event loop runs, to which it
        could belong."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            where = "make it in a coroutine, such as the lifespan of an application"
            raise RuntimeError(f"an asyncio client belongs to a running event loop: {where}") from None
        super().__init__(options)

    def admin(self, target: str | None = None) -> AsyncAdminService:
        """The administration, which listens at an address of its own; with this client's token and
        trust.

        ``target`` defaults to the client's ``admin_target``. Raises ``InvalidArgument`` if it is
        unusable."""
        service: AsyncAdminService = AsyncAdminService(self._other(target))
        return service

    def moderation(self, target: str | None = None) -> AsyncModerationService:
        """The work of moderators, at the address of ``admin`` and by its rules."""
        service: AsyncModerationService = AsyncModerationService(self._other(target))
        return service

    def policy(self, target: str | None = None) -> AsyncPolicyService:
        """Trials of the policy and the standings of members, as ``moderation``."""
        service: AsyncPolicyService = AsyncPolicyService(self._other(target))
        return service

    async def wait_ready(self, timeout: float) -> None:
        """Connects, and waits until that is done, at most for so many seconds.

        Raises ``Unavailable`` if it is not, and ``Cancelled`` once the client is closed."""
        self._connection.check_open()
        try:
            await asyncio.wait_for(self._connection.channel.channel_ready(), timeout)
        except asyncio.TimeoutError:
            raise self._not_ready(timeout) from None

    async def close(self) -> None:
        """Ends the connections, and with them the calls and watches under way."""
        for connection in self._connections():
            connection.closed = True
            await connection.channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()


connect = Client.connect
from_env = Client.from_env
