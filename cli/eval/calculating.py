"""Computes again what an answer says it computed, from the figures that it shows. Pure, exact, and without its code."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import assert_never

from cli.eval.figures import Figure
from contracts.codes import Measure, OperationKind
from contracts.v1.ask import AnswerResult
from contracts.v1.facts import FactQuery
from contracts.v1.operations import Calculation
from domain.money import plain

_HALF = Fraction(1, 2)


def wrong_calculations(result: AnswerResult, figures: Sequence[Figure]) -> Iterator[str]:
    """What does not follow from the shown figures; a calculation that was refused claims nothing."""
    for calculation in result.calculations:
        if calculation.value is not None and (reason := _fault(calculation, calculation.value, figures)):
            yield f"{calculation.kind} {plain(calculation.value)} {calculation.unit or ''}: {reason}"


def _fault(calculation: Calculation, value: Decimal, figures: Sequence[Figure]) -> str:
    """Why a computed value is wrong; empty when it is right."""
    shown = [_figure(scope, figures) for scope in calculation.operands]
    operands = [figure for figure in shown if figure is not None]
    if len(operands) < len(shown) or not operands:
        return "an operand is not shown, or not with one figure"
    if len({figure.unit for figure in operands}) > 1:
        return "the units of the operands differ"
    if calculation.kind is OperationKind.RANKING:
        return _ranking_fault(calculation.places, value, [figure.value for figure in operands])
    if len(operands) != 2:
        return f"{len(operands)} operands"
    exact = _exact(calculation, operands[0].value, operands[1].value)
    if exact is None:
        return "the base is not positive"
    return "" if _rounded(exact, value) == value else f"should be {_rounded(exact, value)}"


def _figure(scope: FactQuery, figures: Sequence[Figure]) -> Figure | None:
    of_scope = [figure for figure in figures if figure.scope == scope]
    return of_scope[0] if len(of_scope) == 1 else None


def _exact(calculation: Calculation, one: Decimal, other: Decimal) -> Fraction | None:
    """The value of one figure and the one it is compared with (or divided by); None where there is none."""
    subject, base = Fraction(one), Fraction(other)
    is_change = calculation.kind in {OperationKind.GROWTH, OperationKind.DIFFERENCE}
    match calculation.measure:
        case Measure.AMOUNT | Measure.PERCENTAGE_POINTS:
            return subject - base
        case Measure.PERCENT | Measure.RATIO if base <= 0:
            return None
        case Measure.RATIO:
            return subject / base
        case Measure.PERCENT:
            return (subject - base if is_change else subject) / base * 100
        case Measure.PLACE:
            return None
        case _:
            assert_never(calculation.measure)


def _ranking_fault(places: Sequence[int], value: Decimal, values: Sequence[Decimal]) -> str:
    if len(places) != len(values) or list(places) != sorted(places):
        return "the places do not fit the operands"
    rises = {later > earlier for earlier, later in pairwise(values) if later != earlier}
    if len(rises) > 1:
        return "the operands are not in order"
    for number, ((earlier, later), (place, after)) in enumerate(
        zip(pairwise(values), pairwise(places), strict=True), start=1
    ):
        if (after == place) != (earlier == later) or (after != place and after != number + 1):
            return "the places are not those of the figures"
    return "" if value in values else "the value is none of the figures"


def _rounded(exact: Fraction, like: Decimal) -> Decimal:
    """Half up, away from zero, to the decimals of another number."""
    places = max(0, -int(like.as_tuple().exponent))
    units = (abs(exact) * 10**places + _HALF).__floor__()
    return Decimal(units if exact >= 0 else -units).scaleb(-places)
