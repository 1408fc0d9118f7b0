"""What a number in a text is: its readings, its unit, and where it stands."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Kind(StrEnum):
    """What is counted. Two numbers of different kinds are never the same statement."""

    BARE = "bare"
    """No unit, or any noun: "12 stores", "12"."""
    PERSONS = "persons"
    MONEY = "money"
    PERCENT = "percent"
    POINTS = "points"
    BASIS_POINTS = "basis points"
    PER_MILLE = "per mille"
    TIMES = "times"
    PORTION = "portion"
    ORDINAL = "ordinal"
    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"
    WEEKS = "weeks"
    MONTHS = "months"
    QUARTERS = "quarters"
    YEARS = "years"
    MASS = "mass"
    LENGTH = "length"
    AREA = "area"
    ENERGY = "energy"
    OPAQUE = "opaque"
    """A number of which only the spelling can be compared: "dozens", "Ⅳ", "1.2.3"."""


COUNTED = frozenset({Kind.BARE, Kind.PERSONS})
"""Kinds that languages do not tell apart reliably: "12" and "12 people"."""


@dataclass(frozen=True, slots=True)
class Head:
    """The digits or numeral words of a number, before its unit is known; offsets of the matching view."""

    start: int
    end: int
    values: frozenset[Decimal]
    """Every way to read it: `1.234` is two numbers until one knows who wrote it. Empty: not to be read."""
    kind: Kind | None = None
    """Where the words themselves say it: "doubled", "一半"."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit; offsets of the matching view."""

    start: int
    end: int
    values: frozenset[Decimal]
    kind: Kind
    text: str
    """As written in the matching view, without blanks."""
    currencies: frozenset[str] = frozenset()
    """Which currencies the unit may stand for; empty for other kinds."""
    scaled: bool = False
    """It names its own scale: million, 亿."""
    sign: int = 0
    """-1 or +1 where a sign is written, or where the clause says which way a percentage goes."""

    def states(self, other: "Quantity") -> bool:
        """Whether this number says no more than the other one, which is known to be true."""
        if not self.values or not other.values or Kind.OPAQUE in (self.kind, other.kind):
            return self.text == other.text
        if self.values.isdisjoint(other.values) or self.sign * other.sign < 0:
            return False
        if self.kind is Kind.MONEY and other.kind is Kind.MONEY:
            return not self.currencies.isdisjoint(other.currencies)
        if self.kind is Kind.BARE and self.scaled and other.kind is Kind.MONEY:
            return True  # "2.6亿" of "2.6亿元": the scale is there, and no other currency is claimed
        return self.kind is other.kind or (self.kind in COUNTED and other.kind in COUNTED)
