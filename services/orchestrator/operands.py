"""What has to be looked up for an operation, and what is computed from which figures. Pure; no figure is seen here.

Every operand is an asked scope: it is looked up, shown with its source, and passes the guard like any other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from contracts.codes import Axis, GrowthBasis
from contracts.v1.ask import AssumedSlots
from contracts.v1.base import MAX_SUBTASKS
from contracts.v1.facts import FactQuery
from contracts.v1.intent import ParsedIntent
from contracts.v1.operations import Difference, Growth, Ranking, Ratio, Share
from contracts.v1.periods import Period
from domain.periods import period_before, year_before
from runtime.errors import InternalError, InvalidRequestError, TooManySubtasksError
from services.orchestrator.steps import Change, Order, Quotient, Step, operands
from services.orchestrator.subtasks import expand

_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """The scopes to look up, each once and in the order in which they are shown, and what to compute from them."""

    scopes: tuple[FactQuery, ...]
    steps: tuple[Step, ...] = ()


def plan(intent: ParsedIntent, assumed: AssumedSlots) -> Plan:
    """What to look up and to compute for a question.

    Raises `TooManySubtasksError`, or `InvalidRequestError` where nothing comes before the first period.
    """
    scopes = expand(intent, assumed)
    match intent.operation:
        case None:
            return Plan(scopes)
        case Growth() as growth:
            return _plan([_growth(scope, growth) for scope in scopes])
        case Difference() as difference:
            return _plan([_difference(group, difference) for group in _groups(scopes, difference.axis)])
        case Ratio() as ratio:
            return _plan(list(_ratios(scopes, ratio)))
        case Share() as share:
            return _plan([_share(scope, share) for scope in scopes])
        case Ranking() as ranking:
            return _plan([Order(g, ranking.order, ranking.place) for g in _groups(scopes, ranking.axis)])
        case _:
            assert_never(intent.operation)


def _plan(steps: Sequence[Step]) -> Plan:
    scopes = tuple(dict.fromkeys(scope for step in steps for scope in operands(step)))
    if len(scopes) > MAX_SUBTASKS:
        raise TooManySubtasksError(f"the question needs more than {MAX_SUBTASKS} numbers; ask for fewer at a time")
    return Plan(scopes, tuple(steps))


def _growth(scope: FactQuery, growth: Growth) -> Change:
    base = scope.model_copy(update={"period": _base_period(scope.period, growth.basis)})
    return Change(scope, base, Axis.PERIOD, growth.basis, growth.decimals)


def _base_period(period: Period, basis: GrowthBasis) -> Period:
    match basis:
        case GrowthBasis.PRIOR_YEAR:
            base = year_before(period)
        case GrowthBasis.PRIOR_PERIOD:
            base = period_before(period)
        case _:
            assert_never(basis)
    if base is None:
        raise InvalidRequestError(f"there is no period before {period.label} to compare with; ask for a later one")
    return base


def _difference(pair: tuple[FactQuery, ...], difference: Difference) -> Change:
    if len(pair) != _PAIR:
        raise InternalError
    subject, base = reversed(pair) if difference.reverse else pair
    return Change(subject, base, difference.axis, decimals=difference.decimals)


def _ratios(scopes: Sequence[FactQuery], ratio: Ratio) -> Iterator[Quotient]:
    for scope in scopes:
        if scope.metric == ratio.numerator:
            denominator = scope.model_copy(update={"metric": ratio.denominator})
            yield Quotient(scope, denominator, ratio.metric, ratio.unit, ratio.decimals)


def _share(part: FactQuery, share: Share) -> Quotient:
    whole = part.model_copy(update={share.axis.value: share.whole})
    if whole == part:
        raise InternalError
    return Quotient(part, whole, decimals=share.decimals)


def _groups(scopes: Sequence[FactQuery], axis: Axis) -> list[tuple[FactQuery, ...]]:
    """The scopes that differ in nothing but one slot, together."""
    groups: dict[FactQuery, list[FactQuery]] = {}
    for scope in scopes:
        key = scope.model_copy(update={axis.value: getattr(scopes[0], axis.value)})
        groups.setdefault(key, []).append(scope)
    return [tuple(group) for group in groups.values()]
