"""Runs the scenarios that all SDKs share; sdk/conformance/README.md says what they mean."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from callers import Callers
from gate import Gate
from google.protobuf import descriptor_pool, json_format, message_factory

import riposte_sdk
import riposte_sdk.aio
from riposte_sdk import v1

_EVENTUALLY_WITHIN_S = 10.0
_KEYS = {
    *("call", "list", "watch", "together", "request", "expect", "save", "error", "items", "count", "pages"),
    *("repeat", "at_once", "different", "fault", "fault_every", "deadline_ms", "eventually", "during", "events"),
    *("outage", "late", "listeners", "caller", "unsent", "unmade", "page", "member", "made", "by_ids", "feed"),
    *("heartbeat", "restored", "stream", "first", "last", "full_speed"),
}

# How a server is started whose tokens another server can open.
_KEYED = ("--set", 'page_tokens.keys=["q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="]')

Json = Any
Folder = Path(os.environ.get("RIPOSTE_CONFORMANCE") or Path(__file__).parents[2] / "conformance")


def scenarios() -> list[tuple[str, list[Json]]]:
    """The names and the steps of all scenarios."""
    files = sorted(Folder.glob("*.yaml"))
    return [(one["name"], one["steps"]) for file in files for one in yaml.safe_load(file.read_text())["scenarios"]]


class Threads:
    """The client without asyncio."""

    def __init__(self, target: str, admin_target: str, **options: Any) -> None:
        self.target = target
        self.client = riposte_sdk.connect(target, admin_target=admin_target, **options)
        self.admin = [self.client.admin(), self.client.moderation(), self.client.policy()] if not options else []

    def call(self, method: Any, request: Any, options: Json) -> Any:
        return method(request, **options)

    def answers(self, method: Any, request: Any, options: Json) -> list[Any]:
        return list(method(request, **options))

    def items(self, walk: Any) -> list[Any]:
        return list(walk)

    def next(self, watch: Any) -> Any:
        return next(watch)

    def close(self, watch: Any) -> None:
        watch.close()

    def end(self) -> None:
        self.client.close()


class Asyncio:
    """The client with asyncio, each of whose calls is run to its end by a loop in a thread."""

    def __init__(self, target: str, admin_target: str, **options: Any) -> None:
        self.target, self._admin_target = target, admin_target
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

        self._run(self._connect(target, admin_target, options))

    async def _connect(self, target: str, admin_target: str, options: Json) -> None:
        self.client = riposte_sdk.aio.connect(target, admin_target=admin_target, **options)
        self.admin = [self.client.admin(), self.client.moderation(), self.client.policy()] if not options else []

    def _run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def call(self, method: Any, request: Any, options: Json) -> Any:
        async def run() -> Any:
            # A walk and a watch are made in the loop too, and are no coroutines.
            made = method(request, **options)
            return await made if hasattr(made, "__await__") else made

        return self._run(run())

    def answers(self, method: Any, request: Any, options: Json) -> list[Any]:
        async def run() -> list[Any]:
            return [answer async for answer in method(request, **options)]

        return list(self._run(run()))

    def items(self, walk: Any) -> list[Any]:
        async def run() -> list[Any]:
            return [item async for item in walk]

        return list(self._run(run()))

    def next(self, watch: Any) -> Any:
        async def run() -> Any:
            return await anext(watch)

        return self._run(run())

    def close(self, watch: Any) -> None:
        self._run(watch.close())

    def end(self) -> None:
        self._run(self.client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)


class Scenario:
    """One scenario under way: what it has saved, and the client it goes through."""

    def __init__(self, through: Threads | Asyncio, saved: Json = None) -> None:
        self._through = through
        self._saved = saved or {"unique": secrets.token_hex(8), "uuid": str(uuid.uuid4())}

    def run(self, steps: list[Json]) -> None:
        for step in steps:
            assert not step.keys() - _KEYS, f"a step that this runner does not understand: {step}"
            if step.get("unsent"):
                continue  # No message can hold such a request.
            if "outage" in step:
                self._outage(step["outage"])
            elif "late" in step:
                self._late(step["late"])
            elif "feed" in step:
                self._feed(step["feed"])
            elif "heartbeat" in step:
                self._heartbeat()
            elif "restored" in step:
                self._restored()
            elif "full_speed" in step:
                self._full_speed(step["full_speed"])
            elif "listeners" in step:
                self._listeners(step["listeners"])
            elif "by_ids" in step:
                self._by_ids(step["by_ids"])
            elif "caller" in step:
                with self._as(step["caller"]) as (_, through):
                    Scenario(through, self._saved).run([{key: step[key] for key in step if key != "caller"}])
            elif "together" in step:
                with ThreadPoolExecutor() as pool:
                    list(pool.map(self.run, [[one] for one in step["together"]]))
            elif step.get("eventually"):
                self._eventually(step)
            else:
                self._repeated(step)

    def _outage(self, attempts: int) -> None:
        """Takes the server away until the client has tried to connect so often, and waits for its
        return."""
        gate = Gate(self._through.target)
        through = type(self._through)(gate.target, gate.target)
        key = v1.SubjectKey(object_type="article", object_id=self._saved["unique"])
        request = v1.GetSubjectRequest(key=key)

        def look() -> riposte_sdk.Error | None:
            try:
                through.call(through.client.subjects.GetSubject, request, {"timeout": 1})
            except riposte_sdk.Error as error:
                return error
            return None

        try:
            assert look() is None
            gate.shut()
            until = time.monotonic() + 6 * _EVENTUALLY_WITHIN_S
            while gate.ended < attempts:
                failure = look()
                assert isinstance(failure, riposte_sdk.Unavailable | riposte_sdk.DeadlineExceeded), failure
                assert time.monotonic() < until, f"the client has tried to connect only {gate.ended} times"
                time.sleep(0.02)
            gate.open()
            within = yaml.safe_load((Folder.parent / "options.yaml").read_text())["reconnect"]["within_ms"]
            until = time.monotonic() + within / 1000
            while (failure := look()) is not None:
                assert time.monotonic() < until, failure
                time.sleep(0.02)
        finally:
            through.end()
            gate.close()

    def _late(self, attempts: int) -> None:
        """Watches through a gate that leads to the server only after so many attempts, and that
        loses it while the subject comes into being."""
        gate = Gate(self._through.target)
        gate.shut()
        through, lost = (type(self._through)(gate.target, gate.target) for _ in range(2))
        key = v1.SubjectKey(object_type="article", object_id=self._saved["unique"])
        request = v1.WatchSubjectRequest(subject=key)

        def lead() -> None:
            while gate.ended < attempts:
                time.sleep(0.02)
            gate.open()

        try:
            threading.Thread(target=lead, daemon=True).start()
            watch = through.call(through.client.subjects.watch_subject, request, {})
            opened = through.next(watch)
            assert opened.WhichOneof("event") == "opened"
            assert opened.opened.revision == 0
            gate.shut()
            made = v1.CreateCommentRequest(subject=key, member_id="m1", content=v1.Content(text="Hi"))
            revision = self._through.call(self._through.client.comments.CreateComment, made, {}).subject_revision
            gate.open()
            assert through.next(watch).opened.revision == revision
            gap = through.next(watch).gap
            assert (gap.first_revision, gap.last_revision) == (1, revision)
            through.close(watch)
            gate.shut()
            try:
                lost.call(lost.client.subjects.watch_subject, request, {})
            except riposte_sdk.Unavailable:
                return
            raise AssertionError("a watch was opened without a server")
        finally:
            through.end()
            lost.end()
            gate.close()

    def _feed(self, breaks: int) -> None:
        """Follows the events of an object type through a gate that loses the server so often: each
        comment is told once."""
        gate = Gate(self._through.target)
        through = type(self._through)(gate.target, gate.target)
        object_type = "f" + self._saved["unique"]
        kinds = [v1.EVENT_KIND_COMMENT_PUBLISHED]
        request = v1.SubscribeRequest(filter=v1.EventFilter(object_types=[object_type], kinds=kinds))
        key = v1.SubjectKey(object_type=object_type, object_id="1")
        made = v1.CreateCommentRequest(subject=key, member_id="m1", content=v1.Content(text="Hi"))
        written: list[int] = []
        told: list[int] = []
        opened = 0
        try:
            watch = through.call(through.client.events.subscribe, request, {})
            for _ in range(breaks):
                for way in (gate.shut, gate.open):
                    way()
                    written.append(self._through.call(self._through.client.comments.CreateComment, made, {}).comment.id)
                while len(told) < len(written):
                    item = through.next(watch)
                    request.token = item.token
                    opened += item.HasField("opened")
                    told.extend([item.event.comment_id] if item.HasField("event") else [])
            through.close(watch)
            assert told == written
            assert opened > 1
            request.filter.ClearField("kinds")
            refused = ""
            try:
                through.call(through.client.events.subscribe, request, {})
            except riposte_sdk.InvalidArgument as error:
                refused = error.reason_name
            assert refused == "PAGE_TOKEN_MISMATCH"
        finally:
            through.end()
            gate.close()

    def _heartbeat(self) -> None:
        """Follows events that do not come, and resumes from where a heartbeat has come to."""
        gate = Gate(self._through.target)
        through = type(self._through)(gate.target, gate.target)
        type_, other = "f" + self._saved["unique"], "g" + self._saved["unique"]
        try:
            watch = through.call(through.client.events.subscribe, _published(type_), {})
            opened = last = through.next(watch)
            assert opened.HasField("opened")
            _comment(self._through, other)
            for _ in range(3):
                if last.token == opened.token:
                    last = through.next(watch)
                    assert last.HasField("heartbeat")
                    assert last.heartbeat.HasField("time")
                    assert last.token
            assert last.token != opened.token
            gate.shut()
            written = _comment(self._through, type_)
            gate.open()
            assert _busy(through, watch).HasField("opened")
            assert _busy(through, watch).event.comment_id == written
            assert last.token.encode() in gate.sent
            through.close(watch)
        finally:
            through.end()
            gate.close()

    def _restored(self) -> None:
        """Follows events while the data of the server is restored."""
        type_ = "f" + self._saved["unique"]
        request = _published(type_)
        with tempfile.TemporaryDirectory() as data, ExitStack() as ends:
            server, writer = ends.enter_context(self._as("writer", "--data", data, *_KEYED))
            gate = Gate(server.target)
            ends.callback(gate.close)
            through = type(self._through)(gate.target, gate.target, token="writer", insecure_token=True)
            ends.callback(through.end)
            watch = through.call(through.client.events.subscribe, request, {})
            assert _busy(through, watch).HasField("opened")
            written = _comment(writer, type_)
            first = _busy(through, watch)
            assert first.event.comment_id == written
            gate.shut()
            server.close()
            later = self._as("writer", "--data", data, *_KEYED, "--set", "store.timeline=1")
            server, writer = ends.enter_context(later)
            gate.open(server.target)
            assert _busy(through, watch).HasField("opened")
            assert _busy(through, watch).gap.reason == v1.EVENT_GAP_REASON_RESTORED
            written = _comment(writer, type_)
            assert _busy(through, watch).event.comment_id == written
            asked = v1.ListEventsRequest(filter=request.filter, token=first.token)
            page = writer.call(writer.client.events.ListEvents, asked, {})
            assert [len(page.events), page.gap.reason] == [0, v1.EVENT_GAP_REASON_RESTORED]
            assert page.next_token
            through.close(watch)

    def _full_speed(self, count: int) -> None:
        """Makes as many calls as it can beside a stream; the server closes no connection."""
        with self._as("writer") as (server, through):
            subject = through.client.subject("article", self._saved["unique"])

            def write(text: str) -> None:
                through.call(lambda text: subject.comment("m1", text, timeout=60), text, {})

            def read(at: int) -> None:
                if at % 2 == 0:
                    through.call(lambda _: subject.get(timeout=60), None, {})
                else:
                    page = through.call(lambda _: subject.page(page_size=10, timeout=60), None, {})
                    assert len(page.threads) == 10

            for _ in range(10):
                write("long " * 900)
            watch = through.call(through.client.events.subscribe, _published("article"), {})
            with ThreadPoolExecutor(64) as pool:
                list(pool.map(read, range(2 * count)))
            with ThreadPoolExecutor(32) as pool:
                list(pool.map(write, ["Hi"] * 200))
            assert _busy(through, watch).HasField("opened")
            for _ in range(200):
                assert _busy(through, watch).HasField("event")
            through.close(watch)
            assert server.closed() == 0

    @contextmanager
    def _as(self, caller: str, *more: str) -> Iterator[tuple[Callers, Any]]:
        """A server with callers, and the client of one of them."""
        server = Callers(Folder / "callers.toml", *more)
        through = type(self._through)(server.target, server.target, token=caller, insecure_token=True)
        try:
            yield server, through
        finally:
            through.end()
            server.close()

    def _by_ids(self, count: int) -> None:
        """Reads so many comments by their ids."""
        client = self._through.client
        subject = client.subject("article", self._saved["unique"])

        def found(*wanted: int | str) -> list[int]:
            comments = self._through.call(lambda wanted: client.comments_by_id(wanted), wanted, {})
            return [one.id for one in comments]

        ids = [self._through.call(lambda text: subject.comment("m1", text), str(at), {}).id for at in range(count)]
        ids.reverse()
        assert found(*ids, "0", 1, str(ids[-1])) == ids
        assert found() == []
        with pytest.raises(riposte_sdk.InvalidArgument) as refused:
            found(-1)
        assert refused.value.reason is riposte_sdk.Reason.FIELD_INVALID

    def _listeners(self, count: int) -> None:
        """Shares one stream among so many listeners, one of which falls behind."""
        with self._as("writer") as (server, through):
            subject = through.client.subject("article", self._saved["unique"])

            def listen(buffer: int = 256) -> Any:
                return through.call(lambda _: subject.listen(buffer=buffer), None, {})

            def hears(listener: Any, kind: str, *revisions: int) -> None:
                event = through.next(listener)
                told = getattr(event, event.WhichOneof("event"))
                names = ["first_revision", "last_revision"] if kind == "gap" else ["revision"]
                assert event.WhichOneof("event") == kind
                assert tuple(getattr(told, name) for name in names) == revisions

            def streams(wanted: int) -> None:
                until = time.monotonic() + _EVENTUALLY_WITHIN_S
                while (found := server.streams()) != wanted:
                    assert time.monotonic() < until, f"{found} streams, not {wanted}"
                    time.sleep(0.02)

            all_ = [listen() for _ in range(count)]
            slow = listen(2)
            streams(1)
            revisions = []
            for text in "1234":
                through.call(lambda text: subject.comment("m1", text), text, {})
                revisions.append(through.call(lambda _: subject.get(), None, {}).subject.revision)
            for listener in all_:
                hears(listener, "opened", 0)
                for revision in revisions:
                    hears(listener, "change", revision)
            hears(slow, "opened", 0)
            hears(slow, "change", revisions[0])
            hears(slow, "gap", revisions[1], revisions[1])
            assert through.items(slow) == []
            assert [slow.dropped, all_[0].dropped] == [True, False]
            through.close(all_[0])
            late = listen()
            hears(late, "opened", revisions[3])
            streams(1)
            for listener in [*all_, late]:
                through.close(listener)
            streams(0)
            through.call(through.client.subjects.DeleteSubject, v1.DeleteSubjectRequest(key=subject.key), {})
            refused = {"code": "NOT_FOUND", "reason": "SUBJECT_NOT_FOUND"}
            for buffer, wanted in [(256, refused), (0, {"code": "INVALID_ARGUMENT", "reason": ""})]:
                with self._failing(wanted, sent=buffer > 0):
                    listen(buffer)
            streams(0)

    def _repeated(self, step: Json) -> None:
        times = step.get("repeat", 1)
        with ThreadPoolExecutor(step.get("at_once", 1)) as pool:
            each = pool.map if "at_once" in step else map
            answers = list(each(lambda i: self._step(step, last=i == times, i=i), range(1, times + 1)))
        if "different" in step:
            assert len({_at(answer, step["different"]) for answer in answers}) == times, "some answers are the same"

    def _eventually(self, step: Json) -> None:
        until = time.monotonic() + _EVENTUALLY_WITHIN_S
        while True:
            try:
                self._step(step)
            except AssertionError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
            else:
                return

    def _step(self, step: Json, last: bool = True, i: int = 1) -> Json:
        """Makes a step once; the answer, if it is a call that succeeds."""
        with self._failing(self._filled(step.get("error"), i), sent="unmade" not in step):
            if "call" in step:
                return self._call(step, last, i)
            if "list" in step:
                self._list(step, i)
            elif "stream" in step:
                self._stream(step, i)
            elif "page" in step:
                self._page(step, i)
            else:
                self._watch(step, i)
        return None

    def _call(self, step: Json, last: bool, i: int) -> Json:
        method, request, options = self._prepared(step["call"], step, i)
        answer = _json(self._through.call(method, request, options))
        if last:
            _match(self._filled(step.get("expect", {}), i), answer)
            for name, path in step.get("save", {}).items():
                self._saved[name] = _at(answer, path)
        return answer

    def _list(self, step: Json, i: int) -> None:
        method, request, options = self._prepared(step["list"], step, i, walks=True)
        walk = self._through.call(method, request, options)
        assert "unmade" not in step, "the walk was made"
        items = [_json(item) for item in self._through.items(walk)]
        if "items" in step:
            _match(self._filled(step["items"], i), items)
        if "count" in step:
            assert len(items) == step["count"] == len({json.dumps(item, sort_keys=True) for item in items})
        if "pages" in step:
            pages = self._through.call(method, request, options).pages()
            assert len(self._through.items(pages)) == step["pages"]

    def _stream(self, step: Json, i: int) -> None:
        method, request, options = self._prepared(step["stream"], step, i)
        answers = [_json(one) for one in self._through.answers(method, request, options)]
        assert len(answers) > 1
        _match(self._filled(step["first"], i), answers[0])
        _match(self._filled(step["last"], i), answers[-1])

    def _page(self, step: Json, i: int) -> None:
        """A page with the reader's own comments, each in the form of an UnlistedComment."""
        key, request = self._filled(step["page"], i), self._filled(step.get("request", {}), i)
        subject = self._through.client.subject(key["objectType"], key["objectId"])
        options = {re.sub("(?=[A-Z])", "_", name).lower(): value for name, value in request.items()}
        member, made = self._filled(step["member"], i), []
        if ids := self._filled(step.get("made", []), i):
            options["viewer"] = member
            made = self._through.call(self._through.client.comments_by_id, ids, {"viewer": member})
        page = self._through.call(lambda _, **options: subject.page(sort="oldest", **options), None, options)
        own = self._through.items(self._through.call(lambda _: subject.unlisted(member), None, {}))

        def shown(one: Any) -> Json:
            told = _json(v1.UnlistedComment(comment=one.message, proposed_edit=one.proposed_edit))
            return told | {"ownLike": v1.LikeValue.Name(one.own_like)}

        threads = page.with_just_made([*own, *made])
        told = [shown(one.comment) | {"replies": [shown(reply) for reply in one.replies]} for one in threads]
        _match(self._filled(step["items"], i), told)
        for name, path in step.get("save", {}).items():
            self._saved[name] = _at(_json(page.response), path)

    def _watch(self, step: Json, i: int) -> None:
        method, request, options = self._prepared(step["watch"], step, i, walks=True)
        watch = self._through.call(method, request, options)
        try:
            self.run(step.get("during", []))
            for event in self._filled(step["events"], i):
                _match(event, _json(self._through.next(watch)))
        finally:
            self._through.close(watch)

    def _prepared(self, path: str, step: Json, i: int, walks: bool = False) -> tuple[Any, Any, Json]:
        """The method of the stub, its request, and the options of the call."""
        service, name = path.split(".")
        stubs = [*vars(self._through.client).values(), *self._through.admin]
        stub = next(one for one in stubs if type(one).__name__.removeprefix("Async") == service)
        described = descriptor_pool.Default().FindServiceByName(f"riposte.v1.{service}").methods_by_name[name]
        request = message_factory.GetMessageClass(described.input_type)()
        json_format.ParseDict(self._filled(step.get("request", {}), i), request)
        options: Json = {}
        if "fault" in step and i % step.get("fault_every", 1) == 0:
            options["metadata"] = [("riposte-fault", f"{step['fault']};key={secrets.token_hex(8)}")]
        if "deadline_ms" in step:
            options["timeout"] = step["deadline_ms"] / 1000
        return getattr(stub, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() if walks else name), request, options

    def _filled(self, node: Json, i: int) -> Json:
        """A part of a step with its placeholders filled in."""
        if isinstance(node, dict):
            return {key: self._filled(value, i) for key, value in node.items()}
        if isinstance(node, list):
            return [self._filled(value, i) for value in node]
        if isinstance(node, str):
            return re.sub(r"\$\{(\w+)\}", lambda found: {"i": str(i), **self._saved}[found[1]], node)
        return node

    @contextmanager
    def _failing(self, wanted: Json | None, sent: bool = True) -> Iterator[None]:
        """Holds an error against what is wanted of it; the body must fail exactly if an error is
        wanted."""
        try:
            yield
        except riposte_sdk.Error as error:
            if wanted is None:
                raise AssertionError(f"failed: {error}") from error
            _match(wanted, _told(error, sent))
        else:
            assert wanted is None, f"no error, but {wanted}"


