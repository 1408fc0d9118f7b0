"""The figures of `bench ask`: cells as measured, rows of medians and ratios, goals, and the table that is printed.

Ratios are taken within each round, then their median: another load on the machine meets both sides of a ratio.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.stands import VARIANTS

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


def row_of(rounds: Sequence[Sequence[Cell]], variant: str, door: str, in_flight: int) -> Row:
    name = door.upper()
    found = [
        [
            next(c for c in cells if (c.variant, c.target, c.in_flight) == (variant, target, in_flight))
            for target in (f"ask over {name}", "bare", f"chain over {name}")
        ]
        for cells in rounds
    ]
    asks = [ask for ask, _, _ in found]
    return Row(
        variant,
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
    at = {(row.variant, row.door, row.in_flight): row for row in rows}
    for (variant, door, in_flight), middle in at.items():
        if in_flight == 16:
            yield Goal(f"asks/s of the chain, {door}, 16 in flight, traces {variant}", 0.6, middle.rate_of_chain)
    for variant, wanted in (("sampled out", 0.045), ("exported", 0.03)):
        if row := at.get((variant, "http", 16)):
            yield Goal(f"asks/s of the bare round trip, http, 16 in flight, traces {variant}", wanted, row.rate_of_bare)
    for variant in VARIANTS:
        if row := at.get((variant, "http", 1)):
            what = f"p50 in bare round trips, http, 1 in flight, traces {variant}"
            yield Goal(what, 15.0, row.p50_of_bare, at_most=True)


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
        name = f"{row.variant} · {row.door} · {row.in_flight}"
        print(
            f"{name:<34}{row.rate:>9,.0f}{row.p50_ms:>9.2f}{row.p99_ms:>9.2f}{row.cpu_us:>8,.0f}"
            f"{row.rate_of_bare:>9.3f}{row.p50_of_bare:>7.1f}{row.rate_of_chain:>10.2f}{row.cpu_of_chain:>7.2f}"
        )
    _print_shares(rounds)
    print("\ngoals")
    for goal in goals:
        verdict, sign = "met " if goal.is_met else "MISS", "≤" if goal.at_most else "≥"
        print(f"  {verdict} {goal.found:>7.3f} {sign} {goal.wanted:<6} {goal.what}")


def _print_shares(rounds: Sequence[Sequence[Cell]]) -> None:
    """Where the processor time of an ask over HTTP goes, beside that of the same process of the empty chain."""
    print("\nCPU µs per ask by process (of the chain), http, 16 in flight")
    for variant in dict.fromkeys(cell.variant for cells in rounds for cell in cells):
        ask, chain = (_shares(rounds, variant, f"{target} over HTTP") for target in ("ask", "chain"))
        shares = [f"{name} {us:,.0f}" + (f" ({chain[name]:,.0f})" if name in chain else "") for name, us in ask.items()]
        print(f"  {variant}: {', '.join(shares)}")


def _shares(rounds: Sequence[Sequence[Cell]], variant: str, target: str) -> dict[str, float]:
    cells = [c for found in rounds for c in found if (c.variant, c.target, c.in_flight) == (variant, target, 16)]
    return {name: median(cell.cpu_us_of[name] for cell in cells) for name in cells[0].cpu_us_of} if cells else {}


def _by_cell(rounds: Sequence[Sequence[Cell]]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cells in rounds:
        for cell in cells:
            if not cell.target.startswith("ask"):
                found.setdefault(f"{cell.variant} · {cell.target} · {cell.in_flight}", []).append(cell)
    return found
