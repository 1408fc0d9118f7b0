"""How parts of a year are written: halves, quarters, months, the year to date; alone, or in one token with the year."""

import re
from typing import Final

from contracts.codes import PeriodType
from domain.periods.atoms import Clock, Meaning, MonthSpan, Named, Part, Unreadable, Year
from domain.periods.forms import DIGIT, form, unreadable
from domain.periods.words import (
    BLANK,
    DASH,
    MONTH_NAME,
    MONTH_STEMS,
    MONTHS_THAT_NEED_A_YEAR,
    NOT_AFTER_WORD,
    NOT_BEFORE_WORD,
    NUMBER_LEFT,
    ORDINAL_EN,
    ORDINAL_IT,
    ORDINALS,
    TICK,
    YEAR,
    YEAR_RIGHT,
    count_of,
    month_of,
)
from domain.periods.years import two_digit_year

_KINDS: Final = {"h": PeriodType.HY, "q": PeriodType.QUARTER}


def _part(kind: PeriodType, *ordinals: int, needs_year: bool = False) -> Named:
    return Named(part=Part(kind, ordinals, needs_year))


def _first_quarters(count: int) -> Meaning:
    """The first `count` quarters of a year taken together."""
    match count:
        case 1:
            return _part(PeriodType.QUARTER, 1)
        case 2:
            return _part(PeriodType.HY, 1)
        case 3:
            return _part(PeriodType.YTD, 3)
        case _:
            return Unreadable()


def _compact(match: re.Match[str], _: Clock) -> Meaning | None:
    """`2024Q3`, `FY24 H1`, `Q2'23`, `1H24`, `2024Q3YTD`: year and part in one token."""
    kind, ordinal = _KINDS[match["k"]], int(match["n"])
    if kind is PeriodType.HY and ordinal > 2:
        return Unreadable()
    if match["ytd"]:
        if kind is not PeriodType.QUARTER:
            return Unreadable()
        kind = PeriodType.YTD
    year = int(match["y"]) if len(match["y"]) == 4 else two_digit_year(match["y"])
    part_first = match.start("k") < match.start("y")
    return Named((Year(year, year),), Part(kind, (ordinal,)), part_first, tight=" " not in match[0])


