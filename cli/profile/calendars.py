"""The fiscal calendar that the dates in source locators prove: `FY 2022` in a column of September 24, 2022."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Final

from cli.profile.tables import FactLine
from contracts.codes import PeriodType
from domain.periods.calendar import period_ending
from domain.profile import FiscalCalendar, FiscalYearLabel

_MONTHS: Final = {PeriodType.FY: 12, PeriodType.HY: 6, PeriodType.QUARTER: 3}
_COLUMN: Final = re.compile(r"(?:^|,)(?:col|column|period)=(?P<text>.*)$", re.DOTALL)
_ISO: Final = re.compile(r"(?<!\d)(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)")
_NAMES: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_WRITTEN: Final = re.compile(rf"\b(?P<m>{'|'.join(_NAMES)}) (?P<d>\d{{1,2}}), ?(?P<y>\d{{4}})\b", re.I)
_POSSIBLE: Final = (
    FiscalCalendar(),
    *(FiscalCalendar(start_month=month, label=label) for month in range(2, 13) for label in FiscalYearLabel),
)

Dated = tuple[PeriodType, str, date]


def calendars(facts: Iterable[FactLine], company: FiscalCalendar) -> Mapping[str, FiscalCalendar]:
    """The calendar of each entity whose dated figures fit exactly one, where that is not the company's."""
    by_entity: dict[str, set[Dated]] = defaultdict(set)
    for line in facts:
        by_entity[line.entity].update(_dated(line))
    found: dict[str, FiscalCalendar] = {}
    for entity, dated in by_entity.items():
        fitting = [calendar for calendar in _POSSIBLE if all(_fits(calendar, *figure) for figure in dated)]
        if len(fitting) == 1 and not all(_fits(company, *figure) for figure in dated):
            found[entity] = fitting[0]
    return found


def _dated(line: FactLine) -> Iterator[Dated]:
    """The period of a figure and the last day that its column names."""
    column = _COLUMN.search(line.locator)
    kind, value = line.scope[1], line.scope[2]
    if column is None or kind not in _MONTHS:
        return
    days = [*_days(column["text"])]
    if days:
        yield PeriodType(kind), value, max(days)


def _days(text: str) -> Iterator[date]:
    for found in _ISO.finditer(text):
        yield from _day(int(found["y"]), int(found["m"]), int(found["d"]))
    for found in _WRITTEN.finditer(text):
        yield from _day(int(found["y"]), _NAMES.index(found["m"].lower()) + 1, int(found["d"]))


def _day(year: int, month: int, day: int) -> Iterator[date]:
    try:
        yield date(year, month, day)
    except ValueError:
        return


def _fits(calendar: FiscalCalendar, kind: PeriodType, value: str, end: date) -> bool:
    period = period_ending(end, _MONTHS[kind], calendar, exact=False)
    return period is not None and (period.type, period.value) == (kind, value)
