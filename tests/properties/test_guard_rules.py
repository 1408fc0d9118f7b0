"""Laws of the guard that hold for every reply."""

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from contracts.v1.facts import FactOutcome, FactQuery
from services.orchestrator.guard import Unanswered, guard
from tests.properties.strategies import batches

Batch = tuple[Sequence[FactQuery], Sequence[FactOutcome]]


@given(batches)
def test_there_is_one_line_for_each_asked_scope_in_the_order_asked(batch: Batch) -> None:
    asked, outcomes = batch

    verdict = guard(asked, outcomes)

    assert [line.query for line in verdict.lines] == list(dict.fromkeys(asked))


@given(batches)
def test_a_line_is_an_outcome_of_the_reply_or_says_that_there_is_none(batch: Batch) -> None:
    asked, outcomes = batch

    verdict = guard(asked, outcomes)

    assert all(isinstance(line, Unanswered) or line in outcomes for line in verdict.lines)
    assert verdict.unasked == sum(outcome.query not in asked for outcome in outcomes)


@given(batches, st.randoms(use_true_random=False))
def test_the_order_of_the_reply_changes_nothing(batch: Batch, random: Random) -> None:
    asked, outcomes = batch
    shuffled = list(outcomes)
    random.shuffle(shuffled)

    assert guard(asked, shuffled) == guard(asked, outcomes)


@given(batches)
def test_triggered_found_and_failed_cover_every_verdict(batch: Batch) -> None:
    asked, outcomes = batch

    verdict = guard(asked, outcomes)

    assert verdict.found or verdict.triggered or verdict.failed
    assert not (verdict.found and verdict.triggered)
