"""The word tables themselves: kept in order, and no word with two meanings in one language."""

from collections import Counter
from types import ModuleType

import pytest

from domain.lookalikes import lookalikes
from domain.matching import phrase_key
from domain.vocabulary import Role, en, it, known_words, zh

LANGUAGES = [pytest.param(module, id=module.__name__.rpartition(".")[2]) for module in (zh, en, it)]


def tables(language: ModuleType) -> list[tuple[str, ...]]:
    return [*language.ROLES.values(), *language.HARMLESS.values()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_in_alphabetical_order(language: ModuleType) -> None:
    for words in tables(language):
        assert list(words) == sorted(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_a_language_stands_twice(language: ModuleType) -> None:
    counted = Counter(word for words in tables(language) for word in words)

    assert [word for word, times in counted.items() if times > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_can_be_matched(language: ModuleType) -> None:
    assert [word for words in tables(language) for word in words if not phrase_key(word)] == []


def test_a_word_that_is_harmless_in_one_language_keeps_its_stricter_role_in_another() -> None:
    roles: dict[str, Role] = {}
    for word, role in known_words():
        roles.setdefault(phrase_key(word), role)

    assert roles["base"] is Role.ADJUSTED
    assert roles["ora"] is Role.LATEST


def test_lookalikes_pass_for_small_latin_letters_and_ascii() -> None:
    assert all(letter.isascii() and len(letter) == 1 for letter in lookalikes().values())
    assert not any(char.isascii() for char in lookalikes())
