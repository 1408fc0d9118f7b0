import pytest

from contracts.v1.ask import AssumedSlots
from contracts.v1.base import MAX_SUBTASKS
from runtime.errors import TooManySubtasksError
from services.orchestrator.subtasks import expand
from tests.support.answers import intent, period, scope

NOTHING_ASSUMED = AssumedSlots()


def test_expands_entity_then_metric_then_channel_then_period() -> None:
    slots = intent(
        metrics=["REVENUE", "NEWSALES"],
        entities=["ACME_HK", "ACME_CN"],
        channels=["AGENCY", "BANCA"],
        periods=["2024", "2023"],
    )

    scopes = expand(slots, NOTHING_ASSUMED)

    assert scopes[:5] == (
        scope("2024", channel="AGENCY"),
        scope("2023", channel="AGENCY"),
        scope("2024", channel="BANCA"),
        scope("2023", channel="BANCA"),
        scope("2024", metric="NEWSALES", channel="AGENCY"),
    )
    assert scopes[8] == scope("2024", entity="ACME_CN", channel="AGENCY")
    assert len(scopes) == 16


def test_assumed_slots_fill_what_the_question_left_open() -> None:
    slots = intent(entities=[], periods=[])

    scopes = expand(slots, AssumedSlots(entity="ACME_GROUP", period=period("2024")))

    assert scopes == (scope("2024", entity="ACME_GROUP"),)


def test_as_many_scopes_as_allowed_are_expanded() -> None:
    slots = intent(periods=[str(2000 + year) for year in range(MAX_SUBTASKS)])

    assert len(expand(slots, NOTHING_ASSUMED)) == MAX_SUBTASKS


def test_too_many_scopes_are_refused_before_anything_is_looked_up() -> None:
    slots = intent(periods=[str(2000 + year) for year in range(MAX_SUBTASKS + 1)])

    with pytest.raises(TooManySubtasksError):
        expand(slots, NOTHING_ASSUMED)
