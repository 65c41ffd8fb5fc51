"""Calls per second of one client beside those of the bare generated stub, at the server that
RIPOSTE_TARGET names. `cargo xtask bench sdk` runs it; docs/benchmarks/sdk.md says what the figures
mean.

    python bench/calls.py first             one call, from nothing
    python bench/calls.py ROUNDS SECONDS    both by turns; a line of JSON for each way to call
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import riposte_sdk
from riposte_sdk import v1

IN_FLIGHT = 64
REQUEST = v1.GetSubjectRequest(key=v1.SubjectKey(object_type="article", object_id="42"))

Stub = Any
Measured = tuple[float, float]
"""Calls per second, and microseconds of this process's processor time for each."""
Measure = Callable[[Stub], Awaitable[Measured]]


def answered_once() -> None:
    with riposte_sdk.from_env() as client:
        client.subject("article", "42").get()
        print("answered", flush=True)


def median(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def measured(made: int, started: float, used: float) -> Measured:
    return made / (time.perf_counter() - started), (time.process_time() - used) * 1e6 / made


def by_threads(stub: Stub, seconds: float, in_flight: int) -> Measured:
    started, used = time.perf_counter(), time.process_time()

    def work(_: int) -> int:
        made = 0
        while time.perf_counter() - started < seconds:
            stub.GetSubject(REQUEST)
            made += 1
        return made

    with ThreadPoolExecutor(in_flight) as pool:
        return measured(sum(pool.map(work, range(in_flight))), started, used)


async def by_tasks(stub: Stub, seconds: float) -> Measured:
    started, used = time.perf_counter(), time.process_time()

    async def work() -> int:
        made = 0
        while time.perf_counter() - started < seconds:
            await stub.GetSubject(REQUEST)
            made += 1
        return made

    return measured(sum(await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))), started, used)


async def compare(how: str, rounds: int, stubs: dict[str, Stub], measure: Measure) -> None:
    """Lets the sides take turns and changes who begins; the first round warms both up."""
    taken: dict[str, list[Measured]] = {name: [] for name in stubs}
    for number in range(rounds + 1):
        for name in sorted(stubs, reverse=number % 2 == 1):
            taken[name].append(await measure(stubs[name]))
    figures: dict[str, Any] = {"how": how}
    for name, all_measured in taken.items():
        rates, costs = zip(*all_measured[1:], strict=True)
        figures |= {name: median(rates), f"{name}_us": median(costs)}
    pairs = zip(taken["client"][1:], taken["stub"][1:], strict=True)
    figures["ratio"] = median(client[0] / stub[0] for client, stub in pairs)
    print(json.dumps(figures), flush=True)


async def main(rounds: int, seconds: float) -> None:
    import grpc
    import grpc.aio

    import riposte_sdk.aio

    target = os.environ["RIPOSTE_TARGET"]
    with riposte_sdk.from_env() as client, grpc.insecure_channel(target) as channel:
        stubs = {"client": client.subjects, "stub": v1.SubjectServiceStub(channel)}
        for how, in_flight in (("1 in flight", 1), (f"{IN_FLIGHT} threads", IN_FLIGHT)):

            async def threads(stub: Stub, in_flight: int = in_flight) -> Measured:
                return by_threads(stub, seconds, in_flight)

            await compare(how, rounds, stubs, threads)
    async with riposte_sdk.aio.from_env() as twin, grpc.aio.insecure_channel(target) as aio_channel:
        stubs = {"client": twin.subjects, "stub": v1.SubjectServiceStub(aio_channel)}
        await compare(f"{IN_FLIGHT} tasks", rounds, stubs, lambda stub: by_tasks(stub, seconds))


if __name__ == "__main__":
    if sys.argv[1:] == ["first"]:
        answered_once()
    else:
        asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
