"""Labels, scopes and languages: the pure rules of the narrative worker."""

import pytest

from domain.profile import SensitivityRules
from domain.sensitivity import is_open
from services.narrative.analysis import Normal, body_tokens, language_of, languages_of_question
from services.narrative.classifier import Classifier
from services.narrative.index import Hit
from services.narrative.languages import Language
from services.narrative.ports import Near
from services.narrative.ranking import Ranked, across_languages, by_words, by_words_and_vectors, merged
from services.narrative.scope import covering_periods, parts_of

RULES = SensitivityRules(restricted_filenames=("board_minutes",), restricted_keywords=("绩效",))


@pytest.mark.parametrize("label", ["PUBLIC", " Internal ", "public"])
def test_an_open_label_is_open_however_it_is_written(label: str) -> None:
    assert is_open(label)


@pytest.mark.parametrize("label", [None, "", " ", "RESTRICTED", "publik", "public ok", "PUBLIC\x00", "内部", "default"])
def test_every_other_label_is_closed(label: str | None) -> None:
    assert not is_open(label)


@pytest.mark.parametrize(
    ("doc", "stated", "text", "label"),
    [
        ("a.md", None, "text", "internal"),
        ("a.md", " Public ", "text", "public"),
        ("a.md", "Board Only", "text", "board only"),
        ("2024/Board Minutes 3.docx", "PUBLIC", "text", "restricted"),
        ("a.md", "PUBLIC", "员工绩 效评估", "restricted"),
        ("a.md", " ", "text", "internal"),
    ],
)
def test_rules_can_close_a_passage_and_never_open_one(doc: str, stated: str | None, text: str, label: str) -> None:
    assert Classifier.of(RULES).label(doc, stated, text) == label


def test_in_strict_mode_an_unlabelled_passage_is_closed() -> None:
    strict = Classifier.of(RULES.model_copy(update={"strict": True}))

    assert not is_open(strict.label("a.md", None, "text"))
    assert is_open(strict.label("a.md", "INTERNAL", "text"))


@pytest.mark.parametrize(
    ("period", "covering"),
    [
        ("2024", ["2024"]),
        ("2024H1", ["2024H1", "2024"]),
        ("2024Q3", ["2024Q3", "2024H2", "2024"]),
        ("2024Q3YTD", ["2024Q3YTD", "2024"]),
        ("2024M10", ["2024M10"]),
    ],
)
def test_a_period_is_covered_by_those_that_hold_it(period: str, covering: list[str]) -> None:
    assert covering_periods(period) == covering


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("香港门店客流回落", Language.ZH),
        ("ACME Hong Kong REVENUE 下降的原因", Language.ZH),
        ("Alibaba (阿里巴巴) raised the price of its cloud in the second half of the year.", Language.EN),
        ("I ricavi della città sono calati", Language.IT),
        ("Revenue 2024", Language.EN),
        ("", Language.EN),
    ],
)
def test_a_passage_has_one_language(text: str, language: Language) -> None:
    assert language_of(Normal.read(text)) is language


def test_a_few_bare_words_may_be_of_either_language() -> None:
    assert languages_of_question(Normal.read("audit Hong Kong")) == {Language.EN, Language.IT}
    assert languages_of_question(Normal.read("perché i ricavi")) == {Language.IT}
    assert languages_of_question(Normal.read("REVENUE为什么")) == {Language.ZH}


@pytest.mark.parametrize(
    ("one", "other"), [("營收", "营收"), ("Città", "citta"), ("ＡＢＣ", "abc"), ("re\u0301al", "real")]
)
def test_texts_that_read_alike_are_cut_alike(one: str, other: str) -> None:
    first, second = Normal.read(one), Normal.read(other)

    assert body_tokens(first, language_of(first)) == body_tokens(second, language_of(second))


def test_a_title_that_the_question_names_weighs_more() -> None:
    hits = [Hit(1, 4.0, "costs"), Hit(2, 3.0, "广茂铁路"), Hit(3, 3.0, "")]

    ranked = by_words(hits, "广茂铁路全长多少公里")

    assert [(item.id, item.score) for item in ranked] == [(2, 1.25), (1, 1.0), (3, 0.75)]


def test_other_languages_take_their_share_or_what_is_left() -> None:
    same = [Ranked(i, 1 - i / 100) for i in range(10)]
    other = [Ranked(i, 1 - i / 100) for i in range(20, 30)]

    assert [item.id for item in merged(same, other, 8)] == [0, 1, 2, 3, 4, 5, 20, 21]
    assert [item.id for item in merged(same[:1], other, 4)] == [0, 20, 21, 22]
    assert [item.id for item in merged(same, [], 3)] == [0, 1, 2]
    assert [item.id for item in merged(same, other, 1)] == [0]


def test_the_parts_of_a_period_are_those_that_it_covers() -> None:
    for period in ("2024", "2024H1", "2024H2", "2024Q3", "2024Q2YTD", "2024M10"):
        assert all(period in covering_periods(part) for part in parts_of(period))
    assert {"2024H1", "2024Q4", "2024Q3YTD"} <= set(parts_of("2024"))
    assert parts_of("2024H2") == ["2024H2", "2024Q3", "2024Q4"]


def test_words_and_vectors_are_added_on_one_scale() -> None:
    hits = [Hit(1, 30.0, ""), Hit(2, 20.0, "广茂铁路"), Hit(3, 10.0, "")]
    near = [Near(3, 0.9, 0.5), Near(4, 0.8, 0.5)]

    ranked = by_words_and_vectors(hits, near, "广茂铁路多长")

    assert [(item.id, round(item.score, 2)) for item in ranked] == [(1, 1.0), (2, 1.0), (3, 0.7), (4, 0.0)]


def test_across_languages_what_is_near_to_any_question_goes_down() -> None:
    near = [Near(1, 0.90, 0.90), Near(2, 0.88, 0.80), Near(3, 0.80, 0.75)]

    assert [item.id for item in across_languages([], near)] == [2, 1, 3]
    assert [item.id for item in across_languages([Hit(9, 1.0, "")], [])] == [9]
