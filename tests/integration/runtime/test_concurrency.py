"""Handlers that wait run side by side, within a limit; handlers that compute run one after the other."""

import asyncio
import time

import pytest
from faststream.nats import NatsRouter

from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.serving import rpc
from tests.integration.runtime.clients import connected
from tests.unit.runtime.messages import QUEUE, Said, Say

pytestmark = pytest.mark.connected

REQUESTS = 32
SECONDS = 0.05
HALF = REQUESTS * SECONDS / 2
"""Time for half of the requests, where one runs at a time."""


class Crowd:
    """Counts how many handlers run at the same time."""

    def __init__(self, limit: int) -> None:
        self.running = 0
        self.most = 0
        self.router = NatsRouter()

        @rpc(self.router, "test.crowd", queue=QUEUE, limit=limit)
        async def on_say(message: Say) -> Said:
            self.running += 1
            self.most = max(self.most, self.running)
            await asyncio.sleep(SECONDS)
            self.running -= 1
            return Said(text=message.text)


async def ask_all(bus: Bus) -> list[Said]:
    return await asyncio.gather(
        *(bus.request("test.crowd", Say(text=str(i)), Said, deadline=Deadline.after(20)) for i in range(REQUESTS))
    )


async def test_waiting_handlers_run_side_by_side(nats_url: str) -> None:
    crowd = Crowd(limit=256)
    async with connected(nats_url, crowd.router) as (bus, _):
        start = time.monotonic()
        answers = await ask_all(bus)
        seconds = time.monotonic() - start

    assert crowd.most == REQUESTS
    assert [said.text for said in answers] == [str(i) for i in range(REQUESTS)]
    assert seconds < REQUESTS * SECONDS / 2


@pytest.mark.parametrize("limit", [1, 4])
async def test_no_more_than_the_limit_run_at_once_and_all_are_answered(nats_url: str, limit: int) -> None:
    crowd = Crowd(limit=limit)
    async with connected(nats_url, crowd.router) as (bus, _):
        answers = await ask_all(bus)

    assert crowd.most == limit
    assert len(answers) == REQUESTS


async def test_what_waits_past_its_deadline_is_dropped_not_run_late(nats_url: str) -> None:
    crowd = Crowd(limit=1)
    async with connected(nats_url, crowd.router) as (bus, _):
        results = await asyncio.gather(
            *(bus.request("test.crowd", Say(text="a"), Said, deadline=Deadline.after(HALF)) for _ in range(REQUESTS)),
            return_exceptions=True,
        )

    answered = [result for result in results if isinstance(result, Said)]
    assert 0 < len(answered) < REQUESTS
