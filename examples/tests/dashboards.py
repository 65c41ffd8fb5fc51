"""Runs every query of the dashboards on a Prometheus, while an example is used.

    python3 dashboards.py --riposte PROGRAM --prometheus PROGRAM --mysql URL --redis URL
      NAME COMMAND …

The server has callers, TLS, MySQL and Redis, as in production. Prints a table of all panels, and
fails if one has no data that needs no fault to have it.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import math
import os
import re
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
# The metrics that exist only after a fault, and which one.
FAULTS = {
    'db_system_name!="redis", error_type!=""': "a transaction that failed",
    'db_system_name="redis", error_type!=""': "a call of Redis that failed",
    "riposte_connection_failures_total": "a database that cannot be reached, or a pool without a free connection",
    "riposte_counts_drift_total": "a stored count that is wrong",
    "riposte_writes_refused_total": "more writes than the service can take",
    "riposte_calls_refused_total": "more calls than the service can take",
    "riposte_connections_refused_total": "more connections than it may have",
    "riposte_watch_streams_dropped_total": "a client that does not read its watch",
    "riposte_clock_ahead_total": "a clock that was ahead",
    "riposte_policy_lists_refused": "a word list",
    "riposte_policy_list_version": "a word list",
    "riposte_policy_outcomes_total": "a word list",
    "riposte_policy_seconds_bucket": "a word list",
    "riposte_policy_rule_hits_total": "a word list",
}
FILLED_WITHIN_S = 120.0


def sh(*command: str, environment: dict[str, str] | None = None, may_fail: bool = False) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | (environment or {}))
    if done.returncode and not may_fail:
        raise Failed(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


@contextlib.contextmanager
def running(log: Path, *command: str) -> Iterator[subprocess.Popen]:
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            yield process
        finally:
            process.terminate()


class Server:
    """`riposte serve` with the settings of a production."""

    def __init__(self, program: str, folder: Path, mysql: str, redis: str) -> None:
        self._program, self._folder = program, folder
        self.grpc, self.admin, self.metrics = (f"127.0.0.1:{free_port()}" for _ in range(3))
        certificate, key, self._callers = folder / "tls.crt", folder / "tls.key", folder / "callers.toml"
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        request += ["-days", "30", "-subj", "/CN=riposte", "-addext", "subjectAltName=IP:127.0.0.1"]
        request += ["-addext", "basicConstraints=critical,CA:FALSE"]
        sh(*request, "-out", str(certificate), "-keyout", str(key))
        roles = "reader,writer,moderator,operator"
        token = sh(program, "token", "--caller", "web", "--role", roles, "--add-to", str(self._callers))
        at = urllib.parse.urlparse(mysql)
        sh("mariadb", f"--host={at.hostname}", f"--port={at.port}", f"--user={at.username}", "--skip-ssl",
           "--execute=CREATE OR REPLACE DATABASE riposte_dashboards")
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
[object_types.video]
auto_create = true
[object_types.held]
moderation = "pre"
auto_create = true""")

    @contextlib.contextmanager
    def runs(self) -> Iterator[None]:
        serve = [self._program, "--config", str(self._config)]
        sh(*serve, "migrate", "up")
        with running(self._folder / "riposte.log", *serve, "serve"):
            until("riposte serve", lambda: b"riposte_ready 1" in fetched(f"http://{self.metrics}/metrics"), 60)
            yield

    def reload(self) -> None:
        """Changes the file of callers, which the server reads again."""
        sh(self._program, "token", "--caller", "another", "--add-to", str(self._callers))

    def unknown_caller(self) -> None:
        environment = self.environment | {"RIPOSTE_TOKEN": "x" * 43}
        answer = sh(self._program, "comment", "list", "video/rain", environment=environment, may_fail=True)
        if "CALLER_UNKNOWN" not in answer:
            raise Failed(f"an unknown caller has the answer {answer}")

    def moderate(self, round_: int) -> None:
        """Two comments wait, and a moderator approves one of them."""
        posted = [self.run("comment", "post", "held/1", "eva", f"Comment {round_}.{number}") for number in range(2)]
        id_ = re.search(r"\d{10,}", posted[0])
        assert id_, posted[0]
        self.run("moderate", "approve", id_[0])

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
        _, made = back_end.call("POST", "videos/rain/comments", "eva", {"text": f"Comment {round_}"})
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
    arguments.add_argument("name")
    arguments.add_argument("command", nargs="+")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as made, contextlib.ExitStack() as stack:
        folder = Path(made)
        server = Server(chosen.riposte, folder, chosen.mysql, chosen.redis)
        stack.enter_context(server.runs())
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
            table = watched(prometheus, server)
        finally:
            stop.set()
            for user in users:
                user.join()
    show(table)


def watched(prometheus: str, server: Server) -> dict[tuple[str, str, str], list[float]]:
    """The best answer to each query until all have one, or the time is over."""
    table: dict[tuple[str, str, str], list[float]] = {query: [] for query in queries()}
    end = time.monotonic() + FILLED_WITHIN_S
    server.run("verify")
    server.reload()
    for round_ in itertools.count():
        if time.monotonic() >= end:
            break
        server.unknown_caller()
        server.moderate(round_)
        for query, best in table.items():
            table[query] = max(best, asked(prometheus, query[2]), key=lambda found: (len(found), sum(found)))
        if all(found or fault(query) for query, found in table.items()):
            break
        time.sleep(1)  # a scrape
    return table


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
