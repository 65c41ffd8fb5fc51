"""What the generated tables must hold for every method of the contract."""

import json

from google.protobuf.descriptor_pool import Default

from riposte_sdk import v1
from riposte_sdk._generated.config import SERVICE_CONFIG, TIMEOUT_S, WITH_REQUEST_ID

SERVICES = [Default().FindServiceByName(f"riposte.v1.{name[:-8]}") for name in dir(v1) if name.endswith("Servicer")]
METHODS = {f"/{service.full_name}/{method.name}": method for service in SERVICES for method in service.methods}
RETRIED = {
    f"/{name['service']}/{name['method']}": entry["retryPolicy"]
    for entry in json.loads(SERVICE_CONFIG)["methodConfig"]
    for name in entry["name"]
}


def test_every_call_has_a_deadline_and_a_stream_has_none() -> None:
    unary = {path for path, method in METHODS.items() if not method.server_streaming}
    assert len(METHODS) > 30
    assert TIMEOUT_S.keys() == unary


def test_nothing_is_retried_but_reads_and_writes_with_a_request_id() -> None:
    for path in RETRIED:
        has = "request_id" in METHODS[path].input_type.fields_by_name
        assert has == (path in WITH_REQUEST_ID)
        reads = METHODS[path].name.startswith(("Get", "BatchGet", "List", "BatchList", "Check"))
        assert has or reads, path


def test_only_unavailable_is_retried() -> None:
    assert {code for policy in RETRIED.values() for code in policy["retryableStatusCodes"]} == {"UNAVAILABLE"}
