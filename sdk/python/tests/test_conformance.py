"""The list of scenarios that all SDKs share, with asyncio and without."""

from collections.abc import Iterator
from typing import Any

import pytest
from conformance import Asyncio, Scenario, Threads, scenarios

from riposte_sdk.dev import DevServer


@pytest.fixture(scope="module", params=[Threads, Asyncio])
def through(request: pytest.FixtureRequest, riposte_server: DevServer) -> Iterator[Threads | Asyncio]:
    client = request.param(riposte_server.target, riposte_server.admin_target)
    yield client
    client.end()


@pytest.mark.parametrize(("name", "steps"), scenarios(), ids=lambda part: part if isinstance(part, str) else "")
def test_scenario(name: str, steps: list[Any], through: Threads | Asyncio) -> None:
    Scenario(through).run(steps)
