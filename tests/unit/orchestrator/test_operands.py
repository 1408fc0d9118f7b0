from collections.abc import Sequence

import pytest

from contracts.codes import Axis, GrowthBasis, RankingOrder
from contracts.v1.ask import AssumedSlots
from contracts.v1.intent import ParsedIntent
from contracts.v1.operations import Difference, Growth, Operation, Ranking, Ratio, Share
from runtime.errors import InternalError, InvalidRequestError, TooManySubtasksError
from services.orchestrator.operands import Plan, plan
from services.orchestrator.steps import Change, Order, Quotient
from tests.support.answers import intent, period, scope

NOTHING = AssumedSlots()


def planned(operation: Operation | None, slots: ParsedIntent) -> Plan:
    return plan(slots.model_copy(update={"operation": operation}), NOTHING)


@pytest.mark.parametrize(
    ("basis", "asked", "base"),
    [
        (GrowthBasis.PRIOR_YEAR, "2024", "2023"),
        (GrowthBasis.PRIOR_YEAR, "2024Q3", "2023Q3"),
        (GrowthBasis.PRIOR_YEAR, "2024M10", "2023M10"),
        (GrowthBasis.PRIOR_YEAR, "2024Q3YTD", "2023Q3YTD"),
        (GrowthBasis.PRIOR_PERIOD, "2024H1", "2023H2"),
        (GrowthBasis.PRIOR_PERIOD, "2024Q1", "2023Q4"),
        (GrowthBasis.PRIOR_PERIOD, "2024Q4", "2024Q3"),
        (GrowthBasis.PRIOR_PERIOD, "2024M01", "2023M12"),
    ],
)
def test_a_growth_looks_up_the_period_before(basis: GrowthBasis, asked: str, base: str) -> None:
    result = planned(Growth(basis=basis), intent(periods=[asked]))

    assert result.scopes == (scope(asked), scope(base))
    assert result.steps == (Change(scope(asked), scope(base), Axis.PERIOD, basis),)


@pytest.mark.parametrize(("basis", "asked"), [(GrowthBasis.PRIOR_YEAR, "0000"), (GrowthBasis.PRIOR_PERIOD, "2024")])
def test_a_period_that_nothing_comes_before_is_refused_and_not_compared_with_itself(
    basis: GrowthBasis, asked: str
) -> None:
    with pytest.raises(InvalidRequestError, match="no period before"):
        planned(Growth(basis=basis), intent(periods=[asked]))


def test_a_shared_base_is_looked_up_once() -> None:
    result = planned(Growth(basis=GrowthBasis.PRIOR_YEAR), intent(periods=["2024", "2023"]))

    assert result.scopes == (scope("2024"), scope("2023"), scope("2022"))
    assert len(result.steps) == 2


def test_the_bases_count_as_numbers_that_are_asked_for() -> None:
    years = [str(year) for year in range(2000, 2024)]

    with pytest.raises(TooManySubtasksError):
        planned(Growth(basis=GrowthBasis.PRIOR_YEAR), intent(periods=years))


@pytest.mark.parametrize(("reverse", "order"), [(False, ("ACME_HK", "ACME_CN")), (True, ("ACME_CN", "ACME_HK"))])
def test_a_difference_takes_one_named_value_from_the_other(reverse: bool, order: Sequence[str]) -> None:
    slots = intent(entities=["ACME_HK", "ACME_CN"])

    result = planned(Difference(axis=Axis.ENTITY, reverse=reverse), slots)

    subject, base = (scope("2024", entity=entity) for entity in order)
    assert result.steps == (Change(subject, base, Axis.ENTITY),)


def test_a_difference_of_periods_is_made_for_every_entity() -> None:
    slots = intent(entities=["ACME_HK", "ACME_CN"], periods=["2024", "2022"])

    result = planned(Difference(axis=Axis.PERIOD), slots)

    assert [(step.subject.entity, step.base.period.value) for step in result.steps if isinstance(step, Change)] == [
        ("ACME_HK", "2022"),
        ("ACME_CN", "2022"),
    ]


def test_slots_that_do_not_fit_the_operation_are_a_fault_and_no_answer() -> None:
    with pytest.raises(InternalError):
        planned(Difference(axis=Axis.ENTITY), intent())
    with pytest.raises(InternalError):
        planned(Share(axis=Axis.ENTITY, whole="ACME_HK"), intent())


def test_a_ratio_needs_both_metrics_of_every_scope() -> None:
    ratio = Ratio(metric="MARGIN", numerator="PROFIT", denominator="REVENUE", unit="PCT", decimals=2)

    result = planned(ratio, intent(metrics=["PROFIT", "REVENUE"], periods=["2023", "2024"]))

    assert len(result.scopes) == 4
    over, under = scope("2023", metric="PROFIT"), scope("2023")
    assert result.steps[0] == Quotient(over, under, metric="MARGIN", unit="PCT", decimals=2)


def test_a_share_looks_up_the_whole_in_the_same_period() -> None:
    result = planned(Share(axis=Axis.ENTITY, whole="ACME_GROUP"), intent())

    assert result.scopes == (scope("2024"), scope("2024", entity="ACME_GROUP"))
    assert result.steps == (Quotient(*result.scopes),)


def test_a_channel_is_a_share_of_all_channels() -> None:
    result = planned(Share(axis=Axis.CHANNEL, whole="TOTAL"), intent(channels=["AGENCY"]))

    assert result.scopes == (scope("2024", channel="AGENCY"), scope("2024"))


def test_a_ranking_is_one_step_over_all_its_members() -> None:
    ranking = Ranking(axis=Axis.PERIOD, order=RankingOrder.LOWEST_FIRST, place=2)

    result = planned(ranking, intent(periods=["2022", "2023"]))

    assert result.steps == (Order((scope("2022"), scope("2023")), RankingOrder.LOWEST_FIRST, 2),)


def test_without_an_operation_nothing_is_computed() -> None:
    assert planned(None, intent()) == Plan((scope("2024"),))


def test_assumed_slots_are_operands_as_well() -> None:
    slots = intent(entities=[], periods=[]).model_copy(update={"operation": Growth(basis=GrowthBasis.PRIOR_YEAR)})

    result = plan(slots, AssumedSlots(entity="ACME_GROUP", period=period("2024")))

    assert result.scopes == (scope("2024", entity="ACME_GROUP"), scope("2023", entity="ACME_GROUP"))
