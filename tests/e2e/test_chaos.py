"""The short form of `make chaos`: every accepted ask has its one right answer, and a naive worker loses some."""

import pytest

from tests.chaos.control import run_control
from tests.chaos.killing import Kind
from tests.chaos.run import run

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(300)]

ASKS = 120
KILLS = {Kind.WORKER: 5, Kind.BROKER: 2, Kind.DATABASE: 1}
SEED = 57


def test_every_accepted_ask_ends_in_its_one_right_answer_whatever_is_killed() -> None:
    report = run(ASKS, KILLS, SEED)

    assert report.accepted == report.answers == ASKS, report
    assert report.wrong == {}, report
    assert {kind: report.kinds[kind] for kind in KILLS} == KILLS, report


async def test_a_naive_worker_loses_some_under_the_same_kills() -> None:
    loss = await run_control(ASKS, {Kind.WORKER: 1, Kind.BROKER: 1, Kind.DATABASE: 2}, SEED)

    assert loss.accepted > loss.answered > 0, loss
