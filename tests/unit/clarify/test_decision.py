from collections.abc import Sequence
from datetime import date

import pytest

from contracts.codes import ClarifyMode, Locale, ResidueKind, Route
from contracts.v1.ask import ClarificationOption
from contracts.v1.intent import ParsedIntent
from domain.profile import CompanyProfile
from services.clarify.decision import AskFirst, Assume, Decision, Proceed, Refuse, decide
from tests.support.answers import TODAY, intent, period, residue, sample_profile

PROFILE = sample_profile()


def decided(question: str, slots: ParsedIntent, *, locale: Locale = Locale.ZH, **rest: str) -> Decision:
    return decide(question, slots, PROFILE, today=TODAY, locale=locale, **rest)


def questions(options: Sequence[ClarificationOption]) -> dict[str, str]:
    return {option.label: option.question for option in options}


def test_a_complete_question_proceeds() -> None:
    decision = decided("香港2024营收", intent())

    assert isinstance(decision, Proceed)
    assert decision.clarification.mode is ClarifyMode.NONE


def test_a_competitor_is_refused_whatever_the_parser_made_of_the_question() -> None:
    blind = intent(route=Route.NARRATIVE)

    decision = decided("香港和竞安2024营收对比", blind)

    assert isinstance(decision, Refuse)
    assert decision.clarification.mode is ClarifyMode.OUT_OF_SCOPE_ENTITY
    assert decision.text == "竞安(Jingan) 不在 ACME Group 的数据范围内，无法回答与其有关的问题。"


def test_a_refusal_names_every_competitor() -> None:
    decision = decided("竞安对比竞诚2024营收", intent())

    assert isinstance(decision, Refuse)
    assert decision.text.startswith("竞安(Jingan)、Jingcheng 不在")


def test_the_refusal_comes_before_every_question_back() -> None:
    decision = decided("竞安增长率", intent(metrics=[], residues=[residue("竞安增长率", "增长率")]))

    assert isinstance(decision, Refuse)


def test_suspicious_text_is_asked_to_be_typed_again_on_every_route() -> None:
    decision = decided("香港\u202e2024营收", intent(route=Route.NARRATIVE))

    assert isinstance(decision, AskFirst)
    assert "重新输入" in decision.text
    assert decision.clarification.options == ()


def test_a_suspicious_residue_of_the_parser_counts_too() -> None:
    question = "香港2024营收xyz"

    decision = decided(question, intent(residues=[residue(question, "xyz", ResidueKind.SUSPICIOUS)]))

    assert isinstance(decision, AskFirst)
    assert "xyz" not in decision.text


def test_a_narrative_question_needs_no_slots() -> None:
    question = "门店客流为什么回落"
    bare = intent(route=Route.NARRATIVE, metrics=[], entities=[], periods=[], residues=[residue(question, "回落")])

    assert isinstance(decided(question, bare), Proceed)


@pytest.mark.parametrize("route", [Route.STRUCTURED, Route.COMPOSITE])
def test_a_missing_metric_is_asked_for_with_every_supported_one(route: Route) -> None:
    decision = decided("去年集团是几个", intent(route=route, metrics=[], entities=["ACME_GROUP"]))

    assert isinstance(decision, AskFirst)
    assert decision.clarification.mode is ClarifyMode.ASK_FIRST
    assert decision.text == "请问要查询哪个指标？支持的指标：REVENUE、NEWSALES、PROFIT、ROE。"
    assert questions(decision.clarification.options) == {
        code: f"ACME_GROUP {code} FY2024是多少" for code in ("REVENUE", "NEWSALES", "PROFIT", "ROE")
    }


def test_a_missing_metric_is_asked_for_before_anything_is_assumed() -> None:
    assert isinstance(decided("是几个", intent(metrics=[], entities=[], periods=[])), AskFirst)


def test_an_unknown_metric_is_named_and_the_options_do_without_it() -> None:
    question = "香港2024净息差"

    decision = decided(question, intent(metrics=[], residues=[residue(question, "净息差", ResidueKind.UNKNOWN)]))

    assert isinstance(decision, AskFirst)
    assert "未能识别的词“净息差”" in decision.text
    assert "REVENUE、NEWSALES" in decision.text
    assert questions(decision.clarification.options)["ROE"] == "ACME_HK ROE FY2024是多少"


