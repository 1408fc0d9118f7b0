"""What a question costs: asks per second, waiting time and processor time, beside two yardsticks of the same minute.

The yardsticks are a bare nats-py request/reply on a nats-server of the same build, and a chain of workers with the same
hops and empty handlers. Absolute figures are those of the machine and of its other load; the ratios are what compares.
Rounds are interleaved: every cell of an ask stands beside the cells of its yardsticks.
"""

import argparse
import dataclasses
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from statistics import quantiles
from typing import Any, Final

from bench.clients import Tally
from bench.figures import Cell, Goal, Row, goals_of, print_report, row_of
from bench.stands import VARIANTS, Stand, Target, running_stand, warm

IN_FLIGHT: Final = (1, 16, 64)
DOORS: Final = ("http", "nats")
ASKS: Final = ("ask", "again")


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser(
        "ask", help="what a question costs, beside a bare round trip and a chain of empty workers"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each cell is measured")
    parser.add_argument("--traces", choices=[*VARIANTS], action="append", help="only these variants; repeatable")
    parser.add_argument("--in-flight", type=int, action="append", help="only these loads; repeatable")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every cell, row and goal there")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the table and the goals."""
    variants, loads = options.traces or [*VARIANTS], options.in_flight or [*IN_FLIGHT]
    rounds: list[list[Cell]] = []
    with ExitStack() as stack:
        stands = [stack.enter_context(running_stand(variant)) for variant in variants]
        for stand in stands:
            warm(stand, options.seconds)
        for number in range(options.rounds):
            turn = stands[number % len(stands) :] + stands[: number % len(stands)]
            rounds.append([cell for stand in turn for cell in _measure(stand, loads, options.seconds)])
            print(f"round {number + 1} of {options.rounds}, load average {os.getloadavg()[0]:.1f}", flush=True)
        exported = {stand.variant: stand.spans_exported() for stand in stands}
    rows = [row_of(rounds, *which) for which in product(variants, ASKS, DOORS, loads)]
    goals = [*goals_of(rows)]
    print_report(rounds, rows, goals)
    print(f"\nspans exported by the stacks' workers: {exported}")
    if options.json:
        _write(options.json, rounds, rows, goals)


def _measure(stand: Stand, loads: Sequence[int], seconds: float) -> Iterable[Cell]:
    for in_flight in loads:
        for target in stand.targets:
            yield measure(stand.variant, target, in_flight, seconds)


def measure(variant: str, target: Target, in_flight: int, seconds: float) -> Cell:
    """Run one closed loop."""
    tally = Tally(seconds)
    before: dict[str, float] = {}
    target.call(in_flight, tally, lambda: before.update(target.cpu_seconds()))
    after = target.cpu_seconds()
    taken = sorted(tally.taken)
    share = quantiles(taken, n=100) if len(taken) > 1 else [*taken] * 99
    return Cell(
        variant,
        target.name,
        in_flight,
        rate=len(taken) / seconds,
        p50_ms=share[49] * 1e3,
        p99_ms=share[98] * 1e3,
        cpu_us_of={name: (after[name] - before[name]) / len(taken) * 1e6 for name in after},
        client_cpu_us=tally.client_cpu / len(taken) * 1e6,
    )


def _write(file: Path, rounds: Sequence[Sequence[Cell]], rows: Sequence[Row], goals: Sequence[Goal]) -> None:
    content = {
        "rounds": [[dataclasses.asdict(cell) for cell in cells] for cells in rounds],
        "rows": [dataclasses.asdict(row) for row in rows],
        "goals": [{**dataclasses.asdict(goal), "is_met": goal.is_met} for goal in goals],
    }
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
