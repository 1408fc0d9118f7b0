"""The profile's names in a text: what is found, and what only looks like it."""

import pytest

from domain.fold import fold
from domain.glossary import Glossary, MentionKind
from domain.profile import CompanyProfile
from tests.support.profiles import acme, profile_from_case

GLOSSARY = Glossary(acme())


def named(text: str, kind: MentionKind, glossary: Glossary = GLOSSARY) -> list[str]:
    return [mention.code for mention in glossary.find(fold(text)) if mention.kind is kind]


def metrics(text: str) -> list[str]:
    return named(text, MentionKind.METRIC)


def entities(text: str) -> list[str]:
    return named(text, MentionKind.ENTITY)


def small_profile(**tables: object) -> CompanyProfile:
    return CompanyProfile.model_validate(
        {
            "company": {"name": "Small", "default_entity": "S"},
            "entities": {"S": {}},
            "metrics": {"REVENUE": {"unit": "USD"}},
        }
        | tables
    )


@pytest.mark.parametrize(
    "text", ["new sales", "new-sales", "NEW  SALES", "newsales", "new\nsales", "Ｎｅｗ Ｓａｌｅｓ"]
)
def test_separators_inside_a_latin_name_do_not_matter(text: str) -> None:
    assert metrics(text) == ["NEWSALES"]


@pytest.mark.parametrize("text", ["营收", "营 收", "营\t收", "营·收", "营-收", "營收", "营\u200b收"])
def test_separators_inside_a_chinese_name_do_not_matter(text: str) -> None:
    assert metrics(text) == ["REVENUE"]


@pytest.mark.parametrize("text", ["营、收", "营。收", "营：收"])
def test_enumeration_and_sentence_signs_do_not_make_a_name(text: str) -> None:
    assert metrics(text) == []


@pytest.mark.parametrize(
    "text", ["HKD", "Monroe", "nonprofit", "non-profit", "heroes", "ROEs_x", "upgroup", "hkrevenue"]
)
def test_a_part_of_a_longer_latin_word_is_no_name(text: str) -> None:
    assert (metrics(text), entities(text)) == ([], [])


def test_a_hyphenated_compound_is_one_word() -> None:
    assert entities("the age-grouped cohort, group-wide") == []


def test_neighbouring_words_are_not_glued() -> None:
    assert metrics("pro fit ness") == []


@pytest.mark.parametrize("text", ["R.O.E.", "r o e", "ROE", "ROE2024", "2024ROE", "ROE's", "(roe)"])
def test_abbreviations_are_found_dotted_possessive_and_beside_a_year(text: str) -> None:
    assert metrics(text) == ["ROE"]


def test_a_year_is_one_only_when_it_stands_alone() -> None:
    assert metrics("12024roe") == []


@pytest.mark.parametrize("text", ["revenues", "Profits", "operating profits"])
def test_metrics_are_found_in_the_other_grammatical_number(text: str) -> None:
    assert len(metrics(text)) == 1


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("service fee", ["FEES"]),
        ("services fees", ["FEES"]),
        ("assets sale", ["ASSETS_SALE"]),
        ("asset sales", ["ASSET_SALES"]),
        ("assets sales", []),
        ("services charges", []),
        ("sale of goods", []),
        ("basi eps", []),
    ],
)
def test_one_word_of_a_metric_may_stand_in_the_other_number_unless_two_could_be_meant(
    text: str, codes: list[str]
) -> None:
    metrics: dict[str, object] = {
        "FEES": {"unit": "USD", "synonyms": ["Service fees"]},
        "ASSETS_SALE": {"unit": "USD", "synonyms": ["assets sale"]},
        "ASSET_SALES": {"unit": "USD", "synonyms": ["asset sales"]},
        "MERCHANDISE": {"unit": "USD", "synonyms": ["sales of goods"]},
        "BASIS": {"unit": "USD", "synonyms": ["basis eps"]},
    }
    glossary = Glossary(small_profile(metrics=metrics))

    assert named(text, MentionKind.METRIC, glossary) == codes


def test_entities_are_not_found_in_the_plural() -> None:
    assert entities("groups") == []


def test_the_longest_name_wins() -> None:
    assert metrics("operating profit") == ["PROFIT"]
    assert entities("中国内地") == ["ACME_CN"]


def test_codes_and_display_names_are_names() -> None:
    assert entities("ACME_HK, ACME China") == ["ACME_HK", "ACME_CN"]


def test_names_come_in_the_order_of_the_text() -> None:
    assert metrics("新签金额、营收和ROE") == ["NEWSALES", "REVENUE", "ROE"]


