"""A question for the newest period says so by its kind; until it is resolved its words are asked back."""

import pytest

from contracts.codes import PeriodType
from contracts.v1.intent import ParsedIntent
from contracts.v1.periods import Period
from domain.periods.latest import with_newest
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE, acme

PARSER = RuleIntentParser(acme())
QUARTER = Period(type=PeriodType.QUARTER, value="2025Q1")
NEWEST = {
    PeriodType.QUARTER: QUARTER,
    PeriodType.FY: Period(type=PeriodType.FY, value="2024"),
    PeriodType.HY: Period(type=PeriodType.HY, value="2024H2"),
    PeriodType.MONTH: Period(type=PeriodType.MONTH, value="2025M04"),
}


def parse(question: str) -> ParsedIntent:
    return PARSER.parse(question, reference_date=REFERENCE_DATE)


@pytest.mark.parametrize(
    ("question", "kind", "words"),
    [
        ("hk latest revenue", None, "latest"),
        ("香港最新营收", None, "最新"),
        ("香港最近一期的营收", None, "最近一期的"),
        ("REVENUE più recente di HK", None, "più recente"),
        ("l'ultimo dato disponibile di revenue per hk", None, "l'ultimo dato disponibile"),
        ("香港最近一个季度的营收", PeriodType.QUARTER, "最近一个季度"),
        ("香港最新月份的营收", PeriodType.MONTH, "最新月份"),
        ("revenue di hk nel trimestre più recente", PeriodType.QUARTER, "nel trimestre più recente"),
        (
            "revenue di hk nell'ultimo bilancio annuale disponibile",
            PeriodType.FY,
            "nell'ultimo bilancio annuale disponibile",
        ),
        ("hk revenue in the latest quarter", PeriodType.QUARTER, "the latest quarter"),
        ("What was HK's revenue in its most recent 10-Q report?", PeriodType.QUARTER, "its most recent 10-Q report"),
        ("hk revenue for the latest available fiscal year", PeriodType.FY, "the latest available fiscal year"),
        ("hk revenue as stated in the most recent 10-K filing", PeriodType.FY, "the most recent 10-K filing"),
        ("hk revenue latest half-year report", PeriodType.HY, "latest half-year report"),
        ("香港最新年报的营收", PeriodType.FY, "最新年报"),
        ("香港最新一期季报的营收是多少", PeriodType.QUARTER, "最新一期季报"),
        ("revenue di hong kong nell'esercizio più recente", PeriodType.FY, "nell'esercizio più recente"),
    ],
)
def test_the_kind_of_the_newest_period_is_marked(question: str, kind: PeriodType | None, words: str) -> None:
    parsed = parse(question)

    assert parsed.latest is not None
    assert (parsed.latest.type, question[parsed.latest.start : parsed.latest.end]) == (kind, words)
    assert parsed.residues
    assert with_newest(parsed, NEWEST[kind or PeriodType.FY]).residues == ()


@pytest.mark.parametrize(
    "question",
    [
        "hk revenue as of now",
        "hk latest three years revenue",
        "hk revenue in the latest quarter of 2023",
        "hk revenue in the latest quarter and in 2023",
        "hk revenue in the latest quarter and the latest fiscal year",
    ],
)
def test_what_may_mean_another_period_is_not_marked(question: str) -> None:
    assert parse(question).latest is None


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what is the strategy for the latest quarter", PeriodType.QUARTER),
        ("which risks does the most recent annual report name", PeriodType.FY),
        ("why do the latest developments matter", None),
    ],
)
def test_of_material_the_newest_is_marked_where_its_kind_is_named(question: str, kind: PeriodType | None) -> None:
    latest = parse(question).latest

    assert (latest and latest.type) is kind


def test_other_residues_stay_when_the_period_is_known() -> None:
    resolved = with_newest(parse("hk budgeted revenue in the latest quarter"), QUARTER)

    assert resolved.periods == (QUARTER,)
    assert [residue.text for residue in resolved.residues] == ["budgeted"]
    assert resolved.latest is None


def test_a_period_of_another_kind_resolves_nothing() -> None:
    parsed = parse("hk revenue in the latest fiscal year")

    assert with_newest(parsed, QUARTER) is parsed
    assert with_newest(parse("hk revenue 2024"), QUARTER) == parse("hk revenue 2024")
