from __future__ import annotations

import logging
from typing import Any

import grpc

from riposte._generated.config import SERVICE_CONFIG, VERSION
from riposte._generated.options import Options

_CHANNEL = (
    ("grpc.service_config", SERVICE_CONFIG),
    ("grpc.primary_user_agent", f"riposte-python/{VERSION}"),
    ("grpc.keepalive_time_ms", 20_000),
    # A watch may be silent for hours; without this, gRPC stops asking after two pings.
    ("grpc.http2.max_pings_without_data", 0),
    # 200 comments of the greatest length, with room to spare.
    ("grpc.max_receive_message_length", 16 << 20),
)


def channel(options: Options, library: Any) -> Any:
    """A channel of ``grpc`` or ``grpc.aio``; nothing is dialled before the first call.

    Raises ValueError if the options contradict each other."""
    address, tls = _address(options.target)
    if (options.tls_cert is None) != (options.tls_key is None):
        raise ValueError("a client certificate needs its key, and a key its certificate: tls_cert, tls_key")
    if tls:
        credentials = grpc.ssl_channel_credentials(options.tls_ca, options.tls_key, options.tls_cert)
        return library.secure_channel(address, credentials, options=_CHANNEL)
    if options.tls_cert is not None:
        raise ValueError(f"a client certificate needs TLS: write the target {options.target} with https://")
    if options.token and not options.insecure_token:
        raise ValueError(
            f"the token would travel unencrypted to {options.target}: use https://, or allow it by insecure_token=True"
            " (RIPOSTE_INSECURE_TOKEN=true)"
        )
    if options.token:
        logging.getLogger("riposte").warning("the token travels unencrypted to %s", options.target)
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
