"""Which calls go through a proxy of the environment."""

import time
from typing import Any

import pytest
from conftest import with_threads
from gate import Nowhere
from standin import LIKE, Likes

import riposte_sdk


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Nowhere:
    made = Nowhere()
    for name, value in made.variables().items():
        monkeypatch.setenv(name, value)
    return made


def asked(through: Nowhere, target: str, **options: Any) -> list[str]:
    with pytest.raises(riposte_sdk.Error):
        with_threads(target, LIKE, **options)
    return through.asked


def test_a_target_beyond_this_machine_is_reached_through_the_proxy(proxy: Nowhere, like: Likes) -> None:
    with pytest.raises(riposte_sdk.Error):
        like("riposte.invalid:7171", LIKE)
    until = time.monotonic() + 10
    while not proxy.asked and time.monotonic() < until:
        time.sleep(0.02)
    assert "riposte.invalid:7171" in proxy.asked[0]


def test_no_proxy_is_asked_where_the_option_says_none(proxy: Nowhere) -> None:
    assert asked(proxy, "riposte.invalid:7171", proxy="none") == []


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "[::1]", "http://127.0.0.1", "dns:///localhost"]
)
def test_no_proxy_is_asked_for_a_loopback_target(proxy: Nowhere, host: str) -> None:
    assert asked(proxy, f"{host}:1") == []


def test_another_value_is_refused_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(riposte_sdk.InvalidArgument, match="maybe"):
        riposte_sdk.connect(proxy="maybe")  # type: ignore[arg-type]
    monkeypatch.setenv("RIPOSTE_PROXY", "perhaps")
    with pytest.raises(riposte_sdk.InvalidArgument, match="RIPOSTE_PROXY: perhaps"):
        riposte_sdk.from_env()
