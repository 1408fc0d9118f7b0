"""`今天是2021年12月24日`, `as of today, 24 December 2021`, `oggi è il 24/12/2021`: which day a question calls today.

Such a day is what relative words count from, and nothing else: it is no period, and no date of a figure. A day that can
be read in two ways is none, nor is one that the calendar does not have.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from domain.periods.words import BLANK, MONTH_NAME, NOT_AFTER_WORD, YEAR, month_of

_Y: Final = rf"(?P<y>{YEAR})(?!\d)"
_D: Final = r"(?P<d>[0-3]?\d)"
_ISO: Final = re.compile(rf"{_Y}([-/.])(?P<m>[01]?\d)\2{_D}(?!\d)")
_ZH: Final = re.compile(rf"{_Y}{BLANK}年{BLANK}(?P<m>[01]?\d){BLANK}月{BLANK}{_D}(?!\d){BLANK}[日号]?")
_DAY_FIRST: Final = re.compile(rf"{_D}(?:st|nd|rd|th|°|º)?(?: of)? (?P<m>{MONTH_NAME}),? {_Y}")
_MONTH_FIRST: Final = re.compile(rf"(?P<m>{MONTH_NAME}) {_D}(?:st|nd|rd|th)?,? {_Y}")
_NUMERIC: Final = re.compile(rf"(?P<a>[0-3]?\d)([/.])(?P<b>[0-3]?\d)\2{_Y}")
_DATES: Final = (_ISO, _ZH, _DAY_FIRST, _MONTH_FIRST, _NUMERIC)

_WEEKDAY: Final = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica),? "
)
_LEADS: Final = (
    (
        re.compile(
            r"(?:假设|假定|假如|如果|已知|截至|截止)?到?(?:今天|今日|当前日期|当前时间|现在)(?:的?日期)?(?:是|为|:)?"
            r"[ (,]{0,2}"
        ),
        ("今天", "今日", "当前", "现在"),
    ),
    (
        re.compile(
            rf"{NOT_AFTER_WORD}(?:(?:assume|assuming|suppose|supposing|given) (?:that )?)?(?:as (?:of|at) )?"
            rf"(?:today(?:['’]s date)?|(?:the )?current date)(?: is| being)?[ ,(:]{{1,3}}(?:{_WEEKDAY})?(?:the )?"
        ),
        ("today", "current date"),
    ),
    (
        re.compile(
            rf"{NOT_AFTER_WORD}(?:(?:supponendo|supponi|assumendo|ipotizzando) che )?(?:ad? )?"
            rf"(?:oggi|(?:la )?data (?:di oggi|odierna|corrente))(?: è| e['’]| sia)?[ ,(:]{{1,3}}(?:{_WEEKDAY})?"
            r"(?:il )?(?:giorno )?"
        ),
        ("oggi", "data odierna", "data corrente"),
    ),
)
"""Each with the words of which every text that it reads contains one."""
_TAIL: Final = re.compile(r" ?\(?(?:(?:星期|周)[一二三四五六日天])?\)?")


def find_today(view: str) -> tuple[date, tuple[tuple[int, int], ...]] | None:
    """The one day that a matching view says is today, and where it says so; None where there is none, or two."""
    found = list(_statements(view))
    days = {day for day, _ in found}
    return (days.pop(), tuple(span for _, span in found)) if len(days) == 1 else None


def _statements(view: str) -> Iterator[tuple[date, tuple[int, int]]]:
    for lead, words in _LEADS:
        for found in lead.finditer(view) if any(word in view for word in words) else ():
            written = next((m for pattern in _DATES if (m := pattern.match(view, found.end()))), None)
            day = _day(written) if written else None
            if written and day:
                tail = _TAIL.match(view, written.end())
                yield day, (found.start(), tail.end() if tail else written.end())


def _day(written: re.Match[str]) -> date | None:
    parts = written.groupdict()
    if "m" in parts:
        return _of_calendar(int(parts["y"]), month_of(parts["m"]), int(parts["d"]))
    first, second = int(parts["a"]), int(parts["b"])
    if first != second and max(first, second) <= 12:
        return None
    day, month = (second, first) if second > 12 else (first, second)
    return _of_calendar(int(parts["y"]), month, day)


def _of_calendar(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
