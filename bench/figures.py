"""The figures of `bench ask`: cells as measured, rows of medians and ratios, goals, and the table that is printed.

Ratios are taken within each round, then their median: another load on the machine meets both sides of a ratio.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

RATE_OF_BARE: Final = {"sampled out": 0.045, "exported": 0.03}
"""Asks per second over HTTP with 16 in flight, as a share of bare round trips, by what becomes of traces."""

_HEAD: Final = (
    f"{'asks/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'CPU µs':>8}{'of bare':>9}{'p50 x':>7}{'of chain':>10}{'CPU x':>7}"
)


@dataclass(frozen=True)
class Cell:
    """One target under one load for a few seconds."""

    variant: str
    target: str
    in_flight: int
    rate: float
    """Replies per second."""
    p50_ms: float
    p99_ms: float
    cpu_us_of: Mapping[str, float]
    """Microseconds of processor time per reply, of each process behind the door."""
    client_cpu_us: float

    @property
    def cpu_us(self) -> float:
        """Microseconds of processor time per reply, of all of them."""
        return sum(self.cpu_us_of.values())


@dataclass(frozen=True)
class Row:
    """An ask under one load: medians over the rounds, and medians of the ratios within each round."""

    variant: str
    what: str
    """`ask`: every question is a new one; `again`: always the same."""
    door: str
    in_flight: int
    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    client_cpu_us: float
    rate_of_bare: float
    p50_of_bare: float
    rate_of_chain: float
    cpu_of_chain: float


@dataclass(frozen=True)
class Goal:
    """A ratio that we want to hold."""

    what: str
    wanted: float
    found: float
    at_most: bool = False

    @property
    def is_met(self) -> bool:
        """Whether it holds."""
        return self.found <= self.wanted if self.at_most else self.found >= self.wanted


def row_of(rounds: Sequence[Sequence[Cell]], variant: str, what: str, door: str, in_flight: int) -> Row:
    """The medians of one ask, beside the yardsticks of the same rounds."""
    name = door.upper()
    found = [
        [
            next(c for c in cells if (c.variant, c.target, c.in_flight) == (variant, target, in_flight))
            for target in (f"{what} over {name}", "bare", f"chain over {name}")
        ]
        for cells in rounds
    ]
    asks = [ask for ask, _, _ in found]
    return Row(
        variant,
        what,
        door,
        in_flight,
        rate=median(ask.rate for ask in asks),
        p50_ms=median(ask.p50_ms for ask in asks),
        p99_ms=median(ask.p99_ms for ask in asks),
        cpu_us=median(ask.cpu_us for ask in asks),
        client_cpu_us=median(ask.client_cpu_us for ask in asks),
        rate_of_bare=median(ask.rate / bare.rate for ask, bare, _ in found),
        p50_of_bare=median(ask.p50_ms / bare.p50_ms for ask, bare, _ in found),
        rate_of_chain=median(ask.rate / chain.rate for ask, _, chain in found),
        cpu_of_chain=median(ask.cpu_us / chain.cpu_us for ask, _, chain in found),
    )


def goals_of(rows: Sequence[Row]) -> Iterable[Goal]:
    """What we want of the ratios; each for new questions and for repeated ones."""
    for row in rows:
        name = f"{row.what}, {row.door}, {row.in_flight} in flight, traces {row.variant}"
        if row.in_flight == 16:
            yield Goal(f"asks/s of the chain: {name}", 0.6, row.rate_of_chain)
        if (row.door, row.in_flight) == ("http", 16) and row.variant in RATE_OF_BARE:
            yield Goal(f"asks/s of the bare round trip: {name}", RATE_OF_BARE[row.variant], row.rate_of_bare)
        if (row.door, row.in_flight) == ("http", 1):
            yield Goal(f"p50 in bare round trips: {name}", 15.0, row.p50_of_bare, at_most=True)


def print_report(rounds: Sequence[Sequence[Cell]], rows: Sequence[Row], goals: Sequence[Goal]) -> None:
    """Print yardsticks, asks and goals."""
    print(f"\nmedians of {len(rounds)} rounds; CPU: all processes behind the door; ratios: within each round\n")
    print(f"{'yardsticks':<34}{'asks/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'CPU µs':>8}{'client µs':>11}")
    for key, cells in _by_cell(rounds).items():
        rate, p50, p99, cpu, client = (
            median(getattr(cell, name) for cell in cells)
            for name in ("rate", "p50_ms", "p99_ms", "cpu_us", "client_cpu_us")
        )
        print(f"{key:<34}{rate:>9,.0f}{p50:>9.2f}{p99:>9.2f}{cpu:>8,.0f}{client:>11,.0f}")
    print(f"\n{'ask':<34}{_HEAD}")
    for row in rows:
        name = f"{row.variant} · {row.what} · {row.door} · {row.in_flight}"
        print(
            f"{name:<34}{row.rate:>9,.0f}{row.p50_ms:>9.2f}{row.p99_ms:>9.2f}{row.cpu_us:>8,.0f}"
            f"{row.rate_of_bare:>9.3f}{row.p50_of_bare:>7.1f}{row.rate_of_chain:>10.2f}{row.cpu_of_chain:>7.2f}"
        )
    _print_shares(rounds)
    print_goals(goals)


def print_goals(goals: Sequence[Goal]) -> None:
    """Print which goals are met."""
    print("\ngoals")
    for goal in goals:
        verdict, sign = "met " if goal.is_met else "MISS", "≤" if goal.at_most else "≥"
        print(f"  {verdict} {goal.found:>7.3f} {sign} {goal.wanted:<6} {goal.what}")


def _print_shares(rounds: Sequence[Sequence[Cell]]) -> None:
    """Where the processor time of an ask goes, beside that of a repeated one and of the same part of the chain."""
    print(f"\n{'CPU µs per ask, http, 16 in flight':<34}{'ask':>9}{'again':>9}{'chain':>9}")
    for variant in dict.fromkeys(cell.variant for cells in rounds for cell in cells):
        ask, again, chain = (_shares(rounds, variant, f"{what} over HTTP") for what in ("ask", "again", "chain"))
        for name, us in ask.items():
            print(f"  {variant + ' · ' + name:<32}{us:>9,.0f}{again[name]:>9,.0f}{chain.get(name, 0):>9,.0f}")


def _shares(rounds: Sequence[Sequence[Cell]], variant: str, target: str) -> dict[str, float]:
    cells = [c for found in rounds for c in found if (c.variant, c.target, c.in_flight) == (variant, target, 16)]
    return {name: median(cell.cpu_us_of[name] for cell in cells) for name in cells[0].cpu_us_of} if cells else {}


def _by_cell(rounds: Sequence[Sequence[Cell]]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cells in rounds:
        for cell in cells:
            if not cell.target.startswith(("ask", "again")):
                found.setdefault(f"{cell.variant} · {cell.target} · {cell.in_flight}", []).append(cell)
    return found
