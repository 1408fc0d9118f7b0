"""What becomes of a gateway that is offered twice what it can answer, and of its memory over time.

In each round, a closed loop tells how much gets answered at most, an open loop offers a multiple of it, for which the
share of right answers, the time of a refusal and that of `/healthz` count, and the closed loop runs again. Goals are
medians of the ratios within the rounds: a machine that gets slower meets both sides. With `--minutes`, a hold at 70 %
with the memory of each worker. Everything shares the machine's cores, the load included.
"""

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression, median, quantiles
from threading import Event, Thread
from typing import Any, Final

import psutil

from bench.clients import Expected, Tally, over_http
from bench.figures import Goal, print_goals
from bench.open_loop import OpenLoop, Outcomes
from bench.stands import ANSWERED, new_questions
from cli.client import Gateway
from cli.sample import load_sample
from tests.support.stacks import ROOT, running_stack

IN_FLIGHT: Final = (16, 32, 48, 64)
ROUNDS: Final = 5
HOLD_SHARE: Final = 0.7
IDLE_SECONDS: Final = 5.0
SAMPLE_SECONDS: Final = 2.0
WARM_SHARE: Final = 0.2
"""Of a hold: caches fill in it, and its growth says nothing."""


@dataclass(frozen=True)
class Round:
    """What an open loop beyond the maximum saw."""

    before: float
    after: float
    """Asks per second of a closed loop."""
    offered: float
    """Asks per second."""
    seconds: float
    outcomes: Outcomes
    health_ms: Sequence[float]

    @property
    def goodput(self) -> float:
        """Right answers while the loop ran, as a share of what closed loops got."""
        return self.outcomes.good_in_time / self.seconds / ((self.before + self.after) / 2)

    def refused_ms(self, share: int) -> float:
        """This percentile of the time of a refusal."""
        return percentile(self.outcomes.refused, share) * 1e3


