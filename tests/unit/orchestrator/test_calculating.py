from collections.abc import Sequence
from decimal import Decimal

import pytest

from contracts.codes import Axis, CalculationRefusal, GrowthBasis, Measure, OperationKind, RankingOrder
from contracts.v1.facts import FactOutcome
from contracts.v1.operations import Calculation
from services.orchestrator.calculating import calculate, calculations
from services.orchestrator.guard import guard
from services.orchestrator.steps import Change, Order, Quotient, Step, operands
from tests.support.answers import conflicting, found, not_found, scope

NOW, BEFORE = scope("2024"), scope("2023")
HK, CN, GROUP = (scope("2024", entity=entity) for entity in ("ACME_HK", "ACME_CN", "ACME_GROUP"))
GROWTH = Change(NOW, BEFORE, Axis.PERIOD, GrowthBasis.PRIOR_YEAR)
SHARE = Quotient(HK, GROUP)


def computed(step: Step, *outcomes: FactOutcome) -> Sequence[Calculation]:
    return calculations(calculate([step], guard(operands(step), outcomes)))


def told(entries: Sequence[Calculation]) -> list[tuple[str, str | None, str | None]]:
    return [(e.measure.value, format(e.value, "f") if e.value is not None else None, e.unit) for e in entries]


def test_a_growth_is_an_amount_and_a_percentage() -> None:
    entries = computed(GROWTH, found(NOW, "110.5"), found(BEFORE, "100"))

    assert told(entries) == [("amount", "10.5", "USD_M"), ("percent", "10.5", "PCT")]
    assert {entry.kind for entry in entries} == {OperationKind.GROWTH}
    assert entries[0].operands == (NOW, BEFORE)


@pytest.mark.parametrize("base", ["0", "-3"])
def test_a_base_that_is_not_positive_leaves_the_amount_alone(base: str) -> None:
    amount, percent = computed(GROWTH, found(NOW, "5"), found(BEFORE, base))

    assert amount.value == Decimal(5) - Decimal(base)
    assert (percent.value, percent.reason) == (None, CalculationRefusal.BASE_NOT_POSITIVE)


def test_rates_differ_in_percentage_points_and_never_in_per_cent() -> None:
    entries = computed(GROWTH, found(NOW, "14.5", unit="PCT"), found(BEFORE, "12", unit="PCT"))

    assert told(entries) == [("percentage_points", "2.5", "PP")]


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ([found(NOW, "1"), not_found(BEFORE)], CalculationRefusal.OPERAND_MISSING),
        ([not_found(NOW), found(BEFORE, "1")], CalculationRefusal.OPERAND_MISSING),
        ([found(NOW, "1"), conflicting(BEFORE, "1", "2")], CalculationRefusal.OPERAND_CONFLICTING),
        ([found(NOW, "1")], CalculationRefusal.OPERAND_UNAVAILABLE),
        ([found(NOW, "1"), found(BEFORE, "1", unit="EUR_M")], CalculationRefusal.UNITS_DIFFER),
    ],
)
def test_an_operand_that_does_not_fit_refuses_the_calculation(
    outcomes: Sequence[FactOutcome], reason: CalculationRefusal
) -> None:
    [entry] = computed(GROWTH, *outcomes)

    assert (entry.value, entry.unit, entry.reason) == (None, None, reason)


def test_an_operand_that_was_not_asked_is_never_used() -> None:
    [entry] = calculations(calculate([GROWTH], guard([NOW], [found(NOW, "1"), found(BEFORE, "1")])))

    assert entry.reason is CalculationRefusal.OPERAND_UNAVAILABLE


def test_a_share_is_a_percentage_of_the_whole() -> None:
    [entry] = computed(SHARE, found(HK, "1"), found(GROUP, "3"))

    assert (entry.kind, entry.measure, entry.value) == (OperationKind.SHARE, Measure.PERCENT, Decimal("33.3"))


@pytest.mark.parametrize("whole", ["0", "-1"])
def test_nothing_is_divided_by_what_is_not_positive(whole: str) -> None:
    [entry] = computed(SHARE, found(HK, "1"), found(GROUP, whole))

    assert (entry.value, entry.reason) == (None, CalculationRefusal.BASE_NOT_POSITIVE)


@pytest.mark.parametrize(
    ("unit", "decimals", "value"),
    [("PCT", None, "66.7"), ("TIMES", None, "0.67"), ("PCT", 2, "66.67"), ("PCT", 0, "67"), ("TIMES", 4, "0.6667")],
)
def test_a_ratio_has_the_decimals_that_are_ordered(unit: str, decimals: int | None, value: str) -> None:
    over, under = scope("2024", metric="PROFIT"), scope("2024")
    step = Quotient(over, under, metric="MARGIN", unit=unit, decimals=decimals)

    [entry] = computed(step, found(over, "2"), found(under, "3"))

    assert (entry.kind, entry.metric, entry.unit) == (OperationKind.RATIO, "MARGIN", unit)
    assert entry.value is not None
    assert format(entry.value, "f") == value


def ranked(place: int | None, order: RankingOrder = RankingOrder.HIGHEST_FIRST, **values: str) -> Calculation:
    scopes = {"hk": HK, "cn": CN, "group": GROUP}
    step = Order(tuple(scopes[name] for name in values), order, place)
    [entry] = computed(step, *(found(scopes[name], value) for name, value in values.items()))
    return entry


def test_a_ranking_puts_every_member_in_order() -> None:
    entry = ranked(1, hk="5", cn="7", group="12")

    assert entry.operands == (GROUP, CN, HK)
    assert (entry.places, entry.value, entry.unit) == ((1, 2, 3), Decimal(12), "USD_M")


def test_the_lowest_comes_first_where_it_is_asked_for() -> None:
    assert ranked(1, RankingOrder.LOWEST_FIRST, hk="5", cn="-7").operands == (CN, HK)


def test_equal_figures_share_a_place_whatever_their_digits() -> None:
    entry = ranked(1, hk="7.0", cn="7", group="3")

    assert entry.places == (1, 1, 3)
    assert entry.value == 7


def test_a_place_that_a_tie_leaves_empty_is_refused() -> None:
    entry = ranked(2, hk="7", cn="7", group="3")

    assert (entry.value, entry.reason) == (None, CalculationRefusal.TIED)


def test_the_whole_order_has_no_asked_place() -> None:
    entry = ranked(None, hk="7", cn="8")

    assert (entry.value, entry.reason) == (None, None)


def test_one_missing_member_refuses_the_ranking() -> None:
    [entry] = computed(Order((HK, CN), RankingOrder.HIGHEST_FIRST, 1), found(HK, "1"), not_found(CN))

    assert (entry.places, entry.reason) == ((), CalculationRefusal.OPERAND_MISSING)
