"""`latest quarter`, `most recent 10-K`, `最新年报`: a period that no calendar knows, as it is the newest one loaded.

Only forms that name a kind of period are read: "latest revenue" could mean a year or a month, and is asked back.
"""

import re
from collections.abc import Iterator
from typing import Final

from contracts.codes import PeriodType
from contracts.v1.intent import ParsedIntent
from contracts.v1.periods import Period
from domain.periods.words import NOT_AFTER_WORD, NOT_BEFORE_WORD

_KINDS_EN: Final = (
    r"(?:(?P<q>quarterly (?:report|filing|results)|(?:fiscal )?quarter|10[ -]?q(?: report| filing)?)"
    r"|(?P<y>annual (?:report|filing|results)|(?:fiscal |financial )?year|10[ -]?k(?: report| filing)?)"
    r"|(?P<h>half[ -]year(?:ly)?(?: report)?|interim report))"
)
_EN: Final = re.compile(
    rf"{NOT_AFTER_WORD}(?:(?:the|its|their|our) )?(?:latest|most recent|newest|last reported)"
    rf"(?: (?:available|completed?|full|published|reported)){{0,2}} {_KINDS_EN}{NOT_BEFORE_WORD}"
)
_ZH: Final = re.compile(
    r"最新(?:一期|一个|披露|公布|发布)?的?"
    r"(?:(?P<q>季报|季度报告|季度)|(?P<y>年报|年度报告|财年|会计年度|年度)|(?P<h>半年报|半年度报告|中报|中期报告|半年度))"
)
_IT: Final = re.compile(
    rf"{NOT_AFTER_WORD}(?:(?:il|nel|del|dell['’]|nell['’]|l['’]) ?)?"
    rf"(?:(?P<q>trimestre)|(?P<y>esercizio|anno fiscale|bilancio annuale)|(?P<h>semestre)) più recente{NOT_BEFORE_WORD}"
)
_FORMS: Final = (
    (_EN, ("latest", "most recent", "newest", "last reported")),
    (_ZH, ("最新",)),
    (_IT, ("più recente",)),
)
"""Each with the words of which every text that it reads contains one."""
_KINDS: Final = {"q": PeriodType.QUARTER, "y": PeriodType.FY, "h": PeriodType.HY}


def find_latest(view: str) -> Iterator[tuple[PeriodType, int, int]]:
    """Every kind of period of which a matching view asks for the newest, and where."""
    for pattern, words in _FORMS:
        for found in pattern.finditer(view) if any(word in view for word in words) else ():
            yield next(kind for name, kind in _KINDS.items() if found[name]), *found.span()


def with_newest(intent: ParsedIntent, newest: Period) -> ParsedIntent:
    """An intent that asks for the latest period, once it is known which that is; its words are residues no more."""
    latest = intent.latest
    if latest is None or newest.type is not latest.type:
        return intent
    residues = tuple(r for r in intent.residues if not (latest.start <= r.start and r.end <= latest.end))
    return intent.model_copy(update={"periods": (newest,), "residues": residues, "latest": None})
