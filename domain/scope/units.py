"""Which words of a question name a metric's own unit: "多少元" of a metric in CNY asks for nothing else.

A currency at another scale is the same currency (the answer names its unit); another currency is a conversion, and
nobody converts.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from domain.fold import is_ideographic
from domain.matching import phrase_key

_SCALES_ZH: Final = ("", "万", "万亿", "亿", "十亿", "千", "千万", "百万")
_SCALE_WORDS: Final = (
    *(scale for scale in _SCALES_ZH if scale),
    *("billion", "billions", "bn", "million", "millions", "mn", "thousand", "thousands", "trillion"),
    *("miliardi", "miliardo", "migliaia", "milione", "milioni"),
)
CURRENCIES: Final = {
    "AUD": ("澳元", "australian dollars"),
    "CAD": ("加元", "canadian dollars"),
    "CHF": ("瑞士法郎", "franchi", "swiss francs"),
    "CNY": ("元", "人民币", "人民币元", "renminbi", "rmb", "yuan"),
    "EUR": ("欧元", "euro", "euros"),
    "GBP": ("英镑", "british pounds", "pound", "pounds", "sterline", "sterling"),
    "HKD": ("港元", "港币", "hk dollars", "hong kong dollars"),
    "INR": ("卢比", "rupees"),
    "JPY": ("日元", "日圆", "yen"),
    "KRW": ("韩元",),
    "SGD": ("新元", "新加坡元"),
    "USD": ("美元", "美金", "dollar", "dollars", "dollari", "dollaro", "us dollars"),
}
_PERSONS: Final = ("个", "人", "位", "employees", "headcount", "people", "persone", "persons", "千人", "万人", "名")
_RATE: Final = (
    "%",
    "in percentuale",
    "per cento",
    "percent",
    "percentage",
    "percento",
    "percentuale",
    "百分之",
    "百分之几",
    "百分之多少",
    "百分数",
    "百分比",
)
_COUNTERS: Final = ("个", "件", "份", "台", "套", "家", "户", "次", "笔", "辆", "千件", "万件", "units", "unità")
_OTHERS: Final = {
    "%": _RATE,
    "FTE": (*_PERSONS, "fte"),
    "PCT": _RATE,
    "PERCENT": _RATE,
    "PERSONS": _PERSONS,
    "SHARE": ("元/股", "元每股", "股", "per share", "a share"),
    "SHARES": ("股", "shares"),
    "TIMES": ("倍", "times"),
    "TONNES": ("吨", "tonnes", "tons"),
    "TONS": ("吨", "tonnes", "tons"),
    "UNITS": _COUNTERS,
}
CURRENCY_SIGNS: Final = {
    "$": frozenset({"AUD", "CAD", "HKD", "NZD", "SGD", "TWD", "USD"}),
    "a$": frozenset({"AUD"}),
    "c$": frozenset({"CAD"}),
    "hk$": frozenset({"HKD"}),
    "nt$": frozenset({"TWD"}),
    "s$": frozenset({"SGD"}),
    "us$": frozenset({"USD"}),
    "£": frozenset({"GBP"}),
    "¥": frozenset({"CNY", "JPY"}),
    "₩": frozenset({"KRW"}),
    "€": frozenset({"EUR"}),
    "₹": frozenset({"INR"}),
}
# Not before digits: "$5" is an amount, not the unit of the answer.
_SIGN: Final = re.compile(r"(?:(?<![^\W_])(?:hk|us|nt|a|c|s))?\$(?! ?\d)|[£¥₩€₹](?! ?\d)")
_UNIT_PARTS: Final = re.compile(r"[A-Z%]+")
_REMEMBERED_UNITS: Final = 256


def unit_keys(units: Iterable[str]) -> frozenset[str]:
    """The keys of all words that name one of these units."""
    return frozenset[str]().union(*(_keys(unit) for unit in units))


def find_currency_signs(view: str) -> list[tuple[int, int]]:
    """Where a matching view names a currency by its sign."""
    return [found.span() for found in _SIGN.finditer(view)]


def is_sign_of(sign: str, units: Iterable[str]) -> bool:
    """Whether a currency sign names the currency of one of these units."""
    return any(not CURRENCY_SIGNS[sign].isdisjoint(_parts(unit)) for unit in units)


def _parts(unit: str) -> list[str]:
    return ["CNY" if part == "RMB" else part for part in _UNIT_PARTS.findall(unit.upper())]


@lru_cache(maxsize=_REMEMBERED_UNITS)
def _keys(unit: str) -> frozenset[str]:
    return frozenset(phrase_key(word) for word in (unit, *_words(unit)))


def _words(unit: str) -> Iterator[str]:
    parts = _parts(unit)
    for part in parts:
        if part in CURRENCIES:
            yield part
            yield from (f"{scale}{name}" for name in CURRENCIES[part] for scale in _scales(name))
        yield from _OTHERS.get(part, ())
    if not any(_OTHERS.get(part) is _RATE for part in parts):
        yield from _SCALE_WORDS


def _scales(name: str) -> tuple[str, ...]:
    return _SCALES_ZH if is_ideographic(name[0]) else ("",)
