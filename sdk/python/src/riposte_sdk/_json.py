from __future__ import annotations

from typing import Any, Protocol

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message


class _OfMessage(Protocol):
    @property
    def message(self) -> Message: ...


class _OfResponse(Protocol):
    @property
    def response(self) -> Message: ...


def to_json(message: Message | _OfMessage | _OfResponse) -> dict[str, Any]:
    """A message in the JSON form of proto3, for ``json.dumps`` and for web frameworks: ids and
    revisions are texts, which JavaScript does not round, enums are names, and times are RFC 3339.
    Fields with their default are written too. Of a handle or a page it is the message in it."""
    inner: object = message
    if not isinstance(message, Message):
        inner = getattr(message, "message", None) or getattr(message, "response", None)
    if not isinstance(inner, Message):
        raise TypeError(f"to_json takes a message, a handle or a page, not {type(message).__name__}")
    written: dict[str, Any] = MessageToDict(inner, always_print_fields_with_no_presence=True)
    return written
