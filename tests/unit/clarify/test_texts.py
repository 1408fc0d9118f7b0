import unicodedata
from dataclasses import fields
from string import Formatter

import pytest

from contracts.codes import Locale
from services.clarify.texts import CATALOGUE, Wording, wording

NAMES = [field.name for field in fields(Wording)]


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_language_of_the_contract_has_its_sentences() -> None:
    assert set(CATALOGUE) == set(Locale)


@pytest.mark.parametrize("locale", list(Locale))
def test_no_sentence_is_empty(locale: Locale) -> None:
    empty = [name for name in NAMES if not getattr(wording(locale), name)]

    assert empty == []


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_has_the_same_slots_in_every_language(name: str) -> None:
    slots = {locale: placeholders(getattr(wording(locale), name)) for locale in Locale}

    assert len({frozenset(names) for names in slots.values()}) == 1, slots


@pytest.mark.parametrize("locale", list(Locale))
def test_fixed_sentences_carry_no_digit_of_any_script(locale: Locale) -> None:
    say = wording(locale)
    fixed = [
        say.no_material,
        say.no_answer,
        say.facts_unavailable,
        say.degraded_structured,
        say.degraded_narrative,
        say.rephrase,
    ]

    digits = [char for text in fixed for char in text if unicodedata.numeric(char, None) is not None]

    assert digits == []


@pytest.mark.parametrize("locale", list(Locale))
def test_no_sentence_brings_a_digit_of_its_own(locale: Locale) -> None:
    with_digits = [name for name in NAMES if any(char.isdigit() for char in getattr(wording(locale), name))]

    assert with_digits == []


def test_the_chinese_sentences_are_those_of_the_specification() -> None:
    say = wording(Locale.ZH)

    assert say.several == "对比结果："
    assert say.analysis == "归因分析："
    assert say.conflict == "以上来源口径不一致，系统不作取舍。"
    assert say.banner == "【假设】{notes}（如需收窄：{options}）"
    assert say.slash == "／"
    assert say.degraded_structured.startswith("AI 服务暂时不可用，")
    assert say.degraded_narrative.startswith("AI 服务暂时不可用，")
