"""Unknown names: longer names that contain a known one, companies and places that the profile does not know.

"阿里巴巴集团" is not our 集团, "中国移动" is not our 中国: a longer name blocks the shorter one that it contains.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from domain.fold import is_ideographic
from domain.scope.borrowed import with_borrowed_names
from domain.scope.segments import Part, Segment
from domain.text import Text
from domain.vocabulary import QUALIFIERS, Role

_COMPANY_WORDS: Final = frozenset({"企业", "公司", "集团"})
_NAME_ENDINGS: Final = (
    *("人寿", "信托", "保险", "基金", "寿险", "控股", "股份", "证券", "财险", "银行", "集团"),
    *("县", "市", "省", "自治区", "镇"),
)
_ENDING_CHARS: Final = 2
_NOT_A_CITY: Final = ("上市", "城市", "夜市", "股市", "超市", "都市", "门市")
_CONJUNCTIONS: Final = frozenset({"与", "以及", "及", "同", "和", "或", "或者", "跟", "还有"})
_WEAK_ROLES: Final = QUALIFIERS | {Role.BEHIND_ENTITY, Role.BEHIND_PERIOD, Role.CHANNEL, Role.FIGURE}
_NAME_ROLES: Final = QUALIFIERS | {Role.LEGAL_FORM, Role.REGION}
_NAMES: Final = frozenset({Part.CHANNEL, Part.ENTITY, Part.METRIC, Part.NAME})
_OF: Final = frozenset({"在", "的"})
_LOOK_AHEAD: Final = 3

_BEFORE_PLACES: Final = frozenset({"in", "our", "the", "within"})
_TELLING_US: Final = frozenset({"give", "let", "provide", "report", "show", "tell"})

_LATIN_WORD: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_ENDS: Final = frozenset(".?!。:;\n")
# Capitals that name nobody, seen in questions about reasons.
_COMMON_CAPITALS: Final = frozenset({"AI", "CEO", "CFO", "COVID", "Covid", "CPI", "ESG", "GDP", "IT", "KPI", "Q"})


def with_names(text: Text, segments: Sequence[Segment], *, closed: bool) -> list[Segment]:
    """The segments with unknown names as segments of their own; known entities inside of them are swallowed.

    `closed`: whether nothing may be left over, so that unknown letters beside an entity make a longer name of it.
    """
    if not any(_is_strange(segment) for segment in segments):
        return _with_latin_names(text, segments)
    whole = _whole_words(text, segments)
    named = [part for run in _runs(text, whole, _may_be_company) for part in _with_company(text, run)]
    if closed:
        runs = list(_runs(text, named, _may_be_longer_name))
        named = [part for i in range(len(runs)) for part in _with_longer_name(runs, i)]
    return _with_latin_names(text, named)


def _with_latin_names(text: Text, segments: Sequence[Segment]) -> list[Segment]:
    return with_borrowed_names(text, [_as_latin_name(text, segments, i) for i in range(len(segments))])


def _whole_words(text: Text, segments: Sequence[Segment]) -> list[Segment]:
    """Single characters that happen to be words, inside or beside unknown letters, are part of the unknown word."""
    whole: list[Segment] = []
    for i, segment in enumerate(segments):
        before = bool(whole) and whole[-1].part is Part.UNKNOWN and _touch(text, whole[-1], segment)
        behind = next((o for o in segments[i + 1 : i + 2] if o.part is Part.UNKNOWN and _touch(text, segment, o)), None)
        is_unknown = _is_lone_character(text, segment) and _is_part_of_a_word(segment, whole, before, behind)
        grown = Segment(Part.UNKNOWN, segment.first, segment.behind) if is_unknown else segment
        if before and grown.part is Part.UNKNOWN:
            whole[-1] = replace(whole[-1], behind=grown.behind)
        else:
            whole.append(grown)
    return whole


def _is_lone_character(text: Text, segment: Segment) -> bool:
    return segment.part is Part.WORD and len(segment) == 1 and is_ideographic(text.letters.text[segment.first])


def _is_part_of_a_word(segment: Segment, whole: Sequence[Segment], before: bool, behind: Segment | None) -> bool:
    """Whether a single known character beside unknown letters is no word of its own.

    A conjunction is none where a single unknown character touches it: "合同", "和谐", but not "阿里和香港". Behind a
    name it may still join two ("香港和澳").
    """
    if segment.key not in _CONJUNCTIONS:
        return (before and behind is not None) or ((before or behind is not None) and segment.role in _WEAK_ROLES)
    if before:
        return len(whole[-1]) == 1
    joins_names = bool(whole) and whole[-1].part in _NAMES
    return behind is not None and len(behind) == 1 and not joins_names


def _touch(text: Text, one: Segment, other: Segment) -> bool:
    """Whether two Chinese segments stand side by side with nothing between them."""
    letters = text.letters
    nothing_between = one.behind == other.first and not letters.gaps[other.first]
    return (
        nothing_between and is_ideographic(letters.text[one.behind - 1]) and is_ideographic(letters.text[other.first])
    )


def _runs(
    text: Text, segments: Sequence[Segment], belong: Callable[[Text, Segment, Segment], bool]
) -> Iterator[list[Segment]]:
    """Neighbours that belong together; every other segment alone."""
    run: list[Segment] = []
    for segment in segments:
        if run and not belong(text, run[-1], segment):
            yield run
            run = []
        run.append(segment)
    if run:
        yield run


def _may_be_company(text: Text, one: Segment, other: Segment) -> bool:
    chinese = _is_company_part(one) and _is_company_part(other) and _touch(text, one, other)
    return chinese or _is_latin_company(text, one, other)


def _is_company_part(segment: Segment) -> bool:
    """Whether a segment may stand inside a company's name. Single harmless characters end it: 的, 在, 是."""
    if segment.part is Part.WORD:
        is_term = segment.role is Role.HARMLESS and len(segment) > 1 and segment.key not in _CONJUNCTIONS
        return segment.role in _NAME_ROLES or is_term
    return segment.part in {Part.ENTITY, Part.UNKNOWN}


