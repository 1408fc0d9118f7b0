"""What the words around a period say against it: such a period stays unconsumed, and is asked back.

Run when years and parts are joined. A rule looks at one unit, the words beside it, and the other units; it never makes
a period, it only leaves one unread. Linear in the text for each rule, as each looks a few characters to either side.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from contracts.codes import PeriodType
from domain.periods.atoms import MonthSpan, Part
from domain.periods.units import Unit

_BEFORE: Final = 40
_FAR: Final = 120
_ALWAYS_UP_TO: Final = ("截", "直", "累", "as ", "by")

# The end of a stretch that began earlier: a quarter or month behind it is cumulative.
_UP_TO: Final = re.compile(
    r"(?:截至|截止|直到|直至|累计至)[到至于]?$|(?<![找提看查得达谈说想收截])到$|(?<![甚乃截直])至$"
    r"|(?<![a-z])(?:as (?:of|at|on)|to|by|through|thru|up to|al|allo|fino a|fino al|entro il|entro)(?: the| il)? ?$"
)
_FROM_OR_COMPARED: Final = re.compile(
    r"compar|relative|versus|oppos|equal|from|between|respect|against|rispetto|confront|paragon|relativ|pari|superior"
    r"|inferior|(?<![a-z])dal?(?![a-z])|[从由自]|相[比对较]"
)
_YEARS_TO: Final = re.compile(r"(?<![a-z])(?:years|anni|months|mesi) (?:up to|to|through|fino al|al) $")

# A year of twelve months that ends in a month.
_ENDED: Final = re.compile(
    r"(?<!month )(?<!months )(?<![a-z])(?:end(?:ed|ing|s)?|chius[oi]|terminat[oi])(?: in| at| a| nel| al)? $"
)
_YEAR_BEHIND: Final = re.compile(
    r"[末底]?止|的?(?:年度|财年|会计年度|财政年度)|[ -](?:fiscal |financial )?year(?:[ -]end)?(?![a-z])"
)

_ANNUAL: Final = re.compile(
    r"全年|整年|(?<![半财会计政])年度(?!报|财|审)|(?<![a-z-])(?:full[ -]year|whole year|annual|yearly"
    r"|annuale|annuo|(?<!su base )annua|intero anno)(?![a-z])(?! (?:report|filing|account))"
)
_WHOLE: Final = re.compile(r"全年|整年|full[ -]year")
_LAST: Final = re.compile(r"(?<![a-z])last(?![a-z])|scors")
_THAT_IS: Final = re.compile(r"[ ,(:=]{0,3}(?:i\.e\.?|that is|namely|即|也就是|cioè)?[ ,]{0,2}")
_INSIDE: Final = re.compile(
    r" {0,2}(?:[的中里内之,]{0,2}|(?:of|in|within|during|del|della|di|nel)(?: the)?|dell['’]) {0,2}"
)

_REPORT: Final = (
    r"(?:年度报告|年报|财报|报告|报表|bilancio"
    r"|(?<![a-z])(?:annual )?(?:reports?|accounts|filing|financial statements|10-?k|10-?q))"
)
_OF_A_REPORT: Final = re.compile(rf"{_REPORT}[中里内上]?$")
_REPORT_BEHIND: Final = re.compile(
    rf"[ ']{{0,2}}s? ?的?{_REPORT}|末?(?:公布|发布|披露|公告|发表|公开|刊发|出具)"
    r"|(?: |年)(?:published|released|disclosed)(?! (?:in|on|for) )"
)
_REPORT_BEFORE: Final = re.compile(
    r"(?<![a-z])(?:(?:published|released|reported|disclosed|announced|restated|filed|pubblicat[oaie]|comunicat[oaie])"
    r"(?: in| on| for| with| nel| a)?|according to|as per|(?:annual )?report (?:for|of)|accounts (?:for|of)"
    r"|secondo(?: il)?|bilancio(?: del| al| di)?)(?: the| il)? $"
)

_COMPARISON: Final = re.compile(r"(?:>|<|≥|≤)=? ?$")
_OPEN_BEHIND: Final = re.compile(
    r" ?\+(?! ?(?:\d|q|h|fy|[一-鿿]))| (?:onwards?|upwards?|forward|in poi)(?![a-z])|及?以[来后上前下]"
)
_ON: Final = re.compile(r" on(?![a-z])")
_BEGINNING: Final = re.compile(
    r"(?<![a-z])(?:from|since|starting(?: in| from)?|beginning(?: in| from)?|as (?:of|from)|after) $"
)
"""Only what begins with a year goes "on" from it: "in 2024 on revenue" does not."""


_Key = tuple[frozenset[int], Part | MonthSpan | None]


@dataclass(frozen=True, slots=True)
class _Setting:
    """What the units of a question are, taken together."""

    text: str
    units: Sequence[Unit]
    years: int
    """How many whole years stand alone."""
    open_parts: int
    dated_parts: int
    whole_year: bool
    annual: bool
    """A word for the whole year stands outside of the periods that have a year."""
    subjects: frozenset[int]
    """The years that are asked for, not those of the reports that tell of them."""
    fixed_subject: bool
    named: frozenset[_Key]
    """What is named and not counted from today."""
    governing: frozenset[int]
    """Where the units stand that say in which report a figure is printed."""

    @classmethod
    def of(cls, text: str, units: Sequence[Unit]) -> Self:
        alive = [u for u in units if not u.dead]
        governing = frozenset(u.start for u in alive if _governs(text, u))
        subjects = [u for u in alive if (u.years or u.fixed) and u.start not in governing]
        years = [u for u in alive if u.only_years]
        return cls(
            text,
            units,
            years=len(years),
            open_parts=sum(u.only_part for u in alive),
            dated_parts=sum(bool(_kind(u) and (u.years or (u.fixed and not u.relative))) for u in alive),
            whole_year=bool(years) or any(u.whole and _kind(u) is None for u in alive),
            annual=_ANNUAL.search(_without(text, [u for u in alive if u.years])) is not None,
            subjects=frozenset(label for u in subjects for label in u.labels),
            fixed_subject=any(u.fixed for u in subjects),
            named=frozenset(_key(u) for u in alive if u.years and not u.relative),
            governing=governing,
        )


_Rule = Callable[[int, Unit, _Setting], bool]
_WordRule = Callable[[Unit, str], bool]


def leave_unread(units: Sequence[Unit], text: str) -> list[Unit]:
    """The units, those dead that the words beside them or the other units contradict."""
    left = [replace(u, dead=True) if not u.dead and any(rule(u, text) for rule in _BY_WORDS) else u for u in units]
    setting = _Setting.of(text, left)
    return [
        replace(u, dead=True) if not u.dead and any(rule(i, u, setting) for rule in _BY_OTHERS) else u
        for i, u in enumerate(left)
    ]


def _without(text: str, units: Sequence[Unit]) -> str:
    pieces: list[str] = []
    behind = 0
    for unit in units:
        pieces.append(text[behind : unit.start])
        behind = unit.end
    return "|".join((*pieces, text[behind:]))


def _before(text: str, unit: Unit) -> str:
    return text[max(0, unit.start - _BEFORE) : unit.start]


def _kind(unit: Unit) -> PeriodType | None:
    """The kind of the periods of a unit that is no whole year; None for whole years and for what is not settled."""
    if unit.fixed:
        return None if unit.fixed[0].type is PeriodType.FY else unit.fixed[0].type
    if isinstance(unit.part, Part):
        return None if unit.part.kind is PeriodType.FY else unit.part.kind
    return PeriodType.YTD if unit.part else None


def _is_cumulative(unit: Unit, text: str) -> bool:
    """`截至2024年9月`, `by Q3 2024`; the first half up to its end is that half, and a stated span is exact."""
    before = _before(text, unit)
    if unit.only_years:
        return _YEARS_TO.search(before) is not None
    if _kind(unit) not in {PeriodType.QUARTER, PeriodType.MONTH} or (unit.fixed and not unit.relative):
        return False
    match = _UP_TO.search(before)
    if match is None:
        return False
    lead = text[max(0, unit.start - _FAR) : unit.start]
    return match[0].startswith(_ALWAYS_UP_TO) or _FROM_OR_COMPARED.search(lead) is None


def _ends_a_year(unit: Unit, text: str) -> bool:
    """`FY ended 06/2024`, `2024年6月止年度`: a year by its last month is not that month."""
    if _kind(unit) is not PeriodType.MONTH or unit.fixed:
        return False
    return bool(_ENDED.search(_before(text, unit)) or _YEAR_BEHIND.match(text, unit.end))


def _is_open(unit: Unit, text: str) -> bool:
    """`2020+`, `> 2022`, `from 2022 on`: no stored period."""
    before = _before(text, unit)
    if _COMPARISON.search(before) or _OPEN_BEHIND.match(text, unit.end):
        return True
    return bool(_ON.match(text, unit.end) and _BEGINNING.search(before))


def _is_called_annual(_: int, unit: Unit, setting: _Setting) -> bool:
    """`Q3全年`: a part is no whole year. Beside a year the word may belong to that."""
    if _kind(unit) is None:
        return False
    if unit.years and _WHOLE.search(setting.text[unit.start : unit.end]):
        return True
    return setting.annual and not (unit.years and setting.whole_year)


def _is_inside_another(i: int, unit: Unit, setting: _Setting) -> bool:
    """`上半年第三季度`, `first half of Q3`: two parts of different kinds, one said to be in the other."""
    neighbours = [(setting.units[i - 1], unit)] if i else []
    neighbours += [(unit, other) for other in setting.units[i + 1 : i + 2]]
    for first, second in neighbours:
        kinds = {_kind(first), _kind(second)}
        if None not in kinds and len(kinds) == 2 and _INSIDE.fullmatch(setting.text, first.end, second.start):
            return True
    return False


def _is_deictic_beside_a_year(_: int, unit: Unit, setting: _Setting) -> bool:
    """`last quarter of 2024`, `this quarter last year`, `Q3 2024 vs last quarter`: from today, or from there."""
    if not (unit.fixed and unit.relative):
        return False
    is_last = _LAST.search(setting.text, unit.start, unit.end) is not None
    return bool(setting.years or setting.open_parts or (is_last and setting.dated_parts))


def _is_deictic_year_beside_a_part(_: int, unit: Unit, setting: _Setting) -> bool:
    """`2024Q3 vs 去年`: the whole year, or the same part of it."""
    if not (unit.relative and unit.only_years) or _ANNUAL.search(setting.text[unit.start : unit.end]):
        return False
    return setting.dated_parts > 0


def _says_it_twice(i: int, unit: Unit, setting: _Setting) -> bool:
    """`2024 vs 去年`, asked in 2025: hardly the same year with itself; `去年（2024年）` is."""
    if unit.only_years and len(unit.labels) < len(unit.years):
        return True
    if not (unit.relative and unit.years and _key(unit) in setting.named):
        return False
    sides = (setting.units[max(0, i - 1) : i + 1], setting.units[i : i + 2])
    return not any(len(side) == 2 and _THAT_IS.fullmatch(setting.text, side[0].end, side[1].start) for side in sides)


def _key(unit: Unit) -> _Key:
    return frozenset(unit.labels), unit.part


def _names_a_report(_: int, unit: Unit, setting: _Setting) -> bool:
    """`2024年报中的2023年营收`: where the figure of another period is printed."""
    return unit.start in setting.governing and (setting.fixed_subject or not setting.subjects <= unit.labels)


def _governs(text: str, unit: Unit) -> bool:
    return bool(
        _OF_A_REPORT.search(text[unit.start : unit.end])
        or _REPORT_BEHIND.match(text, unit.end)
        or _REPORT_BEFORE.search(_before(text, unit))
    )


_BY_WORDS: Final[tuple[_WordRule, ...]] = (_is_cumulative, _ends_a_year, _is_open)
_BY_OTHERS: Final[tuple[_Rule, ...]] = (
    _is_called_annual,
    _is_inside_another,
    _is_deictic_beside_a_year,
    _is_deictic_year_beside_a_part,
    _says_it_twice,
    _names_a_report,
)
