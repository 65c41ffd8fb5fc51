"""Transport: TLS, mutual TLS and plaintext, with a token and without."""

from typing import Any

import grpc
import pytest
import trustme
from standin import LIKE, Likes, StandIn, serving

import riposte_sdk

AUTHORITY = trustme.CA()
SERVER, CALLER = AUTHORITY.issue_cert("localhost"), AUTHORITY.issue_cert("caller")
TRUST = {"tls_ca": AUTHORITY.cert_pem.bytes()}
IDENTITY = {"tls_cert": CALLER.cert_chain_pems[0].bytes(), "tls_key": CALLER.private_key_pem.bytes()}


def credentials(mutual: bool) -> grpc.ServerCredentials:
    pair = (SERVER.private_key_pem.bytes(), SERVER.cert_chain_pems[0].bytes())
    return grpc.ssl_server_credentials([pair], AUTHORITY.cert_pem.bytes() if mutual else None, mutual)


@pytest.mark.parametrize("token", [None, "s3cret"])
@pytest.mark.parametrize("transport", ["plaintext", "tls", "mtls"])
def test_every_transport_works_with_a_token_and_without(like: Likes, transport: str, token: str | None) -> None:
    service = StandIn()
    options: dict[str, Any] = {"token": token}
    if transport == "plaintext":
        secured, scheme, options["insecure_token"] = None, "http", True
    else:
        secured, scheme = credentials(transport == "mtls"), "https"
        options |= TRUST | (IDENTITY if transport == "mtls" else {})
    with serving(service, secured) as address:
        assert like(f"{scheme}://{address}", LIKE, **options).like_count == 1
    assert service.headers[0].get("authorization") == (token and f"Bearer {token}")


def test_a_server_of_another_authority_is_not_trusted(like: Likes) -> None:
    service = StandIn()
    with serving(service, credentials(False)) as address, pytest.raises(riposte_sdk.Unavailable):
        like(f"https://{address}", LIKE, tls_ca=trustme.CA().cert_pem.bytes())
    assert not service.requests


def test_a_caller_without_a_certificate_is_refused_where_one_is_asked_for(like: Likes) -> None:
    service = StandIn()
    with serving(service, credentials(True)) as address, pytest.raises(riposte_sdk.Unavailable):
        like(f"https://{address}", LIKE, **TRUST)
    assert not service.requests


def test_a_key_in_the_place_of_the_certificate_is_refused() -> None:
    swapped: dict[str, Any] = {"tls_cert": IDENTITY["tls_key"], "tls_key": IDENTITY["tls_cert"]}
    with pytest.raises(riposte_sdk.InvalidArgument, match="tls_cert"):
        riposte_sdk.connect("https://localhost:1", **swapped)
    with pytest.raises(riposte_sdk.InvalidArgument, match="tls_key"):
        riposte_sdk.connect("https://localhost:1", tls_cert=IDENTITY["tls_cert"], tls_key=IDENTITY["tls_cert"])
