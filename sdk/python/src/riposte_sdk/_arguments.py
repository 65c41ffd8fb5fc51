from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, TypeVar

import grpc

from riposte_sdk._error import check_texts, invalid

Value = TypeVar("Value")


class CallOptions(TypedDict, total=False):
    """What one call may have of its own."""

    timeout: float | None
    """How long the whole call may take, in seconds, retries included."""
    metadata: Sequence[tuple[str, str | bytes]] | None
    """Headers to send."""
    credentials: grpc.CallCredentials | None
    wait_for_ready: bool | None
    compression: grpc.Compression | None


def check_options(options: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` for a name that is none of ``CallOptions``."""
    if unknown := sorted(options.keys() - CallOptions.__annotations__.keys()):
        known = ", ".join(CallOptions.__annotations__)
        raise invalid(f"{', '.join(unknown)}: not an option of this call; all calls take {known}")


def given(options: CallOptions) -> dict[str, Any]:
    """The options as gRPC takes them."""
    return {**options}


def choice(option: str, name: Any, values: Mapping[str, Value]) -> Value:
    """The value that an option names. Raises ``InvalidArgument`` for a name that is none."""
    if name not in values:
        raise invalid(f"{option}: {name!r} is none of {', '.join(values)}")
    return values[name]


def set_field(message: Any, name: str, value: Any) -> None:
    """Sets a field; an id may be a text. Raises ``InvalidArgument`` for what it cannot hold."""
    field = message.DESCRIPTOR.fields_by_name[name]
    if field.type == field.TYPE_STRING:
        check_texts({name: value})
    is_id = field.type == field.TYPE_INT64
    if is_id and isinstance(value, str) and not value.removeprefix("-").isdecimal():
        raise invalid(f"{value!r} is not a comment id" if name == "id" else f"{name}: {value!r} is not an id")
    try:
        setattr(message, name, int(value) if isinstance(value, str) and is_id else value)
    except (TypeError, ValueError) as error:
        raise invalid(f"{name}: {error}") from error
