"""For all stored numbers: what is shown is exact, and never written as an exponent or by way of a float."""

from decimal import ROUND_HALF_UP, Context, Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.money import difference, percent_change, plain, signed

WIDE = Context(prec=400)
STORED = st.builds(
    lambda digits, scale: Decimal(digits).scaleb(-scale, WIDE), st.integers(-(10**30), 10**30), st.integers(0, 20)
)


@settings(max_examples=400, deadline=None)
@given(STORED)
def test_shown_digits_read_back_as_the_same_number(value: Decimal) -> None:
    shown = plain(value)

    assert Decimal(shown) == value
    assert set(shown) <= set("0123456789.-")


@settings(max_examples=400, deadline=None)
@given(STORED, STORED)
def test_a_difference_is_exact_and_signed(later: Decimal, earlier: Decimal) -> None:
    expected = WIDE.subtract(later, earlier)

    shown = signed(difference(later, earlier))

    assert Decimal(shown) == expected
    assert shown[0] in "+-" or expected == 0
    assert set(shown) <= set("0123456789.+-")


@settings(max_examples=400, deadline=None)
@given(STORED, STORED)
def test_a_percentage_is_the_exact_one_rounded_once(later: Decimal, earlier: Decimal) -> None:
    shown = percent_change(later, earlier)

    if earlier <= 0:
        assert shown is None
        return
    assert shown is not None
    exact = WIDE.divide(WIDE.multiply(WIDE.subtract(later, earlier), Decimal(100)), earlier)
    assert Decimal(shown) == exact.quantize(Decimal("0.1"), ROUND_HALF_UP, WIDE)
