"""Slots that belong together in pairs, or stand in a relation: neither is what the table of all scopes would show.

"HK revenue 2023 and China revenue 2024" are two figures, not four; "HK revenue from China" is a part of a figure; "HK
revenue and agency revenue" are the whole and a part of it. Nobody reads pairs, so that all of them are asked back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from domain.scope.segments import Part, Segment
from domain.text import Text
from domain.vocabulary import Role

Letters = tuple[int, int]

_LIST_WORDS: Final = frozenset(
    {
        *("and", "aswellas", "e", "ed", "o", "oppure", "or", "与", "以及", "及", "同", "和", "或", "或者", "跟"),
        *("还有", "并", "且", "also", "anche"),
    }
)
_COMPARING: Final = frozenset(
    {
        *("against", "compare", "compared", "compares", "comparing", "comparison", "incomparison", "v", "versus"),
        *("vs", "与之相比", "对比", "对照", "比", "比一比", "比较", "相对", "相比", "相比较", "相较", "相较于"),
        *("confronta", "confrontare", "confronto", "contro", "paragone", "rispetto", "higher", "lower", "than"),
    }
)
_RELATIONS: Final = frozenset(
    {
        *("arisingfrom", "at", "by", "for", "from", "generatedby", "generatedfrom", "in", "into", "on", "to"),
        *("towards", "within", "with", "over", "through", "via", "con", "da", "dal", "dalla", "dalle", "nel"),
        *("nella", "per", "su", "sul", "sulla", "verso", "从", "到", "在", "对", "对于", "自", "至", "针对", "向"),
    }
)
_BETWEEN: Final = frozenset({"between", "fra", "tra"})
_LIST_SIGNS: Final = frozenset(",;、&?。!/|")
_PHRASE_SIGNS: Final = frozenset("-/–−:÷×")
_CHANGES: Final = frozenset({Role.CHANGE, Role.EFFECT_CUE})


@dataclass(frozen=True, slots=True)
class _Piece:
    """What stands between two joints of a question."""

    segments: Sequence[Segment]

    def keys(self, part: Part) -> frozenset[str]:
        return frozenset(segment.key for segment in self.segments if segment.part is part)

    def periods(self, text: Text) -> frozenset[str]:
        letters = text.letters.text
        return frozenset(letters[s.first : s.behind] for s in self.segments if s.part is Part.PERIOD)

    @property
    def has_total(self) -> bool:
        return any(segment.role is Role.TOTAL or segment.key == "allchannels" for segment in self.segments)

    @property
    def span(self) -> Letters:
        return self.segments[0].first, self.segments[-1].behind


def find_pairs(text: Text, segments: Sequence[Segment]) -> Iterator[Letters]:
    """Slots that are paired or related; letters from and to."""
    listed = list(_pieces(text, segments, signs=True))
    for one, other in combinations(listed, 2):
        if _differ_in_pairs(text, one, other) or _is_whole_and_part(one, other):
            yield one.span[0], other.span[1]
    joined = list(_pieces(text, segments, signs=False))
    for one, other in combinations(joined, 2):
        if _lists_a_total(one, other) or _lists_a_total(other, one):
            yield one.span[0], other.span[1]
    yield from _phrases_in_a_calculation(text, segments)
    yield from _related(text, segments)


def _pieces(text: Text, segments: Sequence[Segment], *, signs: bool) -> Iterator[_Piece]:
    piece: list[Segment] = []
    for segment in segments:
        is_joint = segment.key in _LIST_WORDS | _COMPARING and segment.part is Part.WORD
        breaks = is_joint or (signs and not _LIST_SIGNS.isdisjoint(text.letters.gaps[segment.first]))
        if breaks and piece:
            yield _Piece(piece)
            piece = []
        if not is_joint:
            piece.append(segment)
    if piece:
        yield _Piece(piece)


def _differ_in_pairs(text: Text, one: _Piece, other: _Piece) -> bool:
    """Whether two pieces name another entity each, and another period or metric with it."""
    entities = one.keys(Part.ENTITY), other.keys(Part.ENTITY)
    if not all(entities) or entities[0] == entities[1]:
        return False
    pairs = (
        (one.periods(text), other.periods(text)),
        (one.keys(Part.METRIC), other.keys(Part.METRIC)),
        (one.keys(Part.CHANNEL), other.keys(Part.CHANNEL)),
    )
    return any(left and right and left != right for left, right in pairs)


def _is_whole_and_part(one: _Piece, other: _Piece) -> bool:
    """Whether one metric is named twice: once for a channel or an entity, and once without."""
    if one.keys(Part.METRIC).isdisjoint(other.keys(Part.METRIC)):
        return False
    if bool(one.keys(Part.CHANNEL)) != bool(other.keys(Part.CHANNEL)):
        return True
    return not one.keys(Part.ENTITY) and bool(other.keys(Part.ENTITY))


def _lists_a_total(one: _Piece, other: _Piece) -> bool:
    """Whether one piece asks for the whole and the other for a part of it."""
    if not one.has_total or other.has_total:
        return False
    if other.keys(Part.CHANNEL) and not one.keys(Part.CHANNEL):
        return True
    return bool(not one.keys(Part.ENTITY) and other.keys(Part.ENTITY) and other.keys(Part.METRIC))


def _phrases_in_a_calculation(text: Text, segments: Sequence[Segment]) -> Iterator[Letters]:
    """Two phrases with a metric each, and the sign of a difference or a ratio between them."""
    starts = [0, *(i for i in range(1, len(segments)) if _is_phrase_sign(text, segments[i - 1], segments[i]))]
    bounds = [*starts, len(segments)]
    phrases = [_Piece(segments[first:behind]) for first, behind in pairwise(bounds) if first < behind]
    for one, other in pairwise(phrases):
        if one.keys(Part.METRIC) and other.keys(Part.METRIC):
            yield one.span[0], other.span[1]


def _is_phrase_sign(text: Text, one: Segment, other: Segment) -> bool:
    """A line that begins with a dash is an item of a list."""
    if text.letters.gaps[other.first].strip() not in _PHRASE_SIGNS:
        return False
    return "\n" not in text.raw[text.raw_span(one.first, one.behind)[1] : text.raw_span(other.first, other.behind)[0]]


def _related(text: Text, segments: Sequence[Segment]) -> Iterator[Letters]:
    """Two entities that are joined by anything but a list or a comparison."""
    words = {segment.key for segment in segments if segment.part is Part.WORD}
    compares = not _COMPARING.isdisjoint(words) or any(segment.role in _CHANGES for segment in segments)
    if compares:
        return
    places = [i for i, segment in enumerate(segments) if segment.part is Part.ENTITY]
    for one, other in pairwise(places):
        if segments[one].key != segments[other].key and _is_relation(text, segments, one, other):
            yield segments[one].first, segments[other].behind


def _is_relation(text: Text, segments: Sequence[Segment], one: int, other: int) -> bool:
    if one > 0 and segments[one - 1].key in _BETWEEN:
        return True
    behind = [segment.key for segment in segments[other + 1 : other + 3]]
    if behind[:1] == ["之间"] or behind == ["之", "间"]:
        return True
    joins = {segment.key for segment in segments[one + 1 : other]}
    gaps = (text.letters.gaps[segment.first] for segment in segments[one + 1 : other + 1])
    is_list = not joins.isdisjoint(_LIST_WORDS) or any(not _LIST_SIGNS.isdisjoint(gap) for gap in gaps)
    return not is_list and not joins.isdisjoint(_RELATIONS)
