"""From the guard's lines to computed values: exact arithmetic on found facts, or a refusal that says why. Pure.

Only lines of one verdict are read, so that a computed number can come from nothing but shown facts. A missing,
conflicting or unanswered operand, other units, and a base that is not positive refuse what they would falsify.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import assert_never

from contracts.codes import CalculationRefusal, Measure, OperationKind, RankingOrder
from contracts.v1.facts import Conflicting, FactQuery, Found, NotFound, UnrecognizedParam
from contracts.v1.operations import Calculation
from domain import money
from services.orchestrator.guard import Line, Unanswered, Verdict
from services.orchestrator.steps import Change, Order, Quotient, Step, operands


@dataclass(frozen=True, slots=True)
class Changed:
    """The exact difference of two found values of one unit."""

    step: Change
    difference: Decimal
    unit: str
    percent: Decimal | None
    """None for rates, and where the base is not positive."""

    @property
    def is_rate(self) -> bool:
        """Whether the difference is in percentage points."""
        return money.is_rate(self.unit)


@dataclass(frozen=True, slots=True)
class Divided:
    """One found value over another one of the same unit."""

    step: Quotient
    value: Decimal
    unit: str
    measure: Measure


@dataclass(frozen=True, slots=True)
class Ranked:
    """Found values of one unit in order; equal ones share a place."""

    step: Order
    places: tuple[tuple[Found, ...], ...]
    unit: str

    @property
    def at_asked_place(self) -> tuple[Found, ...]:
        """Who stands at the asked place: several where they are equal, nobody where equals before leave it empty."""
        position = 1
        for group in self.places:
            if position == self.step.place:
                return group
            position += len(group)
        return ()


@dataclass(frozen=True, slots=True)
class NotComputed:
    """A step that would not be exact."""

    step: Step
    reason: CalculationRefusal
    scope: FactQuery | None = None
    """The operand that stands in the way; None where they do only together."""


Calculated = Changed | Divided | Ranked | NotComputed


def calculate(steps: Sequence[Step], verdict: Verdict) -> tuple[Calculated, ...]:
    """One result for each step, in their order."""
    lines = {line.query: line for line in verdict.lines}
    return tuple(_calculated(step, lines) for step in steps)


def calculations(results: Sequence[Calculated]) -> tuple[Calculation, ...]:
    """The results for programs: an amount and a percentage are one entry each."""
    return tuple(entry for result in results for entry in _entries(result))


def _calculated(step: Step, lines: Mapping[FactQuery, Line]) -> Calculated:
    found: list[Found] = []
    for scope in operands(step):
        line = lines.get(scope, Unanswered(scope))
        if not isinstance(line, Found):
            return NotComputed(step, _why_not(line), scope)
        found.append(line)
    if len({line.fact.unit for line in found}) > 1:
        return NotComputed(step, CalculationRefusal.UNITS_DIFFER)
    match step:
        case Change():
            return _changed(step, *found)
        case Quotient():
            return _divided(step, *found)
        case Order():
            return _ranked(step, found)
        case _:
            assert_never(step)


def _why_not(line: NotFound | UnrecognizedParam | Conflicting | Unanswered) -> CalculationRefusal:
    match line:
        case NotFound() | UnrecognizedParam():
            return CalculationRefusal.OPERAND_MISSING
        case Conflicting():
            return CalculationRefusal.OPERAND_CONFLICTING
        case Unanswered():
            return CalculationRefusal.OPERAND_UNAVAILABLE
        case _:
            assert_never(line)


def _changed(step: Change, subject: Found, base: Found) -> Changed:
    one, other, unit = subject.fact.value, base.fact.value, subject.fact.unit
    decimals = money.PERCENT_DECIMALS if step.decimals is None else step.decimals
    percent = None if money.is_rate(unit) else money.change_in_percent(one, other, decimals=decimals)
    return Changed(step, money.difference(one, other), unit, percent)


def _divided(step: Quotient, numerator: Found, denominator: Found) -> Divided | NotComputed:
    percent = step.unit is None or money.is_rate(step.unit)
    default = money.PERCENT_DECIMALS if percent else money.RATIO_DECIMALS
    decimals = default if step.decimals is None else step.decimals
    value = money.quotient(numerator.fact.value, denominator.fact.value, decimals=decimals, percent=percent)
    if value is None:
        return NotComputed(step, CalculationRefusal.BASE_NOT_POSITIVE, step.denominator)
    measure = Measure.PERCENT if percent else Measure.RATIO
    return Divided(step, value, step.unit or money.PERCENT_UNIT, measure)


def _ranked(step: Order, found: Sequence[Found]) -> Ranked | NotComputed:
    highest_first = step.order is RankingOrder.HIGHEST_FIRST
    ordered = sorted(found, key=lambda line: line.fact.value, reverse=highest_first)
    places = tuple(tuple(group) for _, group in groupby(ordered, key=lambda line: line.fact.value))
    return Ranked(step, places, found[0].fact.unit)


def _entries(result: Calculated) -> Sequence[Calculation]:
    match result:
        case Changed():
            return _change_entries(result)
        case Divided(step=step):
            entry = _entry(step, result.measure)
            return [entry.model_copy(update={"value": result.value, "unit": result.unit})]
        case Ranked():
            return [_ranking_entry(result)]
        case NotComputed(step=step, reason=reason):
            return [_entry(step, _measure(step)).model_copy(update={"reason": reason})]
        case _:
            assert_never(result)


def _change_entries(result: Changed) -> Sequence[Calculation]:
    if result.is_rate:
        points = _entry(result.step, Measure.PERCENTAGE_POINTS)
        return [points.model_copy(update={"value": result.difference, "unit": money.POINTS_UNIT})]
    amount = _entry(result.step, Measure.AMOUNT)
    percent = _entry(result.step, Measure.PERCENT)
    reason = CalculationRefusal.BASE_NOT_POSITIVE if result.percent is None else None
    return [
        amount.model_copy(update={"value": result.difference, "unit": result.unit}),
        percent.model_copy(update={"value": result.percent, "unit": money.PERCENT_UNIT, "reason": reason}),
    ]


def _ranking_entry(result: Ranked) -> Calculation:
    members = [line for group in result.places for line in group]
    places = [1 + sum(map(len, result.places[:i])) for i, group in enumerate(result.places) for _ in group]
    at_place = result.at_asked_place
    return Calculation(
        kind=OperationKind.RANKING,
        measure=Measure.PLACE,
        operands=tuple(line.query for line in members),
        places=tuple(places),
        value=at_place[0].fact.value if at_place else None,
        unit=result.unit,
        reason=CalculationRefusal.TIED if result.step.place and not at_place else None,
    )


def _entry(step: Step, measure: Measure) -> Calculation:
    metric = step.metric if isinstance(step, Quotient) else None
    return Calculation(kind=_kind(step), measure=measure, metric=metric, operands=operands(step))


def _kind(step: Step) -> OperationKind:
    match step:
        case Change(basis=basis):
            return OperationKind.GROWTH if basis else OperationKind.DIFFERENCE
        case Quotient(metric=metric):
            return OperationKind.RATIO if metric else OperationKind.SHARE
        case Order():
            return OperationKind.RANKING
        case _:
            assert_never(step)


def _measure(step: Step) -> Measure:
    """What a refused step would have been."""
    match step:
        case Change():
            return Measure.AMOUNT
        case Quotient(unit=unit):
            return Measure.PERCENT if unit is None or money.is_rate(unit) else Measure.RATIO
        case Order():
            return Measure.PLACE
        case _:
            assert_never(step)
