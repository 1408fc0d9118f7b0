"""Exact arithmetic on stored numbers, and the only place where a `Decimal` becomes text.

The digits shown are the digits stored, or the exact result of a subtraction of stored numbers: never a float, never an
exponent, never a rounding except the stated one of a percentage or a ratio.
"""

from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Final

from domain.profile import RATE_UNITS

_EXACT: Final = Context(prec=1_000, traps=[Inexact])
"""Far wider than a stored number (50 digits); a result that would not fit raises instead of being rounded."""


PERCENT_UNIT: Final = "PCT"
POINTS_UNIT: Final = "PP"
"""Units of computed values: per cent, and percentage points."""
PERCENT_DECIMALS: Final = 1
"""Of a percentage, unless the question orders others."""
RATIO_DECIMALS: Final = 2
"""Of a ratio that is no percentage, unless the question orders others."""


def plain(value: Decimal) -> str:
    """The stored digits, trailing zeros included: `1320.50`, `0.00001234`, `1000000`. Zero has no sign.

    Raises `ValueError` for a value that is not finite.
    """
    if not value.is_finite():
        raise ValueError("only a finite number can be shown")
    return format(value.copy_abs() if value.is_zero() else value, "f")


def signed(value: Decimal) -> str:
    """A difference with its sign: `+5`, `-1.5`; `0` when there is none."""
    if value.is_zero():
        return "0"
    return plain(value) if value.is_signed() else f"+{plain(value)}"


def difference(later: Decimal, earlier: Decimal) -> Decimal:
    """`later` minus `earlier`, exactly, whatever the caller's decimal context says."""
    return _EXACT.subtract(later, earlier)


def percent_change(later: Decimal, earlier: Decimal) -> str | None:
    """The change in percent of `earlier`, signed, one decimal, half up; None unless `earlier` is positive."""
    change = change_in_percent(later, earlier)
    return None if change is None else signed_percent(change)


def change_in_percent(later: Decimal, earlier: Decimal, *, decimals: int = PERCENT_DECIMALS) -> Decimal | None:
    """The change in percent of `earlier`, half up; None unless `earlier` is positive."""
    if earlier <= 0:
        return None
    return _rounded(Fraction(difference(later, earlier)) / Fraction(earlier) * 100, decimals)


def quotient(numerator: Decimal, denominator: Decimal, *, decimals: int, percent: bool) -> Decimal | None:
    """One number over another, or what percentage of it, half up; None unless `denominator` is positive."""
    if denominator <= 0:
        return None
    return _rounded(Fraction(numerator) / Fraction(denominator) * (100 if percent else 1), decimals)


def signed_percent(value: Decimal) -> str:
    """A rounded percentage with its sign and all its decimals: `+10.0`, `-0.5`, `0.0`."""
    return plain(value) if value.is_zero() else signed(value)


def _rounded(value: Fraction, decimals: int) -> Decimal:
    """A fraction with so many decimals, halves away from zero."""
    units = (abs(value) * 10**decimals + Fraction(1, 2)).__floor__()
    return Decimal(units if value >= 0 else -units).scaleb(-decimals, _EXACT)


def is_rate(unit: str) -> bool:
    """Whether the unit is a rate, so that a difference of two values is in percentage points."""
    return unit.strip().upper() in RATE_UNITS
