import os
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any


class RequestIds:
    """Makes the request ids of one client: UUIDv7 in strictly rising order, whose last 48 bits are
    random once per client. By them the service knows the client, and by the rest it orders what one
    client asked. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._begin()

    def _begin(self) -> None:
        self._process, self._tail = os.getpid(), secrets.randbits(48)

    def next(self) -> str:
        """A new id, in the usual text form; greater than every one before it."""
        with self._lock:
            if self._process != os.getpid():
                # A forked child would count on from where its parent does; so it is a client of its
                # own.
                self._begin()
            # 48 bits of milliseconds, then a count of 16 bits that runs over into them.
            self._last = stamp = max(time.time_ns() // 1_000_000 << 16, self._last + 1)
        ms, high, low = stamp >> 16, stamp >> 4 & 0xFFF, stamp & 0xF
        # The layout of RFC 9562: milliseconds, version 7, twelve bits, variant 2, and 62 bits, here
        # 14 and the tail.
        return str(uuid.UUID(int=ms << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low << 58 | self._tail))

    def filling(self, serialize: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
        """The serializer of a request that gives it a request id if it has none. gRPC serializes a
        call once, so that all its attempts carry the same id; the caller's message stays as it
        is."""

        def serialized(request: Any) -> bytes:
            if request.request_id:
                return serialize(request)
            # Two messages in a row are read as one that holds the fields of both.
            return serialize(request) + serialize(type(request)(request_id=self.next()))

        return serialized
