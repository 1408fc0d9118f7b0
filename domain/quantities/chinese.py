"""Numbers in Chinese numerals: `七百七十七`, `二〇二四`, `二点六亿`, `百分之十二`, `三成半`, `一半`, `翻倍`, `数十`.

A single numeral counts only before something that is counted, and `一` hardly ever: it is an article as well. Fixed
phrases in which numerals count nothing are left alone.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from domain.quantities.model import Head, Kind

_DIGITS: Final = {
    **dict(zip("零一二三四五六七八九", range(10), strict=True)),
    **dict(zip("壹贰叁肆伍陆柒捌玖", range(1, 10), strict=True)),
    **{"〇": 0, "两": 2},
}
_UNITS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
_SCALES: Final = {"万": 10_000, "亿": 100_000_000}
_NUMERALS: Final = "".join((*_DIGITS, *_UNITS, *_SCALES, "廿卅"))

_RUN: Final = re.compile(rf"[{_NUMERALS}]+(?:点[{''.join(_DIGITS)}]+[万亿千百]*)?")
_PER: Final = re.compile(rf"(百|千|万|[{_NUMERALS}]+)分之([{_NUMERALS}]+(?:点[{''.join(_DIGITS)}]+)?|\d+(?:\.\d+)?)")
_TENTHS: Final = re.compile(r"([一二两三四五六七八九])成([半一二三四五六七八九])?(?![立本功长为员果熟都绩交份型就分])")
_HALF: Final = re.compile(r"一半|半数|[过近大]半|减半|折半|腰斩|对半")
_DOUBLED: Final = re.compile(r"翻(?:了)?(?:一)?(?:倍|番)|倍增|翻了?一[倍番]")
_QUADRUPLED: Final = re.compile(r"翻了?两番")
_VAGUE: Final = re.compile(
    r"(?:好几|几|数|上|逾|近|超|过|成)[十百千万亿]+|[十百千万亿]+[余多来](?=[个家名人元万亿天位次项%]|$)"
    r"|[个两双三四]位数|[成数好几多]倍|成百上千|成千上万"
)
_IDIOMS: Final = re.compile(
    r"十分(?!之)|十足|万一|千万(?=[别不要勿])|一一|[统唯专单同]一|第一(?=[时线手，,、：:])|第[二三四五](?=[，,、：:]|方)"
    r"|[一两二三四五六七八九十](?=方面)|四川|三亚|九江|九龙|三明|三峡|三角|百度|百货|百姓|百年|千禧|四季|四周|五金|七夕"
    r"|双十[一二]|一带一路|三农|万[科达物象事能]|三方|二手|四面|三星|三菱|三井|五粮|六安|千家万户|千方百计|四通八达|五花八门"
    r"|两岸|[两二三]者|[一二三四]线|[一二两]+[、和]?[二三]线|五[一]黄金周|不二|再三|接二连三|说一不二"
)
_RHETORICAL: Final = re.compile(
    r"[两二三四五六几](?:个|大|点|类|种|项|条|方面)?(?:主要|核心|关键|重要)?(?:的)?"
    r"(?:原因|因素|方面|问题|挑战|层面|方向|角度|理由|举措|阶段)"
)
_COUNTED: Final = re.compile(
    r"[个家名人位次项元倍成月日天周季台辆件份套户笔只座间条款类种层处点岁号年%吨度]|大|分之|美元|港元|欧元|percent"
)
_COUNTED_ONE: Final = re.compile(r"季度|[成倍号日]|月(?!台)|个?百分点|%")
_AFTER_ORDINAL: Final = "第"


def find_chinese(text: str) -> Iterator[Head]:
    """Every number of a matching view that is written in Chinese numerals, in no particular order."""
    taken = bytearray(len(text))

    def free(found: re.Match[str]) -> bool:
        start, end = found.span()
        if taken.find(1, start, end) >= 0:
            return False
        taken[start:end] = b"\1" * (end - start)
        return True

    for idiom in (*_IDIOMS.finditer(text), *_RHETORICAL.finditer(text)):
        free(idiom)
    yield from (_share(found) for found in _PER.finditer(text) if free(found))
    yield from (_tenths(found) for found in _TENTHS.finditer(text) if free(found))
    for pattern, value, kind in (
        (_HALF, Decimal("0.5"), Kind.PORTION),
        (_QUADRUPLED, Decimal(4), Kind.TIMES),
        (_DOUBLED, Decimal(2), Kind.TIMES),
    ):
        yield from (Head(*found.span(), frozenset({value}), kind) for found in pattern.finditer(text) if free(found))
    yield from (Head(*found.span(), frozenset(), Kind.OPAQUE) for found in _VAGUE.finditer(text) if free(found))
    yield from (_run(found) for found in _RUN.finditer(text) if _counts(found, text) and free(found))


def read_numeral(text: str) -> Decimal | None:
    """The number that a run of numerals means; None where it means none."""
    whole, point, rest = text.partition("点")
    scale = rest.lstrip("".join(_DIGITS))
    decimals = rest.removesuffix(scale)
    value = _whole(whole)
    if value is None or (point and not decimals):
        return None
    exact = Decimal(value)
    if decimals:
        exact += Decimal("".join(str(_DIGITS[digit]) for digit in decimals)).scaleb(-len(decimals))
    for char in scale:
        exact *= _SCALES.get(char) or _UNITS[char]
    return exact


def _whole(text: str) -> int | None:
    text = text.replace("廿", "二十").replace("卅", "三十")
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text)) if text else None
    total = section = digit = 0  # what an 亿 has closed, what a 万 has closed since, and the rest
    in_ten_thousands = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _UNITS:
            section += (digit or 1) * _UNITS[char]
            digit = 0
        elif char == "万":
            in_ten_thousands += (section + digit or 1) * _SCALES[char]
            section = digit = 0
        else:
            total = (total + in_ten_thousands + section + digit or 1) * _SCALES[char]
            in_ten_thousands = section = digit = 0
    return total + in_ten_thousands + section + digit


def _counts(found: re.Match[str], text: str) -> bool:
    """Whether a run of numerals is a number here."""
    start, end = found.span()
    is_scale = all(char in _UNITS or char in _SCALES for char in found[0])
    if is_scale and text[max(0, start - 2) : start].rstrip()[-1:].isdigit():
        return False  # of a number in digits: "3千万"
    if end - start > 1:
        return True
    if start and text[start - 1] == _AFTER_ORDINAL:
        return found[0] != "一"
    return (_COUNTED_ONE if found[0] == "一" else _COUNTED).match(text, end) is not None


def _run(found: re.Match[str]) -> Head:
    value = read_numeral(found[0])
    return Head(*found.span(), frozenset() if value is None else frozenset({value}))


def _share(found: re.Match[str]) -> Head:
    part = Decimal(found[2]) if found[2][0].isdigit() else read_numeral(found[2])
    if part is None:
        return Head(*found.span(), frozenset(), Kind.OPAQUE)
    match found[1]:
        case "百":
            return Head(*found.span(), frozenset({part}), Kind.PERCENT)
        case "千":
            return Head(*found.span(), frozenset({part}), Kind.PER_MILLE)
        case "万":
            return Head(*found.span(), frozenset({part}), Kind.BASIS_POINTS)
        case whole:
            of = read_numeral(whole)
            return Head(*found.span(), frozenset({part / of}) if of else frozenset(), Kind.PORTION)


def _tenths(found: re.Match[str]) -> Head:
    ones = {"半": 5, **_DIGITS}.get(found[2] or "零", 0)
    value = Decimal(_DIGITS[found[1]] * 10 + ones)
    return Head(*found.span(), frozenset({value}), Kind.PERCENT)
