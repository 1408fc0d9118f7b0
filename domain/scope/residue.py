"""The closed scope: every word of a question that is neither a slot nor harmless is a residue, and asked back by name.

In a plain numeric question nothing may be left over. In a composite question free words belong to the narrative part;
what changes the number still counts: known qualifiers, unknown names, and words that stand directly before a metric.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from contracts.codes import ResidueKind
from contracts.v1.intent import Residue
from domain.scope.composite import asks_how_much, is_free_in_composite, is_of_the_metric, reads_as_period
from domain.scope.compounds import find_calculations, find_metrics_of_metrics
from domain.scope.counterfactuals import find_counterfactuals
from domain.scope.pairs import find_pairs
from domain.scope.segments import Part, Segment, role_of
from domain.scope.signs import find_signs
from domain.scope.strangers import find_strangers
from domain.text import Text
from domain.vocabulary import QUALIFIERS, Role

_MAX_RESIDUES: Final = 100

_WHERE_HARMLESS: Final[dict[Role, frozenset[Part | Role]]] = {
    Role.BEHIND_ENTITY: frozenset({Part.ENTITY}),
    Role.BEHIND_PERIOD: frozenset({Part.LATEST, Part.PERIOD, Role.HARMLESS}),
    Role.LEGAL_FORM: frozenset({Part.ENTITY}),
}
_COMPARABLE: Final = frozenset({Part.CHANNEL, Part.COMPETITOR, Part.ENTITY, Part.PERIOD})
_OF: Final = frozenset({"s", "之", "在", "的"})
_SMALL_GAPS: Final = frozenset({"", " ", "'", "’"})
_MONEY_OF_PLACES: Final = frozenset({"dollar", "dollari", "dollaro", "dollars", "元", "pounds", "sterline", "francs"})
_MARKETS: Final = frozenset({"market", "markets", "mercato", "市场"})
_SUMS: Final = frozenset(
    {
        *("aggregate", "combined", "inaggregate", "insum", "sum", "somma"),
        *("complessiva", "complessivamente", "complessive", "complessivi", "complessivo"),
    }
)
_FIGURES: Final = frozenset({"数值", "数字", "数据", "数目", "数量", "数额"})


@dataclass(frozen=True, slots=True)
class Scope:
    """What the slots of the question make harmless."""

    composite: bool
    """Whether a narrative part takes the free words."""
    units: frozenset[str]
    """Keys of the words that name the units of the asked metrics."""
    several: bool
    """Whether a slot has several values, so that a word for the whole asks for their sum."""
    one_by_one: bool
    """Whether the question says that it means each value on its own."""
    has_channel: bool
    has_entity: bool
    has_metric: bool


def find_residues(text: Text, segments: Sequence[Segment], scope: Scope) -> Iterator[Residue]:
    """The residues of a question; of more than a hundred the first hundred, which is enough to ask back."""
    return islice(_all_residues(text, segments, scope), _MAX_RESIDUES)


def _all_residues(text: Text, segments: Sequence[Segment], scope: Scope) -> Iterator[Residue]:
    for i, segment in enumerate(segments):
        kind = _kind(text, segments, i, scope)
        if kind is not None:
            found = _residue(text, kind, segment.first, segment.behind)
            yield found.model_copy(update={"beside_name": True}) if _touches_name(segments, i) else found
    for first, behind in find_metrics_of_metrics(text, segments):
        yield _residue(text, ResidueKind.UNKNOWN, first, behind)
    for first, behind in (*find_calculations(text, segments), *find_counterfactuals(segments)):
        yield _residue(text, ResidueKind.QUALIFIER, first, behind)
    for segment in find_strangers(text, segments):
        yield _residue(text, ResidueKind.UNKNOWN, segment.first, segment.behind)
    for first, behind in find_pairs(text, segments):
        yield _residue(text, ResidueKind.QUALIFIER, first, behind)
    for start, end in find_signs(text, segments):
        yield Residue(text=text.raw[start:end], kind=ResidueKind.QUALIFIER, start=start, end=end)


def _residue(text: Text, kind: ResidueKind, first: int, behind: int) -> Residue:
    start, end = text.raw_span(first, behind)
    return Residue(text=text.raw[start:end], kind=kind, start=start, end=end)


def _kind(text: Text, segments: Sequence[Segment], i: int, scope: Scope) -> ResidueKind | None:
    segment = segments[i]
    match segment.part:
        case Part.NAME:
            return ResidueKind.UNKNOWN_ENTITY
        case Part.LATEST:
            return ResidueKind.QUALIFIER
        case Part.AMBIGUOUS:
            return ResidueKind.AMBIGUOUS
        case Part.UNKNOWN if not _ends_a_figure(text, segments, i):
            counts = not scope.composite or _limits_the_number(text, segments, i, scope)
            return ResidueKind.UNKNOWN if counts else None
        case Part.WORD:
            return _kind_of_word(text, segments, i, scope)
        case _:
            return None


def _touches_name(segments: Sequence[Segment], i: int) -> bool:
    """Whether an unknown word stands beside a name that was understood: "barring HK" may mean all but HK."""
    if segments[i].part is not Part.UNKNOWN:
        return False
    neighbours = (*segments[max(0, i - 1) : i], *segments[i + 1 : i + 2])
    return any(segment.part in {Part.CHANNEL, Part.ENTITY} for segment in neighbours)


def _ends_a_figure(text: Text, segments: Sequence[Segment], i: int) -> bool:
    """Whether a metric took the first character of a word for its figure: 研发人员数 of 研发人员数量."""
    segment = segments[i]
    if i == 0 or segments[i - 1].part is not Part.METRIC or text.letters.gaps[segment.first]:
        return False
    return text.letters.text[segment.first - 1 : segment.behind] in _FIGURES


def _kind_of_word(text: Text, segments: Sequence[Segment], i: int, scope: Scope) -> ResidueKind | None:
    segment = segments[i]
    role = segment.role or Role.HARMLESS
    if role is Role.REGION:
        return ResidueKind.UNKNOWN_ENTITY
    if segment.key in _MARKETS and _names_its_market(text, segments, i):
        return None
    if role in QUALIFIERS:
        is_free = scope.composite and is_free_in_composite(segments, i) and not _stands_before_metric(text, segments, i)
        return None if is_free or _is_unit(segments, i, scope) else ResidueKind.QUALIFIER
    if role in _WHERE_HARMLESS:
        return None if _stands_behind(segments, i, _WHERE_HARMLESS[role]) else ResidueKind.UNKNOWN
    return ResidueKind.QUALIFIER if _changes_the_number(text, segments, i, scope) else None


def _changes_the_number(text: Text, segments: Sequence[Segment], i: int, scope: Scope) -> bool:
    """Whether a word that is often harmless is not so here."""
    match segments[i].role:
        case Role.CHANGE:
            return not scope.composite or asks_how_much(segments, i)
        case Role.CHANNEL:
            return not scope.has_channel and not _spans_a_period(segments, i)
        case Role.COMPARE:
            return i + 1 == len(segments) or segments[i + 1].part not in _COMPARABLE
        case Role.PARTICIPLE:
            return _stands_before_metric(text, segments, i)
        case Role.TOTAL:
            belongs = _stands_before_metric(text, segments, i) or _stands_behind(segments, i, frozenset({Part.METRIC}))
            is_each = scope.one_by_one and belongs and segments[i].key not in _SUMS
            return scope.several and not is_each
        case _:
            return False


def _spans_a_period(segments: Sequence[Segment], i: int) -> bool:
    """Whether "over" stands before the one period of a question: "over the last three years", not "2024 over 2023"."""
    if segments[i].key != "over" or not any(segment.part is Part.PERIOD for segment in segments[i + 1 : i + 2]):
        return False
    return sum(segment.part is Part.PERIOD for segment in segments) == 1


def _is_unit(segments: Sequence[Segment], i: int, scope: Scope) -> bool:
    """Whether a word names the unit of an asked metric. Without a metric the question is asked back for that."""
    segment = segments[i]
    if segment.key in _MONEY_OF_PLACES and _names_its_place(segments, i):
        return False
    return segment.key in scope.units or (segment.role is Role.CURRENCY and not scope.has_metric)


def _names_its_place(segments: Sequence[Segment], i: int) -> bool:
    """Whether the money is said to be that of one of our entities: "Hong Kong dollars", "dollari di Hong Kong"."""
    if i > 0 and segments[i - 1].part is Part.ENTITY:
        return True
    return [*(segment.key for segment in segments[i + 1 : i + 2])] == ["di"] and any(
        segment.part is Part.ENTITY for segment in segments[i + 2 : i + 3]
    )


def _names_its_market(text: Text, segments: Sequence[Segment], i: int) -> bool:
    """Whether the market is a place by which an entity of ours is called: "香港市场", "the Hong Kong market"."""
    if i == 0 or segments[i - 1].part is not Part.ENTITY or text.letters.gaps[segments[i].first] not in {"", " "}:
        return False
    return role_of(text.letters.text[segments[i - 1].first : segments[i - 1].behind]) is Role.REGION


def _stands_behind(segments: Sequence[Segment], i: int, places: frozenset[Part | Role]) -> bool:
    return i > 0 and not places.isdisjoint({segments[i - 1].part, segments[i - 1].role})


def _limits_the_number(text: Text, segments: Sequence[Segment], i: int, scope: Scope) -> bool:
    """Whether unknown words in a composite question say whose or which number: before a metric, or after "of".

    Where no entity is named, any unknown word may be the name of another one.
    """
    if not scope.has_entity or _stands_before_metric(text, segments, i):
        return True
    return is_of_the_metric(segments, i) or reads_as_period(text, segments, i)


def _stands_before_metric(text: Text, segments: Sequence[Segment], i: int) -> bool:
    """Whether a metric follows at once, or behind 的 or 's."""
    ahead = i + 1
    while ahead < len(segments) and segments[ahead].key in _OF:
        ahead += 1
    if ahead == len(segments) or segments[ahead].part is not Part.METRIC:
        return False
    return text.letters.gaps[segments[i + 1].first] in _SMALL_GAPS
