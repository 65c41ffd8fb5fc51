import pickle
from datetime import timedelta

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

import riposte_sdk
from riposte_sdk import Reason, v1
from riposte_sdk.dev import DevServer


def made(code: grpc.StatusCode, *details: Message) -> riposte_sdk.Error:
    status = status_pb2.Status()
    for detail in details:
        status.details.add().Pack(detail)
    trailers = {"grpc-status-details-bin": status.SerializeToString(), "riposte-request-id": "r-1"}
    return riposte_sdk.Error.made(code, "2 fields", trailers)


def test_everything_an_answer_tells_can_be_read() -> None:
    bad = error_details_pb2.BadRequest()
    bad.field_violations.add(field="member_id", description="is empty")
    bad.field_violations.add(field="content.text", description="is empty")
    info = error_details_pb2.ErrorInfo(reason="FIELD_INVALID", domain="riposte", metadata={"limit": "64"})
    retry = error_details_pb2.RetryInfo(retry_delay=Duration(nanos=200_000_000))
    error = made(grpc.StatusCode.INVALID_ARGUMENT, info, bad, retry)
    assert isinstance(error, riposte_sdk.InvalidArgument)
    assert error.reason is Reason.FIELD_INVALID
    assert error.metadata == {"limit": "64"}
    assert [at.field for at in error.violations] == ["member_id", "content.text"]
    assert error.retry_after == timedelta(milliseconds=200)
    assert not error.retryable
    assert str(error) == "FIELD_INVALID: 2 fields; member_id: is empty; content.text: is empty (request r-1)"


def test_an_answer_of_somebody_else_has_no_reason() -> None:
    info = error_details_pb2.ErrorInfo(reason="SUBJECT_NOT_FOUND", domain="elsewhere")
    error = made(grpc.StatusCode.NOT_FOUND, info)
    assert (error.reason, error.reason_name) == (Reason.UNSPECIFIED, "")
    assert str(error) == "NOT_FOUND: 2 fields (request r-1)"


def test_a_reason_of_a_later_version_keeps_its_name() -> None:
    info = error_details_pb2.ErrorInfo(reason="MOON_TOO_FULL", domain="riposte")
    error = made(grpc.StatusCode.DATA_LOSS, info)
    assert (error.reason, error.reason_name) == (Reason.UNSPECIFIED, "MOON_TOO_FULL")


def test_details_that_cannot_be_read_leave_the_error_as_it_is() -> None:
    error = riposte_sdk.Error.made(grpc.StatusCode.UNAVAILABLE, "no", {"grpc-status-details-bin": b"\xff"})
    assert (error.reason, str(error)) == (Reason.UNSPECIFIED, "UNAVAILABLE: no")


def test_what_may_succeed_later_is_retryable() -> None:
    retry = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=1))
    assert made(grpc.StatusCode.UNAVAILABLE).retryable
    assert made(grpc.StatusCode.RESOURCE_EXHAUSTED, retry).retryable
    assert not made(grpc.StatusCode.RESOURCE_EXHAUSTED).retryable
    assert not made(grpc.StatusCode.DEADLINE_EXCEEDED).retryable


def test_an_error_crosses_between_processes() -> None:
    error = made(grpc.StatusCode.NOT_FOUND, error_details_pb2.ErrorInfo(reason="COMMENT_NOT_FOUND", domain="riposte"))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.reason) == (riposte_sdk.NotFound, str(error), Reason.COMMENT_NOT_FOUND)


def test_an_error_of_a_channel_of_ones_own_is_converted(riposte_server: DevServer) -> None:
    direct = (("grpc.enable_http_proxy", 0),)
    with (
        grpc.insecure_channel(riposte_server.target, options=direct) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        v1.CommentServiceStub(channel).GetComment(v1.GetCommentRequest(id=1))
    assert riposte_sdk.Error.of(caught.value).reason is Reason.COMMENT_NOT_FOUND


def test_every_reason_of_the_contract_is_there() -> None:
    # The enum is not a mapping: it cannot be iterated without `keys`.
    names = {name.removeprefix("ERROR_REASON_") for name in v1.ErrorReason.keys()}  # noqa: SIM118
    assert {reason.name for reason in Reason} == names


def test_every_code_has_a_class_of_its_own() -> None:
    for code in set(grpc.StatusCode) - {grpc.StatusCode.OK}:
        assert type(riposte_sdk.Error.made(code, "")) is not riposte_sdk.Error, code


def test_what_the_message_tells_is_not_told_again() -> None:
    bad = error_details_pb2.BadRequest()
    bad.field_violations.add(field="member_id", description="is empty")
    status = status_pb2.Status()
    status.details.add().Pack(bad)
    trailers = {"grpc-status-details-bin": status.SerializeToString()}
    error = riposte_sdk.Error.made(grpc.StatusCode.INVALID_ARGUMENT, "invalid request: member_id: is empty", trailers)
    assert str(error) == "INVALID_ARGUMENT: invalid request: member_id: is empty"
