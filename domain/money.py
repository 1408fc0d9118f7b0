"""Exact arithmetic on stored numbers, and the only place where a `Decimal` becomes text.

The digits shown are the digits stored, or the exact result of a subtraction of stored numbers: never a float, never an
exponent, never a rounding except the stated one of a percentage.
"""

from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Final

from domain.profile import RATE_UNITS

_EXACT: Final = Context(prec=1_000, traps=[Inexact])
"""Far wider than a stored number (50 digits); a result that would not fit raises instead of being rounded."""


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
    if earlier <= 0:
        return None
    change = Fraction(difference(later, earlier)) / Fraction(earlier) * 1_000
    tenths = (abs(change) + Fraction(1, 2)).__floor__()
    rounded = Decimal(tenths if change > 0 else -tenths).scaleb(-1, _EXACT)
    return "0.0" if rounded.is_zero() else signed(rounded)


def is_rate(unit: str) -> bool:
    """Whether the unit is a rate, so that a difference of two values is in percentage points."""
    return unit.strip().upper() in RATE_UNITS
