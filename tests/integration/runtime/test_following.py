"""Following events: everything is looked at first, nothing is missed unnoticed afterwards."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from contracts import subjects
from contracts.v1.facts import FactsChanged
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from runtime.events import StreamSettings, provision_streams
from runtime.following import Follower
from tests.integration.runtime.clients import connected
from tests.support.servers import Nats, running_nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

SECONDS = 15.0


class Heard:
    """What a follower was told."""

    def __init__(self) -> None:
        self.events: list[int] = []
        self.looks = 0
        self.failing = 0

    async def look(self) -> None:
        self.looks += 1

    async def hear(self, event: FactsChanged) -> None:
        if self.failing:
            self.failing -= 1
            raise UnavailableError
        self.events.append(event.event_id)


async def _until(is_so: object) -> None:
    assert callable(is_so)
    async with asyncio.timeout(SECONDS):
        while not is_so():
            await asyncio.sleep(0.02)


async def _publish(bus: Bus, number: int) -> None:
    event = FactsChanged(event_id=number, scopes=())
    await bus.publish(subjects.EVENT_FACTS_CHANGED, event, event_id=f"test.{number}", deadline=Deadline.after(SECONDS))


@asynccontextmanager
async def following(nats: Nats, heard: Heard) -> AsyncGenerator[tuple[Bus, Follower[FactsChanged]]]:
    await provision_streams(StreamSettings(nats_url=nats.url))
    async with connected(nats.url) as (bus, _):
        follower = Follower(bus, subjects.EVENT_FACTS_CHANGED, FactsChanged, heard.look, heard.hear)
        task = asyncio.create_task(follower.run())
        try:
            await _until(lambda: follower.is_current)
            yield bus, follower
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_everything_is_looked_at_before_the_first_event_and_events_come_in_order(nats: Nats) -> None:
    heard = Heard()

    async with following(nats, heard) as (bus, _):
        assert heard.looks == 1
        for number in range(5):
            await _publish(bus, number)
        await _until(lambda: heard.events == [0, 1, 2, 3, 4])


async def test_an_event_that_could_not_be_handled_is_followed_by_a_look_at_everything(nats: Nats) -> None:
    heard = Heard()

    async with following(nats, heard) as (bus, follower):
        heard.failing = 1
        await _publish(bus, 100)

        await _until(lambda: heard.looks == 2 and follower.is_current)
        await _publish(bus, 101)
        await _until(lambda: heard.events[-1:] == [101])


async def test_after_an_interruption_everything_is_looked_at_again() -> None:
    heard = Heard()

    with running_nats() as nats:
        async with following(nats, heard) as (bus, follower):
            nats.server.kill()
            await _until(lambda: not follower.is_current)
            nats.server.start()
            await _until(lambda: heard.looks == 2 and follower.is_current)
            await _publish(bus, 200)
            await _until(lambda: heard.events == [200])


async def test_without_a_stream_nothing_is_current() -> None:
    heard = Heard()

    with running_nats(jetstream=False) as nats:
        async with connected(nats.url) as (bus, _):
            follower = Follower(bus, subjects.EVENT_FACTS_CHANGED, FactsChanged, heard.look, heard.hear)
            task = asyncio.create_task(follower.run())
            await asyncio.sleep(0.5)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    assert not follower.is_current
    assert heard.looks == 0
