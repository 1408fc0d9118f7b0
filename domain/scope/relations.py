"""Metrics that say what another one is of: "cost as a percentage of revenue", "net sales from components".

The profile declares, entity by entity, of which metric the stored figures are the percentage, and to which they add up.
Where every asked entity has it so, the other metric is no second question, and the words between are understood. In any
other case nothing is taken away, and the words are asked back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from domain.fold import is_ideographic
from domain.profile import Metric
from domain.scope.segments import Part, Segment, role_of
from domain.text import Text
from domain.vocabulary import QUALIFIERS, Role

_TOTAL: Final = "total"
_ARTICLES: Final = frozenset({"gli", "i", "il", "la", "le", "lo", "the", "total"})
_OF: Final = frozenset({"del", "della", "di", "of", "的"})
_FROM: Final = frozenset(
    {
        *("arising", "arisingfrom", "by", "contributedby", "derivedfrom", "earnedfrom", "for", "from", "generatedby"),
        *("generatedfrom", "in", "of", "中", "来自"),
    }
)
_SHARE_BEFORE: Final = frozenset({"percentage", "percentageof", "proportion", "share", "shareof"})
_AS_SHARE: Final = frozenset(
    {
        *("asa%", "asapercent", "asapercentage", "asaproportion", "asashare"),
        *("comepercentuale", "inpercentuale", "占", "占比"),
    }
)
_SHARE_BEHIND: Final = frozenset({"占比", "比例", "比重", "比率", "百分比"})


def with_relations(
    text: Text, segments: Sequence[Segment], metrics: Mapping[str, Metric], entities: Sequence[str]
) -> list[Segment]:
    """The segments, with what only says what another metric is of as harmless words."""
    has_total = _TOTAL in text.letters.text
    found = [_total(text, segments, i) for i in range(len(segments))] if has_total else list(segments)
    named = {segment.key for segment in found if segment.part is Part.METRIC}
    if not any(metrics[code].percent_of or metrics[code].part_of for code in named):
        return found
    for first, behind, kept in (*_shares(found, metrics, entities), *_parts(text, found, metrics, entities)):
        found[first:behind] = [s if i == kept else _harmless(s) for i, s in enumerate(found[first:behind], first)]
    return found


def _harmless(segment: Segment) -> Segment:
    return replace(segment, part=Part.WORD, key="", role=Role.HARMLESS)


def _total(text: Text, segments: Sequence[Segment], i: int) -> Segment:
    """A metric that is called "total", directly before another one, is the word: "total cost of sales".

    Unless the other one is called by a word that limits it: "total other" may be neither.
    """
    segment, behind = segments[i], next(iter(segments[i + 1 : i + 2]), None)
    if segment.part is not Part.METRIC or behind is None or behind.part is not Part.METRIC:
        return segment
    letters = text.letters
    word, name = (letters.text[s.first : s.behind] for s in (segment, behind))
    if word == _TOTAL and letters.gaps[behind.first] == " " and role_of(name) not in QUALIFIERS:
        return replace(segment, part=Part.WORD, key=word, role=Role.TOTAL)
    return segment


def _shares(
    segments: Sequence[Segment], metrics: Mapping[str, Metric], entities: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    """Where the percentage of one metric in another is asked for, and the stored figures are that: from, to, metric."""
    for i, segment in enumerate(segments):
        if segment.part is not Part.METRIC:
            continue
        sign = _skip(segments, i + 1, _AS_SHARE)
        whole = _skip(segments, sign, _OF | _ARTICLES)
        if sign == i + 1 or whole == len(segments) or segments[whole].part is not Part.METRIC:
            continue
        of = metrics[segment.key].percent_of
        if entities and all(of.get(entity) == segments[whole].key for entity in entities):
            yield _share_before(segments, i), _share_behind(segments, whole + 1), i


def _share_before(segments: Sequence[Segment], i: int) -> int:
    """The first of the words before a metric that say as well that a share is asked for: "the proportion of cost"."""
    start = i
    while start > 0 and _is_word(segments, start - 1, _OF | _ARTICLES):
        start -= 1
    return start - 1 if start > 0 and _is_word(segments, start - 1, _SHARE_BEFORE) else i


def _share_behind(segments: Sequence[Segment], i: int) -> int:
    end = _skip(segments, _skip(segments, i, frozenset({"的"})), _SHARE_BEHIND)
    return end if end > i and _is_word(segments, end - 1, _SHARE_BEHIND) else i


def _parts(
    text: Text, segments: Sequence[Segment], metrics: Mapping[str, Metric], entities: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    """Where a metric is named with the one that it is a part of, before or behind it: from, to, the part."""
    for i, segment in enumerate(segments):
        if segment.part is not Part.METRIC:
            continue
        other = _skip(segments, i + 1, _FROM | _ARTICLES)
        if other == len(segments) or segments[other].part is not Part.METRIC:
            continue
        one, two = segment.key, segments[other].key
        if other > i + 1 and _is_part(two, one, metrics, entities):
            yield i, other + 1, other
        elif _side_by_side(text, segment, segments[other]) and _is_part(one, two, metrics, entities):
            yield i, other + 1, i


def _side_by_side(text: Text, one: Segment, other: Segment) -> bool:
    """Whether two Latin names stand together as nouns do."""
    letters = text.letters
    is_latin = not is_ideographic(letters.text[one.behind - 1])
    return is_latin and one.behind == other.first and letters.gaps[other.first] == " "


def _is_part(metric: str, whole: str, metrics: Mapping[str, Metric], entities: Sequence[str]) -> bool:
    """Whether a metric is a part of another one for every asked entity, of it or of a part of it."""
    for entity in entities:
        above, seen = metrics[metric].part_of.get(entity), {metric}
        while above is not None and above != whole and above not in seen:
            seen.add(above)
            above = metrics[above].part_of.get(entity)
        if above != whole:
            return False
    return bool(entities)


def _is_word(segments: Sequence[Segment], i: int, words: frozenset[str]) -> bool:
    return i < len(segments) and segments[i].part is Part.WORD and segments[i].key in words


def _skip(segments: Sequence[Segment], i: int, words: frozenset[str]) -> int:
    """The first segment from `i` on that is none of these words."""
    while _is_word(segments, i, words):
        i += 1
    return i
