"""The fixtures of pytest: a test that asks for one of them gets a real server.

Every run of pytest loads this file, also one that never asks for a server. So it stands beside the
package, and imports it only when it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from riposte_sdk import Client
    from riposte_sdk.dev import DevServer


@pytest.fixture(scope="session")
def riposte_server() -> Iterator[DevServer]:
    """A server for all tests of the run; they keep apart by object ids of their own."""
    from riposte_sdk.dev import DevServer

    with DevServer.start() as server:
        yield server


@pytest.fixture
def riposte_client(riposte_server: DevServer) -> Iterator[Client]:
    """A client of ``riposte_server``."""
    from riposte_sdk import connect

    with connect(riposte_server.target, admin_target=riposte_server.admin_target) as client:
        yield client