def test_the_metrics_of_a_large_profile_are_listed_as_far_as_one_reads() -> None:
    metrics = {f"M{n}": {"unit": "X"} for n in range(40)}
    large = CompanyProfile.model_validate({**PROFILE.model_dump(), "metrics": metrics})

    decision = decide("多少", intent(metrics=[]), large, today=TODAY, locale=Locale.EN)

    assert isinstance(decision, AskFirst)
    assert decision.text.endswith("M10, M11….")
    assert len(decision.clarification.options) == 12


def test_a_large_profile_lists_the_metrics_named_most_like_the_unknown_word_first() -> None:
    metrics = {f"M{n}": {"unit": "X", "synonyms": [f"指标{n}"]} for n in range(40)}
    metrics["M33"] = {"unit": "X", "label": {"zh": "营业外收入"}}
    large = CompanyProfile.model_validate({**PROFILE.model_dump(), "metrics": metrics})
    question = "香港2024营业外支出"
    slots = intent(metrics=[], residues=[residue(question, "营业外支出", ResidueKind.UNKNOWN)])

    decision = decide(question, slots, large, today=TODAY, locale=Locale.ZH)

    assert decision.clarification.narrowing_options[:3] == ("M33（营业外收入）", "M0", "M1")


def test_a_metric_is_listed_with_its_display_name_where_that_is_another() -> None:
    metrics = {"NIM": {"unit": "PCT", "label": {"zh": "净息差", "en": "Net interest margin"}}}
    profile = CompanyProfile.model_validate({**PROFILE.model_dump(), "metrics": metrics})

    decision = decide("多少", intent(metrics=[]), profile, today=TODAY, locale=Locale.ZH)

    assert isinstance(decision, AskFirst)
    assert "NIM（净息差）" in decision.text


def test_a_qualifier_is_asked_back_by_name_with_the_question_without_it() -> None:
    question = "香港2024营收增长率是多少"

    decision = decided(question, intent(residues=[residue(question, "增长率")]))

    assert isinstance(decision, AskFirst)
    assert "“增长率”" in decision.text
    assert questions(decision.clarification.options) == {"去掉“增长率”": "ACME_HK REVENUE FY2024是多少"}


def test_several_residues_are_all_named_and_left_out_together() -> None:
    question = "HK adjusted revenue 2024 per employee"
    words = [residue(question, "adjusted"), residue(question, "per employee")]

    decision = decided(question, intent(residues=words), locale=Locale.EN)

    assert isinstance(decision, AskFirst)
    assert '"adjusted", "per employee"' in decision.text
    assert questions(decision.clarification.options) == {
        'Without "adjusted", "per employee"': "How much is ACME_HK REVENUE FY2024?"
    }


def test_words_of_different_kinds_are_named_apart() -> None:
    question = "广东省2024营收预算"
    words = [residue(question, "广东省", ResidueKind.UNKNOWN_ENTITY), residue(question, "预算")]

    decision = decided(question, intent(entities=[], residues=words))

    assert isinstance(decision, AskFirst)
    assert "未收录的实体“广东省”；会改变数字口径而暂不支持的限定“预算”" in decision.text


def test_an_unknown_entity_is_answered_with_the_known_ones() -> None:
    question = "广东省2024营收"

    decision = decided(
        question, intent(entities=[], residues=[residue(question, "广东省", ResidueKind.UNKNOWN_ENTITY)])
    )

    assert questions(decision.clarification.options) == {
        "ACME Group": "ACME_GROUP REVENUE FY2024是多少",
        "ACME Hong Kong": "ACME_HK REVENUE FY2024是多少",
        "ACME China": "ACME_CN REVENUE FY2024是多少",
        "去掉“广东省”": "REVENUE FY2024是多少",
    }


def test_a_question_for_reasons_keeps_the_words_of_the_user() -> None:
    question = "香港2024营收（调整后）为什么下降"

    decision = decided(question, intent(route=Route.COMPOSITE, residues=[residue(question, "调整后")]))

    assert questions(decision.clarification.options) == {"去掉“调整后”": "香港2024营收 为什么下降"}


