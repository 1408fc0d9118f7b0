"""What an operation makes of the slots and residues of a question.

The words of an operation stay residues, marked as honoured, so that a reader that knows no operations asks them back.
An operation that honours no residue is none: nobody would notice that it was left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.codes import ResidueKind
from contracts.v1.intent import Residue
from contracts.v1.operations import Operation
from contracts.v1.periods import Period
from domain.matching import Span
from domain.profile import CompanyProfile
from domain.scope.operations.question import Found, derived_names
from domain.scope.segments import Part, Segment
from domain.text import Text

_HONOURABLE: Final = frozenset({ResidueKind.QUALIFIER, ResidueKind.UNKNOWN})
_RELATED: Final = frozenset({Part.ENTITY, Part.METRIC})


@dataclass(frozen=True, slots=True)
class Reckoned:
    """The residues with their marks, the operation, and the slots that it replaces."""

    residues: tuple[Residue, ...]
    operation: Operation | None = None
    metrics: tuple[str, ...] | None = None
    entities: tuple[str, ...] | None = None
    periods: tuple[Period, ...] | None = None


def reckon(text: Text, segments: Sequence[Segment], residues: Iterable[Residue], found: Found | None) -> Reckoned:
    """Mark what the operation honours."""
    plain = tuple(residues)
    if found is None:
        return Reckoned(plain)
    spans = [text.raw_span(segment.first, segment.behind) for segment in segments]
    marked = tuple(_marked(segments, spans, residue, found) for residue in plain)
    if not any(residue.honoured for residue in marked):
        return Reckoned(plain)
    return Reckoned(marked, found.operation, found.metrics, found.entities, found.periods)


def derived_residues(text: Text, segments: Sequence[Segment], profile: CompanyProfile) -> Iterator[Residue]:
    """The names of derived metrics: no figure is stored under them."""
    for i in derived_names(segments, profile):
        start, end = text.raw_span(segments[i].first, segments[i].behind)
        yield Residue(text=text.raw[start:end], kind=ResidueKind.QUALIFIER, start=start, end=end)


def stored_metrics(segments: Sequence[Segment], profile: CompanyProfile) -> tuple[str, ...]:
    """The named metrics of which figures are stored, each once."""
    named = (segment.key for segment in segments if segment.part is Part.METRIC)
    return tuple(code for code in dict.fromkeys(named) if code in profile.metrics)


def _marked(segments: Sequence[Segment], spans: Sequence[Span], residue: Residue, found: Found) -> Residue:
    inside = [i for i, (start, end) in enumerate(spans) if residue.start <= start and end <= residue.end]
    honoured = residue.kind in _HONOURABLE and bool(inside) and _is_honoured(segments, inside, found)
    return residue.model_copy(update={"honoured": True}) if honoured else residue


def _is_honoured(segments: Sequence[Segment], inside: Sequence[int], found: Found) -> bool:
    if len(inside) == 1:
        return inside[0] in found.words
    first, last = segments[inside[0]], segments[inside[-1]]
    return found.relates and first.part is last.part and first.part in _RELATED
