"""Neighbours become one: a part with its year, lists with a shared head, ranges.

Where neighbours allow two readings (`2023年和2024年上半年`) both stay unconsumed. One pass per rule, neighbours only.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from contracts.codes import PeriodType
from domain.fold import is_ideographic
from domain.periods.atoms import MonthSpan, Part, Year
from domain.periods.calendar import part_period
from domain.periods.units import Gap, Unit, gap_between
from domain.periods.words import CJK_DIGITS

Joiner = Callable[[str, Unit, Unit], tuple[Unit, ...] | None]


def join_units(units: Sequence[Unit], text: str) -> list[Unit]:
    """Tie parts to years first, then read lists and ranges."""
    for joiner in (_tie, _join):
        units = _pass(units, text, joiner)
    return list(units)


def _pass(units: Sequence[Unit], text: str, joiner: Joiner) -> list[Unit]:
    out: list[Unit] = []
    for unit in units:
        joined = joiner(text, out[-1], unit) if out and not (out[-1].dead or unit.dead) else None
        if joined is None:
            out.append(unit)
        else:
            out[-1:] = joined
    return out


def _tie(text: str, left: Unit, right: Unit) -> tuple[Unit, ...] | None:
    gap = gap_between(text, left, right)
    if left.only_years and right.only_part and gap is Gap.TIE:
        return (replace(left, end=right.end, part=right.part),)
    if left.only_part and right.only_years and gap in {Gap.TIE, Gap.PREPOSITION}:
        shared = gap is Gap.PREPOSITION
        joined = replace(left, end=right.end, years=right.years, part_first=True, shared=shared)
        return (replace(joined, relative=right.relative),)
    return None


def _join(text: str, left: Unit, right: Unit) -> tuple[Unit, ...] | None:
    match gap_between(text, left, right):
        case Gap.LIST:
            return _listed(text, left, right)
        case Gap.RANGE:
            return _ranged(text, left, right)
        case _:
            return None


def _both(left: Unit, right: Unit) -> tuple[Unit, ...]:
    """Neither can be read safely."""
    return replace(left, dead=True), replace(right, dead=True)


def _listed(text: str, left: Unit, right: Unit) -> tuple[Unit, ...] | None:
    if left.only_years and right.only_years:
        return (replace(left, end=right.end, years=left.years + right.years),)
    if left.only_part and (right.only_part or (right.whole and right.part_first)):
        return _parts_before(left, right)
    if left.whole and right.only_part:
        return _parts_after(left, right)
    if left.only_years and right.whole:
        return _years_before_a_part(text, left, right)
    if left.whole and right.only_years:
        return _years_after_a_part(left, right)
    if (left.only_years and right.only_part) or (left.only_part and right.only_years):
        return tuple(replace(unit, dead=unit.only_part) for unit in (left, right))
    return None


def _merged(left: Unit, right: Unit) -> Part | None:
    """Both parts as one, where they are of one kind."""
    one, other = left.part, right.part
    if isinstance(one, Part) and isinstance(other, Part) and one.kind is other.kind:
        return replace(one, ordinals=one.ordinals + other.ordinals, needs_year=one.needs_year or other.needs_year)
    return None


def _parts_before(left: Unit, right: Unit) -> tuple[Unit, ...] | None:
    """`Q1 and Q2 2024`: the year behind the last part holds for all."""
    part = _merged(left, right)
    if part is None:
        return (replace(left, years=right.years), right) if right.whole else None
    return (replace(right, start=left.start, part=part),)


def _parts_after(left: Unit, right: Unit) -> tuple[Unit, ...]:
    """`2024年上半年和下半年`: the year before the first part holds for all."""
    part = _merged(left, right)
    if part is None:
        return left, replace(right, years=left.years)
    return (replace(left, end=right.end, part=part),)


def _years_before_a_part(text: str, left: Unit, right: Unit) -> tuple[Unit, ...] | None:
    """`2021、2022年上半年`: two halves; with a mark on the first year it could be a whole year."""
    if right.part_first or right.tight or left.labels == right.labels:
        return None
    if left.marked or not is_ideographic(text[right.end - 1]):
        return _both(left, right)
    return (replace(right, start=left.start, years=left.years + right.years),)


def _years_after_a_part(left: Unit, right: Unit) -> tuple[Unit, ...] | None:
    """`first quarter of 2018 and 2019`: two quarters; without the preposition it could be a quarter and a year."""
    if not left.part_first or left.tight or (right.marked and not left.shared):
        return None
    if not left.shared or (right.marked and not left.marked):
        return _both(left, right)
    return (replace(left, end=right.end, years=left.years + right.years),)


_FROM: Final = re.compile(r"(?:(?<![a-z])(?:from|between|da|dal|tra|tra il|fra|fra il) |[从自在])$")
_THESE: Final = re.compile(r"(?:之间|期间|年间)|[这共的]?([两二三四五六七八九十]|\d{1,2})年(?:之?间|期间)?")


# A change from one year to another is one between its two ends; a course over the years has all of them.
_CHANGE: Final = re.compile(
    r"chang|crease|creasing|differ|grow|declin|variazion|aument|crescit|diminu|增长|增加|增幅|减少|下降|变动|变化|差额|差异"
)
_COURSE: Final = re.compile(
    r"trend|over the|each|every|annual|average|andamento|media|趋势|每年|各年|逐年|历年|分别|平均"
)


def _ranged(text: str, left: Unit, right: Unit) -> tuple[Unit, ...] | None:
    if left.fixed or right.fixed or left.late or right.late:
        return None
    joined = _range_of(text, left, right)
    if joined is None:
        return _both(left, right)
    prefix = _FROM.search(text[max(0, joined.start - 10) : joined.start])
    suffix = _THESE.match(text, joined.end)
    start = joined.start - len(prefix[0]) if prefix else joined.start
    end = suffix.end() if suffix and _fits(suffix[1], joined) else joined.end
    if prefix and joined.only_years and _CHANGE.search(text) and not _COURSE.search(text):
        joined = replace(joined, years=(joined.years[0], joined.years[-1]))
    return (replace(joined, start=start, end=end),)


def _fits(count: str | None, joined: Unit) -> bool:
    """`2018至2020年三年`: the count says how many years the range has."""
    if count is None:
        return True
    number = int(count) if count.isdigit() else CJK_DIGITS[count]
    return joined.part is None and number == len(joined.years)


def _range_of(text: str, left: Unit, right: Unit) -> Unit | None:
    if left.only_years and len(right.years) == 1:
        shared_part = right.only_years or not (
            right.part_first or right.tight or left.marked or not is_ideographic(text[right.end - 1])
        )
        years = _years_between(left.years, right.years)
        return replace(right, start=left.start, years=years) if shared_part and years else None
    if left.whole and right.only_part:
        right = replace(right, years=left.years)
    if left.only_part and right.whole:
        left = replace(left, years=right.years)
    return _part_range(left, right)


def _years_between(left: tuple[Year, ...], right: tuple[Year, ...]) -> tuple[Year, ...] | None:
    """All years from one to the other, in the order named; a list on the left goes on from its last year."""
    first, last = left[-1], right[0]
    if first.label == last.label:
        return None
    marked = first.marked or last.marked
    civil = first.civil is not None and last.civil is not None
    step = 1 if first.label < last.label else -1
    between = (Year(n, n if civil else None, marked) for n in range(first.label, last.label + step, step))
    return (*left[:-1], *between)


_PER_YEAR: Final = {PeriodType.HY: 2, PeriodType.QUARTER: 4}


def _part_range(left: Unit, right: Unit) -> Unit | None:
    """From one half, quarter or month to another; months are taken together, the others one by one."""
    one, other = left.part, right.part
    if not (isinstance(one, Part) and isinstance(other, Part) and one.kind is other.kind):
        return None
    if max(len(one.ordinals), len(other.ordinals), len(left.years), len(right.years)) > 1:
        return None
    first, last = one.ordinals[0], other.ordinals[0]
    if left.labels == right.labels:
        return _within_a_year(left, right, one, first, last) if first < last else None
    if one.kind in _PER_YEAR and left.years and right.years:
        return _over_years(left, right, one.kind)
    return None


def _within_a_year(left: Unit, right: Unit, part: Part, first: int, last: int) -> Unit:
    if part.kind is PeriodType.MONTH:
        return replace(right, start=left.start, part=MonthSpan(first, last, part.needs_year))
    return replace(right, start=left.start, part=replace(part, ordinals=tuple(range(first, last + 1))))


def _over_years(left: Unit, right: Unit, kind: PeriodType) -> Unit | None:
    per_year = _PER_YEAR[kind]
    first, last = (
        unit.years[0].label * per_year + unit.part.ordinals[0] - 1
        for unit in (left, right)
        if isinstance(unit.part, Part)
    )
    periods = tuple(part_period(kind, n // per_year, n % per_year + 1) for n in range(first, last + 1))
    return Unit(left.start, right.end, fixed=periods) if periods else None
