"""Asks a server for more than it takes, by the SDK of the example under test: python overload.py

Run by dashboards.py, for the panels of calls and writes that are refused.
"""

import asyncio
import contextlib

import riposte_sdk.aio
from riposte_sdk import v1

# At once: more than a caller may have in a second, and more writes than the write queues hold.
CALLS = 2000
TIMEOUT_S = 6.0
# The deadlines end all calls well before.
BOUND_S = 120.0


async def main() -> None:
    async with riposte_sdk.aio.from_env() as client:
        subject = client.subject("video", "rain")
        fresh = v1.ListCommentsRequest(subject=subject.key, fresh=True)

        async def call(number: int) -> None:
            with contextlib.suppress(riposte_sdk.Error):  # refused, or too late
                if number % 8:
                    await subject.comment("eva", f"One of many: {number}", timeout=TIMEOUT_S)
                else:
                    await client.comments.ListComments(fresh, timeout=TIMEOUT_S)

        await asyncio.wait_for(asyncio.gather(*map(call, range(CALLS))), BOUND_S)


if __name__ == "__main__":
    asyncio.run(main())
