"""The gate sees every competitor, however it is written, and nobody else."""

import html

import pytest

from domain.screening import screen
from tests.support.profiles import acme, profile_from_case

BLUE_TOWER = profile_from_case(
    {
        "company_name": "Northlight Grid",
        "default_entity": "NLG_DE",
        "entities": {"NLG_DE": {"synonyms": ["德国"]}},
        "metrics": {"SALES": {"unit": "EUR_M"}},
        "external": {"蓝塔": "BlueTower", "蓝塔德国": "BlueTower", "bluetower": "BlueTower"},
    }
)


def names(question: str) -> tuple[str, ...]:
    return screen(question, acme()).names


@pytest.mark.parametrize(
    "question",
    [
        "竞安2024营收",
        "竞\t安\n2024营收",
        "竞\u200b安",
        "竞.安",
        "竞😀安",
        "竞\u20dd安",
        "競安",
        "JingAn revenue",
        "ｊｉｎｇａｎ",
        "j-i-n-g-a-n",
        "jíngăn",
        "ᴊɪɴɢᴀɴ",
        "𝕛𝕚𝕟𝕘𝕒𝕟",
        "🅹🅸🅽🅶🅰🅽",
        "Ⓙⓘⓝⓖⓐⓝ",
        "\u0408\u0406\u039d\u050c\u0410\u039d",  # Cyrillic and Greek capitals
        "jin\u0261an",
        "&#31454;&#x5b89;",
        html.escape("<竞安>"),
        "jingan2024",
        "Jingan's revenue",
        "".join(chr(0xE0000 + ord(char)) for char in "jingan"),
        "竞安(Jingan)",
    ],
)
def test_a_competitor_is_seen_however_it_is_written(question: str) -> None:
    assert names(question) == ("竞安(Jingan)",)


@pytest.mark.parametrize(
    "question", ["Beijing annual report", "jinganx", "竞争 保安", "raging aneurysm", "香港2024营收", "", "\u200b"]
)
def test_nobody_else_is_taken_for_a_competitor(question: str) -> None:
    assert names(question) == ()


def test_all_competitors_are_named_once_in_the_order_of_the_question() -> None:
    assert names("中国竞寿对比中国竞安、竞安") == ("Jingshou", "竞安(Jingan)")


def test_the_longest_name_is_masked() -> None:
    question = "蓝塔德国2024销售额"

    screening = screen(question, BLUE_TOWER)

    assert [question[start:end] for start, end in screening.spans] == ["蓝塔德国"]


def test_a_masked_span_covers_the_entities_that_spell_the_name() -> None:
    question = "&#31454;&#23433;2024"

    ((start, end),) = screen(question, acme()).spans

    assert question[start:end] == "&#31454;&#23433;"


@pytest.mark.parametrize("question", ["\u202e收营", "abc\u2066d", "r\u0435venue 2024", "сompany profit"])
def test_bidi_controls_and_mixed_scripts_are_suspicious(question: str) -> None:
    assert screen(question, acme()).suspicious


@pytest.mark.parametrize("question", ["香港revenue", "5 µm", "выручка 2024", "Δ营收", "perché", "ＨＫ営収", "10kΩ"])
def test_honest_writing_is_not_suspicious(question: str) -> None:
    assert not screen(question, acme()).suspicious


def test_suspicious_words_are_quoted_exactly() -> None:
    question = "hk r\u0435venue 2024"

    ((start, end),) = screen(question, acme()).suspicious_spans

    assert question[start:end] == "r\u0435venue"


def test_a_profile_without_competitors_names_nobody() -> None:
    profile = acme().model_copy(update={"competitors": {}})

    assert screen("竞安", profile).names == ()
