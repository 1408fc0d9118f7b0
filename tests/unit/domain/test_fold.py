import pytest

from domain.fold import fold, folded_text


@pytest.mark.parametrize(
    ("raw", "view"),
    [
        ("ＡＣＭＥ　２０２４", "acme 2024"),
        ("Hong Kong", "hong kong"),
        ("香\u200b港", "香港"),
        ("rev\u00adenue", "revenue"),
        ("营\ufe0f收", "营收"),
        ("營收", "营收"),
        ("perche\u0301", "perché"),
        ("ﬁnance", "finance"),
        ("a\tb\nc\u00a0d", "a b c d"),
        ("营收\x00", "营收"),
    ],
)
def test_texts_that_look_alike_have_one_view(raw: str, view: str) -> None:
    assert folded_text(raw) == view


def test_every_character_of_the_view_points_to_what_it_stands_for() -> None:
    raw = "香\u200b港ﬁe\u0301"

    folded = fold(raw)

    assert [raw[start:end] for start, end in zip(folded.starts, folded.ends, strict=True)] == [
        "香",
        "港",
        "ﬁ",
        "ﬁ",
        "e\u0301",
    ]


def test_a_part_of_the_view_is_found_in_the_raw_text_and_back() -> None:
    raw = "在香\u200b港的"
    folded = fold(raw)

    start, end = folded.raw_span(1, 3)

    assert raw[start:end] == "香\u200b港"
    assert folded.folded_span(start, end) == (1, 3)


def test_a_part_of_the_raw_text_that_nobody_sees_is_an_empty_part_of_the_view() -> None:
    folded = fold("香\u200b港")

    assert folded.folded_span(1, 2) == (1, 1)


def test_a_character_that_stands_for_a_whole_phrase_does_not_blow_up_the_view() -> None:
    assert len(folded_text("\ufdfa" * 100)) == 100


def test_an_empty_text_has_an_empty_view() -> None:
    assert fold("").text == ""
    assert fold("\u200b\u0301"[:1]).text == ""
