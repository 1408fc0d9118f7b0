"""Numbers written in digits of any script: `1,234.5`, `1.234,5`, `１２`, `٩٩`, `1e6`, `9 9 9`, `3/4`."""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from domain.fold import Folded
from domain.quantities.model import Head, Kind

MAX_DIGITS: Final = 60
"""A longer run of digits is no number that anybody states."""

# One digit at a time with a sign between: a way to write a number that is none.
_SPELLED: Final = re.compile(r"(?<![\d.,])\d(?:[^\w\n]{1,2}\d(?![\da-z])){2,}")
_SCIENTIFIC: Final = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)?e[+-]?\d+(?![\w])")
_FRACTION: Final = re.compile(r"(?<![\d/.,])\d+ ?[/⁄] ?\d+(?![\d/])")
_GROUPED: Final = re.compile(r"(?<!\d)\d{1,3}(?: \d{3})+(?!\d)")
_PLAIN: Final = re.compile(r"\d+(?:[.,'’·]\d+)*")
_FORMS: Final = (_SCIENTIFIC, _FRACTION, _GROUPED, _SPELLED, _PLAIN)

_SEPARATORS: Final = re.compile(r"[.,'’·]")


def find_digits(folded: Folded, *, strict: bool) -> Iterator[Head]:
    """Every run of digits outside of others. `strict`: the point is a decimal point, as in Chinese and English."""
    taken = bytearray(len(folded.text))
    for form in _FORMS:
        for found in form.finditer(folded.text):
            start, end = found.span()
            if taken.find(1, start, end) >= 0:
                continue
            taken[start:end] = b"\1" * (end - start)
            yield Head(start, end, _values(form, found[0], strict), None if form is not _SPELLED else Kind.OPAQUE)


def find_signs(raw: str, folded: Folded) -> Iterator[Head]:
    """Characters that are numbers without a digit to read: Ⅳ, ➒, 〩."""
    for place, char in enumerate(raw):
        if char.isascii() or char == "〇" or unicodedata.category(char) not in {"Nl", "No"}:
            continue
        start, end = folded.folded_span(place, place + 1)
        if start < end and not any(seen.isdecimal() for seen in folded.text[start:end]):
            yield Head(start, end, frozenset(), Kind.OPAQUE)


def _values(form: re.Pattern[str], text: str, strict: bool) -> frozenset[Decimal]:
    if len(text) > MAX_DIGITS or form is _SPELLED:
        return frozenset()
    if form is _SCIENTIFIC:
        mantissa, _, exponent = text.replace(",", ".").partition("e")
        return frozenset({Decimal(mantissa).scaleb(int(exponent))}) if abs(int(exponent)) < MAX_DIGITS else frozenset()
    if form is _FRACTION:
        return frozenset()  # compared as it is written: 3/4 may be a date
    if form is _GROUPED:
        return frozenset({Decimal(text.replace(" ", ""))})
    return readings(text, strict=strict)


def readings(text: str, *, strict: bool) -> frozenset[Decimal]:
    """The numbers that digits with separators may be; none where the separators make no sense."""
    marks = _SEPARATORS.findall(text)
    groups = _SEPARATORS.split(text)
    if not marks:
        return frozenset({Decimal(text)})
    in_thousands = len(groups[0]) <= len("999") and all(len(group) == len("000") for group in groups[1:])
    found: set[Decimal] = set()
    if in_thousands and len(set(marks)) == 1 and not (strict and marks == ["."]):
        found.add(Decimal("".join(groups)))
    whole, decimals = groups[:-1], groups[-1]
    split_by_one_sign = len(set(marks[:-1])) <= 1 and marks[-1] not in marks[:-1] and marks[-1] in ".,·"
    if (
        split_by_one_sign
        and all(len(group) == len("000") for group in whole[1:])
        and not (strict and marks == [","] and in_thousands)
    ):
        found.add(Decimal(f"{''.join(whole)}.{decimals}"))
    return frozenset(found)
