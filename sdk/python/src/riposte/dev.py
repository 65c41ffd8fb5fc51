"""A Riposte of one's own for a test: ``riposte dev``, started from the binary on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from typing_extensions import Self

_STARTS_WITHIN_S = 30.0
_STOPS_WITHIN_S = 10.0


class DevServer:
    """A running ``riposte dev`` with an empty database, which is gone when it stops. Use it in ``with``, or stop it; it
    also stops when this process ends, however that comes."""

    target: str
    """The address of the services."""
    admin_target: str
    """The address of the administration."""

    @classmethod
    def start(cls, binary: str | os.PathLike[str] | None = None) -> Self:
        """Starts a server on free ports of this machine, and waits until it answers.

        ``binary`` is its program: by default the one that ``RIPOSTE_DEV_BINARY`` names, else ``riposte`` on the path.
        Nothing is downloaded. Raises FileNotFoundError if there is none, RuntimeError with the last lines of its output
        if it does not come up."""
        return cls(binary)

    def __init__(self, binary: str | os.PathLike[str] | None = None) -> None:
        """See ``start``."""
        program = binary or os.environ.get("RIPOSTE_DEV_BINARY") or shutil.which("riposte")
        if not program:
            raise FileNotFoundError("no riposte: give its path, set RIPOSTE_DEV_BINARY, or put it on the PATH")
        self._folder = tempfile.TemporaryDirectory(prefix="riposte-")
        endpoint, self._log = Path(self._folder.name, "endpoint.json"), Path(self._folder.name, "log")
        # The server lives as long as the command it runs, and `cat` as long as this process holds its input.
        command = f"dev --listen 127.0.0.1:0 --seed none --endpoint-file {endpoint.name} --exec -- cat"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [Path(program).absolute(), *command.split()],
                cwd=self._folder.name,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests, which then stop the server.
            )
        try:
            addresses = self._wait_for(endpoint)
        except BaseException:
            self.stop()
            raise
        self.target, self.admin_target = addresses["grpc"], addresses["admin"]

    def _wait_for(self, endpoint: Path) -> dict[str, str]:
        until = time.monotonic() + _STARTS_WITHIN_S
        while not endpoint.exists():
            if self._process.poll() is not None:
                raise RuntimeError(f"riposte dev ended with exit code {self._process.returncode}:\n{self._tail()}")
            if time.monotonic() > until:
                raise RuntimeError(f"riposte dev did not answer within {_STARTS_WITHIN_S} s:\n{self._tail()}")
            time.sleep(0.005)
        addresses: dict[str, str] = json.loads(endpoint.read_text())
        return addresses

    def _tail(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-20:])

    def stop(self) -> None:
        """Stops the server and waits for its end; a second call does nothing."""
        if self._process.stdin:
            self._process.stdin.close()
        self._process.terminate()
        try:
            self._process.wait(_STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()
