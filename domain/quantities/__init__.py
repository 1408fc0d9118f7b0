"""The numbers that a text states, with their units, in Chinese, English and Italian. Pure, total.

Made for comparing what a text claims with what is known, so it would rather see a number too many than one too few.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.fold import Folded
from domain.quantities.chinese import find_chinese
from domain.quantities.digits import find_digits, find_signs
from domain.quantities.directions import direction
from domain.quantities.measures import unit_of
from domain.quantities.model import Head, Kind, Quantity
from domain.quantities.words import find_words

__all__ = ["Kind", "Quantity", "find_quantities", "unit_of"]

_CHANGES: Final = frozenset({Kind.PERCENT, Kind.POINTS, Kind.BASIS_POINTS})
"""What says by how much something changes, more often than not."""

_MINUS: Final = frozenset("-−–")
_NO_SIGN_BEHIND: Final = frozenset(")]%")


def find_quantities(
    raw: str, folded: Folded, *, italian: bool, strict: bool = False, blocked: Sequence[tuple[int, int]] = ()
) -> list[Quantity]:
    """Every number of a text with its matching view, in its order, outside of the blocked parts of the view.

    `strict` reads a point as a decimal point only; without it `1.234` may also be a thousand and more.
    """
    taken = bytearray(len(folded.text))
    for start, end in blocked:
        taken[start:end] = b"\1" * (end - start)
    found: list[Quantity] = []
    for head in _heads(raw, folded, italian=italian, strict=strict):
        if taken.find(1, head.start, head.end) < 0:
            quantity = _with_unit(folded.text, head)
            taken[head.start : quantity.end] = b"\1" * (quantity.end - head.start)
            found.append(quantity)
    return sorted(found, key=lambda quantity: quantity.start)


def _heads(raw: str, folded: Folded, *, italian: bool, strict: bool) -> Iterator[Head]:
    """The longest first, so that a part of a number is not taken for one."""
    heads = [
        *find_digits(folded, strict=strict and not italian),
        *find_signs(raw, folded),
        *find_chinese(folded.text),
        *find_words(folded.text, italian=italian),
    ]
    yield from sorted(heads, key=lambda head: (head.start - head.end, head.start))


def _with_unit(text: str, head: Head) -> Quantity:
    if head.kind is not None:
        sign = direction(text, head.start, head.end) if head.kind in _CHANGES else 0
        spelled = _spelled(text, head.start, head.end)
        return Quantity(head.start, head.end, head.values, head.kind, spelled, sign=sign)
    unit = unit_of(text, head.start, head.end)
    return Quantity(
        start=head.start,
        end=unit.end,
        values=frozenset(value * unit.scale for value in head.values),
        kind=unit.kind,
        text=_spelled(text, head.start, unit.end),
        currencies=unit.currencies,
        scaled=unit.scale > 1 or any(char in "万亿" for char in text[head.start : head.end]),
        sign=_sign(text, head.start) or (direction(text, head.start, unit.end) if unit.kind in _CHANGES else 0),
    )


def _spelled(text: str, start: int, end: int) -> str:
    return text[start:end].replace(" ", "")


def _sign(text: str, start: int) -> int:
    before = text[start - 1 : start]
    if before == "+":
        return 1
    is_minus = (
        before in _MINUS
        and before
        and not (text[start - 2 : start - 1].isalnum() or text[start - 2 : start - 1] in _NO_SIGN_BEHIND)
    )
    return -1 if is_minus else 0
