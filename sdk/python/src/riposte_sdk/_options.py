from __future__ import annotations

import logging
import random
import re
import ssl
from typing import Any

import grpc

from riposte_sdk._error import invalid
from riposte_sdk._generated.config import FIRST_WAIT_MS, LONGEST_WAIT_MS, LOOPBACK, RESOLVE_MS, SERVICE_CONFIG, VERSION
from riposte_sdk._generated.options import Options

_CHANNEL = (
    ("grpc.service_config", SERVICE_CONFIG),
    ("grpc.primary_user_agent", f"riposte-python/{VERSION}"),
    ("grpc.keepalive_time_ms", 20_000),
    # A watch may be silent for hours; without this, gRPC stops asking after two pings.
    ("grpc.http2.max_pings_without_data", 0),
    # 200 comments of the greatest length, with room to spare.
    ("grpc.max_receive_message_length", 16 << 20),
    # Drawn once for the process, whose clients share their connections by equal arguments.
    ("grpc.initial_reconnect_backoff_ms", random.randint(*FIRST_WAIT_MS)),
    ("grpc.max_reconnect_backoff_ms", LONGEST_WAIT_MS),
    # An attempt that nobody answers lasts no longer than a wait.
    ("grpc.min_reconnect_backoff_ms", LONGEST_WAIT_MS),
    ("grpc.dns_min_time_between_resolutions_ms", RESOLVE_MS),
)


_TARGET = re.compile(r"(https?://|dns:///)?((?:[\w.-]+|\[[\dA-Fa-f]*:[\dA-Fa-f:.]+\]):([1-9]\d{0,4}))/?", re.ASCII)


def channel(options: Options, library: Any) -> Any:
    """A channel of ``grpc`` or ``grpc.aio``; nothing is dialled before the first call.

    Raises ``InvalidArgument`` if the options contradict each other, or hold what cannot be used."""
    parts = _TARGET.fullmatch(str(options.target))
    if parts is None or int(parts[3]) > 65_535:
        forms = "http://host:port, https://host:port, host:port, dns:///host:port"
        raise invalid(f"target {options.target!r} is none of {forms}")
    address, tls = f"dns:///{parts[2]}", parts[1] == "https://"
    if options.token and not re.fullmatch(r"[\x21-\x7e]+", options.token):
        raise invalid("the token is not printable ASCII")
    if (options.tls_cert is None) != (options.tls_key is None):
        raise invalid("a client certificate needs its key, and a key its certificate: tls_cert, tls_key")
    if options.proxy not in ("environment", "none"):
        raise invalid(f"proxy {options.proxy!r} is neither environment nor none")
    direct = options.proxy == "none" or re.fullmatch(LOOPBACK, parts[2])
    arguments = (*_CHANNEL, ("grpc.enable_http_proxy", 0)) if direct else _CHANNEL
    if tls:
        _check_pem(options)
        credentials = grpc.ssl_channel_credentials(options.tls_ca, options.tls_key, options.tls_cert)
        return library.secure_channel(address, credentials, options=arguments)
    if options.tls_cert is not None:
        raise invalid(f"a client certificate needs TLS: write the target {options.target} with https://")
    if options.token and not options.insecure_token:
        raise invalid(
            f"the token would travel unencrypted to {options.target}: use https://, or allow it by insecure_token=True"
            " (RIPOSTE_INSECURE_TOKEN=true)"
        )
    if options.token:
        logging.getLogger("riposte").warning("the token travels unencrypted to %s", options.target)
    return library.insecure_channel(address, options=arguments)


def _check_pem(options: Options) -> None:
    """gRPC takes anything for a certificate or a key, and then trusts nobody."""
    try:
        for pem in filter(None, (options.tls_ca, options.tls_cert)):
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem.decode())
    except (ssl.SSLError, ValueError) as error:
        raise invalid(f"tls_ca and tls_cert must be certificates in PEM: {error}") from error
    if options.tls_key is not None and b"PRIVATE KEY-----" not in options.tls_key:
        raise invalid("tls_key holds no key in PEM")
