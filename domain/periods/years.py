"""How years are written: patterns, each with the function that reads what it found.

A reader returns `None` where the text is no period at all (a stock code, a head count), and `Unreadable` where it is
one that cannot be honoured (`2019年初`, `2018/20`): such text stays unconsumed and is asked back.
"""

import re
from typing import Final

from contracts.codes import PeriodType
from domain.periods.atoms import Clock, Meaning, Named, Part, Unreadable, Year, is_year
from domain.periods.forms import DIGIT, Start, form, unreadable
from domain.periods.words import (
    BLANK,
    DASH,
    NOT_AFTER_WORD,
    NOT_BEFORE_WORD,
    NUMBER_LEFT,
    TICK,
    YEAR,
    YEAR_RIGHT,
    digits_of,
)
from domain.profile import FiscalYearLabel

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


def _midyear(match: re.Match[str], _: Clock) -> Meaning | None:
    """`2024年中`; in `在2019年中,` it frames the year."""
    text, start, end = match.string, *match.span()
    return None if text[max(0, start - 1) : start] == "在" and text[end : end + 1] == "," else Unreadable()


def _ticked(match: re.Match[str], clock: Clock) -> Meaning | None:
    year = two_digit_year(match["y"])
    return named_year(year) if year <= clock.today.year + 5 else None


# Prices of a year are no figures of it.
_MONEY_ZH: Final = r"(?:美元|港元|港币|欧元|人民币|币值|不变价|可比价|价格)"
_MONEY_EN: Final = r"(?:(?:us|hk|hong kong|constant|real|american) )?(?:dollars?|euros?|pounds?|prices)"
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
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR}){BLANK}{_ZH_TAIL}", _marked, "年"),
    form(rf"{NUMBER_LEFT}(?:{YEAR}|\d\d){BLANK}{_ZH_OPEN}", unreadable, "年"),
    form(rf"{NUMBER_LEFT}(?:{YEAR}|\d\d){BLANK}年{{1,2}}中(?![a-zà-ÿ0-9_]|(?!的)[一-鿿])", _midyear, "年中"),
    form(rf"{NUMBER_LEFT}{YEAR}{BLANK}年?的?{_MONEY_ZH}", unreadable, ("元", "币", "价")),
    form(rf"{NUMBER_LEFT}{YEAR} {_MONEY_EN}{NOT_BEFORE_WORD}", unreadable, ("dollar", "euro", "pound", "prices")),
    form(r"(?<![a-z0-9'’‘])['’‘](?P<y>[0-6]\d)(?![a-z0-9_%'’‘])", _ticked, ("'", "’", "‘")),
    form(
        rf"{NUMBER_LEFT}{YEAR}(?:s| onwards?| ytd| year[ -]to[ -]date| to date){NOT_BEFORE_WORD}",
        unreadable,
        ("s", "onward", "ytd", "to"),
    ),
    form(rf"{NOT_AFTER_WORD}(?:ytd|year[ -]to[ -]date) {YEAR}(?!\d)", unreadable, DIGIT, ("ytd", "date")),
    form(
        rf"{NUMBER_LEFT}(?P<y>{YEAR})(?:[ -](?:fiscal|financial) year(?:[ -]end)?| ?fy| full[ -]year| year[ -]?end"
        rf"| annual report| 10-?k){NOT_BEFORE_WORD}",
        _english,
        ("year", "fy", "report", "10"),
    ),
    form(
        rf"{NOT_AFTER_WORD}fy(?:{BLANK}|-){TICK}?(?P<y>{YEAR}|\d\d){YEAR_RIGHT}(?:{BLANK}{_ZH_TAIL})?",
        _english,
        DIGIT,
        "fy",
    ),
    form(
        rf"{NOT_AFTER_WORD}{_FISCAL_EN} (?:(?P<t>{TICK})?)(?P<y>(?(t)(?:{YEAR}|\d\d)|{YEAR})){YEAR_RIGHT}",
        _english,
        DIGIT,
        ("fiscal", "financial"),
    ),
    form(
        rf"{NOT_AFTER_WORD}(?:{_YEAR_EN}|{_END_EN}|{_YEAR_IT}|{_END_IT})(?P<y>{YEAR}){YEAR_RIGHT}",
        _english,
        DIGIT,
        ("year", "end", "anno", "esercizio", "fine"),
    ),
    form(rf"{NOT_AFTER_WORD}{_VAGUE}{YEAR}(?!\d)", unreadable, DIGIT, ("early", "late", "mid", "of", "inizio", "metà")),
    form(rf"{NOT_AFTER_WORD}(?:calendar year |cy ?)(?P<y>{YEAR}){YEAR_RIGHT}", _calendar, DIGIT, ("calendar", "cy")),
    form(rf"财年{BLANK}(?P<y>{YEAR}){YEAR_RIGHT}", _marked, DIGIT, "财年"),
    form(
        rf"{NUMBER_LEFT}(?<![近过去前未来后每历满达第共续了约几十两这])\d\d(?:{BLANK}(?:[、,和与及至到]|{DASH}){BLANK}\d\d){{0,4}}{BLANK}"
        rf"{_ZH_TAIL}(?![来间内期多债]|以上|以下|左右|历史|经验|国债|保修|贷款)",
        _two_digits,
        "年",
    ),
    form(
        rf"(?<![〇零○一二三四五六七八九十百千\d])(?P<y>[一二][九〇零○0][〇零○一二三四五六七八九0]{{2}})"
        rf"(?![〇零○一二三四五六七八九十百千万亿\d])(?:{BLANK}{_ZH_TAIL})?",
        _numerals,
        ("一", "二"),
        ("九", "〇", "零", "○", "0"),
    ),
    form(
        rf"(?:{NOT_AFTER_WORD}(?P<fy>fy|fiscal(?: year)?){BLANK}{TICK}?(?P<y2>))?(?(fy)|{NUMBER_LEFT})"
        rf"(?P<y>{YEAR}|(?(fy)\d\d|(?!)))(?P<sep>{DASH}|/)(?P<z>\d\d)(?![\d/.月]|-\d)(?P<mark>年度?)?",
        _split,
        DIGIT,
        start=Start.NUMBER_OR_WORD,
    ),
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})/(?P<z>{YEAR}){YEAR_RIGHT}(?!/)", _two_years, "/"),
    form(rf"{NUMBER_LEFT}(?P<m>0?[1-9]|1[0-2])/(?P<y>{YEAR})(?![\d/])", _slashed_month, "/"),
)
