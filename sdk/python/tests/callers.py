"""A server that knows the callers of the scenarios."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

_START_WITHIN_S = 60.0
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Callers:
    """A ``riposte dev`` with the callers of a file, until it is closed."""

    def __init__(self, file: Path, *more: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            endpoints = Path(folder, "endpoints.json")
            command = [
                os.environ.get("RIPOSTE_DEV_BINARY") or "riposte",
                "dev",
                "--listen",
                "127.0.0.1:0",
                "--seed",
                "none",
            ]
            command += ["--set", f"auth.callers_file={file}", "--endpoint-file", str(endpoints), *more]
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until = time.monotonic() + _START_WITHIN_S
            while not endpoints.exists():
                assert self._process.poll() is None, "the server ended"
                assert time.monotonic() < until, "the server did not start"
                time.sleep(0.02)
            told = json.loads(endpoints.read_text())
        self.target, self._metrics = told["grpc"], told["metrics"]

    def streams(self) -> int:
        """How many watches are open at the server."""
        found = self._metric(r"riposte_watch_streams(?:\{.*\})?")
        assert found is not None
        return found

    def closed(self) -> int:
        """How many connections the server closed for their control frames."""
        return self._metric(r"riposte_connections_refused_total\{limit=\"control_frames\"\}") or 0

    def _metric(self, pattern: str) -> int | None:
        with _DIRECT.open(f"http://{self._metrics}/metrics") as answer:
            found = re.search(rf"^{pattern} (\d+)", answer.read().decode(), re.MULTILINE)
        return int(found[1]) if found else None

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
