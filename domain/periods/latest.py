"""`latest quarter`, `最新年报`, `ricavi più recenti`: a period that no calendar knows, as it is the newest one loaded.

The words may name its kind. Where they do not, it is for the fact store to say whether one kind alone is loaded.
"""

import re
from collections.abc import Iterator
from typing import Final

from contracts.codes import PeriodType
from contracts.v1.intent import ParsedIntent
from contracts.v1.periods import Period
from domain.periods.words import COUNT_EN, NOT_AFTER_WORD, NOT_BEFORE_WORD

_NEWEST_EN: Final = r"(?:latest|most recent|newest|last reported)"
_THERE_EN: Final = r"(?: (?:available|completed?|full|published|reported|disclosed|loaded)){0,2}"
_KINDS_EN: Final = (
    r"(?:(?P<q>quarterly (?:report|filing|results)|(?:fiscal )?quarter|10[ -]?q(?: report| filing)?)"
    r"|(?P<y>annual (?:report|filing|results)|(?:fiscal |financial )?year|10[ -]?k(?: report| filing)?)"
    r"|(?P<h>half[ -]year(?:ly)?(?: report)?|interim report)"
    r"|(?P<m>month))"
)
_EN: Final = re.compile(
    rf"{NOT_AFTER_WORD}(?:(?:the|its|their|our) )?{_NEWEST_EN}{_THERE_EN}"
    rf"(?: {_KINDS_EN}{NOT_BEFORE_WORD}"
    rf"|(?! (?:{COUNT_EN}|few|several)(?![a-z0-9]))(?: (?:reporting period|period|figures?|numbers?|data))?"
    rf"{NOT_BEFORE_WORD})"
)
_ZH: Final = re.compile(
    r"(?:最新(?:一期|一个)?|最近一(?:期|个))(?:可得|可用|已?披露|已?公布|已?发布)?的?"
    r"(?:(?P<q>季报|季度报告|季度)|(?P<y>年报|年度报告|财年|会计年度|年度)|(?P<h>半年报|半年度报告|中报|中期报告|半年度)"
    r"|(?P<m>月份|月度)|(?<!最近一个)(?<!最近一个的)(?:财报|报告期|数据|数字|期间)?)"
)
_KINDS_IT: Final = (
    r"(?:(?P<{0}q>trimestre)|(?P<{0}y>esercizio|anno fiscale|bilancio annuale)|(?P<{0}h>semestre)|(?P<{0}m>mese)"
    r"|periodo|dat[oi]|cifr[ae]|valor[ei])"
)
_IT: Final = re.compile(
    rf"{NOT_AFTER_WORD}(?:(?:(?:i|il|nel|al|del|dell['’]|nell['’]|all['’]|l['’]) ?)?{_KINDS_IT.format('')} )?"
    rf"più recent[ei]{NOT_BEFORE_WORD}"
    rf"|{NOT_AFTER_WORD}(?:(?:gli|nell['’]|dell['’]|all['’]|l['’]) ?)?ultim[oiae] {_KINDS_IT.format('u')} "
    rf"disponibil[ei]{NOT_BEFORE_WORD}"
)
_FORMS: Final = (
    (_EN, ("latest", "most recent", "newest", "last reported")),
    (_ZH, ("最新", "最近一")),
    (_IT, ("più recent", "disponibil")),
)
"""Each with the words of which every text that it reads contains one."""
_KINDS: Final = {"q": PeriodType.QUARTER, "y": PeriodType.FY, "h": PeriodType.HY, "m": PeriodType.MONTH}


def find_latest(view: str) -> Iterator[tuple[PeriodType | None, int, int]]:
    """Where a matching view asks for the newest period, and of which kind; None where it does not say."""
    for pattern, words in _FORMS:
        for found in pattern.finditer(view) if any(word in view for word in words) else ():
            named = (name for name, text in found.groupdict().items() if text)
            yield next((_KINDS[name[-1]] for name in named), None), *found.span()


def with_newest(intent: ParsedIntent, newest: Period) -> ParsedIntent:
    """An intent that asks for the latest period, once it is known which that is; its words are residues no more."""
    latest = intent.latest
    if latest is None or newest.type is not (latest.type or newest.type):
        return intent
    residues = tuple(r for r in intent.residues if not (latest.start <= r.start and r.end <= latest.end))
    return intent.model_copy(update={"periods": (newest,), "residues": residues, "latest": None})
