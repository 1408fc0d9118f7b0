"""The tokens on which questions and passages are compared, made here so that both sides are always cut alike.

Chinese text is cut into characters with their pairs, and into dictionary words; other text into stems without stop
words, into pairs of neighbouring stems, and into pieces of four letters, which forgive a wrong stem or a typing error.
A text in one script may hold words of the other: they become tokens of the same fields.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from threading import local
from typing import Final, Protocol

import rjieba
import Stemmer

from domain.fold import simplified
from services.narrative.languages import Language
from services.narrative.stop_words import STOP_WORDS, VOTING_WORDS

_HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
)
_RUNS: Final = re.compile(rf"([{_HAN}]+)|([^\W_{_HAN}]+)")
_MARKS: Final = re.compile("[\u0300-\u036f]")

HAN_SHARE: Final = 0.15
"""A text is Chinese when so many of its letters are: names in Latin letters are common in Chinese reports."""
_PIECE: Final = 4
_REMEMBERED_WORDS: Final = 65_536


class Field(StrEnum):
    """A way of cutting a text; each is a field of the index."""

    GRAMS = "grams"  # Chinese characters and their pairs; words of other scripts as they are
    WORDS = "words"  # words of a Chinese dictionary, long ones in their parts as well
    STEMS = "stems"
    PAIRS = "pairs"  # of neighbouring stems
    PIECES = "pieces"  # of four letters
    TITLE = "title"  # a title's GRAMS or STEMS


Tokens = dict[Field, list[str]]

_ALGORITHMS: Final = {Language.EN: "english", Language.IT: "italian", Language.ZH: "english"}
_of_thread = local()


@dataclass(frozen=True, slots=True)
class Normal:
    """A text as it is compared: compatibility forms, case, traditional characters and accents are gone."""

    text: str
    runs: tuple[tuple[str, bool], ...]
    """The words of the text, and the stretches of Chinese; the flag says which."""

    @classmethod
    def read(cls, raw: str) -> "Normal":
        """Fold a text and find its runs."""
        text = normal(raw)
        return cls(text, tuple((m.group(), m.group(1) is not None) for m in _RUNS.finditer(text)))


def normal(raw: str) -> str:
    """A text as it is compared."""
    text = raw.casefold() if raw.isascii() else _without_accents(unicodedata.normalize("NFKC", raw).casefold())
    return text if text.isascii() else text.translate(_simplified())


@cache
def _simplified() -> dict[int, str]:
    return {ord(char): form for char, form in simplified().items()}


def _without_accents(text: str) -> str:
    """Latin letters without their accents; what other scripts compose stays composed."""
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))


def language_of(read: Normal) -> Language:
    """The language of a passage."""
    han = sum(len(run) for run, is_han in read.runs if is_han)
    letters = sum(len(run) for run, is_han in read.runs if not is_han and not run.isdigit())
    if han and han >= HAN_SHARE * (han + letters):
        return Language.ZH
    votes = _votes(read)
    return Language.IT if votes[Language.IT] > votes[Language.EN] else Language.EN


def languages_of_question(read: Normal) -> frozenset[Language]:
    """The languages that a question may be in: any Chinese makes it Chinese; a few bare words could be either."""
    if any(is_han for _, is_han in read.runs):
        return frozenset({Language.ZH})
    votes = _votes(read)
    if votes[Language.IT] == votes[Language.EN]:
        return frozenset({Language.EN, Language.IT})
    return frozenset({Language.IT if votes[Language.IT] > votes[Language.EN] else Language.EN})


def _votes(read: Normal) -> dict[Language, int]:
    """How many words only that language is built with."""
    return {lang: sum(run in words for run, _ in read.runs) for lang, words in VOTING_WORDS.items()}


def body_tokens(read: Normal, language: Language) -> Tokens:
    """The tokens of a body or of a question, by field."""
    if language is Language.ZH:
        return {Field.GRAMS: list(_grams(read)), Field.WORDS: _dictionary_words(read)}
    stems = list(_stems(read, language))
    return {Field.STEMS: stems, Field.PAIRS: list(_pairs(stems)), Field.PIECES: list(_pieces(read))}


def words_of(read: Normal) -> Iterator[Sequence[str]]:
    """The words of each run, in their order and none of them twice."""
    for run, is_han in read.runs:
        yield rjieba.cut(run) if is_han else (run,)


def title_tokens(read: Normal, language: Language) -> list[str]:
    """The tokens of a title, or of a question that is held against titles."""
    return list(_grams(read) if language is Language.ZH else _stems(read, language))


def _grams(read: Normal) -> Iterator[str]:
    for run, is_han in read.runs:
        if is_han:
            yield from run
            yield from (run[i : i + 2] for i in range(len(run) - 1))
        else:
            yield run


def _dictionary_words(read: Normal) -> list[str]:
    words: list[str] = []
    for run, is_han in read.runs:
        words += rjieba.cut_for_search(run) if is_han else (run,)
    return words


def _stems(read: Normal, language: Language) -> Iterator[str]:
    stop = STOP_WORDS[language]
    stem = _stem_of(language)
    for run, is_han in read.runs:
        if is_han:
            yield from run
            yield from (run[i : i + 2] for i in range(len(run) - 1))
        elif run not in stop:
            yield stem(run)


def _pairs(stems: Sequence[str]) -> Iterator[str]:
    return (f"{first}_{second}" for first, second in pairwise(stems))


def _pieces(read: Normal) -> Iterator[str]:
    for run, is_han in read.runs:
        if not is_han:
            yield from _pieces_of(run)


@lru_cache(maxsize=_REMEMBERED_WORDS)
def _pieces_of(word: str) -> tuple[str, ...]:
    padded = f"_{word}_"
    return tuple(padded[i : i + _PIECE] for i in range(max(1, len(padded) - _PIECE + 1)))


def _stem_of(language: Language) -> Callable[[str], str]:
    """The stemmer of this thread: it remembers what it has seen, and must not be used by two threads at once."""
    known: dict[Language, _Stemmer] | None = getattr(_of_thread, "stemmers", None)
    if known is None:
        known = {lang: _new_stemmer(algorithm) for lang, algorithm in _ALGORITHMS.items()}
        _of_thread.stemmers = known
    return known[language].stemWord


class _Stemmer(Protocol):
    """What is used of PyStemmer, which declares no types."""

    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 -- the name is theirs


_new_stemmer: Callable[[str], _Stemmer] = vars(Stemmer)["Stemmer"]
