"""Words that read as a figure that the profile does not have: "HK FY2024 net income" asks for a number, not a story.

Only heads of measures are listed, and only at the end of what was not understood: "income", but not "income policy".
"""

import re
from collections.abc import Sequence
from typing import Final

from domain.fold import is_ideographic
from domain.scope.segments import Part, Segment
from domain.text import Text
from domain.vocabulary import Role

_HEADS: Final = frozenset(
    {
        *("asset", "assets", "backlog", "borrowings", "capex", "capital", "cash", "cost", "costs", "debt", "deposits"),
        *("dividend", "dividends", "earnings", "ebit", "ebitda", "employees", "equity", "expense", "expenses", "flow"),
        *(
            "flows",
            "goodwill",
            "headcount",
            "income",
            "inventories",
            "inventory",
            "investments",
            "liabilities",
            "loans",
        ),
        *("loss", "losses", "margin", "margins", "payables", "premium", "premiums", "price", "profit", "profits"),
        *("provision", "provisions", "ratio", "receivables", "reserves", "returns", "revenue", "revenues", "royalties"),
        *("sales", "spending", "tax", "taxes", "turnover", "valuation", "volume", "wages", "yield"),
        *("attivo", "capitale", "cassa", "costi", "costo", "crediti", "debiti", "debito", "dipendenti", "dividendi"),
        *("dividendo", "fatturato", "imposte", "indebitamento", "investimenti", "margine", "passività", "patrimonio"),
        *("perdita", "perdite", "premi", "redditività", "reddito", "ricavi", "ricavo", "rimanenze", "spesa", "spese"),
        *("utile", "utili", "vendite"),
    }
)
_HEADS_ZH: Final = (
    *(
        "人数",
        "现金流",
        "现金流量",
        "存款",
        "贷款",
        "存货",
        "负债",
        "收入",
        "成本",
        "费用",
        "利润",
        "资产",
        "资本",
        "保费",
    ),
    *("余额", "净额", "总额", "金额", "市值", "净值", "股息", "分红", "税金", "税额", "产量", "销量", "产值", "工资"),
    *("薪酬", "毛利", "亏损", "营业额", "销售额", "现金", "商誉", "折旧", "摊销", "权益", "投资额", "支出", "应收账款"),
    *(
        "应付账款",
        "周转率",
        "周转天数",
        "收益率",
        "利润率",
        "负债率",
        "增加值",
        "净利",
        "每股收益",
        "股价",
        "份额",
        "率",
    ),
)
_ABBREVIATION: Final = re.compile(r"[A-Z]{2,6}")
_NOT_MEASURES: Final = frozenset({"AI", "CEO", "CFO", "CTO", "ESG", "FAQ", "IPO", "IT", "PR", "UK", "US", "USA"})
_SLOTS: Final = frozenset({Part.CHANNEL, Part.ENTITY, Part.LATEST, Part.PERIOD, Part.TODAY})
_OF_A_MEASURE: Final = frozenset({Role.ADJUSTED, Role.AVERAGE, Role.PER_UNIT, Role.RATIO})
_OPEN: Final = frozenset({Role.CHANGE, Role.EFFECT_CUE, Role.NARRATIVE_CUE, Role.OTHER_QUESTION})


def asks_for_a_figure(text: Text, segments: Sequence[Segment]) -> bool:
    """Whether a question without a metric of the profile names whose or when, and reads as one for a number."""
    if not any(segment.part in {Part.ENTITY, Part.PERIOD, Part.LATEST} for segment in segments):
        return False
    if all(segment.part in _SLOTS for segment in segments):
        return True
    if any(segment.role in _OPEN for segment in segments):
        return False
    return any(_is_measure(text, segments, i) for i in range(len(segments)))


def _is_measure(text: Text, segments: Sequence[Segment], i: int) -> bool:
    segment = segments[i]
    if segment.part not in {Part.UNKNOWN, Part.WORD} or segment.role is Role.HARMLESS:
        return False
    quoted = text.quote(segment.first, segment.behind)
    if segment.part is Part.UNKNOWN and _ABBREVIATION.fullmatch(quoted) and not text.raw.isupper():
        return quoted not in _NOT_MEASURES
    if is_ideographic(quoted[-1]):
        return text.letters.text[segment.first : segment.behind].endswith(_HEADS_ZH)
    last = quoted.split()[-1].casefold()
    if last not in _HEADS:
        return False
    return segment.part is Part.UNKNOWN or segment.role in _OF_A_MEASURE or segment.role is Role.CURRENCY
