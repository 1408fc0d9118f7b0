"""A deadline survives its journey in a header and never grows."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.deadline import MAX_SECONDS, Deadline
from runtime.errors import InvalidRequestError


def test_a_header_holds_whole_milliseconds() -> None:
    assert Deadline(1_700_000_000.1239).to_header() == "1700000000123"


def test_a_header_never_makes_a_deadline_later() -> None:
    deadline = Deadline.after(5)

    travelled = Deadline.from_header(deadline.to_header())

    assert deadline.at - 0.002 <= travelled.at <= deadline.at


def test_a_header_beyond_the_longest_time_is_cut() -> None:
    travelled = Deadline.from_header(str(10**15))

    assert travelled.left() <= MAX_SECONDS


@pytest.mark.parametrize("value", ["", "soon", "-5", "1.5", "１２", "1" * 17, " 12", "0x10", "1e9"])
def test_anything_but_milliseconds_is_refused_by_field_and_reason(value: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        Deadline.from_header(value)

    assert [problem.field for problem in caught.value.problems] == ["Ragspine-Deadline"]


@given(st.floats(min_value=-1e6, max_value=1e6))
def test_a_deadline_with_time_kept_back_is_earlier_by_that_time(seconds: float) -> None:
    deadline = Deadline(time.time())

    assert deadline.earlier_by(seconds).at == pytest.approx(deadline.at - seconds)


def test_the_earlier_of_two_limits_counts() -> None:
    soon, late = Deadline.after(1), Deadline.after(100)

    assert soon.no_later_than(50) == soon
    assert late.no_later_than(50).left() == pytest.approx(50, abs=0.5)


def test_a_deadline_that_has_passed_has_nothing_left() -> None:
    assert Deadline.after(-1).left() < 0
