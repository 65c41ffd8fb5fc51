"""The one call that the tests make with asyncio and without."""

import asyncio
import os
from typing import Any

import pytest
from gate import Nowhere
from standin import Likes

import riposte_sdk
import riposte_sdk.aio
from riposte_sdk import v1

# What stands in the environment of a company: no call to this machine goes there.
os.environ.update(Nowhere().variables())


def with_threads(target: str, request: v1.SetLikeRequest, **options: Any) -> v1.SetLikeResponse:
    with riposte_sdk.connect(target, **options) as client:
        return client.likes.SetLike(request)


def with_asyncio(target: str, request: v1.SetLikeRequest, **options: Any) -> v1.SetLikeResponse:
    async def run() -> v1.SetLikeResponse:
        async with riposte_sdk.aio.connect(target, **options) as client:
            return await client.likes.SetLike(request)

    return asyncio.run(run())


@pytest.fixture(params=[with_threads, with_asyncio])
def like(request: pytest.FixtureRequest) -> Likes:
    made: Likes = request.param
    return made
