"""How years and dates are written: patterns, each with the function that reads what it found.

A reader returns `None` where the text is no period at all (a stock code, a head count), and `Unreadable` where it is
one that cannot be honoured (`2019年初`, an arbitrary date): such text stays unconsumed and is asked back.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Final, NamedTuple

from contracts.codes import PeriodType
from domain.periods.atoms import Clock, Fixed, Meaning, Named, Part, Unreadable, Year, is_year
from domain.periods.calendar import period_ending
from domain.periods.words import (
    BLANK,
    COUNTS,
    DASH,
    MONTH_NAME,
    NOT_AFTER_WORD,
    NOT_BEFORE_WORD,
    TICK,
    YEAR,
    digits_of,
    month_of,
)
from domain.profile import FiscalYearLabel


class Form(NamedTuple):
    """One way of writing, and what it means."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], Clock], Meaning | None]


def form(pattern: str, read: Callable[[re.Match[str], Clock], Meaning | None]) -> Form:
    """A form from the text of its pattern."""
    return Form(re.compile(pattern), read)


# A number begins where no other number, word or sign of money runs into it: `2018,2019` and `Q1,2024` are lists,
# `2,024` is one number.
NUMBER_LEFT: Final = r"(?<![a-zà-öø-ÿ0-9_$€£¥#])(?<![a-z]-)(?<!\d\.)" + "".join(
    rf"(?<!(?<![\dqh])\d{{{n}}}[,\-])" for n in (1, 2, 3)
)
_MEASURE_ZH: Final = (
    r"[万亿千百]?(?:元(?!祖)|美元|港元|欧元|人(?![寿民福])|名(?=[员职人股客学研技销])|个(?![人股])|家(?![电居具乐庭联])"
    r"|户|股(?![本东份票价权息])|吨|台(?![湾州积])|件|次(?![年新])|号|位|倍|块|辆|套|米(?!其)|公里|平方)"
)
_MEASURE_EN: Final = (
    r"(?:employees|people|persons|units|stores|dollars|euros?|usd|rmb|cny|hkd|million|billion|thousand|percent|pcs)"
    + NOT_BEFORE_WORD
)
YEAR_RIGHT: Final = (
    r"(?![0-9a-z_%])(?!\.\d)(?!,\d{1,3}(?!\d))(?!-(?!fy)[a-z])(?![-/](?!(?:19|20)\d\d(?!\d))\d)"
    rf"(?!{BLANK}{_MEASURE_ZH})(?! {{0,2}}{_MEASURE_EN})"
)
_NUMBERED: Final = (
    "no.",
    "no",
    "nr.",
    "nr",
    "number",
    "version",
    "code",
    "room",
    "iso",
    "第",
    "代码",
    "编号",
    "型号",
    "版本",
)

_ZH_TAIL: Final = (
    r"(?:年报(?!告)|(?:年度|年?财年|年?财政年度|年?会计年度|年)"
    r"(?:的?(?:年度报告|年度财务报告|年度财报|年度|年报|年末|年底|年终|财报|报告(?!期)|报告期内?末?|全年度?|末|底|终(?!止)))?)"
)
_ZH_OPEN: Final = (
    r"年度?(?:代(?![理销码工建收付扣])|版(?![权块])|以来|以前|之前|以后|之后|初(?![始级灵])|开始|起(?![重诉])|至今|迄今|前后"
    r"|间(?!接)|[前后](?=[的,。 ?]|$))"
)
_FISCAL_ZH: Final = re.compile("财|会计")


def two_digit_year(digits: str) -> int:
    """The year that two digits mean: 1970 to 2069."""
    return int(digits) + (2000 if int(digits) < 70 else 1900)


def _number(digits: str) -> int:
    return int(digits) if len(digits) == 4 else two_digit_year(digits)


def named_year(number: int, *, fiscal: bool = False, marked: bool = True) -> Named:
    """A year alone."""
    return Named(years=(Year(number, None if fiscal else number, marked),))


def _bare(match: re.Match[str], _: Clock) -> Meaning | None:
    if match.string[max(0, match.start() - 9) : match.start()].rstrip().endswith(_NUMBERED):
        return None
    return named_year(int(match["y"]), marked=False)


def _marked(match: re.Match[str], _: Clock) -> Meaning | None:
    return named_year(int(match["y"]), fiscal=_FISCAL_ZH.search(match[0]) is not None)


