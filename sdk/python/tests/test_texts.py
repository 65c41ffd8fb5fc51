"""Texts that are no valid Unicode, which no message can hold."""

import asyncio

import pytest
from standin import StandIn, serving

import riposte_sdk
import riposte_sdk.aio

LONE = "Hi \ud83d"


def test_a_lone_surrogate_is_refused_with_its_field_before_anything_is_sent() -> None:
    service = StandIn()
    with serving(service) as target, riposte_sdk.connect(target) as client:
        subject = client.subject("article", "42")
        with pytest.raises(riposte_sdk.InvalidArgument) as caught:
            subject.comment("m1", LONE)
        assert [at.field for at in caught.value.violations] == ["content.text"]
        with pytest.raises(riposte_sdk.InvalidArgument) as caught:
            subject.comment(LONE, LONE)
        assert [at.field for at in caught.value.violations] == ["member_id", "content.text"]
        with pytest.raises(riposte_sdk.InvalidArgument) as caught:
            client.subject("article", LONE)
        assert [at.field for at in caught.value.violations] == ["object_id"]
    assert service.requests == service.headers == []


def test_asyncio_refuses_it_alike() -> None:
    async def run() -> None:
        async with riposte_sdk.aio.connect("127.0.0.1:1") as client:
            with pytest.raises(riposte_sdk.InvalidArgument) as caught:
                await client.subject("article", "42").comment("m1", LONE)
            assert [at.field for at in caught.value.violations] == ["content.text"]

    asyncio.run(run())
