"""A refused cell says what to write instead, and what it says can be loaded."""

import re

import pytest
from hypothesis import given

from services.facts.rows import Row, RowChecker
from tests.unit.facts.test_rows import GOOD, NUMBERS

CHECKER = RowChecker(None)


def _reason(**cells: str) -> str:
    checked = CHECKER.check(GOOD._replace(**cells))
    assert not isinstance(checked, Row)
    (problem,) = checked
    assert problem.column in cells
    return problem.reason


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("1,234,567.5", "write 1234567.5"),
        ("1 234 567", "write 1234567"),
        ("1'234", "write 1234"),
        ("1，234", "write 1234"),
        ("1,320", "write 1320 if it groups thousands, 1.320 if it is a point"),
        ("1320,5", "write 1320.5"),
        ("1.234.567,89", "write 1234567.89"),
        ("1.2E+5", "write 120000"),
        ("1e-3", "write 0.001"),
        ("(1,234.5)", "write -1234.5"),
        ("12.5%", "write 12.5"),
        ("+5", "write 5"),
        (".5", "write 0.5"),
        ("5.", "write 5"),
        ("１２３．５", "write 123.5"),
        ("−7", "write -7"),
        (" 1320 ", "write 1320"),
        ("NaN", "leave the row out"),
        ("n/a", "leave the row out"),
        ("—", "leave the row out"),
        ("", "is empty; leave the row out"),
        ("1320 million", "plain digits"),
        ("1" * 31, "more than 30 digits"),
        ("1." + "1" * 21, "20 digits after the point"),
        ("1e99", "more than 30 digits"),
    ],
)
def test_a_number_in_another_notation_is_refused_with_the_right_one(written: str, advice: str) -> None:
    assert advice in _reason(value=written)


@given(NUMBERS)
def test_a_number_that_is_advised_can_be_loaded(written: str) -> None:
    checked = CHECKER.check(GOOD._replace(value=written))
    if isinstance(checked, Row):
        return

    for advised in re.findall(r"write (\S+)", checked[0].reason):
        assert isinstance(CHECKER.check(GOOD._replace(value=advised)), Row)


@pytest.mark.parametrize(
    ("cells", "advice"),
    [
        ({"source_locator": ""}, "is empty"),
        ({"source_doc_id": " \t"}, "is empty"),
        ({"metric_code": "\x00"}, "is empty"),
        ({"period": "FY2024"}, "FY 2024, HY 2024H1"),
        ({"period_type": "YEAR"}, "one of FY, HY, QUARTER, MONTH, YTD"),
        ({"valid_as_of": "31.03.2024"}, "as in 2024-03-31"),
        ({"valid_as_of": "2023-02-29"}, "a day of the calendar"),
        ({"review_status": "ok"}, "one of approved, pending, blocked, rejected"),
        ({"source_locator": "x" * 1_025}, "more than 1,024 characters"),
        ({"unit": "x" * 257}, "more than 256 characters"),
    ],
)
def test_other_cells_say_what_is_expected(cells: dict[str, str], advice: str) -> None:
    assert advice in _reason(**cells)
