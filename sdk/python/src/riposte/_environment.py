"""What options are read from. A variable that is empty is as good as absent."""

from __future__ import annotations

import os
from pathlib import Path


def text(variable: str) -> str | None:
    return os.environ.get(variable) or None


def flag(variable: str) -> bool:
    return (text(variable) or "").lower() in ("1", "true")


def pem(variable: str) -> bytes | None:
    path = text(variable)
    try:
        return Path(path).read_bytes() if path else None
    except OSError as error:
        raise ValueError(f"{variable}, {path}: {error.strerror}") from error
