"""What the parser makes of a question that wants something computed."""

import pytest

from contracts.codes import Axis, GrowthBasis, OperationKind, RankingOrder
from contracts.v1.intent import ParsedIntent
from contracts.v1.operations import Difference, Growth, Operation, Ranking, Ratio, Share
from domain.profile import CompanyProfile
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE, acme

RATIOS = CompanyProfile.model_validate(
    acme().model_dump()
    | {"derived": {"MARGIN": {"numerator": "PROFIT", "denominator": "REVENUE", "synonyms": ["profit margin"]}}}
)
PARSERS = {profile.digest(): RuleIntentParser(profile) for profile in (acme(), RATIOS)}


def parsed(question: str, profile: CompanyProfile | None = None) -> ParsedIntent:
    return PARSERS[(profile or acme()).digest()].parse(question, reference_date=REFERENCE_DATE)


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("香港2024年营收同比增长率", Growth(basis=GrowthBasis.PRIOR_YEAR)),
        ("香港2024Q3营收环比", Growth(basis=GrowthBasis.PRIOR_PERIOD)),
        ("香港2024年营收增长率，保留两位小数", Growth(basis=GrowthBasis.PRIOR_YEAR, decimals=2)),
        ("HK FY2024 revenue growth rounded to three decimal places", Growth(basis=GrowthBasis.PRIOR_YEAR, decimals=3)),
        ("香港2024年营收增长率，保留3位小数", Growth(basis=GrowthBasis.PRIOR_YEAR, decimals=3)),
        ("香港2024年营收增长率，四舍五入", Growth(basis=GrowthBasis.PRIOR_YEAR)),
        ("香港2024年营收比中国高多少", Difference(axis=Axis.ENTITY)),
        ("比中国，香港2024年营收高多少", Difference(axis=Axis.ENTITY, reverse=True)),
        ("香港2024年营收占集团的比重", Share(axis=Axis.ENTITY, whole="ACME_GROUP")),
        ("agency share of total HK revenue FY2024", Share(axis=Axis.CHANNEL, whole="TOTAL")),
        (
            "香港、中国、集团2024年营收第二低的是谁",
            Ranking(axis=Axis.ENTITY, order=RankingOrder.LOWEST_FIRST, place=2),
        ),
        ("香港、中国2024年营收排名", Ranking(axis=Axis.ENTITY, order=RankingOrder.HIGHEST_FIRST, place=None)),
        ("香港2024年营收是多少", None),
        ("香港2024年营收和2023年营收对比", None),
    ],
)
def test_a_question_wants_one_thing_computed(question: str, operation: Operation | None) -> None:
    assert parsed(question).operation == operation


def test_the_whole_of_a_share_is_no_asked_entity() -> None:
    assert parsed("香港2024年营收占集团的比重").entities == ("ACME_HK",)


def test_a_change_between_neighbours_asks_for_the_later_period() -> None:
    intent = parsed("香港2024年营收比2023年增长了多少")

    assert isinstance(intent.operation, Growth)
    assert [period.value for period in intent.periods] == ["2024"]


def test_a_change_between_other_periods_names_the_compared_one_first() -> None:
    intent = parsed("change in HK revenue from 2021 to 2024")

    assert isinstance(intent.operation, Difference)
    assert [period.value for period in intent.periods] == ["2024", "2021"]


def test_a_declared_ratio_brings_its_two_metrics() -> None:
    intent = parsed("HK profit margin FY2024", RATIOS)

    assert intent.operation == Ratio(metric="MARGIN", numerator="PROFIT", denominator="REVENUE", unit="PCT")
    assert intent.metrics == ("PROFIT", "REVENUE")


def test_a_derived_metric_that_is_not_computed_is_asked_back_by_its_name() -> None:
    intent = parsed("HK profit margin and ROE FY2024", RATIOS)

    assert intent.operation is None
    assert [residue.text for residue in intent.pending] == ["profit margin"]
    assert intent.metrics == ("ROE",)


def test_nothing_but_itself_is_computed_of_a_derived_metric() -> None:
    assert [residue.text for residue in parsed("HK profit margin growth FY2024", RATIOS).pending] == ["growth"]


@pytest.mark.parametrize(
    "question",
    [
        "香港2024年营收同比增长率",
        "HK as a share of group revenue FY2024",
        "Which of HK and China had the higher revenue in FY2024?",
        "What is the difference between HK and China revenue in FY2024?",
        "HK profit margin FY2024",
        "ratio of profit to revenue of HK in FY2024",
    ],
)
def test_a_reader_that_knows_no_operations_asks_back(question: str) -> None:
    intent = parsed(question, RATIOS)

    older = ParsedIntent.model_validate(intent.model_dump(exclude={"operation"}))

    assert intent.operation is not None
    assert intent.pending == ()
    assert older.pending == intent.residues != ()


def test_what_the_operation_does_not_honour_is_still_asked_back() -> None:
    intent = parsed("香港2024年调整后营收同比增长率")

    assert [residue.text for residue in intent.pending] == ["调整后"]


@pytest.mark.parametrize(
    "question",
    [
        "香港2024年营收复合增长率",
        "香港2024年营收增速的变化",
        "香港2024年营收增长率最高",
        "香港2024年营收和利润增长的占比",
    ],
)
def test_two_operations_at_once_are_none(question: str) -> None:
    assert parsed(question).pending != ()


def test_every_kind_of_operation_is_read() -> None:
    questions = (
        "香港2024年营收同比",
        "香港2024年营收比中国高多少",
        "HK profit margin FY2024",
        "香港2024年营收占集团的比重",
        "香港、中国2024年营收排名",
    )

    operations = [parsed(question, RATIOS).operation for question in questions]

    assert [operation.kind for operation in operations if operation] == list(OperationKind)
