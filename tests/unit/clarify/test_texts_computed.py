from dataclasses import fields
from string import Formatter

import pytest

from contracts.codes import Locale
from services.clarify.texts_computed import COMPUTED, ComputedWording, computed_wording

NAMES = [field.name for field in fields(ComputedWording)]


def placeholders(template: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name)


def test_every_language_of_the_contract_has_its_sentences() -> None:
    assert set(COMPUTED) == set(Locale)


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_has_the_same_slots_in_every_language(name: str) -> None:
    assert len({placeholders(getattr(computed_wording(locale), name)) for locale in Locale}) == 1


@pytest.mark.parametrize("locale", list(Locale))
def test_no_sentence_is_empty_or_brings_a_digit_of_its_own(locale: Locale) -> None:
    sentences = [getattr(computed_wording(locale), name) for name in NAMES]

    assert all(sentences)
    assert [text for text in sentences if any(char.isdigit() for char in text)] == []
