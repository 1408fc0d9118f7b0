"""Which path a question takes: looked up, told, or both."""

from collections.abc import Sequence
from typing import Final

from contracts.codes import Route
from contracts.v1.intent import LatestPeriod, Residue
from domain.scope.composite import names_a_time
from domain.scope.measures import asks_for_a_figure
from domain.scope.segments import Part, Segment
from domain.text import Text
from domain.vocabulary import Role

_NARROWING: Final = frozenset({Part.ENTITY, Part.CHANNEL, Part.PERIOD})
_NARRATIVE_CUES: Final = frozenset({Role.EFFECT_CUE, Role.NARRATIVE_CUE})
_WHY: Final = frozenset({"comemai", "howcome", "perche", "perché", "why", "为什么", "为何", "为啥", "何以"})
_ASKS_FOR_A_CASE: Final = frozenset({Role.NARRATIVE_CUE, Role.NUMERIC_CUE})
_WEAK_CONCEPT_CUES: Final = frozenset({Role.EFFECT_CUE, Role.WEAK_CONCEPT_CUE})

# "What does ROE mean", "how is ROE calculated": two words that are a concept question together only.
_CONCEPT_PAIRS: Final = (
    (("whatdoes", "whatdo", "what"), ("contain", "include", "includes", "represent", "represents")),
    (("whatdoes", "whatdo", "whatdid", "what"), ("mean", "means")),
    (("howis", "howare", "howdo", "howto", "how"), ("calculate", "calculated", "compute", "computed")),
)


def route_of(text: Text, segments: Sequence[Segment]) -> Route:
    """A metric with a narrative cue is composite, a metric or a numeric cue structured, all else narrative.

    What reads as a figure that the profile does not have is structured too, so that the metrics are listed.

    A question about a concept ("什么是净利润") is narrative although it names a metric: no number answers it.
    """
    roles = {segment.role for segment in segments}
    has_metric = any(segment.part in {Part.AMBIGUOUS, Part.METRIC} for segment in segments)
    if _asks_for_a_concept(segments):
        return Route.NARRATIVE
    if has_metric and not _NARRATIVE_CUES.isdisjoint(roles):
        return Route.COMPOSITE
    if has_metric or Role.NUMERIC_CUE in roles or any(segment.part is Part.ROUNDING for segment in segments):
        return Route.STRUCTURED
    return Route.STRUCTURED if asks_for_a_figure(text, segments) else Route.NARRATIVE


def leaves_reasons_only(segments: Sequence[Segment], residues: Sequence[Residue], latest: LatestPeriod | None) -> bool:
    """Whether a question for reasons lacks nothing but a stored period: "why … before 2024".

    Then no figure can be shown beside the reasons, and none was asked for: the reasons can be told. Who wants
    a figure explained or analysed wants to see it, and is asked back.
    """
    asks_why = any(segment.key in _WHY for segment in segments)
    if not residues or not asks_why or any(segment.role is Role.NUMERIC_CUE for segment in segments):
        return False
    if latest is not None and all(latest.start <= r.start and r.end <= latest.end for r in residues):
        return False
    return all(names_a_time(residue.text) for residue in residues)


def _asks_for_a_concept(segments: Sequence[Segment]) -> bool:
    roles = {segment.role for segment in segments}
    if Role.CONCEPT_CUE in roles:
        return True
    keys = {segment.key for segment in segments if segment.part is Part.WORD}
    if any(keys.intersection(ask) and keys.intersection(term) for ask, term in _CONCEPT_PAIRS):
        return True
    is_narrowed = any(segment.part in _NARROWING for segment in segments) or not roles.isdisjoint(_ASKS_FOR_A_CASE)
    return not is_narrowed and not roles.isdisjoint(_WEAK_CONCEPT_CUES)
