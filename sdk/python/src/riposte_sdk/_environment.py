"""What options are read from. A variable that is empty is as good as absent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from riposte_sdk._error import invalid


def text(variable: str) -> str | None:
    return os.environ.get(variable) or None


def flag(variable: str) -> bool:
    value = (text(variable) or "false").lower()
    if value not in ("true", "1", "false", "0"):
        raise invalid(f"{variable}: {value} is neither true nor false")
    return value in ("true", "1")


def choice(variable: str, values: list[Any]) -> Any:
    value = text(variable) or values[0]
    if value not in values:
        raise invalid(f"{variable}: {value} is none of {', '.join(values)}")
    return value


def pem(variable: str) -> bytes | None:
    path = text(variable)
    try:
        return Path(path).read_bytes() if path else None
    except OSError as error:
        raise invalid(f"{variable}, {path}: {error.strerror}") from error
