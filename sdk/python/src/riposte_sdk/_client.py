from __future__ import annotations

from dataclasses import replace
from typing import Any

import grpc
from typing_extensions import Self

from riposte_sdk._connection import Connection
from riposte_sdk._error import Error
from riposte_sdk._generated.handles import Handles
from riposte_sdk._generated.options import Connecting, Options
from riposte_sdk._generated.services import AdminService, ModerationService, PolicyService
from riposte_sdk._options import channel
from riposte_sdk._request_ids import RequestIds


class Base(Connecting):
    """What both kinds of client share: how they are made, and the channels they hold."""

    _library: Any

    def __init__(self, options: Options) -> None:
        """A client as the options say. Nothing is dialled before the first call.

        Raises ``InvalidArgument`` if the options are unusable."""
        self._options = options
        self._connection = Connection(channel(options, self._library), options.token)
        self._others: dict[str, Connection] = {}
        # The constructor is that of the handles, which stand beside this class.
        super().__init__(self._connection)  # type: ignore[call-arg]
        if options.admin_target is not None:
            # An address that is named is checked here, and not when it is first asked for.
            self._other(None)

    @property
    def request_ids(self) -> RequestIds:
        """The request ids of this client, for a caller that keeps the id of a write itself."""
        return self._connection.request_ids

    def _other(self, target: str | None) -> Any:
        target = target or self._options.administration()
        if target not in self._others:
            options = replace(self._options, target=target)
            self._others[target] = Connection(channel(options, self._library), options.token)
        return self._others[target]

    def _connections(self) -> list[Connection]:
        return [self._connection, *self._others.values()]

    def _not_ready(self, timeout: float) -> Error:
        message = f"{self._options.target} was not ready within {timeout} s"
        return Error.made(grpc.StatusCode.UNAVAILABLE, message)


class Client(Base, Handles):
    """A client for all services of one address; threads may share it.

    Every call has a deadline and is repeated on UNAVAILABLE, as the service configuration says;
    every write gets a request id if it has none, so that repeating it is safe. A deadline given
    with a call wins. Calls fail with ``Error``. Use it in ``with``, or close it."""

    _library = grpc

    def admin(self, target: str | None = None) -> AdminService:
        """The administration, which listens at an address of its own; with this client's token and
        trust.

        ``target`` defaults to the client's ``admin_target``. Raises ``InvalidArgument`` if it is
        unusable."""
        service: AdminService = AdminService(self._other(target))
        return service

    def moderation(self, target: str | None = None) -> ModerationService:
        """The work of moderators, at the address of ``admin`` and by its rules."""
        service: ModerationService = ModerationService(self._other(target))
        return service

    def policy(self, target: str | None = None) -> PolicyService:
        """Trials of the policy and the standings of members, as ``moderation``."""
        service: PolicyService = PolicyService(self._other(target))
        return service

    def wait_ready(self, timeout: float) -> None:
        """Connects, and waits until that is done, at most for so many seconds.

        Raises ``Unavailable`` if it is not, and ``Cancelled`` once the client is closed."""
        self._connection.check_open()
        ready: grpc.Future[None] = grpc.channel_ready_future(self._connection.channel)
        try:
            ready.result(timeout)
        except grpc.FutureTimeoutError:
            ready.cancel()
            raise self._not_ready(timeout) from None

    def close(self) -> None:
        """Ends the connections, and with them the calls and watches under way."""
        for connection in self._connections():
            connection.closed = True
            connection.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
