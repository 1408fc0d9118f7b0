"""Slots that belong together in pairs, or stand in a relation: neither is what the table of all scopes would show.

"HK revenue 2023 and China revenue 2024" are two figures, not four; "HK revenue from China" is a part of a figure; "HK
revenue and agency revenue" are the whole and a part of it. Nobody reads pairs, so that all of them are asked back.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
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
_JOINTS: Final = _LIST_WORDS | _COMPARING
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

# More scopes than one question may have would follow from so many.
_MAX_MEANINGS: Final = 40


class _Piece:
    """What stands between two joints of a question, and what it names."""

    def __init__(self, text: Text, segments: Sequence[Segment]) -> None:
        named: dict[Part, set[str]] = defaultdict(set)
        for segment in segments:
            is_period = segment.part is Part.PERIOD
            named[segment.part].add(text.letters.text[segment.first : segment.behind] if is_period else segment.key)
        self.entities = frozenset(named[Part.ENTITY])
        self.metrics = frozenset(named[Part.METRIC])
        self.channels = frozenset(named[Part.CHANNEL])
        self.periods = frozenset(named[Part.PERIOD])
        """As they are written."""
        self.has_total = any(segment.role is Role.TOTAL or segment.key == "allchannels" for segment in segments)
        self.span = segments[0].first, segments[-1].behind

    @property
    def meaning(self) -> tuple[object, ...]:
        """Two pieces that mean the same stand in the same relations."""
        return self.entities, self.metrics, self.channels, self.periods, self.has_total


def find_pairs(text: Text, segments: Sequence[Segment]) -> Iterator[Letters]:
    """Slots that are paired or related; letters from and to."""
    yield from _where(text, segments, _differ_or_are_a_part, signs=True)
    yield from _where(text, segments, _list_a_total, signs=False)
    yield from _phrases_in_a_calculation(text, segments)
    yield from _related(text, segments)


def _where(
    text: Text, segments: Sequence[Segment], stand_so: Callable[[_Piece, _Piece], bool], *, signs: bool
) -> Iterator[Letters]:
    """The pieces that stand in a relation, the earlier one first; all of them where they are too many to compare."""
    pieces = list(_pieces(text, segments, signs=signs))
    last = {piece.meaning: i for i, piece in enumerate(pieces)}
    first = {pieces[i].meaning: i for i in range(len(pieces) - 1, -1, -1)}
    if len(first) > _MAX_MEANINGS:
        yield pieces[0].span[0], pieces[-1].span[1]
        return
    for one, other in combinations([pieces[i] for i in sorted({*first.values(), *last.values()})], 2):
        if stand_so(one, other):
            yield one.span[0], other.span[1]


def _pieces(text: Text, segments: Sequence[Segment], *, signs: bool) -> Iterator[_Piece]:
    piece: list[Segment] = []
    for segment in segments:
        is_joint = segment.key in _JOINTS and segment.part is Part.WORD
        breaks = is_joint or (signs and not _LIST_SIGNS.isdisjoint(text.letters.gaps[segment.first]))
        if breaks and piece:
            yield _Piece(text, piece)
            piece = []
        if not is_joint:
            piece.append(segment)
    if piece:
        yield _Piece(text, piece)


def _differ_or_are_a_part(one: _Piece, other: _Piece) -> bool:
    return _differ_in_pairs(one, other) or _is_whole_and_part(one, other)


def _differ_in_pairs(one: _Piece, other: _Piece) -> bool:
    """Whether two pieces name another entity each, and another period or metric with it."""
    if not (one.entities and other.entities) or one.entities == other.entities:
        return False
    pairs = ((one.periods, other.periods), (one.metrics, other.metrics), (one.channels, other.channels))
    return any(left and right and left != right for left, right in pairs)


def _is_whole_and_part(one: _Piece, other: _Piece) -> bool:
    """Whether one metric is named twice: once for a channel or an entity, and once without."""
    if one.metrics.isdisjoint(other.metrics):
        return False
    return bool(one.channels) != bool(other.channels) or (not one.entities and bool(other.entities))


def _list_a_total(one: _Piece, other: _Piece) -> bool:
    return _lists_a_total(one, other) or _lists_a_total(other, one)


def _lists_a_total(one: _Piece, other: _Piece) -> bool:
    """Whether one piece asks for the whole and the other for a part of it."""
    if not one.has_total or other.has_total:
        return False
    if other.channels and not one.channels:
        return True
    return bool(not one.entities and other.entities and other.metrics)


def _phrases_in_a_calculation(text: Text, segments: Sequence[Segment]) -> Iterator[Letters]:
    """Two phrases with a metric each, and the sign of a difference or a ratio between them."""
    starts = [0, *(i for i in range(1, len(segments)) if _is_phrase_sign(text, segments[i - 1], segments[i]))]
    bounds = [*starts, len(segments)]
    phrases = [_Piece(text, segments[first:behind]) for first, behind in pairwise(bounds) if first < behind]
    for one, other in pairwise(phrases):
        if one.metrics and other.metrics:
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
