"""Numbers in texts: which there are, and whether two printings show the same one. Exact, never a float."""

import re
from collections.abc import Iterator
from decimal import Decimal, localcontext
from typing import Final

_NUMBER: Final = re.compile(r"(?<![A-Za-z_\d])[+-]?\d[\d,]*(?:\.\d+)?(?![A-Za-z_])")
_SCALES: Final = {"K": 3, "M": 6, "B": 9, "BN": 9}
_DIGITS: Final = 1_000


def numbers_in(text: str) -> Iterator[str]:
    """The numbers of a text as they are written; digits that are part of a Latin word are none."""
    yield from (number.rstrip(",") for number in _NUMBER.findall(text))


def first_number(text: str) -> str | None:
    """The first number of a text."""
    return next(numbers_in(text), None)


def value_of(number: str) -> Decimal:
    """The value of a number as written, thousands separators left out."""
    return Decimal(number.replace(",", ""))


def shows_same(number: str, printed: str) -> bool:
    """Whether two printings can be of one value, each rounded to its own precision; signs are left to the words."""
    one, other = abs(value_of(number)), abs(value_of(printed))
    places = _places(number), _places(printed)
    if places[0] == places[1]:
        return one == other
    with localcontext(prec=_DIGITS):
        return abs(one - other) <= sum(Decimal(5).scaleb(-place - 1) for place in places)


def is_same_amount(value: Decimal, unit: str, other: Decimal, other_unit: str) -> bool:
    """Whether two figures are the same amount; `USD_K` and `USD_M` are one unit at two scales."""
    (base, power), (other_base, other_power) = _split(unit), _split(other_unit)
    if base != other_base:
        return False
    with localcontext(prec=_DIGITS):
        return value.scaleb(power) == other.scaleb(other_power)


def _split(unit: str) -> tuple[str, int]:
    base, _, scale = unit.upper().rpartition("_")
    return (base, _SCALES[scale]) if base and scale in _SCALES else (unit.upper(), 0)


def _places(number: str) -> int:
    return len(number.partition(".")[2])