def _english(match: re.Match[str], _: Clock) -> Meaning | None:
    return named_year(_number(match["y"]), fiscal=re.search("f(?:y|isc|inan)|esercizio", match[0]) is not None)


def _calendar(match: re.Match[str], clock: Clock) -> Meaning:
    return named_year(int(match["y"])) if clock.calendar.start_month == 1 else Unreadable()


def unreadable(_match: re.Match[str], _clock: Clock) -> Meaning:
    """For forms that never can be honoured."""
    return Unreadable()


def _two_digits(match: re.Match[str], clock: Clock) -> Meaning | None:
    numbers = [2000 + int(n) for n in re.findall(r"\d\d", match[0])]
    if max(numbers) > clock.today.year + 5:
        return None
    if re.search(rf"{DASH}|至|到", match[0]):
        if len(numbers) != 2 or numbers[0] >= numbers[1]:
            return Unreadable()
        numbers = list(range(numbers[0], numbers[1] + 1))
    return Named(years=tuple(Year(n, n, marked=True) for n in numbers))


def _numerals(match: re.Match[str], _: Clock) -> Meaning | None:
    number = int(digits_of(match["y"]))
    return named_year(number, fiscal=_FISCAL_ZH.search(match[0]) is not None) if is_year(number) else None


def _split(match: re.Match[str], clock: Clock) -> Meaning:
    """`2018/19`, `2018-20`, `2024-10`: a year over two calendar years, a range, or a month, where only one fits."""
    first, fiscal = _number(match["y"]), bool(match["fy"])
    last = first // 100 * 100 + int(match["z"])
    if last == first + 1 and clock.calendar.start_month > 1:
        return named_year(last if clock.calendar.label is FiscalYearLabel.END else first, fiscal=True)
    month = int(match["z"]) if not fiscal and not match["mark"] and 1 <= int(match["z"]) <= 12 else None
    if match["sep"] != "/" and last > first + (0 if match["mark"] else 1) and not month:
        return Named(years=tuple(Year(n, None if fiscal else n, bool(match["mark"])) for n in range(first, last + 1)))
    if month and (last < first or (match["sep"] == "/" and last != first + 1)):
        return _month(first, month)
    return Unreadable()


def _month(year: int, month: int) -> Named:
    return Named(years=(Year(year, year),), part=Part(PeriodType.MONTH, (month,)), tight=True)


def _two_years(match: re.Match[str], clock: Clock) -> Meaning | None:
    """`2023/2024`: one fiscal year over two calendar years where the fiscal year is one, else two years."""
    first, last = int(match["y"]), int(match["z"])
    if last == first + 1 and clock.calendar.start_month > 1:
        return named_year(last if clock.calendar.label is FiscalYearLabel.END else first, fiscal=True)
    return Named(years=(Year(first, first), Year(last, last)))


def _slashed_month(match: re.Match[str], _: Clock) -> Meaning:
    return _month(int(match["y"]), int(match["m"]))


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
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})(?P<s>[-/.])(?P<m>[01]?\d)(?P=s){_DAY}(?!\d){_TAIL_ZH}", _date),
    form(
        rf"{NUMBER_LEFT}(?P<y>{YEAR}){BLANK}年{BLANK}(?P<m>[01]?\d){BLANK}月{BLANK}{_DAY}(?!\d)[日号]?{_TAIL_ZH}", _date
    ),
    form(rf"{_LEAD}?{NOT_AFTER_WORD}(?P<m>{MONTH_NAME}) {_DAY}(?:st|nd|rd|th)?(?:,? |,){_Y}", _date),
    form(rf"{_LEAD}?{NUMBER_LEFT}{_DAY}(?:st|nd|rd|th|°)? (?:of )?(?P<m>{MONTH_NAME}),? {_Y}", _date),
    form(rf"{_LEAD}?{NUMBER_LEFT}(?P<m>[0-3]?\d)(?P<s>[/.]){_DAY}(?P=s){_Y}", _numeric_date),
    form(rf"{_LEAD}(?P<m>{MONTH_NAME}) {_Y}", _month_end),
    form(rf"{NOT_AFTER_WORD}{MONTH_NAME} [0-3]?\d(?:st|nd|rd|th)?(?![\d])", unreadable),
    form(rf"{NUMBER_LEFT}[0-3]?\d(?:st|nd|rd|th|°)? (?:of )?{MONTH_NAME}{NOT_BEFORE_WORD}", unreadable),
    form(rf"(?<!\d)[01]?\d{BLANK}月{BLANK}[0-3]?\d(?!\d)[日号]?", unreadable),
)