def _is_latin_company(text: Text, one: Segment, other: Segment) -> bool:
    """Whether an unknown word stands before a legal form, or a capitalised one before our own name: "Duni Group"."""
    gap = text.letters.gaps[other.first]
    if other.role is Role.LEGAL_FORM and not is_ideographic(text.letters.text[other.first]):
        return (one.part is Part.UNKNOWN or one.role is Role.LEGAL_FORM) and gap in {" ", ", "}
    if one.part is not Part.UNKNOWN or other.part is not Part.ENTITY or gap != " ":
        return False
    last = _LATIN_WORD.findall(text.quote(one.first, one.behind))[-1:]
    return bool(last) and last[0][0].isupper() and text.quote(other.first, other.behind)[0].isupper()


def _with_company(text: Text, run: Sequence[Segment]) -> Iterator[Segment]:
    """A run with its company name joined, from its first word that is no ordinary one to its last company word."""
    start = next((i for i, segment in enumerate(run) if segment.role is not Role.HARMLESS), 0)
    ends = [i for i in range(start, len(run)) if _ends_company(text, run, i)]
    if not ends or not any(_is_strange(segment) for segment in run[start : ends[-1] + 1]):
        yield from run
        return
    yield from run[:start]
    yield Segment(Part.NAME, run[start].first, run[ends[-1]].behind)
    yield from run[ends[-1] + 1 :]


def _is_strange(segment: Segment) -> bool:
    return segment.part is Part.UNKNOWN or segment.role is Role.REGION


def _ends_company(text: Text, run: Sequence[Segment], i: int) -> bool:
    segment = run[i]
    letters = text.letters.text[segment.first : segment.behind]
    if segment.part is Part.UNKNOWN:
        return _ends_like_a_name(letters)
    if segment.part is Part.ENTITY and i > 0 and run[i - 1].part is Part.UNKNOWN and letters.isascii():
        return True
    return segment.role is Role.LEGAL_FORM or letters in _COMPANY_WORDS


def _may_be_longer_name(text: Text, one: Segment, other: Segment) -> bool:
    parts = {Part.ENTITY, Part.UNKNOWN}
    return one.part in parts and other.part in parts and _touch(text, one, other)


def _with_longer_name(runs: Sequence[list[Segment]], i: int) -> list[Segment]:
    """A run of known and unknown letters as one name.

    What stands before an entity is a part of its name. What stands behind it may be an unknown metric instead, unless
    a metric or a period follows: "中国移动2024营收", but "中国平均工资是多少".
    """
    run = runs[i]
    unknown = [k for k, segment in enumerate(run) if segment.part is Part.UNKNOWN]
    entities = [k for k, segment in enumerate(run) if segment.part is Part.ENTITY]
    if not unknown or not entities:
        return run
    ahead = (other[0] for other in runs[i + 1 : i + 1 + _LOOK_AHEAD] if other[0].key not in _OF)
    following = next(ahead, None)
    narrowed = following is not None and following.part in {Part.METRIC, Part.PERIOD}
    is_name = unknown[0] < entities[-1] or narrowed
    return [Segment(Part.NAME, run[0].first, run[-1].behind)] if is_name else run


def _ends_like_a_name(letters: str) -> bool:
    return len(letters) > _ENDING_CHARS and letters.endswith(_NAME_ENDINGS) and not letters.endswith(_NOT_A_CITY)


def _as_latin_name(text: Text, segments: Sequence[Segment], i: int) -> Segment:
    segment = segments[i]
    if _is_united_states(text, segments, i) or (segment.part is Part.UNKNOWN and _reads_as_name(text, segments, i)):
        return Segment(Part.NAME, segment.first, segment.behind)
    return segment


def _is_united_states(text: Text, segments: Sequence[Segment], i: int) -> bool:
    """Whether "us" is a country: by its capitals or dots, or by where it stands: "the us", "our us revenue"."""
    segment = segments[i]
    if segment.key != "us":
        return False
    quoted = text.quote(segment.first, segment.behind)
    before = segments[i - 1].key if i else ""
    stands_before_metric = i + 1 < len(segments) and segments[i + 1].part is Part.METRIC
    if (quoted.isupper() and not text.raw.isupper()) or "." in quoted or before in _BEFORE_PLACES:
        return True
    return stands_before_metric and before not in _TELLING_US


def _reads_as_name(text: Text, segments: Sequence[Segment], i: int) -> bool:
    segment = segments[i]
    words = [w for w in _LATIN_WORD.findall(text.quote(segment.first, segment.behind)) if w not in _COMMON_CAPITALS]
    capitals = [word for word in words if word[0].isupper()]
    if not capitals:
        return False
    if i + 1 < len(segments) and _owns(text, segments[i + 1]):
        return True
    titled = any(not word.isupper() for word in capitals)
    starts_sentence = segment.first == 0 or bool(_SENTENCE_ENDS.intersection(text.letters.gaps[segment.first]))
    return titled and (not starts_sentence or len(capitals) > 1)


def _owns(text: Text, following: Segment) -> bool:
    """Whether the words before are said to own what follows: "Alibaba revenue", "Alibaba's"."""
    gap = text.letters.gaps[following.first]
    return (following.part is Part.METRIC and gap == " ") or (following.key == "s" and gap in {"'", "’"})
