from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2 as details
from google.rpc import status_pb2

from riposte_sdk._generated.reasons import Reason

_DOMAIN = "riposte"


@dataclass(frozen=True)
class Violation:
    """One field at fault."""

    field: str
    """The path of the field from the request on, for example ``content.text``."""
    description: str
    """What is wrong with it, for a person to read; never stable."""


class Error(Exception):
    """Why a call failed. The subclasses are the canonical codes, so that
    ``except riposte_sdk.NotFound`` reads well."""

    code: grpc.StatusCode
    """The gRPC code."""
    message: str
    """What the service says, for a person to read; never stable."""
    reason: Reason
    """The reason, also of a field that the client refuses; ``Reason.UNSPECIFIED`` for one that this
    version does not know, and for all else that is no answer of the service."""
    reason_name: str
    """The reason as it was sent; empty for what is no answer of the service."""
    metadata: dict[str, str]
    """The facts of the reason; see ``Reason``."""
    violations: tuple[Violation, ...]
    """All fields at fault, for a request that is."""
    retry_after: timedelta | None
    """How long to wait before a repeat can succeed, where the service says so."""
    request_id: str | None
    """The id by which the service logged the call, to report with a fault."""

    _by_code: ClassVar[dict[grpc.StatusCode, type[Error]]] = {}

    def __init_subclass__(cls, *, code: grpc.StatusCode) -> None:
        Error._by_code[code] = cls

    def __init__(self, code: grpc.StatusCode, message: str, trailers: dict[str, Any] | None = None) -> None:
        # Kept as given, so that an error can be pickled.
        super().__init__(code, message, trailers)
        trailers = trailers or {}
        self.code, self.message = code, message
        self.request_id = trailers.get("riposte-request-id")
        self.reason_name, self.metadata, self.violations, self.retry_after = "", {}, (), None
        # What stands between may answer as well, with details of its own making.
        with suppress(DecodeError):
            for packed in status_pb2.Status.FromString(trailers.get("grpc-status-details-bin", b"")).details:
                self._read(packed)
        try:
            self.reason = Reason(self.reason_name)
        except ValueError:
            self.reason = Reason.UNSPECIFIED

    def _read(self, packed: Any) -> None:
        info, fields, retry = details.ErrorInfo(), details.BadRequest(), details.RetryInfo()
        if packed.Unpack(info) and info.domain == _DOMAIN:
            self.reason_name, self.metadata = info.reason, dict(info.metadata)
        elif packed.Unpack(fields):
            self.violations = tuple(Violation(at.field, at.description) for at in fields.field_violations)
        elif packed.Unpack(retry) and retry.HasField("retry_delay"):
            self.retry_after = retry.retry_delay.ToTimedelta()

    @classmethod
    def of(cls, error: Any) -> Error:
        """The error that a ``grpc.RpcError`` says, for calls on a channel of one's own."""
        return cls.made(error.code(), error.details() or "", dict(error.trailing_metadata() or ()))

    @staticmethod
    def made(code: grpc.StatusCode, message: str, trailers: dict[str, Any] | None = None) -> Error:
        """The error of the class that its code has."""
        return Error._by_code.get(code, Error)(code, message, trailers)

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later, with nothing changed. UNAVAILABLE the client has
        then repeated in vain already."""
        exhausted = self.code is grpc.StatusCode.RESOURCE_EXHAUSTED and self.retry_after is not None
        return exhausted or self.code is grpc.StatusCode.UNAVAILABLE

    def __str__(self) -> str:
        unsaid = [at for at in self.violations if at.description not in self.message]
        fields = "".join(f"; {at.field}: {at.description}" for at in unsaid)
        request = f" (request {self.request_id})" if self.request_id else ""
        # All violations are told, so the message need not count them.
        said = self.message.removesuffix(f" (and {len(self.violations) - 1} more)")
        return f"{self.reason_name or self.code.name}: {said}{fields}{request}"


def check_texts(texts: dict[str, str]) -> None:
    """Refuses texts with lone surrogates, which are no valid Unicode and which no message can hold.

    Raises ``InvalidArgument`` with all such fields, by whose paths the texts are given."""
    bad = []
    for field, text in texts.items():
        try:
            str.encode(text)
        except UnicodeEncodeError:
            bad.append((True, field, "is no valid Unicode: it has a lone surrogate", "FIELD_INVALID"))
        except TypeError:
            bad.append((True, field, f"is {text!r}, no text", "FIELD_INVALID"))
    refuse(*bad)


def refuse(*fields: tuple[bool, str, str, str]) -> None:
    """Refuses a request of which one of these fields is wrong: whether it is, its path, its
    description and its reason.

    Raises ``InvalidArgument`` with all that are, and with the reason of the only one."""
    bad = details.BadRequest()
    for wrong, field, description, reason in fields:
        if wrong:
            bad.field_violations.add(field=field, description=description, reason=reason)
    if bad.field_violations:
        shared = bad.field_violations[0].reason if len(bad.field_violations) == 1 else "FIELD_INVALID"
        status = status_pb2.Status()
        status.details.add().Pack(details.ErrorInfo(reason=shared, domain=_DOMAIN))
        status.details.add().Pack(bad)
        told = "; ".join(f"{at.field}: {at.description}" for at in bad.field_violations)
        trailers = {"grpc-status-details-bin": status.SerializeToString()}
        raise Error.made(grpc.StatusCode.INVALID_ARGUMENT, told, trailers)


def invalid(message: str) -> Error:
    """The error of an argument that cannot be used."""
    return Error.made(grpc.StatusCode.INVALID_ARGUMENT, message)
