"""Finding known phrases in a text: every phrase, whatever its separators, and never a part of a longer word.

A phrase is compared by its letters and digits. Blanks and punctuation between them are checked afterwards: a Latin
phrase must begin and end at a word's edge and may be broken only where it is broken itself, a Chinese name may be
written with blanks, hyphens or dots inside. The longest phrase wins; phrases never overlap. Linear in the length of
the text for a given vocabulary.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

from ahocorasick_rs import AhoCorasick

from domain.fold import Folded, combines, fold, is_ideographic

T = TypeVar("T")

Span = tuple[int, int]

# Signs that make one word of two: "age-grouped", "non-profit", "R&D".
_JOINERS: Final = frozenset({"-", "_", "‐", "&"})
_NUMBER_JOINERS: Final = frozenset({".", ","})
# What may stand inside a Chinese name without making two names of it. Enumeration signs are not among them.
_NAME_SEPARATORS: Final = frozenset(" -_‐·•‧・.*()[]'\"`~|")
_SENTENCE_ENDS: Final = frozenset("?!;。")

# Enough for the characters of everyday questions; bounded, because the characters come from outside.
_REMEMBERED_CHARS: Final = 16_384


@dataclass(frozen=True, slots=True)
class Letters:
    """The letters and digits of a text, where they stand in it, and what stands between them."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    gaps: tuple[str, ...]
    """What stands before each character; one more for what stands behind the last one."""

    def span(self, start: int, end: int) -> Span:
        """The part of the text that holds these characters."""
        return self.starts[start], self.ends[end - 1]

    def inside(self, start: int, end: int) -> Span:
        """The characters that stand in this part of the text."""
        return bisect_left(self.starts, start), bisect_left(self.starts, end)

    def covered(self, spans: Iterable[Span]) -> bytearray:
        """One byte per character: whether it stands in one of these parts of the text."""
        marks = bytearray(len(self.text))
        for start, end in spans:
            first, behind = self.inside(start, end)
            marks[first:behind] = b"\1" * (behind - first)
        return marks


def letters_of(folded: Folded) -> Letters:
    """The letters and digits of a matching view; offsets are those of the view."""
    places = [i for i, char in enumerate(folded.text) if is_word_char(char)]
    behind = [0, *(i + 1 for i in places)]
    gaps = [folded.text[start:end] for start, end in zip(behind, [*places, len(folded.text)], strict=True)]
    text = "".join(folded.text[i] for i in places)
    return Letters(text, tuple(places), tuple(behind[1:]), tuple(gaps))


@lru_cache(maxsize=_REMEMBERED_CHARS)
def is_word_char(char: str) -> bool:
    """Whether a character is part of a word; the percent sign is one, because it tells two metrics apart."""
    return char.isalnum() or char == "%" or combines(char)


def phrase_key(phrase: str) -> str:
    """What a phrase is compared by; two phrases with one key cannot be told apart."""
    return letters_of(fold(phrase)).text


class Hit(NamedTuple, Generic[T]):
    """A phrase that was found: what it stands for, and its characters among the letters of the text."""

    value: T
    first: int
    behind: int


def longest_first(hits: Iterable[Hit[T]], taken: bytearray) -> list[Hit[T]]:
    """The longest of the hits that do not overlap, in the order of the text; characters in `taken` are out of bounds.

    Marks what it picks in `taken`.
    """
    picked: list[Hit[T]] = []
    for hit in sorted(hits, key=lambda hit: (hit.first - hit.behind, hit.first)):
        if taken.find(1, hit.first, hit.behind) < 0:
            taken[hit.first : hit.behind] = b"\1" * (hit.behind - hit.first)
            picked.append(hit)
    return sorted(picked, key=lambda hit: hit.first)


class _Phrase(NamedTuple, Generic[T]):
    value: T
    breaks: set[int]
    begins_latin: bool
    ends_latin: bool


