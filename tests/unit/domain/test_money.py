"""Exact numbers as text."""

from decimal import Decimal

import pytest

from domain.money import difference, is_rate, percent_change, plain, signed


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("1234567.89"), "1234567.89"),
        (Decimal("1320.50"), "1320.50"),
        (Decimal("0.00001234"), "0.00001234"),
        (Decimal("1E+6"), "1000000"),
        (Decimal("-2500000.5"), "-2500000.5"),
        (Decimal("12345678901234567"), "12345678901234567"),
        (Decimal("0.00"), "0.00"),
        (Decimal("-0"), "0"),
    ],
)
def test_a_number_shows_its_stored_digits(value: Decimal, expected: str) -> None:
    assert plain(value) == expected


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity")])
def test_a_number_that_is_not_finite_is_never_shown(value: Decimal) -> None:
    with pytest.raises(ValueError, match="finite"):
        plain(value)


@pytest.mark.parametrize(
    ("value", "expected"), [(Decimal(5), "+5"), (Decimal("-1.5"), "-1.5"), (Decimal("0.00"), "0"), (Decimal("-0"), "0")]
)
def test_a_difference_shows_its_sign(value: Decimal, expected: str) -> None:
    assert signed(value) == expected


def test_a_difference_is_exact_beyond_the_usual_precision() -> None:
    later = Decimal("9" * 30 + "." + "9" * 20)

    assert plain(difference(later, Decimal("0.1"))) == "9" * 30 + ".8" + "9" * 19


@pytest.mark.parametrize(
    ("later", "earlier", "expected"),
    [
        ("731.25", "650", "+12.5"),
        ("90", "100", "-10.0"),
        ("100.05", "100", "+0.1"),
        ("99.95", "100", "-0.1"),
        ("100.04", "100", "0.0"),
        ("100", "100", "0.0"),
        ("-5", "100", "-105.0"),
        ("1", "3", "-66.7"),
        ("1000000000", "0.001", "+99999999999900.0"),
        ("5", "0", None),
        ("5", "-1", None),
    ],
)
def test_a_percentage_needs_a_positive_base_and_is_rounded_half_up(
    later: str, earlier: str, expected: str | None
) -> None:
    assert percent_change(Decimal(later), Decimal(earlier)) == expected


@pytest.mark.parametrize(("unit", "expected"), [("PCT", True), ("percent", True), ("%", True), ("USD_M", False)])
def test_rates_are_known_by_their_unit(unit: str, *, expected: bool) -> None:
    assert is_rate(unit) is expected
