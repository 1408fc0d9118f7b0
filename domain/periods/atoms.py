"""What a stretch of text can mean before its neighbours are looked at: a year, a part of one, or both."""

from dataclasses import dataclass
from datetime import date
from enum import Enum, auto

from contracts.codes import PeriodType
from contracts.v1.periods import Period
from domain.periods.calendar import (
    FIRST_YEAR,
    LAST_YEAR,
    civil_year_of_month,
    month_period,
    part_period,
    period_of_months,
    shift_years,
    year_period,
)
from domain.profile import FiscalCalendar


@dataclass(frozen=True, slots=True)
class Clock:
    """The day that relative words count from, and the fiscal calendar in force."""

    today: date
    calendar: FiscalCalendar


@dataclass(frozen=True, slots=True)
class Year:
    """A year by its fiscal label; `civil` is the calendar year of its months, None where the text says fiscal year."""

    label: int
    civil: int | None
    marked: bool = False
    """Written with a mark of its own, such as `年` or `FY`."""


@dataclass(frozen=True, slots=True)
class Part:
    """Parts of one kind of a year that is named elsewhere."""

    kind: PeriodType
    ordinals: tuple[int, ...]
    needs_year: bool = False
    """Reads as a period only beside a year."""

    def of(self, year: Year, clock: Clock) -> tuple[Period, ...] | None:
        """The periods that these parts are in that year."""
        if self.kind is PeriodType.FY:
            return (year_period(year.label),)
        if self.kind is not PeriodType.MONTH:
            return tuple(part_period(self.kind, year.label, n) for n in self.ordinals)
        return tuple(month_period(self._civil(year, n, clock), n) for n in self.ordinals)

    @staticmethod
    def _civil(year: Year, month: int, clock: Clock) -> int:
        return civil_year_of_month(year.label, month, clock.calendar) if year.civil is None else year.civil


@dataclass(frozen=True, slots=True)
class MonthSpan:
    """The months from `first` to `last` of one calendar year, taken together."""

    first: int
    last: int
    needs_year: bool = False

    def of(self, year: Year, clock: Clock) -> tuple[Period, ...] | None:
        """The one period that these months are; None where they are none."""
        civil = civil_year_of_month(year.label, self.first, clock.calendar) if year.civil is None else year.civil
        period = period_of_months(civil, self.first, self.last - self.first + 1, clock.calendar)
        return (period,) if period else None


class Step(Enum):
    """What a relative word counts in."""

    YEAR = auto()
    QUARTER = auto()
    MONTH = auto()


@dataclass(frozen=True, slots=True)
class Relative:
    """A year, quarter or month counted from today, or from the one that the question names.

    `anchored` words (`上年`, `prior year`) count from a named period where there is one; the others always mean today.
    """

    step: Step
    by: int
    anchored: bool = False
    needs_anchor: bool = False
    marked: bool = False
    """Says fiscal year."""


@dataclass(frozen=True, slots=True)
class Recent:
    """The last `count` complete years or quarters."""

    step: Step
    count: int


@dataclass(frozen=True, slots=True)
class SamePeriod:
    """The period that the question names, a year earlier."""


@dataclass(frozen=True, slots=True)
class Named:
    """A year, or a part of a year, or both written together."""

    years: tuple[Year, ...] = ()
    part: Part | MonthSpan | None = None
    part_first: bool = False
    """The part is written before the year."""
    tight: bool = False
    """Year and part are one token, so that nothing else can belong to either."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Periods that need nothing from their neighbours."""

    periods: tuple[Period, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Reads as a period, but as none that can be honoured: it stays unconsumed and hides what is inside it."""


Meaning = Named | Fixed | Relative | Recent | SamePeriod | Unreadable


@dataclass(frozen=True, slots=True)
class Atom:
    """A meaning and where it stands in the folded text."""

    start: int
    end: int
    meaning: Meaning


def a_year_earlier(period: Period) -> Period:
    """The same part of the year before."""
    return shift_years(period, -1)


def is_year(number: int) -> bool:
    """Whether a number can be a year."""
    return FIRST_YEAR <= number <= LAST_YEAR


def expand_years(years: tuple[Year, ...], part: Part | MonthSpan | None, clock: Clock) -> tuple[Period, ...] | None:
    """The periods of these parts of these years, year by year; None where one of them is no period."""
    if part is None:
        return tuple(year_period(year.label) for year in years)
    found: list[Period] = []
    for year in years:
        periods = part.of(year, clock)
        if periods is None:
            return None
        found += periods
    return tuple(found)
