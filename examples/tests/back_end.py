"""What the tests of the examples share: a server, and the back end under test."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

EXAMPLES = Path(__file__).resolve().parent.parent
STOPS_WITHIN_S = 20.0
Found = TypeVar("Found")


class Failed(Exception):
    """What did not come in time."""


def until(what: str, condition: Callable[[], Found], within_s: float = 20.0) -> Found:
    """Waits until a condition answers something true, and returns it."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if found := condition():
                return found
        time.sleep(0.02)  # between two looks at the condition
    raise Failed(f"{what} did not come within {within_s} s")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def riposte(program: str, folder: Path, listen: str = "127.0.0.1:0") -> Iterator[dict[str, str]]:
    """A server with an empty database, by default on free ports. Yields its addresses."""
    endpoints = folder / "endpoints.json"
    endpoints.unlink(missing_ok=True)
    dev = [program, "dev", "--listen", listen, "--seed", "none", "--endpoint-file", str(endpoints)]
    with (folder / "riposte.log").open("a") as log, subprocess.Popen(dev, stdout=log, stderr=log) as process:
        try:
            until("riposte dev", endpoints.is_file)
            yield json.loads(endpoints.read_text())  # grpc, admin, metrics
        finally:
            process.terminate()


class BackEnd:
    """The example under test."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.name, self._command, self._log = name, command, log
        self._port = free_port()
        self._environment = os.environ | environment | {"PORT": str(self._port)}
        self.address = f"http://127.0.0.1:{self._port}"
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        with self._log.open("a") as log:
            folder = EXAMPLES / self.name
            self.process = subprocess.Popen(
                self._command, cwd=folder, env=self._environment, stdout=log, stderr=log
            )
        until("the back end", lambda: self.process.poll() is not None or self.call("GET", "videos/none/comments", ""))

    def call(self, method: str, path: str, member: str, body: object = None) -> tuple[int, dict]:
        """A request of a member without a browser. Returns the status and the answer."""
        headers = {"Content-Type": "application/json", "x-member": member}
        sent = None if method == "GET" else json.dumps(body or {})
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        with contextlib.closing(connection):
            connection.request(method, f"/api/{path}", sent, headers)
            response = connection.getresponse()
            return response.status, json.load(response)

    def stop(self) -> float:
        """Stops it as an orchestrator does. Returns how long that took, in seconds."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(STOPS_WITHIN_S)
        assert status == 0, f"the exit status is {status}"
        # The programs bound their stop themselves, and log that the bound was needed.
        assert "exceeded" not in self._log.read_text(), "it has waited for the streams"
        return time.monotonic() - start
