"""Which passages a question is about, as terms of the index: by entity and by period.

A passage of no entity is about every entity, one of no period about every period. A period covers its parts: who asks
for a year wants to know of its quarters too. The other way round nothing is covered, and no entity covers another.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ANY: Final = "*"
"""The term of a passage that is about every entity, or every period."""

_PARTS: Final = re.compile(r"(\d{4})(?:H([12])|Q([1-4])(YTD)?)?")


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be searched; empty parts exclude nothing."""

    entities: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    newest: Mapping[str | None, str] = field(default_factory=dict[str | None, str])
    """By entity, and under None for passages of no entity: the one period that counts. Empty: not asked for."""

    @property
    def is_open(self) -> bool:
        """Whether every passage is in it."""
        return not (self.entities or self.periods or self.newest)


def term(code: str) -> str:
    """An entity or period as a term; no code can be mistaken for `ANY`."""
    return f"={code}"


def entity_term(entity: str | None) -> str:
    """The term under which a passage of that entity stands."""
    return ANY if entity is None else term(entity)


def period_terms(period: str | None) -> list[str]:
    """The terms under which a passage of that period stands: the period, and those of which it is a part."""
    return [ANY] if period is None else [term(covering) for covering in covering_periods(period)]


def covering_periods(period: str) -> list[str]:
    """A stored period and the longer ones that hold it. A month is of the calendar, so no fiscal period holds it."""
    found = _PARTS.fullmatch(period)
    if found is None:
        return [period]
    year, half, quarter, to_date = found.groups()
    covering = [period]
    if quarter and not to_date:
        covering.append(f"{year}H{(int(quarter) + 1) // 2}")
    if half or quarter:
        covering.append(year)
    return covering


def parts_of(period: str) -> list[str]:
    """A stored period and those that it holds: the other way round of `covering_periods`."""
    found = _PARTS.fullmatch(period)
    if found is None or found[3]:
        return [period]
    year, half = found[1], found[2]
    if half:
        return [period, *(f"{year}Q{quarter}" for quarter in ((1, 2) if half == "1" else (3, 4)))]
    quarters = [f"{year}Q{quarter}" for quarter in range(1, 5)]
    return [period, f"{year}H1", f"{year}H2", *quarters, *(f"{quarter}YTD" for quarter in quarters)]
