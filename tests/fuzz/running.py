"""Runs payloads against targets and holds every one against the claims: no crash, typed, in time, in bounded memory."""

import asyncio
import ctypes
import gc
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import psutil

from tests.fuzz.payloads import BrokenClaimError, Payload, Target

MAX_GROWTH_BYTES = 20_000_000
WARM_UP = 0.15
"""The share of the payloads in which caches fill; memory is compared from there on."""
FAILURES = Path(".fuzz-failures")
_MAX_KEPT = 20


@dataclass
class Report:
    """What came of a run."""

    seed: int
    outcomes: Counter[str] = field(default_factory=Counter[str])
    failures: list[str] = field(default_factory=list[str])
    """Reason and file of each payload that broke a claim."""
    broken: int = 0
    slowest: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds by target."""
    growth: int = 0
    """Bytes of resident memory, from the end of the warm-up."""
    seconds: float = 0.0

    @property
    def count(self) -> int:
        return self.outcomes.total()

    def text(self) -> str:
        """For people."""
        lines = [f"seed {self.seed}: {self.count:,} payloads in {self.seconds:.0f} s, {self.broken} broke a claim"]
        lines += [f"{count:>12,}  {outcome}" for outcome, count in sorted(self.outcomes.items())]
        lines += [f"slowest of {name}: {seconds * 1000:.0f} ms" for name, seconds in sorted(self.slowest.items())]
        lines.append(f"memory after the warm-up: {self.growth / 1e6:+.1f} MB")
        lines += [f"FAILED {failure}" for failure in self.failures]
        return "\n".join(lines)


def memory() -> int:
    """Resident bytes of this process, once rubbish is gone and what was freed is given back to the machine."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return int(psutil.Process().memory_info().rss)


def payload_of(target: Target, seed: int, number: int) -> Payload:
    """The same payload for the same numbers, whatever ran before."""
    return target.make(Random(f"{target.name} {seed} {number}"))


async def run(
    target: Target, report: Report, numbers: Sequence[int], *, failures: Path = FAILURES, clock: str = "process_time"
) -> AsyncIterator[int]:
    """Try the payloads with these numbers; yields after each one. A broken claim is kept, and the run goes on."""
    now = getattr(time, clock)
    for number in numbers:
        payload = payload_of(target, report.seed, number)
        start = now()
        outcome = await attempt(target, payload, report, failures)
        seconds = now() - start
        report.outcomes[f"{target.name}: {outcome}"] += 1
        report.slowest[target.name] = max(report.slowest.get(target.name, 0.0), seconds)
        if seconds > target.seconds:
            _keep(report, payload, f"took {seconds:.2f} s", failures)
        yield number


async def run_together(
    target: Target, report: Report, count: int, *, width: int = 12, failures: Path = FAILURES
) -> None:
    """The same, several at a time and by the clock of the wall: others do the work."""

    async def every(first: int) -> None:
        async for _ in run(target, report, range(first, count, width), failures=failures, clock="monotonic"):
            pass

    await asyncio.gather(*(every(first) for first in range(width)))


async def attempt(target: Target, payload: Payload, report: Report, failures: Path) -> str:
    """One payload; what it broke is kept."""
    try:
        return await target.attempt(payload)
    except BrokenClaimError as broken:
        why = str(broken)
    except Exception as error:  # noqa: BLE001 - any exception is what is looked for
        why = f"crash: {type(error).__name__}: {str(error)[:200]}"
    _keep(report, payload, why, failures)
    return "BROKEN"


def _keep(report: Report, payload: Payload, why: str, folder: Path) -> None:
    report.broken += 1
    if len(report.failures) < _MAX_KEPT:
        report.failures.append(
            f"{payload.target}/{payload.part}: {why} (python -m tests.fuzz --replay {payload.save(folder, why)})"
        )


async def run_all(targets: dict[Target, int], seed: int, *, failures: Path = FAILURES) -> Report:
    """Warm every target up, then run the rest and compare the memory."""
    report, start = Report(seed), time.monotonic()
    for target, count in targets.items():
        async for _ in run(target, report, range(round(count * WARM_UP)), failures=failures):
            pass
    before = memory()
    for target, count in targets.items():
        async for _ in run(target, report, range(round(count * WARM_UP), count), failures=failures):
            pass
    report.growth, report.seconds = memory() - before, time.monotonic() - start
    return report
