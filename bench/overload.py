"""What becomes of a gateway that is offered twice what it can answer, and of its memory over time.

First the most that a closed loop gets answered; then an open loop at a multiple of it, for which the share of right
answers, the time of a refusal and that of `/healthz` count; with `--minutes`, a hold at 70 % with the memory of each
worker. Everything shares the machine's cores, the load included: take the ratios, not the figures.
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

IN_FLIGHT: Final = (16, 32, 48)
HOLD_SHARE: Final = 0.7
IDLE_SECONDS: Final = 5.0
SAMPLE_SECONDS: Final = 2.0
WARM_SHARE: Final = 0.2
"""Of a hold: caches fill in it, and its growth says nothing."""


@dataclass(frozen=True)
class Overload:
    """What an open loop beyond the maximum saw."""

    most: float
    """Asks per second of the best closed loop."""
    offered: float
    """Asks per second."""
    seconds: float
    outcomes: Outcomes
    health_ms: Sequence[float]
    idle_health_ms: Sequence[float]

    def goals(self) -> list[Goal]:
        """What we want of it."""
        refused = [taken * 1e3 for taken in self.outcomes.refused]
        health = percentile(self.health_ms, 99) / percentile(self.idle_health_ms, 99)
        return [
            Goal(
                "right answers, as a share of the maximum", 0.9, self.outcomes.good_in_time / self.seconds / self.most
            ),
            Goal("median of a refusal, ms", 50.0, percentile(refused, 50), at_most=True),
            Goal("p99 of a refusal, ms", 250.0, percentile(refused, 99), at_most=True),
            Goal("p99 of /healthz, times its idle p99", 3.0, health, at_most=True),
            Goal("replies that are neither right nor a typed refusal", 0.0, self.outcomes.wrong, at_most=True),
        ]


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("overload", help="twice what can be answered, and memory over time")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each load is offered")
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
        most = measure_most(url, options.in_flight or IN_FLIGHT, options.seconds)
        overload = offer(url, most, options.share, options.seconds, idle)
        goals = overload.goals()
        print_overload(overload)
        if options.minutes:
            workers = {
                name: psutil.Process(unit["pid"]) for name, unit in state["processes"].items() if unit["ops_url"]
            }
            goals += hold(url, most, options.minutes * 60, workers)
    print_goals(goals)
    if options.json:
        found = [
            {"what": goal.what, "wanted": goal.wanted, "found": goal.found, "is_met": goal.is_met} for goal in goals
        ]
        options.json.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def measure_most(url: str, loads: Sequence[int], seconds: float) -> float:
    """Asks per second of the best of some closed loops."""
    rates: dict[int, float] = {}
    for in_flight in (loads[0], *loads):  # the first one warms everything up
        tally = Tally(seconds)
        expected = Expected(new_questions(), ANSWERED)
        over_http(url, expected, in_flight=in_flight, tally=tally, on_start=lambda: None)
        rates[in_flight] = len(tally.taken) / seconds
    for in_flight, rate in rates.items():
        print(f"closed loop, {in_flight:>4} in flight: {rate:>8,.0f} asks/s")
    return max(rates.values())


def offer(url: str, most: float, share: float, seconds: float, idle: Sequence[float]) -> Overload:
    """Offer a multiple of the maximum in an open loop, and ask for health meanwhile."""
    loop = OpenLoop(url, new_questions(), ANSWERED, rate=share * most, seconds=seconds)
    with asked_for_health(url) as health:
        outcomes = loop.run()
    return Overload(most, loop.rate, seconds, outcomes, health, idle)


def print_overload(overload: Overload) -> None:
    """Print what was seen."""
    found = overload.outcomes
    good, refused = [t * 1e3 for t in found.good], [t * 1e3 for t in found.refused]
    print(f"offered {overload.offered:,.0f}/s for {overload.seconds:.0f} s: {found.offered:,} asks")
    print(f"  right    {len(good):>8,}  p50 {percentile(good, 50):>8.1f} ms  p99 {percentile(good, 99):>8.1f} ms")
    print(
        f"  refused  {len(refused):>8,}  p50 {percentile(refused, 50):>8.1f} ms  p99 {percentile(refused, 99):>8.1f} ms"
    )
    print(f"  wrong    {found.wrong:>8,}  {found.first_wrong.decode(errors='replace')}")
    print(f"  Retry-After seen: {sorted(found.retry_after)} s")
    for name, taken in (("idle", overload.idle_health_ms), ("loaded", overload.health_ms)):
        print(f"  /healthz {name:<7} p50 {percentile(taken, 50):>6.1f} ms  p99 {percentile(taken, 99):>6.1f} ms")


def hold(url: str, most: float, seconds: float, workers: Mapping[str, psutil.Process]) -> list[Goal]:
    """Offer 70 % of the maximum for a while; how the memory of each worker grows, in MB per minute."""
    loop = OpenLoop(url, new_questions(), ANSWERED, rate=HOLD_SHARE * most, seconds=seconds)
    with _sampled(workers) as samples:
        outcomes = loop.run()
    good = [t * 1e3 for t in outcomes.good]
    print(
        f"held {loop.rate:,.0f}/s for {seconds / 60:.1f} min: {len(good):,} right, {len(outcomes.refused):,} refused, "
    )
    print(f"  p50 {percentile(good, 50):.1f} ms, p99 {percentile(good, 99):.1f} ms, wrong {outcomes.wrong}")
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
