"""What a gateway tells the ledger of attempts that it does not finish, over a ledger in memory."""

import asyncio
import dataclasses
from contextlib import suppress
from typing import Any, cast

import pytest

from contracts import subjects
from runtime.metrics import Metrics
from runtime.telemetry import Telemetry
from runtime.work_queue import Delivery, Later
from services.gateway.asks.observing import AskMetrics
from services.gateway.asks.records import SUSPECT_AFTER, Ask, Name
from services.gateway.asks.store.working import Taken
from services.gateway.asks.working import SUSPECT_PAUSE_SECONDS, Working
from tests.support.answers import sample_profile
from tests.unit.gateway.test_asks_deciding import DAY, START, ask


class Ledger:
    """Gives out one ask, and notes which ones are handed back."""

    def __init__(self, held: Ask) -> None:
        self.held = held
        self.handed_back: list[tuple[str, bool]] = []

    async def take(self, name: Name, *_: object) -> Taken:
        return Taken(dataclasses.replace(self.held, name=name), is_new=False, is_same=True)

    async def hand_back(self, name: Name, *, was_begun: bool) -> None:
        self.handed_back.append((name.ask_id, was_begun))


class Endless:
    """Answers nothing for as long as it is let."""

    def __init__(self) -> None:
        self.is_asked = asyncio.Event()
        self.asked = 0
        self.profile = sample_profile()

    async def answer_ask(self, *_: object) -> None:
        self.asked += 1
        self.is_asked.set()
        await asyncio.Event().wait()


def working(ledger: Ledger, answering: Endless) -> Working:
    return Working(
        ledger=cast(Any, ledger),
        letters=cast(Any, None),
        answering=cast(Any, answering),
        metrics=AskMetrics(Metrics()),
        telemetry=Telemetry(),
        now=lambda: START,
        attempt_seconds=60,
        longest_wait_seconds=DAY,
    )


def delivery(ask_id: str) -> Delivery:
    return Delivery(subjects.asks("crm", ask_id), b"{}", None, START, is_repeated=True)


async def stopped(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_an_attempt_that_is_cut_short_by_our_stop_is_no_interruption() -> None:
    ledger, answering = Ledger(dataclasses.replace(ask(), body=b'{"question":"q"}')), Endless()
    at_work = asyncio.create_task(working(ledger, answering).handle(delivery("1")))
    await asyncio.wait_for(answering.is_asked.wait(), 5)

    await stopped(at_work)

    assert ledger.handed_back == [("1", True)]


@pytest.mark.parametrize(
    ("unreported", "asked", "given_back"), [(SUSPECT_AFTER + 1, 1, [("2", False)]), (SUSPECT_AFTER, 2, [])]
)
async def test_of_asks_that_may_have_ended_gateways_one_is_answered_at_a_time(
    unreported: int, asked: int, given_back: list[tuple[str, bool]]
) -> None:
    held = dataclasses.replace(ask(unreported=unreported), body=b'{"question":"q"}')
    ledger, answering = Ledger(held), Endless()
    handling = working(ledger, answering)
    first = asyncio.create_task(handling.handle(delivery("1")))
    await asyncio.wait_for(answering.is_asked.wait(), 5)

    second = asyncio.create_task(handling.handle(delivery("2")))
    done, _ = await asyncio.wait([second], timeout=0.1)

    assert (answering.asked, ledger.handed_back) == (asked, given_back)
    assert [task.result() for task in done] == [Later(SUSPECT_PAUSE_SECONDS)] * len(given_back)
    await stopped(first)
    await stopped(second)