def _months_and_year(match: re.Match[str], _: Clock) -> Meaning | None:
    """`9M 2024`, `6M24`: the first months of a year taken together. 3M is a company."""
    months = _first_quarters(int(match["n"]) // 3)
    if not isinstance(months, Named):
        return None
    year = int(match["y"]) if len(match["y"]) == 4 else two_digit_year(match["y"])
    return Named((Year(year, year),), months.part, part_first=True, tight=True)


def _latin(match: re.Match[str], _: Clock) -> Meaning:
    kind = _KINDS[match["k"]]
    if kind is PeriodType.HY and (match["n"] > "2" or match["ytd"]):
        return Unreadable()
    cumulative = match["ytd"] or match.groupdict().get("lead")
    if cumulative and kind is PeriodType.HY:
        return Unreadable()
    return _part(PeriodType.YTD if cumulative else kind, int(match["n"]))


_IS_ARTICLE: Final = re.compile("i (?:tri|se)mestri")
"""Before the plural `i` is no numeral: all the quarters, one by one."""
_ORDINAL: Final = re.compile(rf"(?<![a-z])(?:{ORDINAL_EN}|{ORDINAL_IT}|one|two|three|four|[一二三四首1-4])(?![a-z°])")


def _quarters(match: re.Match[str], _: Clock) -> Meaning:
    if _IS_ARTICLE.match(match[0]):
        return Unreadable()
    return _part(PeriodType.QUARTER, *(ORDINALS[word] for word in _ORDINAL.findall(match["n"])))


def _halves(match: re.Match[str], _: Clock) -> Meaning:
    if _IS_ARTICLE.match(match[0]):
        return Unreadable()
    found = [ORDINALS[word] for word in _ORDINAL.findall(match["n"])]
    return _part(PeriodType.HY, *found) if max(found) <= 2 else Unreadable()


def _quarter_range(match: re.Match[str], _: Clock) -> Meaning:
    first, last = ORDINALS[match["a"]], ORDINALS[match["b"]]
    if first >= last:
        return Unreadable()
    return _first_quarters(last) if first == 1 else _part(PeriodType.QUARTER, *range(first, last + 1))


def _cumulative_quarter(match: re.Match[str], _: Clock) -> Meaning:
    return _part(PeriodType.YTD, ORDINALS[match["n"]])


def _leading_quarters(match: re.Match[str], _: Clock) -> Meaning:
    return _first_quarters(count_of(match["n"]))


def _leading_months(match: re.Match[str], _: Clock) -> Meaning:
    months = count_of(match["n"])
    return _first_quarters(months // 3) if months % 3 == 0 else Unreadable()


def _fixed_half(ordinal: int, *, needs_year: bool = False) -> Named:
    return _part(PeriodType.HY, ordinal, needs_year=needs_year)


def _month_name(match: re.Match[str], _: Clock) -> Meaning:
    word = match["m"].removesuffix(".")
    return _part(PeriodType.MONTH, month_of(word), needs_year=not match["lead"] and word in MONTHS_THAT_NEED_A_YEAR)


def _months(match: re.Match[str], _: Clock) -> Meaning | None:
    found = [month_of(word) for word in re.findall(r"\d{1,2}|[一二三四五六七八九十]{1,2}", match["m"])]
    return _part(PeriodType.MONTH, *found) if all(found) else None


def _month_span(match: re.Match[str], _: Clock) -> Meaning:
    first, last = month_of(match["a"]), month_of(match["b"])
    named = not match["a"].isdigit() and match["a"].isascii()
    return Named(part=MonthSpan(first, last, needs_year=named)) if 0 < first < last else Unreadable()


def _stored_month(match: re.Match[str], _: Clock) -> Meaning:
    year = int(match["y"])
    return Named((Year(year, year),), Part(PeriodType.MONTH, (int(match["m"]),)), tight=True)


def _short_month(match: re.Match[str], clock: Clock) -> Meaning | None:
    """`Sep-24`: a month of a year near to today, or before."""
    year = two_digit_year(match["y"])
    if year > clock.today.year + 5:
        return None
    return Named((Year(year, year),), Part(PeriodType.MONTH, (month_of(match["m"]),)), tight=True)


_YTD: Final = r"(?P<ytd>[ -]{0,2}(?:ytd|year[ -]to[ -]date)|累计)?"
_Q: Final = r"(?P<k>[hq]) ?(?P<n>[1-4])"
_N: Final = r"(?P<n>[1-4]) ?(?P<k>[hq])"
_FY: Final = rf"(?:fy ?|fiscal (?:year )?)?{TICK}?"
_SEVERAL_ZH: Final = rf"(?P<n>第?[一二三四1-4](?:{BLANK}季度?)?(?:{BLANK}[、,和与及]{BLANK}第?[一二三四1-4]){{0,3}})"
_LIST_EN: Final = r"(?:, ?and |, ?| and | & | or )"
_LIST_IT: Final = r"(?:, ?| e | ed )"
_SEVERAL_EN: Final = rf"(?P<n>{ORDINAL_EN}(?:[ -](?:half|quarter))?(?:{_LIST_EN}(?:the )?{ORDINAL_EN}){{0,3}})"
_SEVERAL_IT: Final = rf"(?P<n>{ORDINAL_IT}(?: (?:semestre|trimestre))?(?:{_LIST_IT}(?:il )?{ORDINAL_IT}){{0,3}})"
_MONTH_ZH: Final = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_TO: Final = rf"(?:{BLANK}(?:{DASH}|至|到){BLANK})"
_NOT_CUMULATIVE: Final = r"(?:(?<![\d.一二三四五六七八九十前头近去过每各单])|(?<=(?:19|20)\d\d)(?=[第一二三四]))"

_QUARTER_FORMS: Final = (
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})[ _/-]?{_Q}{_YTD}{NOT_BEFORE_WORD}", _compact, DIGIT, ("h", "q")),
    form(
        rf"{NOT_AFTER_WORD}fy ?{TICK}?(?P<y>{YEAR}|\d\d)[ _/-]?{_Q}{_YTD}{NOT_BEFORE_WORD}", _compact, DIGIT, ("h", "q")
    ),
    form(rf"{NOT_AFTER_WORD}{_Q}[ _/'’-]{{0,2}}{_FY}(?P<y>{YEAR}){_YTD}{NOT_BEFORE_WORD}", _compact, DIGIT, ("h", "q")),
    form(
        rf"{NOT_AFTER_WORD}{_Q} ?(?:(?:of )?fy ?{TICK}?|{TICK}|[-/])(?P<y>\d\d){_YTD}{NOT_BEFORE_WORD}",
        _compact,
        DIGIT,
        ("h", "q"),
    ),
    form(rf"{NUMBER_LEFT}(?P<y>[0-6]\d){_Q}{_YTD}{NOT_BEFORE_WORD}", _compact, DIGIT, ("h", "q")),
    form(rf"{NUMBER_LEFT}{_N} ?{_FY}(?P<y>{YEAR}){_YTD}{NOT_BEFORE_WORD}", _compact, DIGIT, ("h", "q")),
    form(
        rf"{NUMBER_LEFT}{_N}(?: ?fy ?{TICK}?| ?{TICK}|-)?(?P<y>\d\d){_YTD}{NOT_BEFORE_WORD}",
        _compact,
        DIGIT,
        ("h", "q"),
    ),
    form(rf"{NUMBER_LEFT}{_N}{_YTD}{NOT_BEFORE_WORD}", _latin, DIGIT, ("h", "q")),
    form(
        rf"{NOT_AFTER_WORD}(?P<lead>(?:ytd|year[ -]to[ -]date) ?)?{_Q}{_YTD}{NOT_BEFORE_WORD}",
        _latin,
        DIGIT,
        ("h", "q"),
    ),
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})m(?P<m>0[1-9]|1[0-2]){NOT_BEFORE_WORD}", _stored_month, "m"),
    form(rf"{_NOT_CUMULATIVE}{_SEVERAL_ZH}{BLANK}个?{BLANK}季度末?", _quarters, "季度"),
    form(rf"第(?P<n>[一二三四1-4]){BLANK}季末?(?!度)", _quarters, "第", "季"),
    form(r"(?P<n>首)季度?", _quarters, "首季"),
    form(r"(?<![一二三四])(?P<n>一)季报", _quarters, "一季报"),
    form(rf"{_NOT_CUMULATIVE}第?(?P<n>[一二三四1-4])季度(?:末)?累计", _cumulative_quarter, "季度", "累计"),
    form(
        rf"{_NOT_CUMULATIVE}第?(?P<a>[一二三四1-4])(?:季度?)?{_TO}第?(?P<b>[一二三四1-4])季度", _quarter_range, "季度"
    ),
    form(r"[前头](?P<n>[两二三23])个?季度?", _leading_quarters, "季", ("前", "头")),
    form(rf"{NOT_AFTER_WORD}{_SEVERAL_EN}[ -](?:fiscal )?quarters?{NOT_BEFORE_WORD}", _quarters, "quarter"),
    form(
        rf"{NOT_AFTER_WORD}quarter (?P<n>one|two|three|four|[1-4]){NOT_BEFORE_WORD}",
        _quarters,
        "quarter",
    ),
    form(rf"{NOT_AFTER_WORD}{_SEVERAL_IT} trimestr[ei]{NOT_BEFORE_WORD}", _quarters, "trimestr"),
    form(
        rf"{NOT_AFTER_WORD}first (?P<n>two|three|2|3) (?:fiscal )?quarters{NOT_BEFORE_WORD}",
        _leading_quarters,
        "quarters",
    ),
    form(rf"{NOT_AFTER_WORD}primi (?P<n>due|tre|2|3) trimestri{NOT_BEFORE_WORD}", _leading_quarters, "trimestri"),
)

