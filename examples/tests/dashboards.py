"""Runs every query of the dashboards on a Prometheus, while an example is used.

    python3 dashboards.py --riposte PROGRAM --prometheus PROGRAM --mysql URL --redis URL
      [--kafka HOST:PORT] NAME COMMAND …

The example is one in Python, whose SDK reports comments, too.

The server has callers, TLS, MySQL and Redis, as in production. Then some faults are provoked: more
calls, writes and connections than the server takes, a clock that was ahead (by libfaketime, if it
is installed), and a database that is stopped for seconds, so it has to be a process of this
machine. Prints a table of all panels, and fails if one has no data that needs no other fault.
"""

import argparse
import base64
import contextlib
import http.client
import itertools
import json
import math
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from back_end import EXAMPLES, BackEnd, Failed, free_port, until

DASHBOARDS = EXAMPLES.parent / "helm/riposte/files/dashboards"
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
# The metrics that exist only after a fault that is not provoked, and which one.
FAULTS = {
    'db_system_name="redis", error_type!=""': "a call of Redis that failed",
    "riposte_counts_drift_total": "a stored count that is wrong",
    "riposte_watch_streams_dropped_total": "a client that does not read its watch",
    "riposte_event_streams_dropped_total": "a subscriber that does not read its events",
    "riposte_event_gaps_total": "events that were deleted, or restored data",
    "riposte_topic_delay_seconds": "a Kafka topic",
    "riposte_topic_gaps_total": "events that were deleted before the topic had them, or restored data",
    "riposte_topic_fault": "a Kafka topic",
}
if FAKETIME is None:
    FAULTS["riposte_clock_ahead_total"] = "libfaketime"
FILLED_WITHIN_S = 120.0
# Those of metrics that the faults provoke.
PROVOKED = [
    'db_system_name!="redis", error_type!=""',
    "riposte_connection_failures_total",
    "riposte_writes_refused_total",
    "riposte_calls_refused_total",
    "riposte_connections_refused_total",
    "riposte_clock_ahead_total",
]
CONNECTIONS = 64


def sh(*command: str, environment: dict[str, str] | None = None, may_fail: bool = False) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | (environment or {}))
    if done.returncode and not may_fail:
        raise Failed(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


@contextlib.contextmanager
def running(log: Path, *command: str, environment: dict[str, str] | None = None) -> Iterator[subprocess.Popen]:
    every = os.environ | (environment or {})
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output, env=every) as process:
        try:
            yield process
        finally:
            process.terminate()


