"""Who may be called by a name: every name means one thing, or nothing.

Claims come with a rank; the best rank wins. Two owners of one name at the best rank lose it both: what could mean two
things is left out, so that it is asked back. What lost is reported.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import IntEnum
from itertools import pairwise
from typing import Final

from domain.fold import fold
from domain.matching import letters_of, phrase_key
from domain.periods import find_periods
from domain.profile import FiscalCalendar

Owner = tuple[str, str]
"""Table of the profile and code."""

_ANY_DAY: Final = date(2024, 7, 1)
_MAX_NAME_CHARS: Final = 256
_SHOWN_OWNERS: Final = 3
_METRICS: Final = "metrics"
_MAX_SHARED: Final = 6
"""A name of more metrics says next to nothing, and so would a list of them."""


class Rank(IntEnum):
    """How a name is known, the strongest first."""

    CODE = 0
    GLOSSARY = 1
    """A person wrote it into a glossary."""
    LABEL = 2
    """The source document prints it."""
    VARIANT = 3
    """Follows from one of the others."""
    SHORT = 4
    """Says less than one of the others."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A name that an owner would like to have."""

    owner: Owner
    name: str
    rank: Rank


@dataclass(slots=True)
class Settled:
    """The names each owner got, in the order claimed, and what was left out and why."""

    names: dict[Owner, list[str]] = field(default_factory=dict[Owner, list[str]])
    left_out: list[str] = field(default_factory=list[str])
    shared: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Names that a few owners of one table claim with equal right, each with their codes; of metrics only."""


def settle(claims: Iterable[Claim]) -> Settled:
    """Give every name to the one owner with the best claim, or to nobody."""
    by_key: dict[str, list[Claim]] = defaultdict(list)
    settled = Settled()
    for claim in claims:
        by_key[phrase_key(claim.name)].append(claim)
    for key, rivals in by_key.items():
        if not key:
            continue
        winner = _winner(rivals, settled)
        if winner is not None:
            _grant(winner, rivals, settled)
    return settled


def _winner(rivals: list[Claim], settled: Settled) -> Owner | None:
    left_out = settled.left_out
    best = min(claim.rank for claim in rivals)
    name = next(claim.name for claim in rivals if claim.rank is best)
    owners = list(dict.fromkeys(claim.owner for claim in rivals if claim.rank is best))
    if best is not Rank.CODE and _reads_as_a_period(name):
        left_out.append(f"{name!r} reads as a period, not as {_told(owners)}")
        return None
    if len(owners) > 1:
        left_out.append(f"{name!r} could mean {_told(owners)}")
        may_be_asked = len(owners) <= _MAX_SHARED and len(name) <= _MAX_NAME_CHARS
        if may_be_asked and {table for table, _ in owners} == {_METRICS}:
            settled.shared[name] = tuple(sorted(code for _, code in owners))
        return None
    losers = list(dict.fromkeys(claim.owner for claim in rivals if claim.owner != owners[0]))
    if losers:
        left_out.append(f"{name!r} means {_told(owners)}, so that {_told(losers)} cannot be called so")
    return owners[0]


def _grant(winner: Owner, rivals: list[Claim], settled: Settled) -> None:
    names = settled.names.setdefault(winner, [])
    written = dict.fromkeys(c.name for c in rivals if c.owner == winner and c.rank is not Rank.CODE)
    own_code = winner[1]
    for name in written:
        if len(name) > _MAX_NAME_CHARS:
            settled.left_out.append(f"{name[:40]!r}… is longer than {_MAX_NAME_CHARS} characters")
        elif fold(name).text != fold(own_code).text and _shape(name) not in map(_shape, names):
            names.append(name)


def _shape(name: str) -> tuple[str, ...]:
    """What matching knows of a name: its letters, and where it is written with a break."""
    letters = letters_of(fold(name))
    edges = [0, *(i for i in range(1, len(letters.text)) if letters.gaps[i]), len(letters.text)]
    return tuple(letters.text[start:end] for start, end in pairwise(edges))


def _reads_as_a_period(name: str) -> bool:
    folded = fold(name)
    mentions = find_periods(folded, today=_ANY_DAY, calendar=FiscalCalendar())
    return name.isdigit() or any((m.start, m.end) == (0, len(folded.text)) for m in mentions)


def _told(owners: list[Owner]) -> str:
    shown = ", ".join(f"{table} {code}" for table, code in owners[:_SHOWN_OWNERS])
    more = len(owners) - _SHOWN_OWNERS
    return f"{shown} and {more} more" if more > 0 else shown
