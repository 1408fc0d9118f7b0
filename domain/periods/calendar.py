"""Fiscal arithmetic: which period a date, a month or an offset falls into.

Years, halves and quarters are fiscal and carry the fiscal year's label; months are always calendar months. All of it is
pure: `today` is a parameter.
"""

from calendar import monthrange
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from contracts.codes import PeriodType
from contracts.v1.periods import Period
from domain.profile import FiscalCalendar, FiscalYearLabel

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2099
_YEAR_END_TOLERANCE: Final = timedelta(days=7)
"""A 52/53-week year ends up to a week away from the end of the month."""

_MONTHS_IN: Final = {PeriodType.FY: 12, PeriodType.HY: 6, PeriodType.QUARTER: 3, PeriodType.MONTH: 1, PeriodType.YTD: 3}
_MONTHS: Final = 12
_PER_YEAR: Final = {PeriodType.HY: 2, PeriodType.QUARTER: 4, PeriodType.MONTH: _MONTHS}
_REMEMBERED_PERIODS: Final = 1_024
_RANK: Final = {kind: rank for rank, kind in enumerate(_MONTHS_IN)}


def _label_shift(calendar: FiscalCalendar) -> int:
    """How many years the label of a fiscal year is ahead of the calendar year in which it starts."""
    return 1 if calendar.start_month > 1 and calendar.label is FiscalYearLabel.END else 0


def fiscal_year_of(today: date, calendar: FiscalCalendar) -> int:
    """The label of the fiscal year that `today` belongs to."""
    return _label_of(today.year, today.month, calendar)


def _label_of(year: int, month: int, calendar: FiscalCalendar) -> int:
    started = year if month >= calendar.start_month else year - 1
    return started + _label_shift(calendar)


def last_complete_fiscal_year(today: date, calendar: FiscalCalendar) -> Period:
    """The fiscal year before the one that `today` belongs to."""
    return year_period(fiscal_year_of(today, calendar) - 1)


@lru_cache(maxsize=_REMEMBERED_PERIODS)
def year_period(label: int) -> Period:
    """A whole fiscal year."""
    return Period(type=PeriodType.FY, value=_four_digits(label))


@lru_cache(maxsize=_REMEMBERED_PERIODS)
def part_period(kind: PeriodType, label: int, ordinal: int) -> Period:
    """A half, quarter or year-to-date period of a fiscal year."""
    written = {PeriodType.HY: f"H{ordinal}", PeriodType.QUARTER: f"Q{ordinal}", PeriodType.YTD: f"Q{ordinal}YTD"}[kind]
    return Period(type=kind, value=f"{_four_digits(label)}{written}")


@lru_cache(maxsize=_REMEMBERED_PERIODS)
def month_period(year: int, month: int) -> Period:
    """A calendar month."""
    return Period(type=PeriodType.MONTH, value=f"{_four_digits(year)}M{month:02d}")


def _four_digits(year: int) -> str:
    """A year as periods write it; days at either end of the calendar have no year beyond it."""
    return f"{min(max(year, 0), 9999):04d}"


def quarter_of(today: date, calendar: FiscalCalendar) -> int:
    """The running number of the fiscal quarter of `today`: four times the fiscal year's label, plus 0 to 3."""
    months = (today.month - calendar.start_month) % 12
    return fiscal_year_of(today, calendar) * 4 + months // 3


def quarter_period(running: int) -> Period:
    """The quarter of a running number of `quarter_of`."""
    return part_period(PeriodType.QUARTER, running // 4, running % 4 + 1)


def civil_year_of_month(label: int, month: int, calendar: FiscalCalendar) -> int:
    """The calendar year in which a month of a fiscal year lies."""
    started = label - _label_shift(calendar)
    return started if month >= calendar.start_month else started + 1


def period_of_months(year: int, month: int, count: int, calendar: FiscalCalendar) -> Period | None:
    """The period that is exactly `count` calendar months from `month` of `year`; None where there is none."""
    label = _label_of(year, month, calendar)
    offset = (month - calendar.start_month) % 12
    match count:
        case 1:
            return month_period(year, month)
        case 3 if offset % 3 == 0:
            return part_period(PeriodType.QUARTER, label, offset // 3 + 1)
        case 6 if offset % 6 == 0:
            return part_period(PeriodType.HY, label, offset // 6 + 1)
        case 9 if offset == 0:
            return part_period(PeriodType.YTD, label, 3)
        case 12 if offset == 0:
            return year_period(label)
        case _:
            return None


def period_ending(end: date, months: int, calendar: FiscalCalendar, *, exact: bool) -> Period | None:
    """The period of `months` months that ends on a date; unless `exact`, within a week of it (52/53-week years)."""
    nearest = _month_end_near(end)
    if nearest != end and (exact or abs(nearest - end) > _YEAR_END_TOLERANCE):
        return None
    first = nearest.year * 12 + nearest.month - months
    return period_of_months(first // 12, first % 12 + 1, months, calendar)


def _month_end_near(day: date) -> date:
    before = day.replace(day=1) - timedelta(days=1)
    after = day.replace(day=monthrange(day.year, day.month)[1])
    return before if day - before < after - day else after


def shift_years(period: Period, by: int) -> Period:
    """The same part of another year."""
    return Period(type=period.type, value=f"{_four_digits(int(period.value[:4]) + by)}{period.value[4:]}")


def year_before(period: Period) -> Period | None:
    """The same period of the year before; None where no year comes before."""
    return shift_years(period, -1) if int(period.value[:4]) else None


def period_before(period: Period) -> Period | None:
    """The half, quarter or month directly before; None for a kind without one, and at the start of the calendar."""
    per_year = _PER_YEAR.get(period.type)
    if per_year is None:
        return None
    running = int(period.value[:4]) * per_year + int(period.value[5:]) - 2
    if running < 0:
        return None
    label, ordinal = running // per_year, running % per_year + 1
    return month_period(label, ordinal) if per_year == _MONTHS else part_period(period.type, label, ordinal)


def period_sort_key(period: Period) -> tuple[int, int, int]:
    """Orders periods by year, then by where they end in it, then from the longest kind to the shortest.

    Meant for periods of one kind and one fiscal calendar.
    """
    digits = period.value[5:].removesuffix("YTD")
    ends = int(digits) * _MONTHS_IN[period.type] if digits else _MONTHS_IN[PeriodType.FY]
    return int(period.value[:4]), ends, _RANK[period.type]
