from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Real
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


def _is_headers(value: Any) -> bool:
    return all(map(_is_header, value if isinstance(value, Collection) else [value]))


def _is_header(pair: Any) -> bool:
    """Whether gRPC takes a pair: else its error is INTERNAL."""
    if not isinstance(pair, (tuple, list)) or [isinstance(part, (str, bytes)) for part in pair] != [True, True]:
        return False
    name, value = (part.encode(errors="surrogatepass") if isinstance(part, str) else part for part in pair)
    is_value = name.endswith(b"-bin") or re.fullmatch(rb"[ -~]*", value)
    return bool(re.fullmatch(rb"[a-z0-9_.-]+", name) and is_value)


_TAKES: dict[str, Callable[[Any], bool]] = {
    "timeout": lambda value: isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value),
    "metadata": _is_headers,
    "credentials": lambda value: isinstance(value, grpc.CallCredentials),
    "wait_for_ready": lambda value: isinstance(value, bool),
    "compression": lambda value: isinstance(value, grpc.Compression),
}


def check_options(options: Mapping[str, Any]) -> None:
    """Raises ``InvalidArgument`` for a name that is none of ``CallOptions``, and for a value of
    another type."""
    if unknown := sorted(options.keys() - _TAKES.keys()):
        raise invalid(f"{', '.join(unknown)}: not an option of this call; all calls take {', '.join(_TAKES)}")
    for name, value in options.items():
        if value is not None and not _TAKES[name](value):
            raise invalid(f"{name}: {value!r} is not what this option takes")


def given(options: CallOptions) -> dict[str, Any]:
    """The options as gRPC takes them."""
    return {**options}


def each(name: str, values: Iterable[Value]) -> Iterator[Value]:
    """The values of a list. Raises ``InvalidArgument`` for what is none, as a text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise invalid(f"{name}: a {type(values).__name__} is no list")
    return iter(values)


def check_request(request: Any, kind: type) -> None:
    """Raises ``InvalidArgument`` for a request of another type."""
    if not isinstance(request, kind):
        raise invalid(f"request: {request!r} is no {kind.__name__}")


def choice(option: str, name: Any, values: Mapping[str, Value]) -> Value:
    """The value that an option names. Raises ``InvalidArgument`` for a name that is none."""
    if not isinstance(name, str) or name not in values:
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
