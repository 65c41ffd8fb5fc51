from __future__ import annotations

from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message


def to_json(message: Message) -> dict[str, Any]:
    """A message in the JSON form of proto3, for ``json.dumps`` and for web frameworks: ids and
    revisions are texts, which JavaScript does not round, enums are names, and times are RFC 3339.
    Fields with their default are written too."""
    written: dict[str, Any] = MessageToDict(message, always_print_fields_with_no_presence=True)
    return written
