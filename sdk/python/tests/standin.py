"""A service of this process, for what no real one does on demand: it remembers what it was asked,
and fails as told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc

from riposte_sdk import v1

LIKE = v1.SetLikeRequest(comment_id=7, member_id="m9", value=v1.LIKE_VALUE_LIKE)

Likes = Callable[..., v1.SetLikeResponse]
"""Likes through a new client: the target, the request, and the arguments of ``connect``."""


class StandIn(v1.LikeServiceServicer, v1.SubjectServiceServicer):
    """Answers SetLike and WatchSubject; ``failures`` are the codes of the next calls, None for one
    that succeeds."""

    def __init__(self, *failures: grpc.StatusCode | None) -> None:
        self.failures = list(failures)
        self.requests: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.streams: list[list[v1.WatchSubjectResponse]] = []

    def SetLike(self, request: v1.SetLikeRequest, context: Any) -> v1.SetLikeResponse:
        self._told(request, context)
        return v1.SetLikeResponse(like_count=1)

    def WatchSubject(self, request: v1.WatchSubjectRequest, context: Any) -> Iterator[v1.WatchSubjectResponse]:
        self.requests.append(request)
        yield from self.streams.pop(0) if self.streams else ()
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            context.abort(failure, "as told")

    def _told(self, request: Any, context: Any) -> None:
        self.requests.append(request)
        self.headers.append(dict(context.invocation_metadata()))
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            context.abort(failure, "as told")


class FailingLikes(StandIn, v1.CommentServiceServicer):
    """Lists 60 threads of 11 comments; tells the likes of no more than 60 comments, and fails when
    it is asked for more."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[v1.BatchGetLikeStatesRequest] = []

    def ListComments(self, request: v1.ListCommentsRequest, context: Any) -> v1.ListCommentsResponse:
        ids = iter(range(1, 661))
        threads = [[v1.Comment(id=next(ids)) for _ in range(11)] for _ in range(60)]
        return v1.ListCommentsResponse(
            threads=[v1.CommentThread(comment=root, replies=replies) for root, *replies in threads]
        )

    def BatchGetLikeStates(self, request: v1.BatchGetLikeStatesRequest, context: Any) -> v1.BatchGetLikeStatesResponse:
        self.asked.append(request)
        if len(request.comment_ids) > 60:
            context.abort(grpc.StatusCode.INTERNAL, "too many")
        states = [v1.LikeState(comment_id=one, value=v1.LIKE_VALUE_LIKE) for one in request.comment_ids]
        return v1.BatchGetLikeStatesResponse(states=states)


@contextmanager
def serving(service: StandIn, credentials: grpc.ServerCredentials | None = None) -> Iterator[str]:
    """Serves on a free port of this machine; gives ``host:port``."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    v1.add_LikeServiceServicer_to_server(service, server)
    v1.add_SubjectServiceServicer_to_server(service, server)
    if isinstance(service, v1.CommentServiceServicer):
        v1.add_CommentServiceServicer_to_server(service, server)
    if credentials is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    try:
        yield f"localhost:{port}"
    finally:
        server.stop(None).wait()