class PhraseMatcher(Generic[T]):
    """A fixed set of phrases, each standing for a value. Of two phrases with one key the first counts."""

    def __init__(self, phrases: Iterable[tuple[str, T]]) -> None:
        self._phrases: dict[str, _Phrase[T]] = {}
        for phrase, value in phrases:
            letters = letters_of(fold(phrase))
            key = letters.text
            if not key:
                continue
            known = self._phrases.setdefault(key, _Phrase(value, set(), _is_latin(key[0]), _is_latin(key[-1])))
            known.breaks.update(i for i in range(1, len(key)) if letters.gaps[i])

    @cached_property
    def _automaton(self) -> tuple[AhoCorasick, list[_Phrase[T]]]:
        return AhoCorasick(list(self._phrases)), list(self._phrases.values())

    def get(self, phrase: str) -> T | None:
        """What a phrase as a whole stands for, or None."""
        known = self._phrases.get(phrase_key(phrase))
        return None if known is None else known.value

    def find(self, letters: Letters, taken: bytearray) -> list[Hit[T]]:
        """The longest phrases that do not overlap, in the order of the text, outside of `taken`; marks them there."""
        return longest_first(self._hits(letters), taken) if self._phrases else []

    def _hits(self, letters: Letters) -> Iterator[Hit[T]]:
        automaton, phrases = self._automaton
        for index, first, behind in automaton.find_matches_as_indexes(letters.text, overlapping=True):
            phrase = phrases[index]
            if phrase.begins_latin and not _edge_before(letters, first):
                continue
            if phrase.ends_latin and not _edge_behind(letters, behind):
                continue
            if _is_unbroken(letters, first, behind) or may_be_broken(letters, first, behind, phrase.breaks):
                yield Hit(phrase.value, first, behind)


def _is_unbroken(letters: Letters, first: int, behind: int) -> bool:
    return letters.ends[behind - 1] - letters.starts[first] == behind - first


def _edge_before(letters: Letters, first: int) -> bool:
    """Whether a Latin word may begin here."""
    if first == 0 or not _is_latin(letters.text[first - 1]):
        return True
    if not letters.gaps[first]:
        return letters.text[first].isalpha() and is_year(letters, first - 4)
    return not _is_joined(letters, first)


def _edge_behind(letters: Letters, behind: int) -> bool:
    """Whether a Latin word may end here."""
    if behind == len(letters.text) or not _is_latin(letters.text[behind]):
        return True
    if not letters.gaps[behind]:
        return letters.text[behind - 1].isalpha() and is_year(letters, behind)
    return not _is_joined(letters, behind)


def _is_latin(char: str) -> bool:
    return char != "%" and not is_ideographic(char)


def _is_joined(letters: Letters, place: int) -> bool:
    """Whether one sign makes one word of the characters before and at `place`."""
    before, gap, behind = letters.text[place - 1], letters.gaps[place], letters.text[place]
    if gap in _JOINERS:
        return before.isalpha() and behind.isalpha()
    return gap in _NUMBER_JOINERS and before.isdigit() and behind.isdigit()


def is_year(letters: Letters, first: int) -> bool:
    """Whether the four characters from `first` are a year on their own: users write "hk2024"."""
    if first < 0 or first + 4 > len(letters.text):
        return False
    digits = letters.text[first : first + 4]
    if not digits.isdigit() or digits[:2] not in {"19", "20"} or any(letters.gaps[first + 1 : first + 4]):
        return False
    alone_before = first == 0 or letters.gaps[first] or not letters.text[first - 1].isdigit()
    alone_behind = first + 4 == len(letters.text) or letters.gaps[first + 4] or not letters.text[first + 4].isdigit()
    return bool(alone_before and alone_behind)


def may_be_broken(letters: Letters, first: int, behind: int, breaks: set[int]) -> bool:
    """Whether a phrase may be written with the separators that stand between these characters."""
    return all(
        not letters.gaps[place] or _is_fair_break(letters, first, place, behind, place - first in breaks)
        for place in range(first + 1, behind)
    )


def _is_fair_break(letters: Letters, first: int, place: int, behind: int, declared: bool) -> bool:
    gap = letters.gaps[place]
    if declared:
        return not _SENTENCE_ENDS.intersection(gap)
    if is_ideographic(letters.text[place - 1]) or is_ideographic(letters.text[place]):
        return _NAME_SEPARATORS.issuperset(gap)
    return _is_single(letters, first, place - 1, behind) and _is_single(letters, first, place, behind)


def _is_single(letters: Letters, first: int, place: int, behind: int) -> bool:
    """Whether the word at `place` is a single letter, as in "R.O.E."."""
    begins = place == first or letters.gaps[place] != ""
    ends = place + 1 == behind or letters.gaps[place + 1] != ""
    return letters.text[place].isalpha() and begins and ends
