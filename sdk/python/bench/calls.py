"""Calls per second of one client beside the bare generated stub, and the time to a first call; run it by

    riposte dev --exec -- python bench/calls.py

Rounds of both kinds alternate, and so does which comes first, so that the machine's moods meet both; the medians are
printed."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import grpc
import grpc.aio

import riposte
import riposte.aio
from riposte import v1

ROUNDS, CALLS, IN_FLIGHT = 40, 256, 64
REQUEST = v1.GetSubjectRequest(key=v1.SubjectKey(object_type="article", object_id="1"))

Stub = Any


def first_call() -> None:
    subprocess.run(
        [sys.executable, "-c", "import riposte; riposte.from_env().subject('article', '1').get()"], check=True
    )


def one_by_one(stub: Stub) -> None:
    for _ in range(CALLS):
        stub.GetSubject(REQUEST)


def by_threads(stub: Stub) -> None:
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        list(pool.map(lambda _: stub.GetSubject(REQUEST), range(CALLS)))


async def by_tasks(stub: Stub) -> None:
    left = iter(range(CALLS))

    async def work() -> None:
        for _ in left:
            await stub.GetSubject(REQUEST)

    await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))


def told(name: str, taken: list[list[float]]) -> None:
    ours, bare = (CALLS / median(kind) for kind in zip(*taken, strict=True))
    ratio = median(bare / ours for ours, bare in taken)
    print(f"| {name} | {ours:,.0f} | {bare:,.0f} | {ratio:.2f} |", flush=True)


def orders() -> list[tuple[int, int]]:
    """Which kind comes first in each round, the client (0) or the bare stub (1); one round more, to warm up."""
    return [(number % 2, 1 - number % 2) for number in range(ROUNDS + 1)]


def timed(work: Callable[..., Any], *arguments: Any) -> float:
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


async def tasks(target: str) -> list[list[float]]:
    taken = []
    async with riposte.aio.connect(target) as client, grpc.aio.insecure_channel(target) as channel:
        stubs = (client.subjects, v1.SubjectServiceStub(channel))
        for order in orders():
            pair = [0.0, 0.0]
            for kind in order:
                started = time.perf_counter()
                await by_tasks(stubs[kind])
                pair[kind] = time.perf_counter() - started
            taken.append(pair)
    return taken[1:]


def main() -> None:
    target = os.environ["RIPOSTE_TARGET"]
    starts = [timed(first_call) for _ in range(11)]
    print(f"process start to first answer: {median(starts):.2f} s\n")
    print("| GetSubject, calls/s | client | bare stub | ratio |\n|---|--:|--:|--:|")
    with riposte.connect(target) as client, grpc.insecure_channel(target) as channel:
        stubs = (client.subjects, v1.SubjectServiceStub(channel))
        for name, work in (("one by one", one_by_one), (f"{IN_FLIGHT} threads", by_threads)):
            taken = []
            for order in orders():
                pair = [0.0, 0.0]
                for kind in order:
                    pair[kind] = timed(work, stubs[kind])
                taken.append(pair)
            told(name, taken[1:])
    told(f"{IN_FLIGHT} tasks", asyncio.run(tasks(target)))


if __name__ == "__main__":
    main()
