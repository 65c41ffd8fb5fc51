"""A Riposte of one's own for a test: ``riposte dev``, started from the binary on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from typing_extensions import Self

_STARTS_WITHIN_S, _STOPS_WITHIN_S = 30.0, 10.0
_DEV = ("dev", "--listen", "127.0.0.1:0", "--seed", "none")
# The server runs this once it answers, and stops with it: it tells the addresses, and lasts as long
# as its input, which this process holds open to its own end.
_COMMAND = 'echo "$RIPOSTE_TARGET $RIPOSTE_ADMIN_TARGET"; exec cat'


class DevServer:
    """A running ``riposte dev`` with an empty database, which is gone when it stops. Use it in
    ``with``, or stop it; it also stops when this process ends, however that comes."""

    target: str
    """The address of the services."""
    admin_target: str
    """The address of the administration."""

    @classmethod
    def start(cls, binary: str | os.PathLike[str] | None = None) -> Self:
        """Starts a server on free ports of this machine, and waits until it answers.

        ``binary`` is its program, or the name of one on the path: by default what
        ``RIPOSTE_DEV_BINARY`` says, else ``riposte``. Nothing is downloaded. Raises
        FileNotFoundError if there is none, RuntimeError with the last lines of its output if it
        does not come up."""
        return cls(binary)

    def __init__(self, binary: str | os.PathLike[str] | None = None) -> None:
        """See ``start``."""
        named = binary or os.environ.get("RIPOSTE_DEV_BINARY") or "riposte"
        program = shutil.which(named)
        if not program:
            raise FileNotFoundError(f"no {named}: give its path, set RIPOSTE_DEV_BINARY, or put it on the PATH")
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        self._process = subprocess.Popen(
            [Path(program).absolute(), *_DEV, "--exec", "--", "sh", "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C is for the tests, which then stop the server.
        )
        late = threading.Timer(_STARTS_WITHIN_S, self._process.kill)
        late.start()
        try:
            assert self._process.stdout
            self.target, self.admin_target = self._process.stdout.readline().decode().split()
        except ValueError:
            status = self._process.wait()
            raise RuntimeError(f"riposte dev ended with exit code {status}:\n{self._tail()}") from None
        except BaseException:
            self.stop()
            raise
        finally:
            late.cancel()

    def _tail(self) -> str:
        self._log.seek(0)
        return "\n".join(self._log.read().decode(errors="replace").splitlines()[-20:])

    def stop(self) -> None:
        """Stops the server and waits for its end; a second call does nothing."""
        self._process.terminate()
        try:
            self._process.communicate(timeout=_STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()
