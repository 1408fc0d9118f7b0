"""A question cut into its parts: slots, periods, competitors, known words, and what is left: unknown words.

Every letter and digit of the question belongs to exactly one segment, so that nothing can be dropped unseen.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from domain.fold import is_ideographic
from domain.matching import Letters, PhraseMatcher, Span, phrase_key
from domain.vocabulary import Role, known_words


class Part(StrEnum):
    """What a segment of a question is."""

    METRIC = "metric"
    ENTITY = "entity"
    CHANNEL = "channel"
    AMBIGUOUS = "ambiguous"
    """A name of several metrics."""
    PERIOD = "period"
    COMPETITOR = "competitor"
    CURRENCY = "currency"
    """A currency sign."""
    ROUNDING = "rounding"
    """How many digits are to be shown; always all are."""
    FALLBACK = "fallback"
    """What to answer when nothing is found."""
    LATEST = "latest"
    """The newest period, which only the fact store knows."""
    TODAY = "today"
    """Which day is today."""
    WORD = "word"
    NAME = "name"
    """Reads as the name of somebody or something that the profile does not know."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of letters with one meaning."""

    part: Part
    first: int
    behind: int
    key: str = ""
    """The code of a slot, the key of a known word."""
    role: Role | None = None
    """What a known word does."""

    def __len__(self) -> int:
        return self.behind - self.first


@dataclass(frozen=True, slots=True)
class _Word:
    role: Role
    key: str


# Signs inside an unknown name, as in "Coca-Cola", "A.P. Moller" or "阿里·巴巴".
_INSIDE_LATIN_NAME: Final = frozenset({"", " ", "-", "_", "&", "'", "’", ".", ". ", "/", " & "})
_INSIDE_CHINESE_NAME: Final = frozenset({"", " ", "-", "·", "•", "・", "(", ")"})


def slot(part: Part, span: Span, letters: Letters, key: str = "") -> Segment:
    """The segment of what stands at `span` of the matching view; empty where no letter stands there."""
    return Segment(part, *letters.inside(*span), key)


def cut(letters: Letters, slots: Iterable[Segment]) -> list[Segment]:
    """All segments of a question, given its slots. The first of two slots that overlap wins."""
    taken = bytearray(len(letters.text))
    segments: list[Segment] = []
    for segment in slots:
        if len(segment) and not any(taken[segment.first : segment.behind]):
            taken[segment.first : segment.behind] = b"\1" * len(segment)
            segments.append(segment)
    for word, first, behind in _words().find(letters, taken):
        segments.append(Segment(Part.WORD, first, behind, word.key, word.role))
    segments += _unknown(letters, taken)
    return sorted(segments, key=lambda segment: segment.first)


def role_of(letters: str) -> Role | None:
    """What these letters do as a word; None where they are none that is known."""
    word = _words().get(letters)
    return word.role if word else None


@cache
def _words() -> PhraseMatcher[_Word]:
    return PhraseMatcher((phrase, _Word(role, phrase_key(phrase))) for phrase, role in known_words())


def _unknown(letters: Letters, taken: bytearray) -> Iterator[Segment]:
    start = 0
    for place in range(len(letters.text) + 1):
        ends_here = place == len(letters.text) or bool(taken[place])
        if start < place and (ends_here or not _is_one_name(letters, place)):
            yield Segment(Part.UNKNOWN, start, place)
            start = place
        if ends_here:
            start = place + 1


def _is_one_name(letters: Letters, place: int) -> bool:
    """Whether unknown letters before and at `place` are named together."""
    before, behind = is_ideographic(letters.text[place - 1]), is_ideographic(letters.text[place])
    if before and behind:
        return letters.gaps[place] in _INSIDE_CHINESE_NAME
    return letters.gaps[place] in _INSIDE_LATIN_NAME if before == behind else not letters.gaps[place]
