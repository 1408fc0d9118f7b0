"""The ratios and goals of `bench ask`: within each round, and on the right side of what is wanted."""

from itertools import repeat

import pytest

from bench.clients import Expected, Tally, WrongReplyError
from bench.figures import Cell, Goal, goals_of, row_of


def _round(*, ask: float, bare: float, chain: float, variant: str = "sampled out") -> list[Cell]:
    def cell(target: str, rate: float) -> Cell:
        cpu = {"gateway": 1e6 / rate}
        return Cell(variant, target, 16, rate=rate, p50_ms=1e3 / rate, p99_ms=1.0, cpu_us_of=cpu, client_cpu_us=1.0)

    return [cell("bare", bare), cell("chain over HTTP", chain), cell("ask over HTTP", ask)]


def test_a_ratio_is_taken_within_its_round_so_that_a_slow_minute_meets_both_sides() -> None:
    quiet = _round(ask=600, bare=10_000, chain=1_000)
    busy = _round(ask=60, bare=1_000, chain=100)

    row = row_of([quiet, busy, quiet], "sampled out", "ask", "http", 16)

    assert row.rate_of_chain == pytest.approx(0.6)
    assert row.rate_of_bare == pytest.approx(0.06)
    assert row.rate == 600


def test_a_rate_below_its_goal_is_a_miss_and_one_above_is_met() -> None:
    slow, fast = _round(ask=400, bare=10_000, chain=1_000), _round(ask=700, bare=10_000, chain=1_000)

    met = [
        [goal.is_met for goal in goals_of([row_of([cells], "sampled out", "ask", "http", 16)])]
        for cells in (slow, fast)
    ]

    assert met == [[False, False], [True, True]]


def test_a_waiting_time_above_its_goal_is_a_miss() -> None:
    assert Goal("p50", wanted=15.0, found=14.9, at_most=True).is_met
    assert not Goal("p50", wanted=15.0, found=15.1, at_most=True).is_met


def test_a_wrong_reply_ends_the_measurement() -> None:
    expected = Expected(repeat(b"question"), mark=b'"value":"1320"')

    expected.check(b'{"value":"1320"}')

    with pytest.raises(WrongReplyError):
        expected.check(b'{"value":"1321"}')


def test_replies_of_the_warm_up_and_late_ones_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.perf_counter", lambda: now)
    tally = Tally(seconds=2.0)
    tally.start()

    goes_on = []
    for now in (100.1, 101.0, 103.0):
        goes_on.append(tally.goes_on(now - 0.01))

    assert goes_on == [True, True, False]
    assert tally.taken == [pytest.approx(0.01)]