def goals_of(rounds: Sequence[Round], idle_health_ms: Sequence[float]) -> list[Goal]:
    """What we want of it."""
    idle = percentile(idle_health_ms, 99)
    health = median(percentile(each.health_ms, 99) for each in rounds) / idle
    wrong = sum(each.outcomes.wrong for each in rounds)
    return [
        Goal("right answers, as a share of the maximum", 0.9, median(each.goodput for each in rounds)),
        Goal("median of a refusal, ms", 50.0, median(each.refused_ms(50) for each in rounds), at_most=True),
        Goal("p99 of a refusal, ms", 250.0, median(each.refused_ms(99) for each in rounds), at_most=True),
        Goal("p99 of /healthz, times its idle p99", 3.0, health, at_most=True),
        Goal("replies that are neither right nor a typed refusal", 0.0, wrong, at_most=True),
    ]


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("overload", help="twice what can be answered, and memory over time")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each load is offered")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of closed, open and closed loop")
    parser.add_argument("--share", type=float, default=2.0, help="what is offered, in maxima")
    parser.add_argument("--minutes", type=float, default=0.0, help="then hold 70 %% for so long and watch memory")
    parser.add_argument("--in-flight", type=int, action="append", help="only these closed loops; repeatable")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print figures and goals."""
    with running_stack() as stack:
        state = stack.state
        load_sample(Gateway(state["http_url"]))
        url = f"{state['http_url']}/v1/ask"
        with asked_for_health(state["http_url"]) as idle:
            time.sleep(IDLE_SECONDS)
        in_flight, most = find_most(url, options.in_flight or IN_FLIGHT, options.seconds)
        rounds = [run_round(url, in_flight, options.share, options.seconds) for _ in range(options.rounds)]
        print(f"  /healthz idle: p50 {percentile(idle, 50):.1f} ms, p99 {percentile(idle, 99):.1f} ms")
        goals = goals_of(rounds, idle)
        if options.minutes:
            workers = {
                name: psutil.Process(unit["pid"]) for name, unit in state["processes"].items() if unit["ops_url"]
            }
            goals += hold(url, median([most, *(each.after for each in rounds)]), options.minutes * 60, workers)
    print_goals(goals)
    if options.json:
        found = [
            {"what": goal.what, "wanted": goal.wanted, "found": goal.found, "is_met": goal.is_met} for goal in goals
        ]
        options.json.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def find_most(url: str, loads: Sequence[int], seconds: float) -> tuple[int, float]:
    """The closed loop that gets most answered: how many in flight, and its asks per second."""
    closed_loop(url, loads[0], seconds)  # warms everything up
    rates = {in_flight: closed_loop(url, in_flight, seconds) for in_flight in loads}
    for in_flight, rate in rates.items():
        print(f"closed loop, {in_flight:>4} in flight: {rate:>8,.0f} asks/s")
    return max(rates.items(), key=lambda rate: rate[1])


def closed_loop(url: str, in_flight: int, seconds: float) -> float:
    """Right answers per second."""
    tally = Tally(seconds)
    over_http(url, Expected(new_questions(), ANSWERED), in_flight=in_flight, tally=tally, on_start=lambda: None)
    return len(tally.taken) / seconds


def run_round(url: str, in_flight: int, share: float, seconds: float) -> Round:
    """Offer a multiple of the maximum in an open loop, and ask for health meanwhile; prints what was seen."""
    before = closed_loop(url, in_flight, seconds)
    loop = OpenLoop(url, new_questions(), ANSWERED, rate=share * before, seconds=seconds)
    with asked_for_health(url) as health:
        outcomes = loop.run()
    seen = Round(before, closed_loop(url, in_flight, seconds), loop.rate, seconds, outcomes, health)
    print_round(seen)
    return seen


def print_round(seen: Round) -> None:
    """Print what was seen."""
    found = seen.outcomes
    good = [t * 1e3 for t in found.good]
    closed = f"closed loop {seen.before:,.0f} and {seen.after:,.0f} asks/s"
    print(f"{closed}, offered {seen.offered:,.0f}: right {seen.goodput:.2f} of the maximum")
    print(f"  right    {len(good):>8,}  p50 {percentile(good, 50):>8.1f} ms  p99 {percentile(good, 99):>8.1f} ms")
    refused = f"p50 {seen.refused_ms(50):>8.1f} ms  p99 {seen.refused_ms(99):>8.1f} ms"
    print(f"  refused  {len(found.refused):>8,}  {refused}  Retry-After {sorted(found.retry_after)} s")
    print(f"  wrong    {found.wrong:>8,}  {found.first_wrong.decode(errors='replace')}")
    health = seen.health_ms
    print(f"  /healthz {len(health):>8,}  p50 {percentile(health, 50):>8.1f} ms  p99 {percentile(health, 99):>8.1f} ms")


def hold(url: str, most: float, seconds: float, workers: Mapping[str, psutil.Process]) -> list[Goal]:
    """Offer 70 % of the maximum for a while; how the memory of each worker grows, in MB per minute."""
    loop = OpenLoop(url, new_questions(), ANSWERED, rate=HOLD_SHARE * most, seconds=seconds)
    with _sampled(workers) as samples:
        outcomes = loop.run()
    good = [t * 1e3 for t in outcomes.good]
    print(
        f"held {loop.rate:,.0f}/s for {seconds / 60:.1f} min: {len(good):,} right, {len(outcomes.refused):,} refused, "
    )
    print(f"  p50 {percentile(good, 50):.1f} ms, p99 {percentile(good, 99):.1f} ms")
    print(f"  wrong {outcomes.wrong} {outcomes.first_wrong.decode(errors='replace')}")
    slopes = {
        name: slope([point for point in points if point[0] > WARM_SHARE * seconds]) for name, points in samples.items()
    }
    return [Goal(f"memory of {name}, MB per minute", 1.0, found, at_most=True) for name, found in slopes.items()]


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Megabytes per minute, of points in seconds and megabytes."""
    if len(points) < 2:
        return 0.0
    return linear_regression([at for at, _ in points], [size for _, size in points]).slope * 60


@contextmanager
def _sampled(workers: Mapping[str, psutil.Process]) -> Generator[dict[str, list[tuple[float, float]]]]:
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in workers}
    begin, is_over = time.monotonic(), Event()

    def sample() -> None:
        while not is_over.wait(SAMPLE_SECONDS):
            for name, process in workers.items():
                samples[name].append((time.monotonic() - begin, process.memory_info().rss / 1e6))

    thread = Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        is_over.set()
        thread.join()


@contextmanager
def asked_for_health(url: str) -> Generator[list[float]]:
    """Ask `/healthz` from a process of its own; the list holds the milliseconds of each reply after the block."""
    taken: list[float] = []
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bench.peers", "health", url],
        cwd="/",
        env={"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Linux shares the processor out by session: it must not wait behind the load's own
    )
    try:
        yield taken
        process.send_signal(signal.SIGTERM)
        taken += json.loads(process.communicate(timeout=60)[0])
    finally:
        process.kill()
        process.wait()


def percentile(values: Sequence[float], share: int) -> float:
    """The percentile; 0 where there is nothing."""
    if len(values) < 2:
        return values[0] if values else 0.0
    return median(values) if share == 50 else quantiles(values, n=100, method="inclusive")[share - 1]
