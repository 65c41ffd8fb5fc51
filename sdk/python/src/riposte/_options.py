from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from riposte._generated.config import SERVICE_CONFIG, VERSION

DEFAULT_TARGET = "127.0.0.1:7171"
"""Where ``riposte dev`` listens."""

_CHANNEL = (
    ("grpc.service_config", SERVICE_CONFIG),
    ("grpc.primary_user_agent", f"riposte-python/{VERSION}"),
    ("grpc.keepalive_time_ms", 20_000),
    # A watch may be silent for hours; without this, gRPC stops asking after two pings.
    ("grpc.http2.max_pings_without_data", 0),
    # 200 comments of the greatest length, with room to spare.
    ("grpc.max_receive_message_length", 16 << 20),
)


@dataclass(frozen=True)
class Options:
    """How to reach a service."""

    target: str = DEFAULT_TARGET
    """Its address: ``host:port``, ``http://host:port`` and ``dns:///host:port`` are plaintext, ``https://host:port`` is
    TLS."""
    token: str | None = field(default=None, repr=False)
    """The bearer token to send with every call."""
    tls_ca: bytes | None = field(default=None, repr=False)
    """The certificate authority to trust, in PEM. Default: the public ones that gRPC ships."""
    tls_cert: bytes | None = field(default=None, repr=False)
    """The client's own certificate, in PEM; together with its key."""
    tls_key: bytes | None = field(default=None, repr=False)
    """The key of the client's certificate, in PEM."""
    insecure_token: bool = False
    """Whether the token may travel over plaintext. A warning is logged then."""
    admin_target: str | None = None
    """The address of the administration, which listens at one of its own."""

    @classmethod
    def from_env(cls) -> Options:
        """The options by ``RIPOSTE_TARGET``, ``RIPOSTE_TOKEN``, ``RIPOSTE_TLS_CA``, ``RIPOSTE_TLS_CERT``,
        ``RIPOSTE_TLS_KEY`` (paths of PEM files), ``RIPOSTE_INSECURE_TOKEN`` (``true``) and ``RIPOSTE_ADMIN_TARGET``.

        Raises ValueError if a file cannot be read."""
        return cls(
            target=os.environ.get("RIPOSTE_TARGET") or DEFAULT_TARGET,
            token=os.environ.get("RIPOSTE_TOKEN") or None,
            tls_ca=_file("RIPOSTE_TLS_CA"),
            tls_cert=_file("RIPOSTE_TLS_CERT"),
            tls_key=_file("RIPOSTE_TLS_KEY"),
            insecure_token=os.environ.get("RIPOSTE_INSECURE_TOKEN", "").lower() in ("1", "true"),
            admin_target=os.environ.get("RIPOSTE_ADMIN_TARGET") or None,
        )

    def channel(self, library: Any) -> Any:
        """A channel of ``grpc`` or ``grpc.aio``; nothing is dialled before the first call.

        Raises ValueError if the options contradict each other."""
        address, tls = _address(self.target)
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("a client certificate needs its key, and a key its certificate: tls_cert, tls_key")
        if tls:
            credentials = grpc.ssl_channel_credentials(self.tls_ca, self.tls_key, self.tls_cert)
            return library.secure_channel(address, credentials, options=_CHANNEL)
        if self.tls_cert is not None:
            raise ValueError(f"a client certificate needs TLS: write the target {self.target} with https://")
        if self.token and not self.insecure_token:
            raise ValueError(
                f"the token would travel unencrypted to {self.target}: use https://, or allow it by insecure_token=True"
                " (RIPOSTE_INSECURE_TOKEN=true)"
            )
        if self.token:
            logging.getLogger("riposte").warning("the token travels unencrypted to %s", self.target)
        return library.insecure_channel(address, options=_CHANNEL)


def _address(target: str) -> tuple[str, bool]:
    """The address as gRPC wants it, and whether it is to be reached by TLS."""
    scheme, found, rest = target.partition("://")
    if not found:
        scheme, rest = "http", target
    if scheme == "dns":
        return target, False
    if scheme not in ("http", "https") or not rest.strip("/"):
        raise ValueError(
            f"target {target!r} is none of host:port, http://host:port, https://host:port, dns:///host:port"
        )
    return f"dns:///{rest.rstrip('/')}", scheme == "https"


def _file(variable: str) -> bytes | None:
    path = os.environ.get(variable)
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{variable}, {path}: {error.strerror}") from error
