"""Whatever is computed is exact, by arithmetic that is written a second time here, and from found operands alone."""

from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.codes import Axis, CalculationRefusal, GrowthBasis, Locale, Measure, OperationKind, RankingOrder
from contracts.v1.facts import FactOutcome, FactQuery, Found
from contracts.v1.operations import Calculation
from services.orchestrator.calculating import calculate, calculations
from services.orchestrator.guard import guard
from services.orchestrator.rendering import render
from services.orchestrator.steps import Change, Order, Quotient, Step, operands
from tests.properties.promise import PROMISE, numbers
from tests.properties.strategies import outcomes_of
from tests.support.answers import scope

SCOPES = [scope(year, entity=entity) for year in ("2023", "2024") for entity in ("ACME_HK", "ACME_CN")]
decimals = st.none() | st.integers(0, 6)
pairs = st.permutations(SCOPES).map(lambda scopes: scopes[:2])
changes = st.builds(
    lambda pair, basis, places: Change(*pair, Axis.PERIOD, basis, places),
    pairs,
    st.none() | st.sampled_from(GrowthBasis),
    decimals,
)
quotients = st.builds(
    lambda pair, unit, places: Quotient(*pair, metric=unit and "RATIO", unit=unit, decimals=places),
    pairs,
    st.sampled_from([None, "PCT", "TIMES"]),
    decimals,
)
orders = st.builds(
    lambda members, order, place: Order(tuple(members), order, place),
    st.permutations(SCOPES).flatmap(lambda scopes: st.integers(2, 4).map(lambda n: scopes[:n])),
    st.sampled_from(RankingOrder),
    st.none() | st.integers(1, 4),
)
steps = changes | quotients | orders


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Step, Sequence[FactOutcome]]:
    """A step, and what the facts worker replies about its operands, and about others."""
    step = draw(steps)
    answered = draw(st.lists(st.sampled_from(SCOPES), unique=True))
    return step, [draw(outcomes_of(scope)) for scope in answered]


def computed(step: Step, outcomes: Sequence[FactOutcome]) -> Sequence[Calculation]:
    return calculations(calculate([step], guard(operands(step), outcomes)))


def found_of(step: Step, outcomes: Sequence[FactOutcome]) -> list[Found]:
    known = {outcome.query: outcome for outcome in outcomes}
    lines = [known.get(scope) for scope in operands(step)]
    return [line for line in lines if isinstance(line, Found)]


@settings(PROMISE, max_examples=min(PROMISE.max_examples, 400))
@given(worlds())
def test_a_value_is_exact_and_comes_from_found_operands_of_one_unit(
    world: tuple[Step, Sequence[FactOutcome]],
) -> None:
    step, outcomes = world
    found = found_of(step, outcomes)

    entries = computed(step, outcomes)

    complete = len(found) == len(operands(step)) and len({line.fact.unit for line in found}) == 1
    if not complete:
        assert [entry.value for entry in entries] == [None]
        assert entries[0].reason is not None
        return
    values = [line.fact.value for line in found]
    for entry in entries:
        assert entry.value in expected(entry, step, values)
        assert (entry.value is None) == (entry.reason is not None) or entry.measure is Measure.PLACE


@settings(PROMISE, max_examples=min(PROMISE.max_examples, 400))
@given(worlds())
def test_every_digit_of_the_text_is_a_label_a_fact_or_a_computed_value(
    world: tuple[Step, Sequence[FactOutcome]],
) -> None:
    step, outcomes = world
    verdict = guard(operands(step), outcomes)
    results = calculate([step], verdict)

    text = render(verdict, Locale.ZH, results).plain

    known = {*labels(operands(step)), *facts(verdict.lines), *shown(calculations(results))}
    assert {number for number in numbers(text)} <= known


@settings(PROMISE, max_examples=min(PROMISE.max_examples, 400))
@given(worlds())
def test_no_percentage_is_made_of_a_base_that_is_not_positive(world: tuple[Step, Sequence[FactOutcome]]) -> None:
    step, outcomes = world
    found = found_of(step, outcomes)
    if isinstance(step, Order) or len(found) != 2 or found[1].fact.value > 0:
        return

    entries = computed(step, outcomes)

    assert all(entry.value is None for entry in entries if entry.measure in {Measure.PERCENT, Measure.RATIO})
    assert "%" not in "".join(line for line in render_lines(step, outcomes) if not line.startswith("- "))


def render_lines(step: Step, outcomes: Sequence[FactOutcome]) -> Sequence[str]:
    verdict = guard(operands(step), outcomes)
    return render(verdict, Locale.ZH, calculate([step], verdict)).plain.splitlines()


def expected(entry: Calculation, step: Step, values: Sequence[Decimal]) -> set[Decimal | None]:
    """What an entry may say, computed by `decimal` alone."""
    with localcontext(prec=200):
        if entry.measure is Measure.PLACE:
            return {*values, None} if entry.reason or (isinstance(step, Order) and step.place is None) else set(values)
        one, other = values
        if entry.measure in {Measure.AMOUNT, Measure.PERCENTAGE_POINTS}:
            return {one - other}
        if other <= 0:
            assert entry.reason is CalculationRefusal.BASE_NOT_POSITIVE
            return {None}
        places = step.decimals if isinstance(step, Change | Quotient) else None
        default = 2 if entry.measure is Measure.RATIO else 1
        over = one - other if isinstance(step, Change) else one
        scale = 1 if entry.measure is Measure.RATIO else 100
        step_of = Decimal(1).scaleb(-(default if places is None else places))
        return {(over * scale / other).quantize(step_of, ROUND_HALF_UP)}


def labels(scopes: Sequence[FactQuery]) -> Iterator[str]:
    for asked in scopes:
        yield from numbers(f"{asked.metric} {asked.entity} {asked.period.label} {asked.channel}")


def facts(lines: Sequence[object]) -> Iterator[str]:
    for line in lines:
        for fact in getattr(line, "facts", ()) or ([line.fact] if isinstance(line, Found) else ()):
            yield from numbers(f"{fact.value:f} {fact.unit}")


def shown(entries: Sequence[Calculation]) -> Iterator[str]:
    for entry in entries:
        if entry.value is not None and entry.kind is not OperationKind.RANKING:
            yield from numbers(f"{entry.value:f} {entry.unit}")
            # Values that are equal differ by "0", whatever digits they are stored with.
            yield from ["0"] if entry.value == 0 else []
