"""Ordinary words as parts of a name: "China Re", "ACME Data", "The Data Group", "信息集团" are none of our entities."""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.fold import is_ideographic
from domain.scope.segments import Part, Segment
from domain.scope.strangers import is_in_capitals, is_shouted, starts_sentence
from domain.text import Text
from domain.vocabulary import Role

_NOUNS: Final = frozenset({"books", "data", "display", "info", "information", "may", "print"})
_NOUNS_ZH: Final = frozenset({"企业", "信息", "再", "数据", "资料"})
_GROUPS: Final = frozenset({"company", "group", "公司", "集团"})
_NOT_NAMES: Final = frozenset({"i", "fy", "us", "vs"})
_TITLED: Final = 2


def with_borrowed_names(text: Text, segments: Sequence[Segment]) -> list[Segment]:
    """The segments, with an entity and the harmless words that make another name of it joined."""
    takes_titles = not is_shouted(text, segments) and not _is_in_title_case(text, segments)
    joined: list[Segment] = []
    for i, segment in enumerate(segments):
        if joined and segment.behind <= joined[-1].behind:
            continue
        first, last = _name_around(text, segments, i, takes_titles=takes_titles)
        if first == last:
            joined.append(segment)
            continue
        while joined and joined[-1].first >= segments[first].first:
            joined.pop()
        joined.append(Segment(Part.NAME, segments[first].first, segments[last].behind))
    return joined


def _name_around(text: Text, segments: Sequence[Segment], i: int, *, takes_titles: bool) -> tuple[int, int]:
    if segments[i].part is not Part.ENTITY:
        return i, i
    first = i - 1 if i and _is_before(text, segments[i - 1], segments[i], takes_titles=takes_titles) else i
    is_longer = i + 1 < len(segments) and _is_behind(text, segments, i, takes_titles=takes_titles)
    return first, i + 1 if is_longer else i


def _is_before(text: Text, word: Segment, entity: Segment, *, takes_titles: bool) -> bool:
    gap = text.letters.gaps[entity.first]
    if word.role is not Role.HARMLESS or gap not in {"", " "}:
        return False
    is_group = text.letters.text[entity.first : entity.behind] in _GROUPS
    if is_ideographic(text.letters.text[word.first]):
        return is_group and not gap and word.key in _NOUNS_ZH
    if is_group and (word.key in _NOUNS or _is_letter(text, word)):
        return True
    return takes_titles and not starts_sentence(text, word) and _reads_as_name(text, word)


def _is_behind(text: Text, segments: Sequence[Segment], i: int, *, takes_titles: bool) -> bool:
    word = segments[i + 1]
    gap = text.letters.gaps[word.first]
    if word.role is not Role.HARMLESS or gap not in {"", " "}:
        return False
    if is_ideographic(text.letters.text[word.first]):
        following = segments[i + 2].part if i + 2 < len(segments) else Part.METRIC
        return not gap and word.key in _NOUNS_ZH and following in {Part.METRIC, Part.PERIOD}
    return takes_titles and (_reads_as_name(text, word) or _is_letter(text, word))


def _reads_as_name(text: Text, word: Segment) -> bool:
    return word.key not in _NOT_NAMES and (is_in_capitals(text, word) or _is_titled(text, word))


def _is_letter(text: Text, word: Segment) -> bool:
    return len(word) == 1 and word.key != "i" and text.quote(word.first, word.behind).isupper()


def _is_titled(text: Text, word: Segment) -> bool:
    quoted = text.quote(word.first, word.behind)
    return len(quoted) > 1 and quoted[0].isupper() and not quoted.isupper()


def _is_in_title_case(text: Text, segments: Sequence[Segment]) -> bool:
    return sum(1 for _ in _titles(text, segments)) >= _TITLED


def _titles(text: Text, segments: Sequence[Segment]) -> Iterator[Segment]:
    for segment in segments:
        if segment.role is Role.HARMLESS and _is_titled(text, segment) and not starts_sentence(text, segment):
            yield segment