_HALF_FORMS: Final = (
    form(r"上半(?:财年|年度?)末?", lambda _m, _c: _fixed_half(1), "上半"),
    form(r"下半(?:财年|年度?)末?", lambda _m, _c: _fixed_half(2), "下半"),
    form(
        r"(?<![上下近过去前])(?:半年度报告|半年报|半年度|中期报告|中报)",
        lambda _m, _c: _fixed_half(1),
        ("半年", "中期", "中报"),
    ),
    form(r"中期(?![票借贷目规计分])", lambda _m, _c: _fixed_half(1, needs_year=True), "中期"),
    form(rf"{NOT_AFTER_WORD}(?:half[ -]year(?:ly)? report|interim report)", lambda _m, _c: _fixed_half(1), "report"),
    form(rf"{NOT_AFTER_WORD}interim{NOT_BEFORE_WORD}", lambda _m, _c: _fixed_half(1, needs_year=True), "interim"),
    form(
        rf"{NOT_AFTER_WORD}{_SEVERAL_EN}[ -](?:half|halves)(?:[ -]year)?{NOT_BEFORE_WORD}", _halves, ("half", "halves")
    ),
    form(rf"{NOT_AFTER_WORD}{_SEVERAL_IT} semestr[ei]{NOT_BEFORE_WORD}", _halves, "semestr"),
)