def test_a_question_for_reasons_gets_the_known_entities_before_it() -> None:
    question = "广东省2024营收为什么下降"
    words = [residue(question, "广东省", ResidueKind.UNKNOWN_ENTITY)]

    decision = decided(question, intent(route=Route.COMPOSITE, entities=[], residues=words))

    assert questions(decision.clarification.options)["ACME China"] == "ACME_CN 2024营收为什么下降"


def test_every_slot_of_the_question_is_kept_in_its_options() -> None:
    question = "香港和中国2023、2024代理人渠道营收和利润预算"
    slots = intent(
        metrics=["REVENUE", "PROFIT"],
        entities=["ACME_HK", "ACME_CN"],
        periods=["2023", "2024"],
        channels=["AGENCY"],
        residues=[residue(question, "预算")],
    )

    decision = decided(question, slots)

    assert [option.question for option in decision.clarification.options] == [
        "ACME_HK、ACME_CN REVENUE、PROFIT AGENCY FY2023、FY2024是多少"
    ]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("不含香港的2024营收", ["不含"]),
        ("香港以外的2024营收", ["以外"]),
        ("revenue excluding hong kong 2024", ["excluding"]),
        ("不含香港的2024营收预算", ["不含", "预算"]),
    ],
)
def test_an_exclusion_is_never_left_out_with_one_click(question: str, words: Sequence[str]) -> None:
    decision = decided(question, intent(residues=[residue(question, word) for word in words]))

    assert isinstance(decision, AskFirst)
    assert decision.clarification.options == ()


def test_an_exclusion_may_be_left_out_together_with_what_it_excludes() -> None:
    question = "HK revenue 2024 excluding tax"
    words = [residue(question, "excluding"), residue(question, "tax", ResidueKind.UNKNOWN)]

    decision = decided(question, intent(residues=words))

    assert [option.question for option in decision.clarification.options] == ["ACME_HK REVENUE FY2024是多少"]


def test_the_metrics_are_listed_without_options_where_one_would_turn_an_exclusion_round() -> None:
    question = "不含香港的2024数字"

    decision = decided(question, intent(metrics=[], residues=[residue(question, "不含")]))

    assert isinstance(decision, AskFirst)
    assert "REVENUE、NEWSALES" in decision.text
    assert decision.clarification.options == ()


def test_no_option_is_offered_where_nothing_would_be_left_to_ask() -> None:
    decision = decided("增长率？", intent(route=Route.COMPOSITE, residues=[residue("增长率？", "增长率")]))

    assert isinstance(decision, AskFirst)
    assert decision.clarification.options == ()


@pytest.mark.parametrize("kind", [ResidueKind.QUALIFIER, ResidueKind.UNKNOWN_ENTITY, ResidueKind.UNKNOWN])
@pytest.mark.parametrize("route", [Route.STRUCTURED, Route.COMPOSITE])
def test_whatever_the_parser_leaves_over_of_a_numeric_question_is_asked_back(kind: ResidueKind, route: Route) -> None:
    question = "香港2024主要营收为什么下降"

    decision = decided(question, intent(route=route, residues=[residue(question, "主要", kind)]))

    assert isinstance(decision, AskFirst)
    assert "“主要”" in decision.text


def test_a_long_unknown_text_is_named_shortened() -> None:
    question = f"香港2024营收{'啊' * 500}"

    decision = decided(question, intent(residues=[residue(question, "啊" * 500, ResidueKind.UNKNOWN)]))

    assert isinstance(decision, AskFirst)
    assert len(decision.text) < 200
    assert "啊…" in decision.text


def test_missing_entity_and_period_are_assumed_and_said() -> None:
    decision = decided("营收给我看看", intent(entities=[], periods=[]))

    assert isinstance(decision, Assume)
    assert decision.clarification.assumed_slots.entity == "ACME_GROUP"
    assert decision.clarification.assumed_slots.period == period("2024")
    assert decision.banner == (
        "【假设】未指明实体，默认取 ACME_GROUP（ACME Group）；未指明期间，默认取最近完整财年 FY2024"
        "（如需收窄：ACME Hong Kong／ACME China／FY2023／2024H1／2024H2）"
    )
    assert questions(decision.clarification.options) == {
        "ACME Hong Kong": "ACME_HK 营收给我看看",
        "ACME China": "ACME_CN 营收给我看看",
        "FY2023": "FY2023 营收给我看看",
        "2024H1": "2024H1 营收给我看看",
        "2024H2": "2024H2 营收给我看看",
    }
    assert decision.clarification.narrowing_options == tuple(questions(decision.clarification.options))


