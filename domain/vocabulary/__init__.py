"""The words that no profile declares, in Chinese, English and Italian: what each does to the number that is asked for.

Data only. A word that is in none of these tables and not in the profile is unknown, and asked back.
"""

from collections.abc import Iterator
from typing import Final

from domain.vocabulary import en, it, zh
from domain.vocabulary.places import PLACES
from domain.vocabulary.roles import QUALIFIERS, Role

__all__ = ["QUALIFIERS", "Role", "known_words"]

_LANGUAGES: Final = (zh, en, it)


def known_words() -> Iterator[tuple[str, Role]]:
    """Every known word with its role. Of two roles of one word the first counts: the stricter ones come first."""
    for language in _LANGUAGES:
        for role, words in language.ROLES.items():
            for word in words:
                yield word, role
    for place in PLACES:
        yield place, Role.REGION
    for language in _LANGUAGES:
        for words in language.HARMLESS.values():
            for word in words:
                yield word, Role.HARMLESS
