"""What an answer is worth: right ones pass, and each fault that is planted into a right answer is found."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from cli.eval.judging import Outcome, Reason, judge
from cli.eval.naming import Names
from cli.eval.numbers import shows_same
from cli.eval.questions import AskedQuestion, ExpectedFact, Kind, Trap
from contracts.codes import OperationKind
from contracts.v1.ask import AnswerResult
from tests.support.judged import expected, judged, question, said, sample_figures, with_tool
from tests.support.profiles import acme

HK_2024 = "What was the REVENUE of Hong Kong in 2024?"
HK_BOTH = "hk revenue 2023 and 2024"
RIGHT = expected("2024", "731.25")


def reasons(asked: AskedQuestion, result: AnswerResult | None = None) -> set[Reason]:
    return set(judged(asked, result).reasons)


def rewritten(result: AnswerResult, old: str, new: str) -> AnswerResult:
    fields = {name: getattr(result, name).replace(old, new) for name in ("answer", "answer_plain")}
    return result.model_copy(update=fields)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (HK_2024, [RIGHT]),
        (HK_BOTH, [expected("2023", "688.4"), RIGHT]),
        ("hk roe 2023 and 2024", [expected("2023", "13.2", metric="ROE"), expected("2024", "13.1", metric="ROE")]),
        ("hk revenue", [RIGHT]),
    ],
)
def test_an_exact_answer_is_right_also_below_a_banner(text: str, facts: Sequence[ExpectedFact]) -> None:
    judgement = judged(question(text, *facts))

    assert judgement.is_right
    assert (judgement.values, judgement.cited) == (len(facts), len(facts))


def test_the_same_amount_at_another_scale_is_right() -> None:
    fact = ExpectedFact.model_validate(RIGHT.model_dump(mode="json") | {"value": "731250", "unit": "USD_K"})

    assert judged(question(HK_2024, fact)).is_right


def test_another_unit_is_another_figure() -> None:
    fact = ExpectedFact.model_validate(RIGHT.model_dump(mode="json") | {"unit": "EUR_M"})

    assert reasons(question(HK_2024, fact)) == {Reason.WRONG_VALUE}


def test_a_planted_number_in_the_text_is_found() -> None:
    result = rewritten(said(HK_2024), "731.25", "731.26")

    assert Reason.WRONG_NUMBER in reasons(question(HK_2024, RIGHT), result)


def test_a_planted_number_beside_the_right_one_is_found() -> None:
    result = rewritten(said(HK_2024), "USD_M", "USD_M, about 900")

    assert reasons(question(HK_2024, RIGHT), result) == {Reason.WRONG_NUMBER}


def test_a_planted_value_for_programs_is_found() -> None:
    result = rewritten(with_tool(said(HK_2024), value="731.26"), "731.25", "731.26")

    assert reasons(question(HK_2024, RIGHT), result) == {Reason.WRONG_VALUE, Reason.WRONG_CITATION}


def test_a_figure_of_another_scope_is_found() -> None:
    found = reasons(question("hk revenue 2023", RIGHT))

    assert found == {Reason.WRONG_SCOPE, Reason.MISSING_FACT}


def test_a_figure_of_another_metric_with_the_same_digits_is_found() -> None:
    fact = expected("2024", "731.25", metric="NEWSALES")

    assert Reason.WRONG_SCOPE in reasons(question(HK_2024, fact))


def test_an_expected_figure_that_is_not_shown_is_found() -> None:
    found = reasons(question(HK_2024, RIGHT, expected("2023", "688.4")))

    assert found == {Reason.MISSING_FACT}


@pytest.mark.parametrize(
    "source",
    [
        {"doc": "Other.pdf", "locator": "slide=3,table=1,row=REVENUE,col=FY2024"},
        {"doc": "ACME_FY2024_Review.pptx", "locator": "slide=9"},
        None,
    ],
)
def test_a_planted_citation_is_found(source: dict[str, str] | None) -> None:
    judgement = judged(question(HK_2024, RIGHT), with_tool(said(HK_2024), source=source))

    assert judgement.reasons == {Reason.WRONG_CITATION}
    assert (judgement.values, judgement.cited) == (1, 0)


def test_a_citation_that_the_reader_does_not_see_is_none() -> None:
    result = rewritten(said(HK_2024), "ACME_FY2024_Review.pptx", "a report")

    assert reasons(question(HK_2024, RIGHT), result) == {Reason.WRONG_CITATION}


def test_a_citation_of_a_fact_that_is_not_stored_is_wrong() -> None:
    others = [fact for fact in sample_figures() if fact.period != "2024"]

    assert judged(question(HK_2024, RIGHT), stored=others).reasons == {Reason.WRONG_CITATION}


def test_a_citation_of_another_metric_with_the_same_figure_is_wrong() -> None:
    stored = [replace(fact, metric="NEWSALES") for fact in sample_figures()]

    assert judged(question(HK_2024, RIGHT), stored=stored).reasons == {Reason.WRONG_CITATION}


def test_asking_back_is_needless_where_everything_is_named() -> None:
    judgement = judged(question(HK_2024, RIGHT), said("hk blorp revenue 2024"))

    assert judgement.outcome is Outcome.ASKED
    assert judgement.reasons == {Reason.NEEDLESS_ASK}


@pytest.mark.parametrize(
    "text", ["hk blorp revenue 2024", "hk turnover 2024", "hk revenue", "hk revenue 2024 adjusted"]
)
def test_asking_back_is_not_needless_where_a_word_is_no_name(text: str) -> None:
    judgement = judged(question(text, RIGHT), said("hk blorp revenue 2024"))

    assert judgement.reasons == {Reason.ASKED}


def test_a_figure_that_is_not_found_is_refused() -> None:
    assert reasons(question("hk revenue 2031", expected("2031", "1"))) == {Reason.REFUSED}


def test_no_answer_at_all_is_counted() -> None:
    judgement = judge(question(HK_2024, RIGHT), None, (), Names(acme()))

    assert judgement.outcome is Outcome.FAILED
    assert judgement.reasons == {Reason.FAILED}


@pytest.mark.parametrize("kind", [Kind.UNANSWERABLE, Kind.AMBIGUOUS, Kind.CONFLICT])
def test_a_figure_where_there_is_no_answer_is_found(kind: Kind) -> None:
    assert reasons(question(HK_2024, kind=kind)) == {Reason.WRONG_SCOPE}


@pytest.mark.parametrize("kind", [Kind.UNANSWERABLE, Kind.AMBIGUOUS, Kind.CONFLICT])
@pytest.mark.parametrize("text", ["hk blorp revenue", "hk revenue 2031", "jingan revenue 2024"])
def test_asking_back_and_refusing_are_right_where_there_is_no_answer(kind: Kind, text: str) -> None:
    assert judged(question(text, kind=kind)).is_right


def test_an_expected_figure_may_stand_beside_what_is_missing() -> None:
    asked = question("hk revenue 2024 and 2031", kind=Kind.UNANSWERABLE, gold='["$731.25"]')

    judgement = judged(asked)

    assert judgement.is_right
    assert judgement.reasons == {Reason.SHOWN_BESIDE}


def test_another_figure_beside_what_is_missing_is_found() -> None:
    asked = question("hk revenue 2024 and 2031", kind=Kind.UNANSWERABLE, gold='["$688.4"]')

    assert reasons(asked) == {Reason.WRONG_SCOPE}


def test_assuming_what_was_left_out_on_purpose_is_as_good_as_asking() -> None:
    assert judged(question("hk revenue", kind=Kind.AMBIGUOUS, missing="period")).is_right
    assert not judged(question("hk revenue", kind=Kind.AMBIGUOUS, missing="entity")).is_right
    assert not judged(question("hk revenue", kind=Kind.AMBIGUOUS)).is_right


def test_a_figure_of_another_period_than_the_assumed_one_is_found() -> None:
    asked = question("hk revenue", kind=Kind.AMBIGUOUS, missing="period")
    other = said("hk revenue 2023").tool_results

    assert reasons(asked, said("hk revenue").model_copy(update={"tool_results": other})) >= {Reason.WRONG_SCOPE}


def test_sources_that_disagree_may_both_be_shown() -> None:
    asked = question(HK_2024, kind=Kind.CONFLICT)
    tool = said(HK_2024).tool_results[0]
    value = {"value": "731.25", "unit": "USD_M", "source": tool.source}
    result = with_tool(said(HK_2024), status="conflicting", value=None, unit=None, source=None, conflicting=[value] * 2)

    assert Reason.WRONG_SCOPE not in reasons(asked, result)


def test_a_concept_question_shows_no_figure() -> None:
    text = "why did hk revenue fall in 2024"

    assert reasons(question(text, kind=Kind.NARRATIVE, must_not_return_number=True)) == {Reason.WRONG_SCOPE}
    assert judged(question(text, kind=Kind.NARRATIVE)).is_right


@pytest.mark.parametrize(
    "other", ["why did hk revenue fall in 2023", "why did hk sales fall in 2024", "why did it fall"]
)
def test_a_figure_beside_reasons_is_one_that_the_question_names(other: str) -> None:
    result = said("why did hk revenue fall in 2024")

    assert reasons(question(other, kind=Kind.NARRATIVE), result) == {Reason.WRONG_SCOPE}


def test_the_figures_alone_are_no_computed_one() -> None:
    asked = question(HK_BOTH, expected("2023", "688.4"), RIGHT, kind=Kind.COMPARE, derived="-15.2%")

    assert reasons(asked) == {Reason.NOT_CALCULATED}


@pytest.mark.parametrize("derived", ["42.85", "6.2%", "6.22%", "-42.85", "43"])
def test_a_computed_figure_is_right_at_the_coarser_precision(derived: str) -> None:
    asked = question(HK_BOTH, expected("2023", "688.4"), RIGHT, kind=Kind.COMPARE, derived=derived)

    assert judged(asked).is_right


@pytest.mark.parametrize(
    ("number", "printed", "is_same"),
    [
        ("906.7", "906.75", True),  # both of 906.749
        ("906.7", "906.76", False),
        ("906.8", "906.7", False),
        ("1,234", "1234.4", True),
        ("-5", "5.0", True),
        ("5", "5.6", False),
    ],
)
def test_printings_at_two_precisions_may_be_of_one_value(number: str, printed: str, is_same: bool) -> None:
    assert shows_same(number, printed) is is_same
    assert shows_same(printed, number) is is_same


@pytest.mark.parametrize("planted", ["+42.86", "-42.85", "+6.3"])
def test_a_planted_comparison_is_found(planted: str) -> None:
    old = "+6.2" if planted == "+6.3" else "+42.85"
    result = rewritten(said(HK_BOTH), old, planted)

    assert Reason.WRONG_NUMBER in reasons(question(HK_BOTH, expected("2023", "688.4"), RIGHT), result)


@pytest.mark.parametrize(
    ("trap", "text", "found"),
    [
        (Trap("asked"), "hk adjusted revenue 2024", set()),
        (Trap("asked"), HK_2024, {Reason.WRONG_SCOPE}),
        (Trap("asked"), "jingan revenue 2024", {Reason.REFUSED}),
        (Trap("refused"), "jingan revenue 2024", set()),
        (Trap("refused"), "hk adjusted revenue 2024", {Reason.NOT_REFUSED}),
        (Trap("refused"), HK_2024, {Reason.WRONG_SCOPE}),
        (Trap("answered", ("REVENUE/ACME_HK/2024",)), HK_2024, set()),
        (Trap("answered", ("REVENUE/ACME_HK/2024",)), HK_BOTH, {Reason.WRONG_SCOPE}),
        (Trap("answered", ("REVENUE/ACME_HK/2024",)), "hk adjusted revenue 2024", {Reason.NEEDLESS_ASK}),
        (Trap("answered", ("REVENUE/ACME_HK/2031",)), "hk revenue 2031", set()),
        (Trap("answered", ("REVENUE/ACME_HK/2024",), OperationKind.SHARE), HK_2024, {Reason.NOT_CALCULATED}),
    ],
)
def test_a_trap_becomes_what_its_row_says(trap: Trap, text: str, found: set[Reason]) -> None:
    assert reasons(question(text, kind=Kind.TRAP, trap=trap)) == found
