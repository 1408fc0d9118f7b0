"""The unit of a number: what stands behind it, or before it, in Chinese, English and Italian."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from domain.quantities.model import Kind
from domain.scope.units import CURRENCIES, CURRENCY_SIGNS

_SCALES: Final = {
    **{"万亿": 10**12, "千亿": 10**11, "百亿": 10**10, "十亿": 10**9, "亿": 10**8},
    **{"千万": 10**7, "百万": 10**6, "十万": 10**5, "万": 10**4, "千": 10**3, "百": 100},
    **dict.fromkeys(("trillions", "trillion", "tn", "bilioni", "bilione"), 10**12),
    **dict.fromkeys(("billions", "billion", "bn", "bln", "miliardi", "miliardo", "mrd", "mld"), 10**9),
    **dict.fromkeys(("millions", "million", "mln", "mn", "mio", "mm", "milioni", "milione"), 10**6),
    **dict.fromkeys(("thousands", "thousand", "mila", "migliaia"), 10**3),
    **{"hundred": 100, "crore": 10**7, "lakh": 10**5},
}
_LETTER_SCALES: Final = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
_CODE_SCALES: Final = {
    **{"k": 10**3, "th": 10**3, "m": 10**6, "mn": 10**6, "mm": 10**6, "mio": 10**6},
    **{"b": 10**9, "bn": 10**9, "t": 10**12, "tn": 10**12},
}


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CODES: Final = {code.lower(): frozenset({code}) for code in CURRENCIES} | {"rmb": frozenset({"CNY"})}
_NAMES: Final = {name: frozenset({code}) for code, names in CURRENCIES.items() for name in names}

_SCALE: Final = re.compile(rf"[ -]?(?:({_either(_SCALES)})(?![a-z])|(?<=\d)([kmb])(?![a-z0-9²³]))")
_LINK: Final = re.compile(r"(?: (?:of|di|d['’])(?= )|[余多]|个)")
_CODE: Final = re.compile(rf"[ -]?\(?({_either(_CODES)})(?:[_ ](k|th|mn|mm|mio|m|bn|b|tn|t))?(?![a-z_])")
_NAME: Final = re.compile(rf"[ -]?({_either(_NAMES)})(?![a-z])")
_SIGN: Final = re.compile(rf" ?({_either(CURRENCY_SIGNS)})")
_SIGN_BEFORE: Final = re.compile(rf"({_either(CURRENCY_SIGNS)}) ?$")
_CODE_BEFORE: Final = re.compile(rf"(?<![a-z])({_either((*_CODES, *(n for n in _NAMES if not n.isascii())))}) ?$")
_BEFORE_CHARS: Final = 8

_KINDS: Final = tuple(
    (re.compile(rf"[ -]?(?:{form})"), kind)
    for form, kind in (
        (r"个?百分点|percentage[ -]points?|pp(?:ts?)?(?![a-z])|p\.p\.|punt[oi] percentual[ei]", Kind.POINTS),
        (r"个?基点|个?bps?(?![a-z])|basis points?|punti base", Kind.BASIS_POINTS),
        (r"%|percent(?:o|uale)?(?![a-z])|per cento?(?![a-z])|pct(?![a-z])", Kind.PERCENT),
        (r"‰|per mille", Kind.PER_MILLE),
        (r"倍|times(?![a-z])|x(?![a-z])|fold(?![a-z])|volte(?![a-z])|×", Kind.TIMES),
        (r"分钟|minutes?(?![a-z])|minut[oi](?![a-z])", Kind.MINUTES),
        (r"个?小时|hours?(?![a-z])|or[ae](?![a-z])", Kind.HOURS),
        (r"天|日(?![元圆])|号|days?(?![a-z])|giorn[oi](?![a-z])", Kind.DAYS),
        (r"周|个?星期|weeks?(?![a-z])|settiman[ae](?![a-z])", Kind.WEEKS),
        (r"个?月|months?(?![a-z])|mes[ei](?![a-z])", Kind.MONTHS),
        (r"个?季度?|quarters?(?![a-z])|trimestr[ei](?![a-z])", Kind.QUARTERS),
        (r"年|years?(?![a-z])|ann[oi](?![a-z])|岁", Kind.YEARS),
        (r"名|位(?!数)|个?人|people|persons?(?![a-z])|employees|staff|dipendenti|persone|fte(?![a-z])", Kind.PERSONS),
        (r"万?吨|tons?(?![a-z])|tonn(?:es?|ellate)|kg(?![a-z])|公斤|千克", Kind.MASS),
        (r"公里|km(?![a-z²])|kilomet|米", Kind.LENGTH),
        (r"平方|km²|m2|sqm|square", Kind.AREA),
        (r"[kmgt]wh?(?![a-z])|千瓦|兆瓦", Kind.ENERGY),
        (r"(?:st|nd|rd|th|º|ª|°)(?![a-z])", Kind.ORDINAL),
    )
)


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number counts, at which scale, and where its unit ends."""

    kind: Kind
    end: int
    scale: int = 1
    currencies: frozenset[str] = frozenset()


def unit_of(text: str, start: int, end: int) -> Unit:
    """The unit of the number that stands at `start:end` of a matching view."""
    scale, place = _scale_behind(text, end)
    link = _LINK.match(text, place) if scale > 1 else None
    behind = link.end() if link else place
    if money := _money_behind(text, behind):
        return Unit(Kind.MONEY, money.end, scale * money.scale, money.currencies)
    if before := _money_before(text, start):
        return Unit(Kind.MONEY, place, scale, before)
    if start and text[start - 1] == "第":
        return Unit(Kind.ORDINAL, place, scale)
    for pattern, kind in _KINDS:
        if found := pattern.match(text, place):
            return Unit(kind, found.end(), scale)
    return Unit(Kind.BARE, place, scale)


def _scale_behind(text: str, place: int) -> tuple[int, int]:
    """Scales may be stacked ("3 thousand million", "百 万"); their product, and where they end."""
    scale = 1
    while found := _SCALE.match(text, place):
        scale *= _SCALES[found[1]] if found[1] else _LETTER_SCALES[found[2]]
        place = found.end()
    return scale, place


def _money_behind(text: str, place: int) -> Unit | None:
    if found := _CODE.match(text, place):
        return Unit(Kind.MONEY, found.end(), _CODE_SCALES.get(found[2] or "", 1), _CODES[found[1]])
    if found := _NAME.match(text, place):
        return Unit(Kind.MONEY, found.end(), 1, _NAMES[found[1]])
    if found := _SIGN.match(text, place):
        return Unit(Kind.MONEY, found.end(), 1, CURRENCY_SIGNS[found[1]])
    return None


def _money_before(text: str, start: int) -> frozenset[str] | None:
    window = text[max(0, start - _BEFORE_CHARS) : start].removesuffix("-").removesuffix("+")
    if found := _SIGN_BEFORE.search(window):
        return CURRENCY_SIGNS[found[1]]
    if found := _CODE_BEFORE.search(window):
        return _CODES.get(found[1]) or _NAMES[found[1]]
    return None
