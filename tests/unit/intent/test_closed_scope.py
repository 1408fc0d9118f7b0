"""No word that changes the number is dropped, and nobody is pestered."""

import pytest

from contracts.codes import ResidueKind, Route
from contracts.v1.intent import ParsedIntent
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE, acme
from tests.unit.intent.questions import EASY, TRAPS

PARSER = RuleIntentParser(acme())


def parse(question: str) -> ParsedIntent:
    return PARSER.parse(question, reference_date=REFERENCE_DATE)


def kinds(question: str) -> dict[str, ResidueKind]:
    return {residue.text: residue.kind for residue in parse(question).residues}


@pytest.mark.parametrize("question", TRAPS)
def test_a_question_with_another_meaning_leaves_a_residue(question: str) -> None:
    assert parse(question).residues


@pytest.mark.parametrize("question", EASY)
def test_a_plain_question_in_many_words_leaves_none(question: str) -> None:
    parsed = parse(question)

    assert (parsed.residues, parsed.metric is not None) == ((), True)
    assert parsed.route is not Route.NARRATIVE


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("香港2024营收预算", "预算"),
        ("香港2024营收同比增长率", "同比增长率"),
        ("hk 2024 YoY revenue", "YoY"),
        ("hk revenue in HKD 2024", "HKD"),
        ("不含香港的2024营收", "不含"),
        ("hk profit margin 2024", "margin"),
    ],
)
def test_known_qualifiers_are_named_as_the_user_wrote_them(question: str, text: str) -> None:
    assert kinds(question) == {text: ResidueKind.QUALIFIER}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("阿里巴巴集团2024营收", "阿里巴巴集团"),
        ("中国移动2024营收", "中国移动"),
        ("天津富通信息科技股份有限公司2024营收", "天津富通信息科技股份有限公司"),
        ("广东省2024营收", "广东省"),
        ("Sonic Automotive, Inc. revenue 2024", "Sonic Automotive, Inc"),
        ("what was Alibaba's revenue in 2024", "Alibaba"),
        ("revenue of Duni Group 2024", "Duni Group"),
        ("the US revenue in 2024", "US"),
    ],
)
def test_a_longer_or_unknown_name_blocks_the_known_one_inside(question: str, text: str) -> None:
    parsed = parse(question)

    assert {residue.text: residue.kind for residue in parsed.residues} == {text: ResidueKind.UNKNOWN_ENTITY}
    assert parsed.entities == ()


def test_unknown_words_are_named_as_one_run() -> None:
    assert kinds("2022 revenue of the age-grouped cohort") == {"age-grouped cohort": ResidueKind.UNKNOWN}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("香港2024合同营收", ["合同"]),
        ("香港2024合同负债是多少", ["合同负债"]),
        ("香港2024涉及营收", ["涉及"]),
        ("2024和谐营收", ["和谐"]),
        ("香港2024跟踪营收", ["跟踪"]),
        ("阿里和香港2024营收", ["阿里"]),
        ("香港和阿里2024营收", ["阿里"]),
        ("香港和澳2024营收", ["澳"]),
        ("苹果和橘子2024营收", ["苹果", "橘子"]),
    ],
)
def test_a_conjunction_inside_an_unknown_word_is_named_with_it(question: str, words: list[str]) -> None:
    assert [residue.text for residue in parse(question).residues] == words


def test_an_unknown_metric_beside_an_entity_is_not_taken_for_its_name() -> None:
    parsed = parse("香港净资产是多少")

    assert (parsed.entities, [residue.text for residue in parsed.residues]) == (("ACME_HK",), ["净资产"])


@pytest.mark.parametrize(
    "question",
    [
        "香港2024营收下降的主要原因是什么",
        "why did hk revenue fall in 2024 after the strike",
        "受台风影响，香港2024营收为什么下降",
    ],
)
def test_free_words_of_a_composite_question_belong_to_the_narrative(question: str) -> None:
    parsed = parse(question)

    assert (parsed.route, parsed.residues) == (Route.COMPOSITE, ())


@pytest.mark.parametrize(
    "question",
    [
        "为什么香港2024营收预算下降",
        "为什么阿里巴巴2024营收下降",
        "why did alibaba revenue fall",
        "why did revenue of alibaba fall",
        "why did gross profit of hk fall",
        "为什么门店营收下降",
    ],
)
def test_what_limits_the_number_of_a_composite_question_is_asked_back(question: str) -> None:
    parsed = parse(question)

    assert parsed.route is Route.COMPOSITE
    assert parsed.residues


def test_a_narrative_question_leaves_no_residue() -> None:
    parsed = parse("阿里巴巴的战略是什么")

    assert (parsed.route, parsed.residues) == (Route.NARRATIVE, ())


def test_suspicious_writing_is_a_residue_on_every_route() -> None:
    for question in ("hk r\u0435venue 2024", "what is the str\u0430tegy"):
        assert ResidueKind.SUSPICIOUS in kinds(question).values()


def test_a_word_for_the_whole_asks_for_a_sum_when_several_values_are_named() -> None:
    assert not parse("香港2024营收合计").residues
    assert parse("香港和中国2024营收合计").residues
    assert not parse("total revenue of hk and china in 2024 respectively").residues


def test_a_channel_word_is_harmless_beside_a_channel_only() -> None:
    assert not parse("香港2024代理渠道营收").residues
    assert parse("香港2024渠道营收").residues


def test_a_flood_of_unknown_words_is_cut_off() -> None:
    assert len(parse("营收" + "（甲）乙。" * 300).residues) == 100


@pytest.mark.parametrize(
    "question", ["revenue barring HK FY2024", "HK barred 2024 revenue", "agency banana revenue of HK"]
)
def test_an_unknown_word_beside_a_name_is_marked(question: str) -> None:
    parsed = PARSER.parse(question, reference_date=REFERENCE_DATE)

    assert [residue.beside_name for residue in parsed.residues] == [True]


def test_an_unknown_word_elsewhere_is_not_marked() -> None:
    parsed = PARSER.parse("HK FY2024 revenue of widgets", reference_date=REFERENCE_DATE)

    assert [residue.beside_name for residue in parsed.residues] == [False]