_FISCAL_EN: Final = r"(?:fiscal|financial)(?: year)?(?: of| ended| ending| end)?"
_YEAR_EN: Final = r"(?:full[ -])?years?[ -](?:end(?:ed|ing)?[ -])?(?:of |in |at )?"
_END_EN: Final = r"end of (?:the )?(?:fiscal |financial )?(?:year )?"
_YEAR_IT: Final = r"(?:anno|esercizio)(?: (?:fiscale|finanziario|contabile|chiuso nel))? (?:del )?"
_END_IT: Final = r"fine (?:anno |esercizio |del |dell['’](?:anno|esercizio) )?"
_VAGUE: Final = (
    r"(?:early|late|mid|beginning of|start of|middle of|inizio|metà)[ -](?:the |del |anno |fiscal |year ){0,2}"
)

YEAR_FORMS: Final = (
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR}){YEAR_RIGHT}", _bare),
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR}){BLANK}{_ZH_TAIL}", _marked),
    form(rf"{NUMBER_LEFT}(?:{YEAR}|\d\d){BLANK}{_ZH_OPEN}", unreadable),
    form(rf"{NUMBER_LEFT}{YEAR}(?:s| onwards?| ytd| year[ -]to[ -]date| to date){NOT_BEFORE_WORD}", unreadable),
    form(rf"{NOT_AFTER_WORD}(?:ytd|year[ -]to[ -]date) {YEAR}(?!\d)", unreadable),
    form(
        rf"{NUMBER_LEFT}(?P<y>{YEAR})(?:[ -](?:fiscal|financial) year(?:[ -]end)?| ?fy| full[ -]year| year[ -]?end"
        rf"| annual report| 10-?k){NOT_BEFORE_WORD}",
        _english,
    ),
    form(rf"{NOT_AFTER_WORD}fy{BLANK}{TICK}?(?P<y>{YEAR}|\d\d){YEAR_RIGHT}(?:{BLANK}{_ZH_TAIL})?", _english),
    form(rf"{NOT_AFTER_WORD}{_FISCAL_EN} (?:(?P<t>{TICK})?)(?P<y>(?(t)(?:{YEAR}|\d\d)|{YEAR})){YEAR_RIGHT}", _english),
    form(rf"{NOT_AFTER_WORD}(?:{_YEAR_EN}|{_END_EN}|{_YEAR_IT}|{_END_IT})(?P<y>{YEAR}){YEAR_RIGHT}", _english),
    form(rf"{NOT_AFTER_WORD}{_VAGUE}{YEAR}(?!\d)", unreadable),
    form(rf"{NOT_AFTER_WORD}(?:calendar year |cy ?)(?P<y>{YEAR}){YEAR_RIGHT}", _calendar),
    form(rf"财年{BLANK}(?P<y>{YEAR}){YEAR_RIGHT}", _marked),
    form(
        rf"{NUMBER_LEFT}(?<![近过去前未来后每历满达第共续了约几十两这])\d\d(?:{BLANK}(?:[、,和与及至到]|{DASH}){BLANK}\d\d){{0,4}}{BLANK}"
        rf"{_ZH_TAIL}(?![来间内期多债]|以上|以下|左右|历史|经验|国债|保修|贷款)",
        _two_digits,
    ),
    form(
        rf"(?<![〇零○一二三四五六七八九十百千\d])(?P<y>[一二][九〇零○0][〇零○一二三四五六七八九0]{{2}})"
        rf"(?![〇零○一二三四五六七八九十百千万亿\d])(?:{BLANK}{_ZH_TAIL})?",
        _numerals,
    ),
    form(
        rf"(?:{NOT_AFTER_WORD}(?P<fy>fy|fiscal(?: year)?){BLANK}{TICK}?(?P<y2>))?(?(fy)|{NUMBER_LEFT})"
        rf"(?P<y>{YEAR}|(?(fy)\d\d|(?!)))(?P<sep>{DASH}|/)(?P<z>\d\d)(?![\d/.月]|-\d)(?P<mark>年度?)?",
        _split,
    ),
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})/(?P<z>{YEAR}){YEAR_RIGHT}(?!/)", _two_years),
    form(rf"{NUMBER_LEFT}(?P<m>0?[1-9]|1[0-2])/(?P<y>{YEAR})(?![\d/])", _slashed_month),
)
