"""Which language an answer is written in."""

from typing import Final

from contracts.codes import Locale
from domain.fold import is_ideographic
from domain.text import Text

# Words that Italian questions are built with and English ones are not.
_ITALIAN: Final = frozenset(
    {
        *("abbiamo", "alla", "anche", "anno", "chi", "cosa", "dal", "dalla", "degli", "dei", "del", "dell"),
        *("della", "delle", "dello", "di", "gli", "il", "mostra", "mostrami", "nel", "nell", "nella", "nostra"),
        *("nostro", "perche", "perché", "quale", "quali", "quant", "quanta", "quante", "quanti", "quanto", "quest"),
        *("qual", "scorso", "sono", "stata", "stati", "stato", "sul", "sulla", "tra", "è"),
    }
)


def choose_locale(question: str, requested: Locale | None, profile_locale: str) -> Locale:
    """The requested language, else the profile's, else that of the question: Chinese, Italian or English."""
    if requested is not None:
        return requested
    if profile_locale != "auto":
        return Locale(profile_locale)
    return _language_of(Text.read(question))


def has_italian_words(text: Text) -> bool:
    """Whether a text holds a word that only Italian is built with; Chinese beside it does not hide it."""
    chars = ("\0" if is_ideographic(char) or not char.isalnum() else char for char in text.folded.text)
    return not _ITALIAN.isdisjoint("".join(chars).split("\0"))


def _language_of(text: Text) -> Locale:
    if any(is_ideographic(char) for char in text.letters.text):
        return Locale.ZH
    return Locale.IT if has_italian_words(text) else Locale.EN
