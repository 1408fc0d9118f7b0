"""Orders about how the answer is to be written. Answers show the stored digits, which changes no value."""

import re
from collections.abc import Iterator
from typing import Final

from contracts.v1.operations import MAX_DECIMALS
from domain.matching import Span

_COUNT: Final = "[0-9零一二两三四五六七八九十]{1,2}"
_ROUNDING_ZH: Final = re.compile(
    rf"(?:需要|需|要|应该|应)?(?:包含|保留|精确)(?:至|到)?(?:小数点)?后?{_COUNT}位(?:小数|有效数字)?(?:的情况下|即可)?"
    rf"|(?:保留|精确)(?:至|到)?(?:小数点后?|小数){_COUNT}位?|{_COUNT}位小数|四舍五入"
)
_ROUNDING_EN: Final = re.compile(
    r"\bround(?:ed)?(?: off)? to (?:the nearest )?(?:[0-9]|one|two|three|four) (?:decimal places?|decimals?|digits?)\b"
    r"|\bwith (?:[0-9]|one|two|three|four) decimals?(?: places?)?\b"
)
_ROUNDING_IT: Final = re.compile(r"\b(?:arrotondat[aeio] )?(?:a|con) (?:[0-9]|un|due|tre|quattro) decimali\b")
_COUNTS: Final = {
    **dict(zip("零一二三四五六", range(7), strict=True)),
    **{"两": 2, "one": 1, "two": 2, "three": 3, "four": 4, "un": 1, "due": 2, "tre": 3, "quattro": 4},
}
_COUNTED: Final = re.compile(rf"{_COUNT}|\b(?:one|two|three|four|un|due|tre|quattro)\b")
_NO_GUESS_EN: Final = re.compile(
    r"\bif (?:the )?(?:data|information|answer) is (?:not available|unavailable|missing),? (?:please )?"
    r"(?:answer|reply|respond|return|say|state|write)(?: with)? ['\"]?(?:n/a|na|none|not available|unknown)\b"
)
_ROUNDING: Final = (_ROUNDING_ZH, _ROUNDING_EN, _ROUNDING_IT)


def find_roundings(view: str) -> Iterator[Span]:
    """Where a matching view orders how many digits are shown; who asks so asks for a number."""
    for pattern in _ROUNDING:
        yield from (found.span() for found in pattern.finditer(view))


def ordered_decimals(view: str) -> int | None:
    """How many decimals a matching view orders; None where it orders none, or several numbers of them."""
    orders = {found for span in find_roundings(view) for found in _COUNTED.findall(view[slice(*span)])}
    if len(orders) != 1 or any("有效" in view[slice(*span)] for span in find_roundings(view)):
        return None
    word = orders.pop()
    count = int(word) if word.isdigit() else _COUNTS.get(word, MAX_DECIMALS + 1)
    return count if count <= MAX_DECIMALS else None


def find_fallbacks(view: str) -> Iterator[Span]:
    """Where a matching view says what to answer when nothing is found; an honest refusal says it as well."""
    yield from (found.span() for found in _NO_GUESS_EN.finditer(view))
