"""Harmless words that are not harmless here: of another language, in capitals, or nouns that narrow a metric.

"La" asks for nothing in an Italian question and names a city in "HK LA revenue"; "data" is any figure, and "data
revenue" is a line of business.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from contracts.codes import Locale
from domain.fold import is_ideographic
from domain.language import has_italian_words
from domain.matching import phrase_key
from domain.scope.segments import Part, Segment
from domain.text import Text
from domain.vocabulary import Role, en, it

_APOSTROPHES: Final = frozenset("'’ʼ`´‘")
_MONEY: Final = frozenset("$£¥€₩₹")
_FRAGMENTS: Final = frozenset({"d", "ll", "m", "re", "s", "ve"})
_ELISIONS: Final = frozenset({"c", "d", "l"})
_LETTERS: Final[Mapping[Locale, frozenset[str]]] = {
    Locale.EN: frozenset({"a", "i", "v"}),
    Locale.IT: frozenset({"a", "e", "i", "o", "v", "è"}),
}
_USUAL_CAPITALS: Final = frozenset({"asap", "fy", "fyi", "kpi", "kpis", "pls", "plz", "thx", "us", "vs"})
_NOUNS: Final = frozenset(
    {
        *("balance", "books", "data", "datapoint", "info", "information", "statement", "statements"),
        *("信息", "单位", "数据", "资料"),
    }
)
_VERBS_AND_NOUNS: Final = frozenset(
    {"check", "display", "list", "print", "quote", "report", "view", "展示", "搜索", "显示", "检索"}
)
_NOUNS_IT: Final = frozenset({"dati", "dato"})
_OWNERS_IT: Final = frozenset({"azienda", "compagnia", "ditta", "impresa", "societa", "società"})
_SLOTS: Final = frozenset({Part.CHANNEL, Part.ENTITY, Part.METRIC, Part.PERIOD})
_NARROWED: Final = frozenset({Part.CHANNEL, Part.METRIC})
_SENTENCE_ENDS: Final = frozenset(".?!。:;\n")
_TELLING_LENGTH: Final = 4
_TELLING_IT: Final = frozenset({"ad", "al", "con", "dai", "l", "nei", "sui", "un", "una"})


def find_strangers(text: Text, segments: Sequence[Segment]) -> Iterator[Segment]:
    """The harmless words of a question that change its meaning where they stand."""
    tongue = _tongue(text, segments)
    shouted = is_shouted(text, segments)
    for i, segment in enumerate(segments):
        # What only says what another metric is of, or belongs to an amount ("$m"), has a meaning already.
        is_scale = not _MONEY.isdisjoint(text.letters.gaps[segment.first])
        if segment.part is not Part.WORD or not segment.key or is_scale:
            continue
        if _narrows(text, segments, i, tongue) or (
            segment.role is Role.HARMLESS and _is_stranger(text, segments, i, tongue, shouted=shouted)
        ):
            yield segment


def is_shouted(text: Text, segments: Sequence[Segment]) -> bool:
    """Whether capitals mean nothing: most harmless words of the question are written in them."""
    words = [text.quote(s.first, s.behind) for s in segments if s.role is Role.HARMLESS and len(s) > 1]
    capitals = sum(word.isupper() for word in words)
    return capitals > 1 and 2 * capitals > sum(word.isascii() for word in words)


def is_in_capitals(text: Text, segment: Segment) -> bool:
    """Whether a word of several Latin letters is written in capitals that are not usual."""
    word = text.quote(segment.first, segment.behind)
    return len(word) > 1 and word.isalpha() and word.isupper() and segment.key not in _USUAL_CAPITALS


def starts_sentence(text: Text, segment: Segment) -> bool:
    """Whether a segment is the first of its sentence."""
    return segment.first == 0 or not _SENTENCE_ENDS.isdisjoint(text.letters.gaps[segment.first])


@cache
def _only(tongue: Locale, other: Locale) -> frozenset[str]:
    """The words of one language that the other one does not have."""
    return _keys(tongue) - _keys(other)


@cache
def _keys(tongue: Locale) -> frozenset[str]:
    words = it if tongue is Locale.IT else en
    every = (*words.HARMLESS.values(), *words.ROLES.values())
    return frozenset(phrase_key(word) for group in every for word in group)


def _tongue(text: Text, segments: Sequence[Segment]) -> Locale:
    """The language of the Latin words; a short question may be Italian without any of its usual small words."""
    if has_italian_words(text):
        return Locale.IT
    keys = {segment.key for segment in segments if segment.part is Part.WORD}
    if not keys.isdisjoint(_only(Locale.EN, Locale.IT)):
        return Locale.EN
    italian = keys & _only(Locale.IT, Locale.EN)
    tells = any(len(key) >= _TELLING_LENGTH or key in _TELLING_IT for key in italian)
    return Locale.IT if tells else Locale.EN


def _is_stranger(text: Text, segments: Sequence[Segment], i: int, tongue: Locale, *, shouted: bool) -> bool:
    segment = segments[i]
    if is_ideographic(text.letters.text[segment.first]):
        return False
    behind_apostrophe = not _APOSTROPHES.isdisjoint(text.letters.gaps[segment.first])
    if segment.key in _FRAGMENTS and behind_apostrophe:
        return False
    if segment.key in _ELISIONS and not _APOSTROPHES.isdisjoint(text.letters.gaps[segment.behind]):
        return False
    if len(segment) == 1:
        return not _is_word_of_one_letter(text, segment, tongue, shouted=shouted)
    if segment.key in _FRAGMENTS or (not shouted and is_in_capitals(text, segment)):
        return True
    return segment.key not in _keys(tongue)


def _is_word_of_one_letter(text: Text, segment: Segment, tongue: Locale, *, shouted: bool) -> bool:
    if segment.key not in _LETTERS[tongue]:
        return False
    is_plain = shouted or starts_sentence(text, segment) or not text.quote(segment.first, segment.behind).isupper()
    return is_plain or (segment.key == "i" and tongue is Locale.EN)


def _narrows(text: Text, segments: Sequence[Segment], i: int, tongue: Locale) -> bool:
    """Whether a word says which metric, or of what: "data revenue", "revenue per entity"."""
    segment = segments[i]
    before = segments[i - 1] if i else None
    behind = segments[i + 1] if i + 1 < len(segments) else None
    if segment.key == "per":
        return tongue is not Locale.IT or _is_per_unit_it(behind)
    touches = before is not None and text.letters.gaps[segment.first] in {"", " "}
    if tongue is Locale.IT and segment.key in _NOUNS_IT:
        return touches and before is not None and before.part is Part.METRIC
    if behind is None or behind.part not in _NARROWED or text.letters.gaps[behind.first] not in {"", " "}:
        return False
    if segment.role is Role.TOTAL:
        is_chinese = is_ideographic(text.letters.text[segment.first])
        return len(segment) == 1 and is_chinese and behind.part is Part.CHANNEL
    is_verb = before is None or before.part not in _SLOTS
    return segment.key in _NOUNS or (segment.key in _VERBS_AND_NOUNS and touches and not is_verb)


def _is_per_unit_it(behind: Segment | None) -> bool:
    return behind is not None and (behind.part is Part.METRIC or behind.key in _OWNERS_IT)
