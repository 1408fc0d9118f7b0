"""Slots that mean one thing together, which is none of them: a sum of two entities, a metric of a metric."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from domain.fold import is_ideographic
from domain.scope.segments import Part, Segment
from domain.text import Text

_SLOTS: Final = frozenset({Part.CHANNEL, Part.ENTITY, Part.METRIC, Part.PERIOD})
_OPERATORS: Final = frozenset({"*", "+", "×", "÷"})
_DASHES: Final = frozenset({"-", "/", "–", "−"})
_ARTICLES: Final = frozenset({"a", "an", "the"})
_PREPOSITIONS: Final = frozenset(
    {
        *("arising", "arisingfrom", "as", "at", "by", "da", "dal", "dalla", "dei", "del", "dell", "della", "delle"),
        *("di", "for", "from", "generatedby", "generatedfrom", "in", "into", "nel", "of", "on", "over", "per", "su"),
        *("sul", "sulla", "to", "within", "的"),
    }
)


def find_calculations(text: Text, segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """Slots with the sign of a calculation between them: "香港+中国". Letters from and to."""
    for segment in segments:
        inside = text.letters.gaps[segment.first + 1 : segment.behind]
        if segment.part is Part.PERIOD and any(gap.strip() in _OPERATORS for gap in inside):
            yield segment.first, segment.behind
    for one, other in pairwise(segments):
        if _is_calculation(text.letters.gaps[other.first].strip(), one, other):
            yield one.first, other.behind


def _is_calculation(sign: str, one: Segment, other: Segment) -> bool:
    """A dash or a slash may also join names or years, so that it calculates between metrics only."""
    if sign in _OPERATORS:
        return one.part in _SLOTS and other.part in _SLOTS
    return sign in _DASHES and one.part is Part.METRIC and other.part is Part.METRIC


def find_metrics_of_metrics(text: Text, segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """Two metrics that name one thing together: "sales in the United States", "total costs". Letters from and to."""
    before: Segment | None = None
    joins: set[str] = set()
    for segment in segments:
        if segment.part is Part.METRIC:
            if before is not None and (joins - _ARTICLES or (not joins and _side_by_side(text, before, segment))):
                yield before.first, segment.behind
            before, joins = segment, set()
        elif segment.part is Part.WORD and segment.key in _ARTICLES | _PREPOSITIONS:
            joins.add(segment.key)
        else:
            before = None


def _side_by_side(text: Text, one: Segment, other: Segment) -> bool:
    """Whether two Latin names stand together as nouns do: "total costs". Chinese lists names that way."""
    letters = text.letters
    is_latin = not (is_ideographic(letters.text[one.behind - 1]) or is_ideographic(letters.text[other.first]))
    return is_latin and letters.gaps[other.first] == " "
