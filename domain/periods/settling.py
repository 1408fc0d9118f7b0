"""The last step: parts without a year take the one that is named, and what counts from a named period is counted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from contracts.codes import PeriodType
from contracts.v1.periods import Period
from domain.periods.atoms import Clock, SamePeriod, Step, Year, expand_years
from domain.periods.calendar import fiscal_year_of, month_period, quarter_period, shift_years
from domain.periods.units import Unit


@dataclass(frozen=True, slots=True)
class PeriodMention:
    """A stretch of the folded text and the periods it stands for.

    No periods: the text belongs to another mention (the year of `2024年集团上半年`), and is consumed with it.
    """

    periods: tuple[Period, ...]
    start: int
    end: int


_OPEN_ENDED: Final = re.compile(
    r"(?:(?<![a-z])(?:since|before|after|until|till|prior to|earlier than|later than|dopo il|prima del|dal) |[从自])$"
)
_AND: Final = re.compile(
    r"(?:[和与及、,]|以及|还有|另外|此外|(?<![a-z])(?:and|plus|then|also|as well as|e|ed|anche|nonché"
    r"|vs\.?|versus|against|than|(?:compared|relative) (?:to|with|against)|rispetto (?:a|al|all['’]))"
    r"(?: (?:the|in|for|also|then|il|nel|per il))*) ?$"
)
_SENTENCE_END: Final = re.compile(r"[?!;。]|[.…](?: |$)")


def settle(units: Sequence[Unit], text: str, clock: Clock) -> tuple[PeriodMention, ...]:
    """The mentions in order; what cannot be settled is left out."""
    alive = [u for u in units if not u.dead and not _OPEN_ENDED.search(text[max(0, u.start - 14) : u.start])]
    parts = [u for u in alive if u.only_part and u.part and not u.part.needs_year]
    years = _years_for_parts(parts, alive, text, clock) if parts else ()
    if not years and len(alive) < len(units):
        parts = []
    mentions = [m for u in alive if (m := _mention(u, years, clock, absorbed=bool(parts and years))) is not None]
    late = [m for u in alive if u.late and (m := _counted(u, mentions)) is not None]
    return tuple(sorted((*mentions, *late), key=lambda m: m.start))


def _years_for_parts(parts: Sequence[Unit], alive: Sequence[Unit], text: str, clock: Clock) -> tuple[Year, ...]:
    """The years that parts without one belong to: the only ones named, else the current year; empty if unclear."""
    groups = [u for u in alive if u.only_years]
    named = [u for u in alive if u.whole]
    labels = {label for u in named for label in u.labels}
    if not groups and not named:
        return (Year(fiscal_year_of(clock.today, clock.calendar), clock.today.year),)
    if not groups:
        return named[0].years if len(labels) == 1 else ()
    if len(groups) > 1 or not labels <= groups[0].labels:
        return ()
    return () if any(_asked_apart(part, groups[0], text) for part in parts) else groups[0].years


def _asked_apart(part: Unit, group: Unit, text: str) -> bool:
    """Whether a part and a year are two questions: behind an `and`, or in two sentences."""
    first, later = sorted((part, group), key=lambda unit: unit.start)
    between = text[first.end : later.start]
    return bool(_AND.search(between[-24:]) or _SENTENCE_END.search(between))


def _mention(unit: Unit, years: tuple[Year, ...], clock: Clock, *, absorbed: bool) -> PeriodMention | None:
    if unit.late:
        return None
    if unit.fixed:
        return PeriodMention(unit.fixed, unit.start, unit.end)
    if unit.only_years:
        periods = () if absorbed else expand_years(unit.years, None, clock)
    elif unit.whole:
        periods = expand_years(unit.years, unit.part, clock)
    elif unit.part and not unit.part.needs_year and years:
        periods = expand_years(years, unit.part, clock)
    else:
        periods = None
    return None if periods is None else PeriodMention(periods, unit.start, unit.end)


def _counted(unit: Unit, mentions: Sequence[PeriodMention]) -> PeriodMention | None:
    """A period counted from the only one that is named; None where there is not exactly one."""
    bases = {period.value: period for mention in mentions for period in mention.periods}
    if len(bases) != 1:
        return None
    period = _from_base(unit, next(iter(bases.values())))
    return PeriodMention((period,), unit.start, unit.end) if period else None


def _from_base(unit: Unit, base: Period) -> Period | None:
    late = unit.late
    if late is None or isinstance(late, SamePeriod):
        return shift_years(base, -1)
    if late.step is Step.QUARTER and base.type is PeriodType.QUARTER:
        return quarter_period(int(base.value[:4]) * 4 + int(base.value[5:]) - 1 + late.by)
    if late.step is Step.MONTH and base.type is PeriodType.MONTH:
        months = int(base.value[:4]) * 12 + int(base.value[5:]) - 1 + late.by
        return month_period(months // 12, months % 12 + 1)
    return None
