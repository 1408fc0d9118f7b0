from decimal import Decimal

import pytest
from pydantic import ValidationError

from contracts.codes import FactParam
from contracts.v1.facts import FactOutcome, FactQuery, FactValue, UnrecognizedParam
from services.orchestrator.guard import Unanswered, guard
from tests.support.answers import conflicting, fact, found, not_found, scope


def test_a_found_scope_never_hides_a_missing_one() -> None:
    asked = [scope("2023"), scope("2024")]
    outcomes = [not_found(asked[0]), found(asked[1], "731.25")]

    verdict = guard(asked, outcomes)

    assert verdict.lines == tuple(outcomes)
    assert verdict.found
    assert not verdict.triggered


def test_lines_stand_in_the_order_asked_whatever_the_order_of_the_outcomes() -> None:
    asked = [scope("2022"), scope("2023"), scope("2024")]
    outcomes = [found(asked[2], "3"), not_found(asked[0]), found(asked[1], "2")]

    verdict = guard(asked, outcomes)

    assert [line.query for line in verdict.lines] == asked


def test_an_outcome_nobody_asked_for_is_counted_and_never_shown() -> None:
    asked = scope("2025")
    other = scope("2024")

    verdict = guard([asked], [found(other, "731.25"), found(other, "1"), not_found(asked)])

    assert verdict.lines == (not_found(asked),)
    assert verdict.unasked == 2
    assert verdict.triggered


@pytest.mark.parametrize(
    "other",
    [
        scope("2024", metric="PROFIT"),
        scope("2024", entity="ACME_CN"),
        scope("2024H1"),
        scope("2024", channel="AGENCY"),
    ],
)
def test_a_scope_that_differs_in_one_part_is_another_scope(other: FactQuery) -> None:
    asked = scope("2024")

    verdict = guard([asked], [found(other, "9")])

    assert verdict.lines == (Unanswered(asked),)


def test_a_scope_without_an_outcome_is_a_failure_and_not_an_absence() -> None:
    verdict = guard([scope("2024")], [])

    assert verdict.lines == (Unanswered(scope("2024")),)
    assert verdict.failed
    assert not verdict.triggered


def test_outcomes_that_contradict_each_other_are_no_outcome() -> None:
    asked = scope("2024")

    verdict = guard([asked], [found(asked, "1"), found(asked, "2")])

    assert verdict.lines == (Unanswered(asked),)


def test_the_same_outcome_twice_is_one_line() -> None:
    asked = scope("2024")

    verdict = guard([asked, asked], [found(asked, "1"), found(asked, "1")])

    assert verdict.lines == (found(asked, "1"),)


def test_it_triggers_when_results_exist_and_none_is_found() -> None:
    asked = [scope("2024"), scope("2024", metric="PROFIT")]
    outcomes = [not_found(asked[0]), UnrecognizedParam(query=asked[1], param=FactParam.METRIC, raw="PROFIT")]

    assert guard(asked, outcomes).triggered


def test_conflicting_values_are_shown_so_the_guard_did_not_refuse() -> None:
    verdict = guard([scope("2024")], [conflicting(scope("2024"), "1", "2")])

    assert verdict.found
    assert not verdict.triggered


def test_two_found_periods_of_one_series_are_compared_exactly() -> None:
    earlier, later = found(scope("2023"), "650"), found(scope("2024"), "731.25")

    [comparison] = guard([later.query, earlier.query], [earlier, later]).comparisons

    assert (comparison.later, comparison.earlier) == (later, earlier)
    assert comparison.difference == Decimal("81.25")


def test_a_difference_of_fifty_digits_is_not_rounded() -> None:
    one = found(scope("2023"), "0.00000000000000000001")
    other = found(scope("2024"), "999999999999999999999999999999.00000000000000000003")

    [comparison] = guard([one.query, other.query], [one, other]).comparisons

    assert comparison.difference == Decimal("999999999999999999999999999999.00000000000000000002")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (found(scope("2024"), "731.25"), found(scope("2024H1"), "300")),
        (found(scope("2024Q3"), "1"), found(scope("2024H1"), "2")),
        (found(scope("2024Q3YTD"), "1"), found(scope("2024Q2YTD"), "2")),
        (found(scope("2023"), "1"), found(scope("2024"), "2", unit="CNY_M")),
        (found(scope("2023"), "1"), not_found(scope("2024"))),
        (found(scope("2023"), "1"), conflicting(scope("2024"), "2", "3")),
        (found(scope("2023"), "1"), found(scope("2024", entity="ACME_CN"), "2")),
        (found(scope("2023"), "1"), found(scope("2024", metric="PROFIT"), "2")),
        (found(scope("2023"), "1"), found(scope("2024", channel="AGENCY"), "2")),
    ],
)
def test_unlike_things_are_not_compared(one: FactOutcome, other: FactOutcome) -> None:
    outcomes = [one, other]

    verdict = guard([outcome.query for outcome in outcomes], outcomes)

    assert verdict.comparisons == ()


def test_three_periods_are_not_compared() -> None:
    outcomes = [found(scope(year), "1") for year in ("2022", "2023", "2024")]

    assert guard([outcome.query for outcome in outcomes], outcomes).comparisons == ()


def test_year_to_date_periods_of_one_length_are_compared() -> None:
    outcomes = [found(scope("2023Q3YTD"), "1"), found(scope("2024Q3YTD"), "2")]

    assert len(guard([outcome.query for outcome in outcomes], outcomes).comparisons) == 1


def test_every_series_has_its_own_comparison() -> None:
    outcomes = [
        found(scope(year, entity=entity), "1") for entity in ("ACME_HK", "ACME_CN") for year in ("2023", "2024")
    ]

    comparisons = guard([outcome.query for outcome in outcomes], outcomes).comparisons

    assert [comparison.later.query.entity for comparison in comparisons] == ["ACME_HK", "ACME_CN"]


@pytest.mark.parametrize("missing", ["source_doc_id", "source_locator"])
def test_a_fact_without_lineage_cannot_even_be_made(missing: str) -> None:
    fields = {**fact("1").model_dump(), missing: " "}

    with pytest.raises(ValidationError, match=missing):
        FactValue.model_validate(fields)
