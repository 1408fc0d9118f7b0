"""Periods that are counted: from today (`去年`, `this quarter`) or from a named one (`上年`, `prior year`)."""

import re
from typing import Final

from domain.periods.atoms import Clock, Meaning, Recent, Relative, SamePeriod, Step, Unreadable
from domain.periods.forms import Form, form, unreadable
from domain.periods.words import COUNT_EN, COUNT_IT, COUNT_ZH, NOT_AFTER_WORD, NOT_BEFORE_WORD, count_of

_ZH_REST: Final = r"(?:的?(?:年度报告|年报|财报|全年度?|年末|年底|末|底))?(?!以来|至今|迄今|[初起])"
_TICK_S: Final = r"(?:['’]s)?"


def _year(by: int, words: str, *needs: str, anchored: bool = False, marked: bool = False) -> Form:
    meaning = Relative(Step.YEAR, by, anchored=anchored, marked=marked)
    return form(words, lambda _m, _c: meaning, needs)


def _zh_year(by: int, words: str, *needs: str, anchored: bool = False, marked: bool = False) -> Form:
    return _year(by, rf"(?:{words}){_ZH_REST}", *needs, anchored=anchored, marked=marked)


def _word_year(by: int, words: str, *needs: str, anchored: bool = False, marked: bool = False) -> Form:
    pattern = rf"{NOT_AFTER_WORD}(?:{words}){NOT_BEFORE_WORD}"
    return _year(by, pattern, *needs, anchored=anchored, marked=marked)


def _step(step: Step, by: int, words: str, *needs: str, anchored: bool = False) -> Form:
    meaning = Relative(step, by, anchored=anchored)
    return form(words, lambda _m, _c: meaning, needs)


def _word_step(step: Step, by: int, words: str, *needs: str, anchored: bool = False) -> Form:
    return _step(step, by, rf"{NOT_AFTER_WORD}(?:{words}){NOT_BEFORE_WORD}", *needs, anchored=anchored)


def _recent(match: re.Match[str], _: Clock) -> Meaning:
    count = count_of(match["n"])
    step = Step.QUARTER if re.search("季|quarter|trimestr", match[0]) else Step.YEAR
    return Recent(step, count) if count > 1 else Unreadable()


def _years_ago(match: re.Match[str], _: Clock) -> Meaning:
    return Relative(Step.YEAR, -(1 if match["n"] in {"one", "1", "un"} else count_of(match["n"])))


def _same_period(_match: re.Match[str], _clock: Clock) -> Meaning:
    return SamePeriod()


_YEARS: Final = (
    _zh_year(0, r"今年度?|(?<![资成基根])本年度?", "今年", "本年"),
    _zh_year(0, r"(?:本|当前|这个?)(?:财年|财政年度|会计年度)", "财", "会计", marked=True),
    _zh_year(-1, r"(?<!过)去年度?", "去年"),
    _zh_year(-1, r"(?<![以之])上一?个?年度?", "上", anchored=True),
    _zh_year(-1, r"(?<![以之])上一?个?(?:财年|财政年度|会计年度)", "上", anchored=True, marked=True),
    form(rf"前一年度?{_ZH_REST}", lambda _m, _c: Relative(Step.YEAR, -1, anchored=True, needs_anchor=True), "前一年"),
    _zh_year(-2, r"(?<![大以之目当先])前年度?", "前年"),
    _zh_year(-3, r"大前年度?", "大前年"),
    _zh_year(1, r"(?<![说表])明年度?", "明年"),
    _word_year(0, r"(?:this|the current|current) year", "this", "current"),
    _word_year(0, r"(?:this|the current|current) (?:fiscal year|financial year|fy)", "this", "current", marked=True),
    _word_year(-1, r"last year", "last"),
    _word_year(-1, r"last (?:fiscal year|financial year|fy)", "last", marked=True),
    _word_year(
        *(-1, r"(?:the )?(?:prior|previous|preceding) year|the year before(?! last)"),
        *("prior", "previous", "preceding", "before"),
        anchored=True,
    ),
    _word_year(
        *(-1, r"(?:the )?(?:prior|previous|preceding) (?:fiscal year|financial year|fy)"),
        *("prior", "previous", "preceding"),
        anchored=True,
        marked=True,
    ),
    _word_year(-2, r"(?:the )?year before last", "before"),
    _word_year(1, r"next year", "next"),
    _word_year(1, r"next (?:fiscal year|financial year|fy)", "next", marked=True),
    form(rf"{NOT_AFTER_WORD}(?P<n>one|1|{COUNT_EN}) years? ago{NOT_BEFORE_WORD}", _years_ago, "ago"),
    _word_year(0, r"(?:nel)?l?(?:['’]|o )?anno (?:corrente|in corso)|quest['’]anno|questo anno", "anno"),
    _word_year(0, r"(?:nell['’]|l['’])?esercizio (?:corrente|in corso)|questo esercizio", "esercizio", marked=True),
    _word_year(
        -1, r"(?:nell['’]|dell['’]|all['’]|l['’])?anno (?:scorso|passato)|(?:(?:nel|del)?lo )?scorso anno", "anno"
    ),
    _word_year(
        -1,
        r"(?:nell['’]|dell['’]|all['’]|l['’])?esercizio (?:scorso|passato)|(?:lo )?scorso esercizio",
        "esercizio",
        marked=True,
    ),
    _word_year(-1, r"(?:nell['’]|dell['’]|all['’]|l['’])?anno precedente", "anno", anchored=True),
    _word_year(
        -1, r"(?:nell['’]|dell['’]|all['’]|l['’])?esercizio precedente", "esercizio", anchored=True, marked=True
    ),
    form(rf"{NOT_AFTER_WORD}(?P<n>un|{COUNT_IT}) ann[oi] fa{NOT_BEFORE_WORD}", _years_ago, "fa"),
    _word_year(1, r"(?:l['’])?anno prossimo|(?:il )?prossimo anno", "anno"),
)

