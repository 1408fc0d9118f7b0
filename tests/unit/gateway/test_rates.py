"""How often a key may ask, counted alone and together; what is refused is told when it fits."""

import math

import pytest

from contracts.codes import Scope
from runtime.errors import RateLimitedError
from services.gateway.access.callers import LOCAL_CALLER, Caller
from services.gateway.access.key_file import KeyRate
from services.gateway.access.rates import Buckets, Counted, Rates, wait_seconds, window_seconds

RATES = [KeyRate(asks_per_minute=a, burst=b) for a, b in ((60, 1), (60, 6), (600, 60), (7, 3), (1, 1), (1_000, 1))]


class Together:
    """`SharedCounts` in memory, in the same windows as Redis."""

    def __init__(self) -> None:
        self.now = 0.0
        self.counts: dict[int, int] = {}
        self.is_away = False

    async def take(self, name: str, rate: KeyRate) -> float | None:
        if self.is_away:
            return None
        window = window_seconds(rate)
        number, age = divmod(self.now, window)
        running = self.counts.get(int(number), 0)
        wait = wait_seconds(Counted(self.counts.get(int(number) - 1, 0), running, age), rate)
        self.counts[int(number)] = running + (not wait)
        return wait


async def accepted(rate: KeyRate, *, seconds: float, step: float) -> list[float]:
    """When asks got in, of one every `step`."""
    counts, got = Together(), list[float]()
    while counts.now < seconds:
        if not await counts.take("k", rate):
            got.append(counts.now)
        counts.now += step
    return got


@pytest.mark.parametrize("rate", RATES, ids=repr)
async def test_counted_together_no_window_holds_more_and_the_rate_is_reached(rate: KeyRate) -> None:
    window = window_seconds(rate)

    got = await accepted(rate, seconds=40 * window, step=window / (3.7 * rate.burst))

    for i, start in enumerate(got):
        assert sum(1 for moment in got[i:] if moment < start + window) <= rate.burst + 1
    assert len(got) <= 40 * rate.burst + 1
    assert len(got) >= 0.75 * 40 * rate.burst


@pytest.mark.parametrize("rate", RATES, ids=repr)
async def test_after_the_told_seconds_and_not_a_moment_longer_an_ask_fits(rate: KeyRate) -> None:
    counts = Together()
    wait = 0.0
    for _ in range(2 * rate.burst + 2):
        wait = await counts.take("k", rate) or 0.0
        counts.now += window_seconds(rate) / (9 * rate.burst)
    counts.now -= window_seconds(rate) / (9 * rate.burst)

    counts.now += math.ceil(wait)

    assert wait > 0
    assert await counts.take("k", rate) == 0


@pytest.mark.parametrize("rate", RATES, ids=repr)
def test_counted_alone_a_burst_fits_and_then_what_the_rate_earns(rate: KeyRate) -> None:
    now = 0.0
    buckets = Buckets(lambda: now)
    for _ in range(rate.burst):
        assert buckets.wait_seconds("k", rate) == 0
        buckets.take("k", rate)

    wait = buckets.wait_seconds("k", rate)

    assert wait == pytest.approx(60 / rate.asks_per_minute)
    now = wait
    assert buckets.wait_seconds("k", rate) == 0


def caller(rate: KeyRate | None) -> Caller:
    return Caller("crm", frozenset({Scope.ASK}), "k1", rate)


async def test_where_nobody_counts_together_each_counts_for_itself() -> None:
    together = Together()
    together.is_away = True
    rates = Rates(Buckets(lambda: 0.0), together)
    await rates.take(caller(KeyRate(asks_per_minute=60, burst=1)))

    with pytest.raises(RateLimitedError) as refused:
        await rates.take(caller(KeyRate(asks_per_minute=60, burst=1)))

    assert refused.value.retry_after_seconds == pytest.approx(1.0)


async def test_what_others_have_used_up_is_not_taken_again() -> None:
    together = Together()
    rate = KeyRate(asks_per_minute=60, burst=2)
    here, there = (Rates(Buckets(lambda: 0.0), together) for _ in range(2))
    await here.take(caller(rate))
    await there.take(caller(rate))

    with pytest.raises(RateLimitedError):
        await here.take(caller(rate))


@pytest.mark.parametrize("unbounded", [caller(None), LOCAL_CALLER])
async def test_a_caller_without_a_rate_is_never_refused(unbounded: Caller) -> None:
    rates = Rates(Buckets(lambda: 0.0), None)

    for _ in range(1_000):
        await rates.take(unbounded)
