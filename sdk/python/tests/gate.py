"""What stands between a client and a server: a gate, and a proxy that leads nowhere."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Gate:
    """Leads connections from a port of this machine to a server; shut, it ends them at once."""

    def __init__(self, target: str) -> None:
        host, port = target.rsplit(":", 1)
        self._server = (host, int(port))
        self.sent = bytearray()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.target = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._lock = threading.Lock()
        self._live: list[socket.socket] = []
        self._shut = False
        self.ended = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._shut:
                    self.ended += 1
                    client.close()
                    continue
                try:
                    server = socket.create_connection(self._server)
                except OSError:
                    client.close()
                    continue
                self._live += [client, server]
            for source, sink, sent in [(client, server, self.sent), (server, client, bytearray())]:
                threading.Thread(target=self._lead, args=(source, sink, sent), daemon=True).start()

    def _lead(self, source: socket.socket, sink: socket.socket, sent: bytearray) -> None:
        # Where one side is gone, the other follows.
        with suppress(OSError):
            while data := source.recv(1 << 16):
                sent += data
                sink.sendall(data)
        for side in (source, sink):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def shut(self) -> None:
        """Ends all connections, and each new one at once."""
        with self._lock:
            self._shut = True
            live, self._live = self._live, []
        for side in live:
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def open(self, target: str = "") -> None:
        """Leads connections again, to another server if one is named."""
        with self._lock:
            if target:
                host, port = target.rsplit(":", 1)
                self._server = (host, int(port))
            self._shut = False

    def close(self) -> None:
        self._listener.close()
        self.shut()


class Nowhere:
    """A proxy that keeps what it was asked for, and ends each connection."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.asked: list[str] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            with client, client.makefile("rb") as sent:
                self.asked.append(sent.readline().decode())

    def variables(self) -> dict[str, str]:
        """The environment that names it."""
        names = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy")
        set_ = {spelled: self.url for name in names for spelled in (name, name.upper())}
        return {**set_, "no_proxy": "", "NO_PROXY": "", "no_grpc_proxy": ""}