_STEPS: Final = (
    _step(Step.QUARTER, 0, r"(?:(?<![资成基根])本|这个?|当前)季度?(?!报)", "季"),
    _step(Step.QUARTER, -1, r"(?<![以之])上一?个?季度?(?!报)", "季", anchored=True),
    _word_step(Step.QUARTER, 0, r"(?:this|the current|current) (?:fiscal )?quarter", "quarter"),
    _word_step(Step.QUARTER, -1, r"last (?:fiscal )?quarter", "quarter"),
    _word_step(
        Step.QUARTER, -1, r"(?:the )?(?:prior|previous|preceding) (?:fiscal )?quarter", "quarter", anchored=True
    ),
    _word_step(
        Step.QUARTER,
        0,
        r"(?:questo|il) trimestre (?:corrente|in corso)|questo trimestre|trimestre corrente",
        "trimestre",
    ),
    _word_step(
        *(Step.QUARTER, -1),
        *(r"(?:(?:il|nel|del) )?trimestre (?:scorso|passato)|(?:(?:nel|del)?lo )?scorso trimestre", "trimestre"),
    ),
    _word_step(Step.QUARTER, -1, r"(?:(?:il|nel|del|al) )?trimestre precedente", "trimestre", anchored=True),
    _step(Step.MONTH, 0, r"(?:(?<![资成基根])本|这个)月", "月"),
    _step(Step.MONTH, -1, r"(?<![以之])上一?个?月(?![底末初])", "月", anchored=True),
    _word_step(
        Step.MONTH, 0, r"(?:this|the current|current) month|questo mese|mese (?:corrente|in corso)", "month", "mese"
    ),
    _word_step(Step.MONTH, -1, r"last month|(?:il )?mese scorso|(?:lo )?scorso mese", "month", "mese"),
    _word_step(
        Step.MONTH,
        -1,
        r"(?:the )?(?:prior|previous|preceding) month|(?:il )?mese precedente",
        "month",
        "mese",
        anchored=True,
    ),
)

_RECENTS: Final = (
    form(
        rf"(?:最近|近|过去)的?(?P<n>{COUNT_ZH})个?(?:完整的?)?(?:财年|财政年度|会计年度|年度?|季度)(?![报初])(?:[来内间](?!部))?",
        _recent,
        ("近", "过去"),
    ),
    form(
        rf"{NOT_AFTER_WORD}(?:the )?(?:last|past|previous|prior|most recent|latest) (?P<n>{COUNT_EN}) "
        rf"(?:complete |full |fiscal |financial ){{0,2}}(?:years|quarters){NOT_BEFORE_WORD}",
        _recent,
        ("years", "quarters"),
    ),
    form(
        rf"{NOT_AFTER_WORD}(?:gli |degli |negli |i |dei |nei )?ultimi (?P<n>{COUNT_IT}) (?:anni|esercizi|trimestri)"
        rf"{NOT_BEFORE_WORD}",
        _recent,
        "ultimi",
    ),
)

_SAME: Final = (
    form(r"(?:去年|上一?年|上年度|上一年度)(?:的)?(?:同期|同一时期|同一期间)", _same_period, "同"),
    form(
        rf"{NOT_AFTER_WORD}(?:the )?same (?:period|quarter|half|month)(?: of| in| from)?(?: the)? "
        rf"(?:last|prior|previous) year{NOT_BEFORE_WORD}",
        _same_period,
        "same",
    ),
    form(
        rf"{NOT_AFTER_WORD}(?:the )?(?:year[ -]ago|prior[ -]year) (?:period|quarter|half|month){NOT_BEFORE_WORD}",
        _same_period,
        "year",
    ),
    form(
        rf"{NOT_AFTER_WORD}(?:(?:lo|allo|dello|nello) )?stesso (?:periodo|trimestre|semestre|mese) (?:dell['’]anno "
        rf"(?:scorso|precedente)|dello scorso anno){NOT_BEFORE_WORD}",
        _same_period,
        "stesso",
    ),
)

# Between one day and another, or vague: never one of the stored periods.
_NEVER_READ: Final = (
    form(
        r"(?:今年|本年度?|去年|上一?年度?)(?:以来|至今|迄今|[初起])",
        unreadable,
        ("今年", "本年", "去年", "上年", "上一年"),
    ),
    form(r"(?:最近|近|过去)的?一个?(?:年度?|季度)", unreadable, ("近", "过去")),
)

RELATIVE_FORMS: Final = (*_YEARS, *_STEPS, *_RECENTS, *_SAME, *_NEVER_READ)
