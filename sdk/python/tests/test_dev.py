"""The server for tests, started and stopped in every way."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import riposte_sdk
from riposte_sdk.dev import DevServer


def program(folder: Path, text: str) -> Path:
    """A program that stands where the server is looked for."""
    path = folder / "riposte"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def ended(process: int) -> bool:
    """Whether a process is gone, within ten seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_two_servers_never_see_one_another() -> None:
    with (
        DevServer.start() as one,
        DevServer.start() as other,
        riposte_sdk.connect(one.target) as first,
        riposte_sdk.connect(other.target) as second,
    ):
        first.subject("article", "1").comment("m7", "Hi")
        assert len(list(first.subject("article", "1").comments())) == 1
        assert list(second.subject("article", "1").comments()) == []


def test_a_server_is_gone_after_its_stop_and_a_second_stop_does_nothing() -> None:
    server = DevServer.start()
    server.stop()
    server.stop()
    with riposte_sdk.connect(server.target) as client, pytest.raises(riposte_sdk.Unavailable):
        client.wait_ready(0.2)


def test_a_server_ends_with_the_process_that_started_it() -> None:
    code = "from riposte_sdk.dev import DevServer; print(DevServer.start()._process.pid, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    assert ended(server)


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"exit code 3:\nthe port is taken"):
        DevServer.start(program(tmp_path, "echo the port is taken >&2; exit 3"))


def test_without_a_binary_the_error_names_the_ways_to_give_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RIPOSTE_DEV_BINARY", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="RIPOSTE_DEV_BINARY"):
        DevServer.start()


@pytest.mark.parametrize("named", ["", "riposte"])
def test_the_binary_is_found_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str) -> None:
    monkeypatch.setenv("RIPOSTE_DEV_BINARY", named)
    program(tmp_path, "echo found on the path >&2; exit 4")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(RuntimeError, match="found on the path"):
        DevServer.start()