def _published(object_type: str) -> Any:
    """A subscription to the new comments of an object type."""
    kinds = [v1.EVENT_KIND_COMMENT_PUBLISHED]
    return v1.SubscribeRequest(filter=v1.EventFilter(object_types=[object_type], kinds=kinds))


def _comment(through: Threads | Asyncio, object_type: str) -> int:
    """Writes a comment under the first subject of an object type; its id."""
    key = v1.SubjectKey(object_type=object_type, object_id="1")
    made = v1.CreateCommentRequest(subject=key, member_id="m1", content=v1.Content(text="Hi"))
    return int(through.call(through.client.comments.CreateComment, made, {}).comment.id)


def _busy(through: Threads | Asyncio, watch: Any) -> Any:
    """The next item of a feed that is no heartbeat."""
    while (item := through.next(watch)).HasField("heartbeat"):
        pass
    return item


def _json(message: Any) -> Json:
    return json_format.MessageToDict(message, always_print_fields_with_no_presence=True)


def _told(error: riposte_sdk.Error, sent: bool = True) -> Json:
    # A client that leaves at its deadline has no answer, and so no id.
    assert bool(error.request_id) == sent or isinstance(error, riposte_sdk.DeadlineExceeded)
    return {
        "code": error.code.name,
        "reason": error.reason_name,
        "retryable": error.retryable,
        "retry_after": error.retry_after is not None,
        "violations": [at.field for at in error.violations],
        "metadata": error.metadata,
    }


def _at(node: Json, path: str) -> Json:
    for part in path.split("."):
        node = node[int(part)] if isinstance(node, list) else node[part]
    return node


def _match(wanted: Json, found: Json, path: str = "") -> None:
    if isinstance(wanted, dict) and wanted.keys() == {"$set"}:
        assert (found not in (None, "", "0", 0, False, [], {})) == wanted["$set"], f"{path}: {found!r}"
    elif isinstance(wanted, dict) and wanted.keys() == {"$not"}:
        try:
            _match(wanted["$not"], found, path)
        except AssertionError:
            return
        raise AssertionError(f"{path}: {found!r}")
    elif isinstance(wanted, dict):
        assert isinstance(found, dict), f"{path}: {found!r}"
        for key, value in wanted.items():
            _match(value, found.get(key), f"{path}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(found, list), f"{path}: {found!r}"
        assert len(wanted) == len(found), f"{path}: {found!r}"
        for index, value in enumerate(wanted):
            _match(value, found[index], f"{path}.{index}")
    else:
        assert wanted == found, f"{path}: {found!r}, not {wanted!r}"
