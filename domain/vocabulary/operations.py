"""What the words of an operation mean: which of them ask for a change, a difference, a share or an order. Data only.

Only words that are known already (`zh`, `en`, `it`) can be met here; one that is missing in this table is asked back.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Final

from domain.matching import phrase_key


class Sense(StrEnum):
    """What a word says about an operation."""

    CHANGE = "change"
    """A rate or an amount of change, as a noun."""
    CHANGED = "changed"
    """A verb of change; the basis is said elsewhere."""
    YEAR = "year"
    """Against the same period of the year before."""
    YEAR_CHANGE = "year_change"
    PERIOD = "period"
    """Against the period before."""
    PERIOD_CHANGE = "period_change"
    QUARTER = "quarter"
    """Against the quarter before."""
    MONTH = "month"
    """Against the month before."""
    APART = "apart"
    """How far two values are apart."""
    MORE_BY = "more_by"
    """By how much one value is above or below another; needs a word that compares."""
    PERCENT = "percent"
    """In per cent, of what a change is said to be."""
    POINTS = "points"
    """Percentage points."""
    COMPARED = "compared"
    """What follows is what is compared with."""
    FROM = "from"
    """What follows is where a change began."""
    LISTED = "listed"
    """Joins what is listed."""
    BETWEEN = "between"

    HIGHEST = "highest"
    LOWEST = "lowest"
    ORDER = "order"
    """The whole order."""
    SECOND = "second"
    THIRD = "third"
    WHO = "who"
    """Asks which of them."""
    AMONG = "among"
    """The ones that are named."""

    SHARE = "share"
    """A part of a whole, said behind the part."""
    SHARE_OF = "share_of"
    """A part of a whole, which follows."""
    RATIO = "ratio"
    """One value over the other."""


# fmt: off
_SENSES: Final[Mapping[Sense, tuple[str, ...]]] = {
    Sense.CHANGE: (
        "上涨幅度", "下降幅度", "下降率", "减幅", "变动幅度", "变动比例", "变动率", "变化幅度", "变化比例", "变化率",
        "增幅", "增速", "增长幅度", "增长比例", "增长率", "增长速度", "年增长率", "涨幅", "涨跌幅", "跌幅", "降幅",
        "变动额", "变化量", "增加额", "增量", "增长额", "增减",
        "% change", "growth", "growth rate", "increase rate", "percent change", "percentage change",
        "percentage decrease", "percentage increase", "rate of change", "rate of growth",
        "change", "changes", "decline", "decrease", "delta", "increase",
        "crescita", "tasso di crescita", "tasso di variazione", "variazione percentuale",
        "aumento", "calo", "diminuzione", "incremento", "variazione",
    ),
    Sense.CHANGED: (
        "上升", "上升了", "上涨", "下滑", "下跌", "下降", "下降了", "减少", "减少了", "变动", "变化", "变化了",
        "增加", "增加了", "增长", "增长了", "提升", "提高", "涨", "涨了", "跌", "跌了", "降", "降低",
        "changed", "declined", "decreased", "dropped", "drop", "fall", "fallen", "fell", "grew", "grow", "grown",
        "increased", "rise", "risen", "rose",
        "aumentata", "aumentato", "calata", "calato", "cambiata", "cambiato", "cresciuta", "cresciuto",
        "diminuita", "diminuito", "salita", "salito", "scesa", "sceso", "variato",
    ),
    Sense.YEAR: (
        "同比", "yoy", "y o y", "y y", "year on year", "year over year", "anno su anno", "su base annua",
    ),
    Sense.YEAR_CHANGE: (
        "同比上升", "同比下降", "同比减少", "同比变动", "同比变化", "同比增加", "同比增加额", "同比增幅", "同比增速",
        "同比增长", "同比增长了", "同比增长率", "同比增长额", "同比变动率", "同比变动额", "同比降幅",
    ),
    Sense.PERIOD: (
        "环比",
    ),
    Sense.PERIOD_CHANGE: (
        "环比上升", "环比下降", "环比减少", "环比变动", "环比变化", "环比增加", "环比增加额", "环比增幅", "环比增速",
        "环比增长", "环比增长了", "环比增长率", "环比增长额", "环比变动率", "环比变动额", "环比降幅",
    ),
    Sense.QUARTER: (
        "qoq", "quarter on quarter", "quarter over quarter",
    ),
    Sense.MONTH: (
        "mom", "month on month", "month over month",
    ),
    Sense.APART: (
        "差", "差距", "差额", "差异", "相差", "difference", "differenza",
    ),
    Sense.MORE_BY: (
        "低多少", "多多少", "少多少", "高多少", "higher", "lower", "superiore", "inferiore",
    ),
    Sense.PERCENT: (
        "%", "百分之几", "百分之多少", "百分比", "per cento", "percent", "percentage", "percentuale", "pct",
    ),
    Sense.POINTS: (
        "个百分点", "几个百分点", "多少个百分点", "百分点", "percentage points", "punti percentuali",
    ),
    Sense.COMPARED: (
        "比", "较", "对比", "相对", "相比", "相比较", "相较", "相较于",
        "against", "compared", "over", "than", "v", "versus", "vs",
        "confronto", "contro", "rispetto",
    ),
    Sense.FROM: (
        "da", "dal", "from", "从", "自",
    ),
    Sense.LISTED: (
        "and", "e", "ed", "or", "o", "与", "以及", "及", "同", "和", "或", "跟",
    ),
    Sense.BETWEEN: (
        "between", "fra", "tra", "之间",
    ),
    Sense.HIGHEST: (
        "最多", "最大", "最高", "更多", "更大", "更高",
        "biggest", "bigger", "greater", "greatest", "higher", "highest", "larger", "largest",
        "maggiore", "più alto",
    ),
    Sense.LOWEST: (
        "最低", "最小", "最少", "更低", "更小", "更少",
        "lower", "lowest", "smaller", "smallest",
        "minore", "più basso",
    ),
    Sense.ORDER: (
        "排名", "排序", "rank", "ranking",
    ),
    Sense.SECOND: ("second",),
    Sense.THIRD: ("third",),
    Sense.WHO: (
        "哪一个", "哪一家", "哪一年", "哪个", "哪个季度", "哪个月", "哪家", "哪家公司", "哪年", "哪月", "谁", "谁家",
        "which", "which company", "which entity", "which quarter", "which year", "who",
        "chi",
    ),
    Sense.AMONG: (
        "其中", "among",
    ),
    Sense.SHARE: (
        "占比", "比例", "比重", "百分比", "份额",
    ),
    Sense.SHARE_OF: (
        "占", "as a %", "as a percent", "as a percentage", "as a proportion", "as a share", "share of", "quota",
        "come percentuale", "in percentuale", "contribution", "contributo",
    ),
    Sense.RATIO: (
        "之比", "比值", "比率", "ratio", "rapporto",
    ),
}
# fmt: on


@cache
def _table() -> Mapping[str, frozenset[Sense]]:
    senses: dict[str, set[Sense]] = {}
    for sense, phrases in _SENSES.items():
        for phrase in phrases:
            senses.setdefault(phrase_key(phrase), set()).add(sense)
    return {key: frozenset(found) for key, found in senses.items()}


def senses_of(key: str) -> frozenset[Sense]:
    """What a known word says about an operation; nothing for most words."""
    return _table().get(key, frozenset())
