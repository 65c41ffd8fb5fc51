"""What the tests of the examples share: a server, and the back end under test."""

import contextlib
import html
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.parse
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
    """The example under test. This one answers with JSON, and its page draws the comments."""

    page, ready = "/?rain", "/api/videos/none/comments"
    # The selectors of root comments, of what is below the root that is put in, and of its button
    # for more.
    roots, replies, more = "#list > article", "{} > .replies > ", "{} > .replies > .more"
    # Another page of a list comes below what the browser shows, or else in its place.
    adds_pages = True
    # Requests that another try does not change, and what a reader is told of each.
    refused = {
        "/api/comments/5/replies?page_token=": "This comment is not there any more.",
        "/api/comments/abc/replies?page_token=": "This is not possible.",
        "/api/comments/-1/replies?page_token=": "This is not possible.",
        "/api/videos/rain/comments?page_token=old": "This list is too old. Please load the page again.",
    }

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
        until("the back end", lambda: self.process.poll() is not None or self.request("GET", self.ready, {}))

    def call(self, method: str, path: str, member: str, body: object = None) -> tuple[int, dict]:
        """A request of a member without a browser. Returns the status and the answer."""
        headers = {"Content-Type": "application/json", "x-member": member}
        sent = None if method == "GET" else json.dumps(body or {})
        status, answer = self.request(method, f"/api/{path}", headers, sent)
        return status, json.loads(answer)

    def request(self, method: str, path: str, headers: dict, body: str | None = None) -> tuple[int, str]:
        """A request without a browser. Returns the status and the text of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.read().decode()

    def write(self, member: str, text: str) -> str:
        """Writes a comment under the page. Returns the message of a refusal, or an empty text."""
        return self._refusal(self.call("POST", "videos/rain/comments", member, {"text": text}))

    def reply(self, comment: str, member: str, text: str) -> str:
        return self._refusal(self.call("POST", f"comments/{comment}/replies", member, {"text": text}))

    def hide(self, comment: str, member: str) -> str:
        return self._refusal(self.call("POST", f"comments/{comment}/hide", member))

    def _refusal(self, answered: tuple[int, dict]) -> str:
        status, answer = answered
        assert (status >= 400) == ("detail" in answer), answered
        return answer.get("detail", "")

    def stop(self) -> float:
        """Stops it as an orchestrator does. Returns how long that took, in seconds."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(STOPS_WITHIN_S)
        assert status == 0, f"the exit status is {status}"
        # The programs bound their stop themselves, and log that the bound was needed.
        assert "exceeded" not in self._log.read_text(), "it has waited for the streams"
        return time.monotonic() - start


class FormBackEnd(BackEnd):
    """One that answers with HTML, and takes the forms of its page."""

    page, ready = "/videos/rain", "/videos/none"
    roots, replies, more = "#list > section > article:first-child", "{} ~ ", "#list .more"
    adds_pages = False
    refused = {
        "/videos/rain?thread=5": "This comment is gone.",
        "/videos/rain?thread=abc": "This is not possible.",
        "/videos/rain?page_token=old": "This list is too old.",
    }

    def write(self, member: str, text: str) -> str:
        return self._act(member, act="comment", text=text)

    def reply(self, comment: str, member: str, text: str) -> str:
        return self._act(member, act="reply", id=comment, text=text)

    def hide(self, comment: str, member: str) -> str:
        return self._act(member, act="hide", id=comment)

    def _act(self, member: str, **fields: str) -> str:
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"me={member}"}
        status, answer = self.request("POST", self.page, headers, urllib.parse.urlencode(fields))
        if status == http.HTTPStatus.SEE_OTHER:
            return ""
        error = re.search('<p id="error" role="alert">([^<]*)</p>', answer)
        assert status >= 400 and error and error[1], (status, answer)
        return html.unescape(error[1])
