"""How dates are written. A date is a period only where one of the stored kinds ends on it; others are unreadable."""

import re
from datetime import date
from typing import Final

from contracts.codes import PeriodType
from domain.periods.atoms import Clock, Fixed, Meaning, Unreadable
from domain.periods.calendar import period_ending
from domain.periods.forms import DIGIT, Start, form, unreadable
from domain.periods.words import (
    BLANK,
    COUNTS,
    MONTH_NAME,
    MONTH_STEMS,
    NOT_AFTER_WORD,
    NOT_BEFORE_WORD,
    NUMBER_LEFT,
    YEAR,
    month_of,
)
from domain.periods.years import named_year

_DURATIONS: Final = (
    ("半年", 6),
    ("half", 6),
    ("semestre", 6),
    ("quarter", 3),
    ("trimestre", 3),
    ("季度", 3),
    ("year", 12),
    ("anno", 12),
    ("esercizio", 12),
    ("年度", 12),
    ("财年", 12),
)
"""Half years before years: the word for a half year may hold the one for a year."""


def _months_of(phrase: str | None) -> int | None:
    """How many months a phrase such as `nine months ended` or `止年度` spans; None where it says none."""
    counted = re.search(r"(\d{1,2}|[a-z]{2,7}|[二三六九])[ -]?(?:month|mesi|个月)", phrase or "")
    if counted:
        return int(counted[1]) if counted[1].isdigit() else COUNTS.get(counted[1])
    return next((months for word, months in _DURATIONS if word in (phrase or "")), None)


def _date(match: re.Match[str], clock: Clock) -> Meaning:
    phrases = match.groupdict()
    months = _months_of(phrases.get("lead")) or _months_of(phrases.get("tail"))
    return _ending(int(match["y"]), month_of(match["m"]), int(match["d"]), months, clock)


def _numeric_date(match: re.Match[str], clock: Clock) -> Meaning:
    first, second = int(match["m"]), int(match["d"])
    day, month = (first, second) if first > 12 else (second, first)
    return _ending(int(match["y"]), month, day, _months_of(match["lead"]), clock)


def _month_end(match: re.Match[str], clock: Clock) -> Meaning:
    year, month = int(match["y"]), month_of(match["m"])
    months = _months_of(match["lead"])
    first_of_next = date(year + month // 12, month % 12 + 1, 1)
    last = date.fromordinal(first_of_next.toordinal() - 1)
    return _ending(last.year, last.month, last.day, months, clock)


def _ending(year: int, month: int, day: int, months: int | None, clock: Clock) -> Meaning:
    try:
        end = date(year, month, day)
    except ValueError:
        return Unreadable()
    period = period_ending(end, months or 12, clock.calendar, exact=months is None)
    if period is None:
        return Unreadable()
    if period.type is PeriodType.FY:
        return named_year(int(period.value), fiscal=True)
    return Fixed((period,))


_LEAD_EN: Final = (
    r"(?:(?:fiscal |financial )?years?|(?:fiscal )?quarters?|half[ -]years?"
    r"|(?:three|six|nine|twelve|3|6|9|12)[ -]months?(?: periods?)?) (?:period )?(?:ended|ending) (?:on |in )?"
)
_LEAD_IT: Final = (
    r"(?:anno|esercizio|semestre|trimestre|(?:tre|sei|nove|dodici) mesi) "
    r"(?:chiuso|terminato|chiusi|terminati) (?:al |il |a )?"
)
_LEAD: Final = rf"(?P<lead>{NOT_AFTER_WORD}(?:{_LEAD_EN}|{_LEAD_IT}))"
_TAIL_ZH: Final = r"(?P<tail>止?的?(?:财政年度|会计年度|年度|财年|[三六九369]个月|半年度?|季度))?"
_DAY: Final = r"(?P<d>[0-3]?\d)"
_Y: Final = rf"(?P<y>{YEAR})(?!\d)"

DATE_FORMS: Final = (
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})(?P<s>[-/.])(?P<m>[01]?\d)(?P=s){_DAY}(?!\d){_TAIL_ZH}", _date, ("-", "/", ".")),
    form(
        rf"{NUMBER_LEFT}(?P<y>{YEAR}){BLANK}年{BLANK}(?P<m>[01]?\d){BLANK}月{BLANK}{_DAY}(?!\d)[日号]?{_TAIL_ZH}",
        _date,
        "年",
        "月",
    ),
    form(
        rf"{_LEAD}?{NOT_AFTER_WORD}(?P<m>{MONTH_NAME}) {_DAY}(?:st|nd|rd|th)?(?:,? |,){_Y}",
        _date,
        DIGIT,
        MONTH_STEMS,
        start=Start.WORD,
    ),
    form(
        rf"{_LEAD}?{NUMBER_LEFT}{_DAY}(?:st|nd|rd|th|°)? (?:of )?(?P<m>{MONTH_NAME}),? {_Y}",
        _date,
        DIGIT,
        MONTH_STEMS,
        start=Start.NUMBER_OR_WORD,
    ),
    form(
        rf"{_LEAD}?{NUMBER_LEFT}(?P<m>[0-3]?\d)(?P<s>[/.]){_DAY}(?P=s){_Y}",
        _numeric_date,
        DIGIT,
        ("/", "."),
        start=Start.NUMBER_OR_WORD,
    ),
    form(rf"{_LEAD}(?P<m>{MONTH_NAME}) {_Y}", _month_end, DIGIT, MONTH_STEMS, start=Start.WORD),
    form(rf"{NOT_AFTER_WORD}{MONTH_NAME} [0-3]?\d(?:st|nd|rd|th)?(?![\d])", unreadable, DIGIT, MONTH_STEMS),
    form(rf"{NUMBER_LEFT}[0-3]?\d(?:st|nd|rd|th|°)? (?:of )?{MONTH_NAME}{NOT_BEFORE_WORD}", unreadable, MONTH_STEMS),
    form(rf"(?<!\d)[01]?\d{BLANK}月{BLANK}[0-3]?\d(?!\d)[日号]?", unreadable, DIGIT, "月"),
)