def test_only_what_is_missing_is_assumed() -> None:
    no_entity = decided("2024营收", intent(entities=[]))
    no_period = decided("香港营收", intent(periods=[]))

    assert no_entity.clarification.assumed_slots.period is None
    assert no_entity.clarification.narrowing_options == ("ACME Hong Kong", "ACME China")
    assert no_period.clarification.assumed_slots.entity is None
    assert no_period.clarification.narrowing_options == ("FY2023", "2024H1", "2024H2")


def test_the_default_entity_of_the_request_is_assumed_and_shown() -> None:
    decision = decided("2024营收", intent(entities=[]), default_entity="ACME_CN")

    assert isinstance(decision, Assume)
    assert decision.clarification.assumed_slots.entity == "ACME_CN"
    assert "ACME_CN（ACME China）" in decision.banner
    assert decision.clarification.narrowing_options == ("ACME Group", "ACME Hong Kong")


def test_the_assumed_year_follows_the_fiscal_calendar_of_the_entity() -> None:
    data = PROFILE.model_dump()
    data["entities"]["ACME_HK"]["fiscal_year_start_month"] = 4
    profile = CompanyProfile.model_validate(data)

    decision = decide("香港营收", intent(periods=[]), profile, today=date(2025, 5, 20), locale=Locale.ZH)

    assert decision.clarification.assumed_slots.period == period("2025")


def test_a_large_profile_offers_few_entities() -> None:
    data = PROFILE.model_dump()
    data["entities"] = {f"E{n}": {} for n in range(60)}
    data["company"]["default_entity"] = "E3"
    profile = CompanyProfile.model_validate(data)

    decision = decide("2024营收", intent(entities=[]), profile, today=TODAY, locale=Locale.ZH)

    assert decision.clarification.narrowing_options == ("E0", "E1", "E2", "E4", "E5")


def test_a_profile_with_one_entity_needs_no_brackets_behind_the_assumption() -> None:
    data = PROFILE.model_dump()
    data["entities"] = {"ACME_GROUP": {}}
    profile = CompanyProfile.model_validate(data)

    decision = decide("2024营收", intent(entities=[]), profile, today=TODAY, locale=Locale.ZH)

    assert isinstance(decision, Assume)
    assert decision.banner == "【假设】未指明实体，默认取 ACME_GROUP"


def test_an_option_that_could_not_be_sent_back_is_not_offered() -> None:
    question = "2024营收" + "吗" * 1_990

    decision = decided(question, intent(entities=[]))

    assert isinstance(decision, Assume)
    assert all(len(option.question) <= 2_000 for option in decision.clarification.options)
    assert decision.clarification.options == ()


@pytest.mark.parametrize("year", [1, 2])
def test_the_first_years_of_the_calendar_do_no_harm(year: int) -> None:
    decision = decide("香港营收", intent(periods=[]), PROFILE, today=date(year, 1, 1), locale=Locale.ZH)

    assert isinstance(decision, Assume)


@pytest.mark.parametrize("locale", list(Locale))
def test_every_branch_can_be_said_in_every_language(locale: Locale) -> None:
    question = "广东省2024营收预算"
    words = [residue(question, "广东省", ResidueKind.UNKNOWN_ENTITY), residue(question, "预算")]
    decisions = [
        decided("竞安2024营收", intent(), locale=locale),
        decided("香港\u202e2024营收", intent(), locale=locale),
        decided("多少", intent(metrics=[]), locale=locale),
        decided(question, intent(entities=[], residues=words), locale=locale),
        decided("营收", intent(entities=[], periods=[]), locale=locale),
    ]

    texts = [d.banner if isinstance(d, Assume) else d.text for d in decisions if not isinstance(d, Proceed)]

    assert len(texts) == 5
    assert all(text and "{" not in text for text in texts)
