"""From stored lines to one outcome: the newest counts, and the system never picks."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.codes import FactParam
from contracts.v1.facts import Conflicting, Found, NotFound, UnrecognizedParam
from services.facts.lookup import Line, choose, unrecognized
from services.facts.vocabulary import Vocabulary
from tests.support.answers import sample_profile, scope

QUERY = scope("2024")
MARCH, APRIL = date(2025, 3, 31), date(2025, 4, 30)


def line(
    value: str,
    *,
    id: int = 1,
    code: str = "REVENUE",
    unit: str = "USD_M",
    as_of: date | None = None,
    loaded: int = 1,
    doc: str = "review.pptx",
    locator: str = "slide=2",
) -> Line:
    return Line(id, code, Decimal(value), unit, doc, locator, as_of, datetime(2025, 5, loaded, tzinfo=UTC))


def test_nothing_stored_is_not_found() -> None:
    assert choose(QUERY, ("REVENUE",), []) == NotFound(query=QUERY)


def test_one_line_is_found_with_its_lineage() -> None:
    outcome = choose(QUERY, ("REVENUE",), [line("1320.10", as_of=MARCH)])

    assert isinstance(outcome, Found)
    assert str(outcome.fact.value) == "1320.10"
    assert (outcome.fact.source_doc_id, outcome.fact.source_locator) == ("review.pptx", "slide=2")
    assert outcome.fact.valid_as_of == MARCH


def test_the_newer_statement_counts() -> None:
    outcome = choose(QUERY, ("REVENUE",), [line("2", as_of=APRIL, id=1), line("1", as_of=MARCH, id=2, loaded=9)])

    assert isinstance(outcome, Found)
    assert outcome.fact.value == 2


def test_a_missing_date_is_the_oldest() -> None:
    outcome = choose(QUERY, ("REVENUE",), [line("1", id=1), line("2", id=2, as_of=date(1900, 1, 1))])

    assert isinstance(outcome, Found)
    assert outcome.fact.value == 2


def test_equal_figures_of_equal_date_are_one_line_the_one_loaded_last() -> None:
    outcome = choose(
        QUERY,
        ("REVENUE",),
        [line("1.5", id=1, loaded=2, doc="last.pdf"), line("1.50", id=2, loaded=1), line("1.5", id=3, loaded=1)],
    )

    assert isinstance(outcome, Found)
    assert outcome.fact.source_doc_id == "last.pdf"


@pytest.mark.parametrize("other", [line("2", id=2), line("1", id=2, unit="HKD_M")])
def test_lines_that_disagree_and_are_equally_new_conflict(other: Line) -> None:
    outcome = choose(QUERY, ("REVENUE",), [line("1"), other])

    assert isinstance(outcome, Conflicting)
    assert [(fact.value, fact.unit) for fact in outcome.facts] == [(1, "USD_M"), (other.value, other.unit)]


def test_an_older_line_takes_no_part_in_a_conflict() -> None:
    lines = [line("1", as_of=MARCH), line("2", id=2, as_of=APRIL), line("3", id=3, as_of=APRIL)]

    outcome = choose(QUERY, ("REVENUE",), lines)

    assert isinstance(outcome, Conflicting)
    assert [fact.value for fact in outcome.facts] == [2, 3]


def test_the_one_code_with_a_fact_answers() -> None:
    outcome = choose(QUERY, ("REVENUE", "SALES"), [line("7", code="SALES")])

    assert isinstance(outcome, Found)
    assert outcome.fact.value == 7


def test_codes_that_disagree_conflict_even_when_one_is_newer() -> None:
    outcome = choose(QUERY, ("REVENUE", "SALES"), [line("7", code="SALES", as_of=APRIL), line("8", id=2, as_of=MARCH)])

    assert isinstance(outcome, Conflicting)
    assert [fact.value for fact in outcome.facts] == [8, 7]


def test_codes_that_agree_are_one_line() -> None:
    outcome = choose(QUERY, ("REVENUE", "SALES"), [line("7"), line("7.0", id=2, code="SALES", as_of=MARCH)])

    assert isinstance(outcome, Found)
    assert outcome.fact.valid_as_of == MARCH


@pytest.mark.parametrize("broken", [line("1", doc=" "), line("1", locator="\u3000")])
def test_a_line_without_lineage_does_not_exist(broken: Line) -> None:
    assert choose(QUERY, ("REVENUE",), [broken]) == NotFound(query=QUERY)


LINES = st.lists(
    st.builds(
        line,
        st.sampled_from(["1", "1.0", "2", "-3"]),
        id=st.integers(1, 99),
        code=st.sampled_from(["REVENUE", "SALES", "OTHER"]),
        unit=st.sampled_from(["USD_M", "HKD_M"]),
        as_of=st.sampled_from([None, MARCH, APRIL]),
        loaded=st.integers(1, 28),
    ),
    max_size=6,
    unique_by=lambda x: x.id,
)


@given(LINES, st.randoms(use_true_random=False))
def test_the_outcome_is_one_of_the_lines_whatever_their_order(lines: list[Line], random: st.DataObject) -> None:
    codes = ("REVENUE", "SALES")
    outcome = choose(QUERY, codes, lines)
    shuffled = list(lines)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert choose(QUERY, codes, shuffled) == outcome
    usable = {(x.value, x.unit, x.valid_as_of) for x in lines if x.metric_code in codes}
    match outcome:
        case NotFound():
            assert not usable
        case Found(fact=fact):
            assert (fact.value, fact.unit, fact.valid_as_of) in usable
        case Conflicting(facts=facts):
            figures = [(fact.value, fact.unit) for fact in facts]
            assert len(figures) == len(set(figures)) >= 2
            assert {(fact.value, fact.unit, fact.valid_as_of) for fact in facts} <= usable


@pytest.mark.parametrize(
    ("query", "param", "raw"),
    [
        (scope("2024", metric="TURNOVER", entity="ACME_XX"), FactParam.METRIC, "TURNOVER"),
        (scope("2024", entity="ACME_XX", channel="BROKER"), FactParam.ENTITY, "ACME_XX"),
        (scope("2024", channel="BROKER"), FactParam.CHANNEL, "BROKER"),
        (scope("2024", metric="revenue"), FactParam.METRIC, "revenue"),
    ],
)
def test_the_first_unknown_part_of_a_scope_is_named(query: object, param: FactParam, raw: str) -> None:
    words = Vocabulary.of(sample_profile())

    found = unrecognized(query, words)  # type: ignore[arg-type]

    assert isinstance(found, UnrecognizedParam)
    assert (found.param, found.raw) == (param, raw)


def test_a_known_scope_has_no_unknown_part() -> None:
    assert unrecognized(scope("2024", channel="AGENCY"), Vocabulary.of(sample_profile())) is None
