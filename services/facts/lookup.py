"""From the stored lines of a scope to its one outcome. Pure.

The newest statement counts; the system never picks between statements of which none is newer; a line without lineage
does not exist.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from contracts.codes import FactParam
from contracts.v1.facts import Conflicting, FactQuery, FactValue, Found, NotFound, UnrecognizedParam
from services.facts.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Line:
    """A visible fact as stored: approved and not withdrawn."""

    id: int
    metric_code: str
    value: Decimal
    unit: str
    source_doc_id: str
    source_locator: str
    valid_as_of: date | None
    ingested_at: datetime


def unrecognized(query: FactQuery, vocabulary: Vocabulary) -> UnrecognizedParam | None:
    """The first part of a scope that the profile does not know; None when it knows them all."""
    if query.metric not in vocabulary.stored_codes:
        return UnrecognizedParam(query=query, param=FactParam.METRIC, raw=query.metric)
    if query.entity not in vocabulary.entities:
        return UnrecognizedParam(query=query, param=FactParam.ENTITY, raw=query.entity)
    if query.channel not in vocabulary.channels:
        return UnrecognizedParam(query=query, param=FactParam.CHANNEL, raw=query.channel)
    return None


def choose(query: FactQuery, stored_codes: Sequence[str], lines: Iterable[Line]) -> Found | NotFound | Conflicting:
    """The outcome for a scope whose metric is stored under any of `stored_codes`.

    `valid_as_of` orders the statements of one stored code. Two codes are two sources: a later date of one does not
    correct the other, so where both have a figure they must agree.
    """
    known = [line for line in lines if line.source_doc_id.strip() and line.source_locator.strip()]
    newest = [line for code in stored_codes for line in _newest([x for x in known if x.metric_code == code])]
    match [_value(line) for line in _one_per_figure(newest)]:
        case []:
            return NotFound(query=query)
        case [fact]:
            return Found(query=query, fact=fact)
        case facts:
            return Conflicting(query=query, facts=tuple(facts))


def _newest(lines: Sequence[Line]) -> list[Line]:
    """The lines with the latest date, in the order of their ids; a missing date is the oldest."""
    latest = max((_as_of(line) for line in lines), default=date.min)
    return sorted((line for line in lines if _as_of(line) == latest), key=lambda line: line.id)


def _one_per_figure(lines: Sequence[Line]) -> list[Line]:
    """One line for each number and unit (1.50 is 1.5): the newest, then the one that was loaded last."""
    kept: dict[tuple[Decimal, str], Line] = {}
    for line in lines:
        other = kept.get((line.value, line.unit))
        if other is None or _rank(line) > _rank(other):
            kept[(line.value, line.unit)] = line
    return list(kept.values())


def _rank(line: Line) -> tuple[date, datetime, int]:
    return _as_of(line), line.ingested_at, line.id


def _as_of(line: Line) -> date:
    return line.valid_as_of or date.min


def _value(line: Line) -> FactValue:
    return FactValue(
        value=line.value,
        unit=line.unit,
        source_doc_id=line.source_doc_id,
        source_locator=line.source_locator,
        valid_as_of=line.valid_as_of,
    )
