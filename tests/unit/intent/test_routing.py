import pytest

from contracts.codes import Route
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE, acme

PARSER = RuleIntentParser(acme())


def route(question: str) -> Route:
    return PARSER.parse(question, reference_date=REFERENCE_DATE).route


@pytest.mark.parametrize(
    "question", ["香港2024营收", "去年集团是几个", "多少", "how many in the group", "quanto?", "ROE 口径"]
)
def test_a_metric_or_a_numeric_cue_is_structured(question: str) -> None:
    assert route(question) is Route.STRUCTURED


def test_an_order_to_round_asks_for_a_number() -> None:
    assert route("请提供香港2024的速动比率并保留2位小数") is Route.STRUCTURED


@pytest.mark.parametrize(
    "question",
    [
        "香港营收为什么下降",
        "香港营收趋势如何看",
        "分析集团2024营收",
        "why did hk revenue fall",
        "explain hk revenue 2024",
        "perché la revenue di hong kong è calata",
        "what was the impact of the strike on hk revenue",
        "营收为什么下降",
    ],
)
def test_a_metric_with_a_narrative_cue_is_composite(question: str) -> None:
    assert route(question) is Route.COMPOSITE


@pytest.mark.parametrize(
    "question",
    [
        "HK FY2024 net income",
        "What is HK's EBITDA in FY2024?",
        "VNB of HK in 2024",
        "HK employees 2024",
        "utile netto di HK 2024",
        "香港2024年净利润",
        "香港2024年存货周转率",
        "香港2024年",
        "HK",
    ],
)
def test_a_figure_that_the_profile_does_not_have_is_asked_for_by_its_metric(question: str) -> None:
    parsed = PARSER.parse(question, reference_date=REFERENCE_DATE)

    assert (parsed.route, parsed.metrics) == (Route.STRUCTURED, ())


@pytest.mark.parametrize(
    "question",
    [
        "HK FY2024 strategy",
        "HK dividend policy 2024",
        "Are there any notable changes in HK's cash flows in 2024?",
        "tell me about HK 2024",
        "which costs matter most for HK in 2024",
        "香港2024年有哪些风险",
        "香港2024年怎么样",
        "net income",
    ],
)
def test_a_topic_that_is_no_figure_stays_narrative(question: str) -> None:
    assert route(question) is Route.NARRATIVE


@pytest.mark.parametrize(
    "question", ["香港门店客流为什么回落", "你好", "集团的使命", "heroes of the year 2022", "竞安是谁"]
)
def test_everything_else_is_narrative(question: str) -> None:
    assert route(question) is Route.NARRATIVE


@pytest.mark.parametrize(
    "question",
    [
        "什么是净资产收益率？",
        "营收是什么意思",
        "营收的定义是什么？",
        "营收是什么？",
        "ROE是指什么",
        "如何计算ROE",
        "what does ROE mean?",
        "what is ROE",
        "define revenue",
        "how is ROE calculated",
        "cosa significa ROE",
        "cos'è il ROE?",
        "新签金额对公司的竞争优势有何影响？",
        "What does revenue include?",
    ],
)
def test_a_question_about_a_concept_is_narrative_though_it_names_a_metric(question: str) -> None:
    assert route(question) is Route.NARRATIVE


@pytest.mark.parametrize(
    "question",
    ["香港2024年营收是什么?", "what is the ROE", "What is hk's revenue", "what is our ROE for 2024", "营收是多少"],
)
def test_asking_what_a_figure_is_is_not_about_a_concept(question: str) -> None:
    assert route(question) is Route.STRUCTURED


@pytest.mark.parametrize(
    "question",
    [
        "Why did HK revenue fall before 2024?",
        "why did HK revenue fall in early 2024",
        "为什么香港近年来营收下降",
        "香港2024年以前营收为什么下降",
        "perché il REVENUE di HK è calato prima del 2024",
    ],
)
def test_reasons_of_a_time_that_is_no_period_are_told_without_a_figure(question: str) -> None:
    parsed = PARSER.parse(question, reference_date=REFERENCE_DATE)

    assert (parsed.route, parsed.residues) == (Route.NARRATIVE, ())


@pytest.mark.parametrize(
    "question",
    [
        "Why did HK revenue fall in 2024?",
        "Why did HK revenue fall in the latest quarter?",
        "Explain HK revenue before 2024",
        "How much did HK revenue fall since 2022 and why?",
        "Why did HK revenue before tax fall in early 2024?",
        "why did Tencent revenue fall before 2024",
    ],
)
def test_any_other_question_with_a_metric_keeps_its_figure(question: str) -> None:
    assert route(question) is Route.COMPOSITE
