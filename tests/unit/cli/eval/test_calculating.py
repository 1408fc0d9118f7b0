"""Computed values are computed again: right ones pass, and every planted fault is named."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from cli.eval.calculating import wrong_calculations
from cli.eval.figures import Figure, figures_of, stray_numbers
from cli.eval.judging import Reason
from cli.eval.questions import Kind
from contracts.codes import CalculationRefusal, Measure, OperationKind
from contracts.v1.ask import AnswerResult
from contracts.v1.operations import Calculation
from tests.support.answers import scope
from tests.support.judged import expected, judged, question, said

BOTH = "hk revenue 2023 and 2024"  # 688.4 and 731.25


def figures(*values: str) -> list[Figure]:
    return [Figure(scope(str(2020 + n)), Decimal(value), "USD_M", None) for n, value in enumerate(values)]


def calculation(
    value: str | None, kind: OperationKind, measure: Measure, *years: str, places: Sequence[int] = ()
) -> Calculation:
    return Calculation(
        kind=kind,
        measure=measure,
        operands=tuple(map(scope, years)),
        places=tuple(places),
        value=None if value is None else Decimal(value),
        unit="USD_M" if measure is Measure.AMOUNT else None,
        reason=None if value else CalculationRefusal.BASE_NOT_POSITIVE,
    )


def faults(computed: Calculation, shown: Sequence[Figure]) -> list[str]:
    return [*wrong_calculations(said(BOTH).model_copy(update={"calculations": (computed,)}), shown)]


@pytest.mark.parametrize(
    ("value", "kind", "measure", "values"),
    [
        ("-42.85", OperationKind.GROWTH, Measure.AMOUNT, ("688.4", "731.25")),
        ("-5.9", OperationKind.GROWTH, Measure.PERCENT, ("688.4", "731.25")),
        ("-5.860", OperationKind.GROWTH, Measure.PERCENT, ("688.4", "731.25")),
        ("0.1", OperationKind.DIFFERENCE, Measure.PERCENTAGE_POINTS, ("13.2", "13.1")),
        ("12.5", OperationKind.SHARE, Measure.PERCENT, ("1", "8")),
        ("-0.13", OperationKind.RATIO, Measure.RATIO, ("-1", "8")),
        (None, OperationKind.RATIO, Measure.RATIO, ("1", "-8")),
    ],
)
def test_exact_results_pass(value: str | None, kind: OperationKind, measure: Measure, values: tuple[str, ...]) -> None:
    assert faults(calculation(value, kind, measure, "2020", "2021"), figures(*values)) == []


@pytest.mark.parametrize(
    ("value", "kind", "measure", "values"),
    [
        ("42.85", OperationKind.GROWTH, Measure.AMOUNT, ("688.4", "731.25")),
        ("-42.9", OperationKind.GROWTH, Measure.AMOUNT, ("688.4", "731.24")),
        ("-5.8", OperationKind.GROWTH, Measure.PERCENT, ("688.4", "731.25")),
        ("12.5", OperationKind.GROWTH, Measure.PERCENT, ("1", "-8")),
        ("12.6", OperationKind.SHARE, Measure.PERCENT, ("1", "8")),
        ("0.12", OperationKind.RATIO, Measure.RATIO, ("1", "8")),
        ("0.13", OperationKind.RATIO, Measure.RATIO, ("1",)),
        ("0.13", OperationKind.RATIO, Measure.PLACE, ("1", "8")),
    ],
)
def test_planted_results_are_found(value: str, kind: OperationKind, measure: Measure, values: tuple[str, ...]) -> None:
    found = faults(calculation(value, kind, measure, "2020", "2021"), figures(*values))

    assert len(found) == 1


@pytest.mark.parametrize(
    ("value", "places", "values", "is_right"),
    [
        ("9", (1, 2, 3), ("9", "7", "5"), True),
        ("7", (1, 2, 2), ("9", "7", "7"), True),
        ("5", (1, 2, 3), ("5", "7", "9"), True),
        ("8", (1, 2, 3), ("9", "7", "5"), False),
        ("9", (1, 2, 3), ("9", "5", "7"), False),
        ("9", (1, 2, 2), ("9", "7", "5"), False),
        ("9", (1, 2, 3), ("9", "7", "7"), False),
        ("9", (1, 3, 4), ("9", "7", "5"), False),
        ("9", (1, 2), ("9", "7", "5"), False),
        ("9", (2, 1, 3), ("9", "7", "5"), False),
    ],
)
def test_a_ranking_has_the_order_of_its_figures(
    value: str, places: tuple[int, ...], values: tuple[str, ...], is_right: bool
) -> None:
    ranked = calculation(value, OperationKind.RANKING, Measure.PLACE, "2020", "2021", "2022", places=places)

    assert (faults(ranked, figures(*values)) == []) is is_right


def test_operands_of_other_units_give_no_result() -> None:
    shown = [figures("1")[0], Figure(scope("2021"), Decimal(8), "CNY", None)]

    assert faults(calculation("12.5", OperationKind.SHARE, Measure.PERCENT, "2020", "2021"), shown) != []


def computed(value: str | None) -> AnswerResult:
    """The answer for two years, with a calculation instead of its comparison."""
    made = calculation(value, OperationKind.GROWTH, Measure.PERCENT, "2024", "2023")
    return said(BOTH).model_copy(
        update={"calculations": (made,)}
        | {name: _growth_told(getattr(said(BOTH), name), value) for name in ("answer", "answer_plain")}
    )


def _growth_told(text: str, value: str | None) -> str:
    lines = [line for line in text.splitlines() if "42.85" not in line]
    return "\n".join([*lines, f"growth {value}%" if value else "not computed"])


def test_a_computed_value_is_no_number_from_nowhere() -> None:
    assert stray_numbers(computed("6.22"), figures_of(said(BOTH))) == ()


@pytest.mark.parametrize(("value", "reasons"), [("6.22", set()), ("6.23", {Reason.WRONG_CALCULATION})])
def test_a_comparison_is_right_with_its_computed_value(value: str, reasons: set[Reason]) -> None:
    asked = question(BOTH, expected("2023", "688.4"), expected("2024", "731.25"), kind=Kind.COMPARE, derived="6.2%")

    assert judged(asked, computed(value)).reasons == reasons


@pytest.mark.parametrize(("derived", "is_right"), [("0.062", True), ("0.06", True), ("0.62", False), ("0.063", False)])
def test_a_percentage_may_be_printed_as_a_fraction(derived: str, is_right: bool) -> None:
    asked = question(BOTH, expected("2023", "688.4"), expected("2024", "731.25"), kind=Kind.COMPARE, derived=derived)

    assert judged(asked, computed("6.22")).is_right is is_right


def test_a_refused_calculation_is_a_refusal() -> None:
    asked = question(BOTH, expected("2023", "688.4"), expected("2024", "731.25"), kind=Kind.COMPARE, derived="6.2%")

    assert judged(asked, computed(None)).reasons == {Reason.REFUSED}
