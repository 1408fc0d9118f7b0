import pytest

from contracts.v1.narrative import Passage
from services.orchestrator.claims import Aspect
from services.orchestrator.prose_numbers import Asked, NumberCheck
from tests.support.answers import TODAY, sample_profile, scope
from tests.support.inprocess import passage

CHECK = NumberCheck(sample_profile())
HK_2024 = {Aspect.ENTITY: frozenset({"ACME_HK"}), Aspect.PERIOD: frozenset({"2024"})}


def unsupported(prose: str, *passages: Passage, facts: str = "", asked: Asked | None = None) -> list[str]:
    asked = asked or Asked(about=HK_2024, today=TODAY)
    findings = CHECK.check(prose, passages, facts, asked)
    return [number for finding in findings for number in finding.unsupported]


def refused(prose: str) -> list[str]:
    asked = Asked(about=HK_2024, refused=(scope("2024"),), today=TODAY)
    findings = CHECK.check(prose, [], "", asked)
    return [number for finding in findings for number in finding.refused]


def test_a_number_of_the_passage_is_supported_in_any_writing() -> None:
    source = passage("香港门店客流回落12%，损失1.2亿元，12家门店停业。")

    assert unsupported("客流回落百分之十二，损失1.2亿元，十二家门店停业。", source) == []


@pytest.mark.parametrize(
    ("prose", "numbers"),
    [
        ("客流回落21%。", ["21%"]),
        ("客流回落１３％。", ["１３％"]),
        ("客流回落12个百分点。", ["12个百分点"]),
        ("客流腰斩。", ["腰斩"]),
        ("客流翻倍。", ["翻倍"]),
        ("损失七百七十七万元。", ["七百七十七万元"]),
        ("Visits doubled.", ["doubled"]),
        ("Le visite sono dimezzate.", ["dimezzate"]),
        ("停业&#49;2天。", ["49", "2天"]),
        ("自2019年以来回落。", ["2019年"]),
        ("在2023年回落。", ["2023年"]),
    ],
)
def test_a_number_that_no_passage_has_is_named_as_it_is_written(prose: str, numbers: list[str]) -> None:
    assert unsupported(prose, passage("香港门店客流回落12%。")) == numbers


def test_a_value_of_another_company_is_unsupported() -> None:
    source = passage("内地客流回落8%，香港客流回落12%。集团客流回落9%。".replace("内地", "中国内地"))

    assert unsupported("香港客流回落12%。", source) == []
    assert unsupported("香港客流回落8%。", source) == ["8%"]
    assert unsupported("客流回落9%。", source) == ["9%"]
    assert unsupported("集团客流回落9%。", source) == []


def test_a_value_of_a_competitor_is_not_ours() -> None:
    source = passage("竞安客流回落30%。香港客流回落12%。")

    assert unsupported("香港客流回落30%。", source) == ["30%"]


def test_a_value_of_another_year_is_unsupported() -> None:
    source = passage("2023年回落5%，2024年回落12%。")

    assert unsupported("2024年回落12%。", source) == []
    assert unsupported("2024年回落5%。", source) == ["5%"]
    assert unsupported("回落5%。", source) == ["5%"]
    assert unsupported("2023年回落5%。", source) == []


def test_a_percentage_in_the_other_direction_is_another_statement() -> None:
    source = passage("香港客流回落12%，客单价上升3%。")

    assert unsupported("客流下降12%，客单价增长3%。", source) == []
    assert unsupported("客流增长12%。", source) == ["12%"]
    assert unsupported("Visits rose 12%.", passage("Visits saw a 12% decline.")) == ["12%"]


def test_what_a_number_is_compared_with_is_not_what_it_is_of() -> None:
    source = passage("香港2024年客流较2023年下降12%。")

    assert unsupported("客流下降12%。", source) == []
    assert unsupported("2024年客流下降12%。", source) == []
    assert unsupported("2023年客流下降12%。", source) == ["12%"]


def test_a_sentence_of_a_passage_may_be_repeated_as_it_is() -> None:
    sentence = "Gaming revenue was down 51% from a year ago and down 23% sequentially."

    assert unsupported(f"{sentence} Costs rose 51%.", passage(f"In Q3 2022 sales fell. {sentence}")) == ["51%"]


def test_english_names_the_year_behind_the_number() -> None:
    source = passage("Visits fell from 120 in 2023 to 100 in 2024.")

    assert unsupported("In 2024 there were 100 visits.", source) == []
    assert unsupported("In 2024 there were 120 visits.", source) == ["120"]


def test_what_a_passage_was_loaded_as_counts_where_its_text_says_nothing() -> None:
    source = passage("客流回落12%。", entity="ACME_CN", period="2023")

    assert unsupported("香港2024年客流回落12%。", source) == ["12%"]


def test_a_month_of_the_year_asked_about_supports_what_names_no_period() -> None:
    source = passage("2024年8月停业12天。")

    assert unsupported("停业12天。", source) == []
    assert unsupported("2024年停业12天。", source) == ["12天"]


def test_a_value_of_another_metric_is_unsupported() -> None:
    source = passage("香港2024年营收增长5%，营运利润增长9%。")

    assert unsupported("营收增长9%。", source) == ["9%"]
    assert unsupported("营收增长5%。", source) == []


def test_found_facts_support_their_own_scope_only() -> None:
    facts = "ACME_HK FY2024 REVENUE：731.25 USD_M"

    assert unsupported("香港2024年营收为731.25百万美元。", facts=facts) == []
    assert unsupported("香港2023年营收为731.25百万美元。", facts=facts) == ["731.25百万美元", "2023年"]
    assert unsupported("集团2024年营收为731.25百万美元。", facts=facts) == ["731.25百万美元"]
    assert unsupported("香港2024年营运利润为731.25百万美元。", facts=facts) == ["731.25百万美元"]


def test_a_relative_year_of_a_passage_is_not_the_readers_year() -> None:
    source = passage("去年回落12%。")

    assert unsupported("回落12%。", source) == []


@pytest.mark.parametrize("prose", ["香港2024年营收约为888。", "营收下降12%。", "约888百万美元。", "营收翻倍。"])
def test_no_number_for_a_refused_scope_is_let_through(prose: str) -> None:
    assert len(refused(prose)) == 1


@pytest.mark.parametrize(
    "prose", ["香港2023年营收为650。", "集团2024年营收为650。", "香港2024年营运利润为9。", "停业12天。"]
)
def test_numbers_that_are_clearly_something_else_are_not_the_refused_one(prose: str) -> None:
    assert refused(prose) == []