_MONTH_FORMS: Final = (
    form(
        rf"(?<![\d.第前近个每十])(?P<m>{_MONTH_ZH}(?:{BLANK}月)?(?:{BLANK}[、,和与及]{BLANK}{_MONTH_ZH}){{0,5}}){BLANK}月份?[末底]?"
        rf"(?!{BLANK}\d)",
        _months,
        "月",
    ),
    form(
        rf"(?<![\d.第前近个每十])(?P<a>{_MONTH_ZH})(?:{BLANK}月份?)?{_TO}(?P<b>{_MONTH_ZH}){BLANK}月份?(?!{BLANK}\d)",
        _month_span,
        "月",
    ),
    form(
        rf"{NUMBER_LEFT}(?P<n>[69])m[ -]?(?:fy ?)?(?:{TICK}?(?P<y>{YEAR}|\d\d)){NOT_BEFORE_WORD}",
        _months_and_year,
        DIGIT,
        "m",
    ),
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})[ /-](?P<n>[69])m{NOT_BEFORE_WORD}", _months_and_year, DIGIT, "m"),
    form(r"[前头](?P<n>[六九69])个?月", _leading_months, "月"),
    form(
        rf"{NOT_AFTER_WORD}(?P<lead>(?:(?:(?:nel|del|il|al) )?mese di|(?:in |for |during )?the month of) )?"
        rf"(?P<m>{MONTH_NAME}){NOT_BEFORE_WORD}",
        _month_name,
        MONTH_STEMS,
    ),
    form(
        rf"{NOT_AFTER_WORD}(?P<lead>(?:in|for|during) )(?P<m>may|march|mar|dec|oct|nov|sept?|jan|feb|aug)"
        r"(?= ?(?:[?,.;!]|$))",
        _month_name,
        ("may", "mar", "dec", "oct", "nov", "sep", "jan", "feb", "aug"),
    ),
    form(
        rf"{NOT_AFTER_WORD}(?P<m>{MONTH_NAME})-(?P<y>[0-6]\d)(?![\d-])",
        _short_month,
        MONTH_STEMS,
        DIGIT,
    ),
    form(rf"{NUMBER_LEFT}(?P<y>{YEAR})\.(?P<m>0[1-9]|1[0-2]){YEAR_RIGHT}", _stored_month, "."),
    form(
        rf"{NOT_AFTER_WORD}(?P<a>{MONTH_NAME})(?: to | through | a |{BLANK}{DASH}{BLANK})"
        rf"(?P<b>{MONTH_NAME}){NOT_BEFORE_WORD}",
        _month_span,
        MONTH_STEMS,
    ),
    form(rf"{NOT_AFTER_WORD}first (?P<n>three|six|nine|3|6|9) months{NOT_BEFORE_WORD}", _leading_months, "months"),
    form(rf"{NOT_AFTER_WORD}primi (?P<n>tre|sei|nove|3|6|9) mesi{NOT_BEFORE_WORD}", _leading_months, "mesi"),
)

_YEAR_FORMS: Final = (
    form(r"全年度?", lambda _m, _c: _part(PeriodType.FY, 1, needs_year=True), "全年"),
    form(
        rf"{NOT_AFTER_WORD}full[ -]year{NOT_BEFORE_WORD}",
        lambda _m, _c: _part(PeriodType.FY, 1, needs_year=True),
        "full",
    ),
)

_NEVER_READ: Final = (form(r"(?<![一二])[二三四]季报", unreadable, "季报"),)

PART_FORMS: Final = (*_QUARTER_FORMS, *_HALF_FORMS, *_MONTH_FORMS, *_YEAR_FORMS, *_NEVER_READ)