@pytest.mark.parametrize("text", ["中国香港", "ACME中国香港", "ACME集团香港", "集团香港"])
def test_the_whole_before_its_part_is_one_name_of_the_part(text: str) -> None:
    assert entities(text) == ["ACME_HK"]


@pytest.mark.parametrize("text", ["香港中国", "香港、中国", "香港和中国"])
def test_other_names_side_by_side_are_two_entities(text: str) -> None:
    assert entities(text) == ["ACME_HK", "ACME_CN"]


def test_nothing_is_found_in_a_blocked_part() -> None:
    folded = fold("香港营收")

    found = GLOSSARY.find(folded, [(0, 2)])

    assert [mention.code for mention in found] == ["REVENUE"]


def test_a_name_around_a_blocked_part_is_not_found() -> None:
    folded = fold("ACME集团")

    (mention,) = GLOSSARY.find(folded, [(2, 4)])

    assert folded.text[mention.start : mention.end] == "集团"


def test_offsets_are_those_of_the_view() -> None:
    folded = fold("在 香\u200b港")

    (mention,) = GLOSSARY.find(folded)

    assert folded.text[mention.start : mention.end] == "香港"


def test_a_name_that_is_a_year_names_a_period_only() -> None:
    glossary = Glossary(small_profile(metrics={"LEASES": {"unit": "USD", "synonyms": ["2023"]}}))

    assert named("what was it in 2023", MentionKind.METRIC, glossary) == []


def test_a_bracketed_company_name_is_found_with_and_without_brackets() -> None:
    glossary = Glossary(small_profile(entities={"S": {"synonyms": ["乐鑫信息科技(上海)股份有限公司"]}}))

    for text in ("乐鑫信息科技上海股份有限公司", "乐鑫信息科技（上海）股份有限公司"):
        assert named(text, MentionKind.ENTITY, glossary) == ["S"]


def test_percent_tells_two_metrics_apart() -> None:
    glossary = Glossary(small_profile(metrics={"GM": {"unit": "USD"}, "GM_PCT": {"unit": "PCT", "synonyms": ["gm %"]}}))

    assert named("gm", MentionKind.METRIC, glossary) == ["GM"]
    assert named("gm %", MentionKind.METRIC, glossary) == ["GM_PCT"]


def test_digits_of_a_stock_code_are_not_found_in_an_amount() -> None:
    glossary = Glossary(small_profile(entities={"S": {"synonyms": ["600429"]}}))

    assert named("600429公司", MentionKind.ENTITY, glossary) == ["S"]
    assert named("600,429 1600429 600429.5", MentionKind.ENTITY, glossary) == []


@pytest.mark.parametrize(
    ("raw", "code"),
    [("Hong Kong", "ACME_HK"), ("ACME_HK", "ACME_HK"), (" acme-hk ", "ACME_HK"), ("香 港", "ACME_HK"), ("Paris", None)],
)
def test_a_whole_text_is_resolved_to_an_entity(raw: str, code: str | None) -> None:
    assert GLOSSARY.resolve_entity(raw) == code


def test_a_text_that_only_contains_a_name_is_not_resolved() -> None:
    assert GLOSSARY.resolve_metric("revenue growth") is None


def test_a_name_of_one_kind_is_not_resolved_as_another() -> None:
    assert GLOSSARY.resolve_metric("Hong Kong") is None
    assert GLOSSARY.resolve_channel("代理") == "AGENCY"


def test_total_is_a_channel_of_every_profile() -> None:
    assert GLOSSARY.resolve_channel("TOTAL") == "TOTAL"


def test_channels_of_a_case_profile_are_found() -> None:
    profile = profile_from_case(
        {
            "company_name": "Northlight Grid",
            "default_entity": "NLG",
            "entities": {"NLG": {"synonyms": ["northlight"]}},
            "metrics": {"SALES": {"unit": "EUR_M", "synonyms": ["销售额"]}},
            "channels": {"ONLINE": ["线上", "online"]},
        }
    )

    assert named("线上销售额", MentionKind.CHANNEL, Glossary(profile)) == ["ONLINE"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("中国大陆", "ACME_CN"),
        ("mainland China", "ACME_CN"),
        ("香港特别行政区", "ACME_HK"),
        ("本集团", "ACME_GROUP"),
        ("我们集团", "ACME_GROUP"),
    ],
)
def test_a_place_or_group_may_be_called_by_its_other_names(text: str, code: str) -> None:
    found = GLOSSARY.find(fold(text))

    assert [(mention.code, mention.start, mention.end) for mention in found] == [(code, 0, len(text))]