class Server:
    """`riposte serve` with the settings of a production."""

    def __init__(self, program: str, folder: Path, mysql: str, redis: str, kafka: str) -> None:
        self._program, self._folder = program, folder
        self.grpc, self.admin, self.metrics, self._services = (f"127.0.0.1:{free_port()}" for _ in range(4))
        self._mysql = urllib.parse.urlparse(mysql)
        self._clock = folder / "clock"
        certificate, key, self._callers = folder / "tls.crt", folder / "tls.key", folder / "callers.toml"
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        request += ["-days", "30", "-subj", "/CN=riposte", "-addext", "subjectAltName=IP:127.0.0.1"]
        request += ["-addext", "basicConstraints=critical,CA:FALSE"]
        sh(*request, "-out", str(certificate), "-keyout", str(key))
        roles = "reader,writer,moderator,operator,subscriber"
        words = folder / "words.txt"
        words.write_text("unlovely\n")
        member_key = folder / "member-key"
        member_key.write_bytes(base64.b64encode(os.urandom(32)))
        token = sh(program, "token", "--caller", "web", "--role", roles, "--add-to", str(self._callers))
        self._sql("CREATE OR REPLACE DATABASE riposte_dashboards")
        token = re.search(r"\S{20,}", token)
        assert token
        self.environment = {"RIPOSTE_TARGET": f"https://{self.grpc}", "RIPOSTE_ADMIN_TARGET": f"https://{self.admin}"}
        self.environment |= {"RIPOSTE_TLS_CA": str(certificate), "RIPOSTE_TOKEN": token[0]}
        config = sh(program, "config", "example", "--minimal", "mysql+redis")
        keys = re.search(r"^keys = .*$", config, re.MULTILINE)
        assert keys
        self._config = folder / "riposte.toml"
        # The exports go to an address without a receiver, so that they are counted.
        self._config.write_text(f"""
[server]
listen = "{self.grpc}"
admin_listen = "{self.admin}"
metrics_listen = "{self.metrics}"
[server.tls]
cert_file = "{certificate}"
key_file = "{key}"
[limits]
caller_calls_per_second = 500
connections = {CONNECTIONS}
connections_per_identity = {CONNECTIONS}
[write_queues]
partition_queue = 512
source_queue = 512
[store]
transaction_timeout = "4s"
[[store.sources]]
url = "{mysql.rstrip('/')}/riposte_dashboards"
[cache]
kind = "redis"
url = "{redis}"
[auth]
callers_file = "{self._callers}"
[page_tokens]
{keys[0]}
[telemetry]
endpoint = "http://127.0.0.1:{free_port()}"
interval = "2s"
[[policy.lists]]
name = "words"
file = "{words}"
object_types = ["video"]
outcome = "flag"
[filter]
endpoint = "{self._services}"
member_key_file = "{member_key}"
[accounts]
endpoint = "{self._services}"
[object_types.judged]
filter = "flag"
accounts = "pre_moderate"
auto_create = true
[object_types.video]
auto_create = true
[object_types.held]
moderation = "pre"
auto_create = true
[events.kafka]
brokers = {json.dumps(kafka.split(",") if kafka else [])}
partitions = 8
create_topic = true""")

    @contextlib.contextmanager
    def runs(self, python: str) -> Iterator[None]:
        """Runs it beside a filter, an account service and a subscriber of events."""
        serve = [self._program, "--config", str(self._config)]
        sh(*serve, "migrate", "up")
        services = [python, str(Path(__file__).with_name("services.py")), self._services]
        events = [self._program, "events", "tail", "video"]
        with contextlib.ExitStack() as stack:
            stack.enter_context(running(self._folder / "services.log", *services))
            stack.enter_context(running(self._folder / "riposte.log", *serve, "serve", environment=self._time()))
            until("riposte serve", lambda: b"riposte_ready 1" in fetched(f"http://{self.metrics}/metrics"), 60)
            stack.enter_context(running(self._folder / "events.log", *events, environment=self.environment))
            yield

    def _sql(self, statement: str) -> str:
        at = self._mysql
        server = (f"--host={at.hostname}", f"--port={at.port}", f"--user={at.username}", "--skip-ssl")
        return sh("mariadb", *server, "--skip-column-names", f"--execute={statement}").strip()

    def _time(self) -> dict[str, str]:
        """The variables by which the server has this clock; none without libfaketime."""
        self._set_clock(0)
        if FAKETIME is None:
            return {}
        fake = {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self._clock)}
        return fake | {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def _set_clock(self, ahead_s: int) -> None:
        # Replaced and not rewritten, because the server reads it at every use of the clock.
        following = self._clock.with_name("next")
        following.write_text(f"{ahead_s:+}\n")
        following.rename(self._clock)

    def provoke(self, python: str) -> None:
        """Each fault once."""
        overload = (python, str(Path(__file__).with_name("overload.py")))
        sh(*overload, environment=self.environment)
        host, port = self.grpc.split(":")
        with contextlib.ExitStack() as stack:
            for _ in range(CONNECTIONS + 1):
                stack.enter_context(socket.create_connection((host, int(port))))
        self._set_clock(30)
        self.run("comment", "post", "video/clock", "eva", "From the future")
        self._set_clock(0)
        self.run("comment", "post", "video/clock", "eva", "From the present")
        pid = int(Path(self._sql("SELECT @@datadir"), self._sql("SELECT @@pid_file")).read_text())
        os.kill(pid, signal.SIGSTOP)
        try:
            sh(*overload, environment=self.environment)
        finally:
            os.kill(pid, signal.SIGCONT)

    def verify(self) -> None:
        """Verifies all counts. A sweep ends early at a subject that is only just being created."""
        sweep = lambda: "not complete" not in sh(self._program, "verify", environment=self.environment, may_fail=True)
        until("a complete sweep", sweep)

    def reload(self) -> None:
        """Changes the file of callers, which the server reads again."""
        sh(self._program, "token", "--caller", "another", "--add-to", str(self._callers))

    def unknown_caller(self) -> None:
        environment = self.environment | {"RIPOSTE_TOKEN": "x" * 43}
        answer = sh(self._program, "comment", "list", "video/rain", environment=environment, may_fail=True)
        if "CALLER_UNKNOWN" not in answer:
            raise Failed(f"an unknown caller has the answer {answer}")

    def moderate(self, round_: int, python: str) -> None:
        """One comment is judged, two wait, and one of these is approved and reported."""
        self.run("comment", "post", "judged/1", f"member-{round_}", "Hello")
        posted = [self.run("comment", "post", "held/1", "eva", f"Comment {round_}.{number}") for number in range(2)]
        id_ = re.search(r"\d{10,}", posted[0])
        assert id_, posted[0]
        self.run("moderate", "approve", id_[0])
        self.run("moderate", "standing", "held", f"member-{round_}", "trusted")
        sh(python, str(Path(__file__).with_name("reports.py")), id_[0], f"member-{round_}", environment=self.environment)

    def run(self, *arguments: str) -> str:
        return sh(self._program, *arguments, environment=self.environment)


def fetched(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=10) as response:
        return response.read()


def uses(back_end: BackEnd, stop: threading.Event) -> None:
    """What users do on the page, until the end."""
    round_ = 0
    while not stop.is_set():
        round_ += 1
        _, made = back_end.call("POST", "videos/rain/comments", "eva", {"text": f"Comment {round_}, not unlovely"})
        id_ = made["id"]
        back_end.call("POST", f"comments/{id_}/replies", "kim", {"text": "A reply"})
        back_end.call("PUT", f"comments/{id_}/like", "bob", {"liked": True})
        for _ in range(10):
            back_end.call("GET", "videos/rain/comments", "ann")
        back_end.call("GET", f"comments/{id_}/replies?page_token=", "ann")
        back_end.call("GET", f"videos/other-{round_}/comments", "ann")
        if round_ % 5 == 0:
            back_end.call("DELETE", f"comments/{id_}", "eva")
            back_end.call("DELETE", f"comments/{id_}", "eva")  # refused: it is gone
        if round_ % 7 == 0:
            back_end.call("POST", f"comments/{id_}/hide", "mo")


def queries() -> Iterator[tuple[str, str, str]]:
    """Dashboard, panel and query."""
    for path in sorted(DASHBOARDS.glob("*.json")):
        dashboard = json.loads(path.read_text())
        for panel in dashboard["panels"]:
            for target in panel.get("targets", []):
                query = target["expr"].replace("$__rate_interval", "15s").replace("$instance", ".*")
                yield dashboard["title"], panel["title"], query


def asked(prometheus: str, query: str) -> list[float]:
    """The numbers that a query answers, one of each series."""
    answer = json.loads(fetched(f"http://{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": query})))
    numbers = [float(series["value"][1]) for series in answer["data"]["result"]]
    return [number for number in numbers if not math.isnan(number)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--riposte", "--prometheus", "--mysql", "--redis"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("--kafka", default="", help="without it the panels of the topic have no data")
    arguments.add_argument("name")
    arguments.add_argument("command", nargs="+")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as made, contextlib.ExitStack() as stack:
        folder = Path(made)
        server = Server(chosen.riposte, folder, chosen.mysql, chosen.redis, chosen.kafka)
        stack.enter_context(server.runs(chosen.command[0]))
        back_end = BackEnd(chosen.name, chosen.command, server.environment, folder / "back-end.log")
        back_end.start()
        stack.callback(back_end.stop)
        prometheus = f"127.0.0.1:{free_port()}"
        scrape = {"job_name": "riposte", "static_configs": [{"targets": [server.metrics]}]}
        config = {"global": {"scrape_interval": "1s"}, "scrape_configs": [scrape]}
        (folder / "prometheus.yml").write_text(json.dumps(config))
        options = [f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'tsdb'}"]
        options.append(f"--web.listen-address={prometheus}")
        stack.enter_context(running(folder / "prometheus.log", chosen.prometheus, *options))
        until("Prometheus", lambda: fetched(f"http://{prometheus}/-/ready"))
        stream = http.client.HTTPConnection(back_end.address.removeprefix("http://"))
        stack.callback(stream.close)
        stream.request("GET", "/api/videos/rain/events")
        stop = threading.Event()
        users = [threading.Thread(target=uses, args=(back_end, stop)) for _ in range(2)]
        for user in users:
            user.start()
        try:
            table = watched(prometheus, server, chosen.command[0])
        finally:
            stop.set()
            for user in users:
                user.join()
        fail(prometheus, server, chosen.command[0], table)
    show(table)


def watched(prometheus: str, server: Server, python: str) -> dict[tuple[str, str, str], list[float]]:
    """The best answer to each query until all have one, or the time is over."""
    table: dict[tuple[str, str, str], list[float]] = {query: [] for query in queries()}
    end = time.monotonic() + FILLED_WITHIN_S
    server.verify()
    server.reload()
    for round_ in itertools.count():
        if time.monotonic() >= end:
            break
        server.unknown_caller()
        server.moderate(round_, python)
        for query, best in table.items():
            table[query] = better(best, asked(prometheus, query[2]))
        if all(found or fault(query) or is_provoked(query) for query, found in table.items()):
            break
        time.sleep(1)  # a scrape
    return table


def fail(prometheus: str, server: Server, python: str, table: dict[tuple[str, str, str], list[float]]) -> None:
    """Provokes faults until the queries that need them have data, or the time is over."""
    wanted = [query for query in table if is_provoked(query)]
    end = time.monotonic() + FILLED_WITHIN_S
    while time.monotonic() < end and not all(sum(table[query]) or fault(query) for query in wanted):
        server.provoke(python)
        for _ in range(3):
            time.sleep(1)  # a scrape
            for query in wanted:
                table[query] = better(table[query], asked(prometheus, query[2]))


def better(*answers: list[float]) -> list[float]:
    """The answer with the most series, and of those the one with the largest values."""
    return max(answers, key=lambda found: (len(found), sum(found)))


def is_provoked(query: tuple[str, str, str]) -> bool:
    return any(metric in query[2] for metric in PROVOKED)


def fault(query: tuple[str, str, str]) -> str:
    """The fault without which a query answers nothing."""
    return next((needed for metric, needed in FAULTS.items() if metric in query[2]), "")


def show(table: dict[tuple[str, str, str], list[float]]) -> None:
    print("| dashboard | panel | series | largest value |\n|---|---|--:|--:|")
    for query, found in table.items():
        largest = f"{max(found):.3g}" if found else f"none: needs {fault(query)}"
        print(f"| {query[0]} | {query[1]} | {len(found)} | {largest} |")
    if empty := [query[2] for query, found in table.items() if not found and not fault(query)]:
        raise Failed("without data:\n" + "\n".join(empty))


if __name__ == "__main__":
    main()
