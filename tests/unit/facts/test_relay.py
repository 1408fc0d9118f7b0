"""The relay waits, tries again and never takes the process with it for what is only away."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from contracts.v1.facts import FactsChanged
from runtime.errors import AskError, FactSourceUnavailableError, UnavailableError
from services.facts import outbox
from services.facts.outbox import Relay
from services.facts.ports import Claim, OutboxEvent


@dataclass
class Shelf:
    """An outbox in memory."""

    waiting_events: list[OutboxEvent] = field(default_factory=list[OutboxEvent])
    failures: list[AskError] = field(default_factory=list[AskError])
    prunes: int = 0

    @property
    def events(self) -> Sequence[OutboxEvent]:
        return list(self.waiting_events)

    async def published(self, event_ids: Sequence[int]) -> None:
        self.waiting_events = [event for event in self.waiting_events if event.event.event_id not in event_ids]

    @asynccontextmanager
    async def claim(self, limit: int) -> AsyncGenerator[Claim]:
        if self.failures:
            raise self.failures.pop(0)
        yield self

    async def waiting(self) -> int:
        return len(self.waiting_events)

    async def prune(self) -> None:
        self.prunes += 1


def event(number: int) -> OutboxEvent:
    return OutboxEvent(FactsChanged(event_id=number, scopes=()), f"facts_changed.{number}")


@asynccontextmanager
async def running(relay: Relay) -> AsyncGenerator[None]:
    task = asyncio.create_task(relay.run())
    yield
    assert not task.done()
    task.cancel()
    await asyncio.wait([task])


async def _until_published(seen: list[int], count: int) -> None:
    async with asyncio.timeout(5):
        while len(seen) < count:
            await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "IDLE_SECONDS", 0.001)
    monkeypatch.setattr(outbox, "MAX_BACKOFF_SECONDS", 0.004)


async def test_it_publishes_what_waits_and_what_comes_later() -> None:
    shelf, seen = Shelf([event(1), event(2)]), list[int]()

    async def publish(waiting: OutboxEvent) -> None:
        seen.append(waiting.event.event_id)

    async with running(Relay(shelf, publish)):
        await _until_published(seen, 2)
        shelf.waiting_events.append(event(3))
        await _until_published(seen, 3)

    assert seen == [1, 2, 3]
    assert shelf.waiting_events == []
    assert shelf.prunes == 1


async def test_it_is_woken_by_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "IDLE_SECONDS", 60)
    monkeypatch.setattr(outbox, "MAX_BACKOFF_SECONDS", 60)
    shelf, seen = Shelf(), list[int]()

    async def publish(waiting: OutboxEvent) -> None:
        seen.append(waiting.event.event_id)

    relay = Relay(shelf, publish)
    async with running(relay):
        await asyncio.sleep(0)
        shelf.waiting_events.append(event(1))
        relay.wake()
        await _until_published(seen, 1)

    assert seen == [1]


async def test_it_goes_on_when_bus_and_database_are_back() -> None:
    shelf = Shelf([event(1), event(2)], failures=[FactSourceUnavailableError(), FactSourceUnavailableError()])
    seen, refusals = list[int](), [UnavailableError(), UnavailableError()]

    async def publish(waiting: OutboxEvent) -> None:
        if refusals:
            raise refusals.pop()
        seen.append(waiting.event.event_id)

    backlogs: list[int] = []
    async with running(Relay(shelf, publish, backlogs.append)):
        await _until_published(seen, 2)
        async with asyncio.timeout(5):
            while backlogs[-1]:
                await asyncio.sleep(0)

    assert seen == [1, 2]
    assert backlogs[0] == 2


async def test_a_long_outage_is_waited_out_in_short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf, tries = Shelf([event(1)]), 0
    monkeypatch.setattr(outbox, "MAX_BACKOFF_SECONDS", 0)

    async def publish(waiting: OutboxEvent) -> None:
        nonlocal tries
        tries += 1
        if tries < 2_000:
            raise UnavailableError

    async with running(Relay(shelf, publish)), asyncio.timeout(10):
        while shelf.waiting_events:
            await asyncio.sleep(0)

    assert tries == 2_000
