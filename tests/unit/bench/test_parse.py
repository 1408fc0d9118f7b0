"""`bench parse`: what counts as growing faster than the question, and that the committed questions can be timed."""

from dataclasses import replace

import pytest

from bench.parse import COMMITTED, FULL, TODAY, Growth, timed, written
from cli.eval.questions import Kind
from cli.eval.suite import read_suite
from tests.support.judged import question
from tests.support.profiles import acme


@pytest.mark.parametrize(
    ("half", "whole", "is_linear"), [(10, 20, True), (10, 25, True), (10, 26, False), (0.1, 0.9, True)]
)
def test_twice_the_length_may_take_two_and_a_half_times_as_long(half: float, whole: float, is_linear: bool) -> None:
    assert Growth("a", half, whole).is_linear is is_linear


def test_every_question_is_timed_also_those_that_are_refused() -> None:
    asked = question("hk revenue 2024")
    texts = ("hk revenue 2024", "最新一季的营收", "jingan revenue", "hk blorp", "why?")

    taken = timed(acme(), [replace(asked, text=text, kind=Kind.NARRATIVE) for text in texts], TODAY)

    assert len(taken) == len(texts)
    assert min(taken) > 0


def test_one_question_has_figures_too() -> None:
    assert "1 questions: p50 2.00 ms, p99 2.00 ms, slowest 2.00 ms" in written([2.0])


def test_the_committed_questions_are_the_default() -> None:
    packs = read_suite(COMMITTED, None, TODAY)

    assert {language for pack in packs for language in {one.lang for one in pack.questions}} == {"zh", "en"}
    assert FULL.exists()
