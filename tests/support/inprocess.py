"""The orchestrator's ports without a bus: seconds-fast questions against facts in a dictionary, and parts that fail."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from contracts.codes import ReviewStatus
from contracts.v1.facts import (
    Conflicting,
    FactOutcome,
    FactOutcomes,
    FactQuery,
    FactRow,
    FactValue,
    Found,
    NotFound,
    QueryFacts,
)
from contracts.v1.intent import ParsedIntent, ParseIntent
from contracts.v1.narrative import Passages, SearchPassages
from contracts.v1.periods import Period
from domain.profile import CompanyProfile
from services.intent.parser import RuleIntentParser
from services.orchestrator.ports import FactPort, IntentPort, NarrativePort, Ports, Provider
from services.orchestrator.providers.offline import OfflineProvider


@dataclass
class FixedIntent:
    """`IntentPort` that reads every question as the same slots."""

    slots: ParsedIntent
    asked: list[ParseIntent] = field(default_factory=list)

    async def parse(self, request: ParseIntent) -> ParsedIntent:
        self.asked.append(request)
        return self.slots


class ParsedInProcess:
    """`IntentPort` over the real parser."""

    def __init__(self, profile: CompanyProfile) -> None:
        self.parser = RuleIntentParser(profile)

    async def parse(self, request: ParseIntent) -> ParsedIntent:
        assert request.reference_date is not None
        return self.parser.parse(
            request.question, reference_date=request.reference_date, default_entity=request.default_entity
        )


@dataclass
class FixedFacts:
    """`FactPort` that replies the same outcomes to every batch."""

    outcomes: Sequence[FactOutcome] = ()
    asked: list[QueryFacts] = field(default_factory=list)

    async def query(self, request: QueryFacts) -> FactOutcomes:
        self.asked.append(request)
        return FactOutcomes(outcomes=tuple(self.outcomes))


class StoredFacts:
    """`FactPort` over rows: approved ones answer, the newest wins, equals that disagree conflict."""

    def __init__(self, rows: Iterable[FactRow]) -> None:
        self._visible: defaultdict[FactQuery, list[FactValue]] = defaultdict(list)
        for row in rows:
            if row.review_status is ReviewStatus.APPROVED:
                self._visible[_scope(row)].append(_value(row))

    async def query(self, request: QueryFacts) -> FactOutcomes:
        return FactOutcomes(outcomes=tuple(self._outcome(query) for query in request.queries))

    def _outcome(self, query: FactQuery) -> FactOutcome:
        values = self._visible.get(query, [])
        newest = max((value.valid_as_of or date.min for value in values), default=None)
        candidates = [value for value in values if (value.valid_as_of or date.min) == newest]
        distinct = {(value.value, value.unit): value for value in candidates}
        match list(distinct.values()):
            case []:
                return NotFound(query=query)
            case [only]:
                return Found(query=query, fact=only)
            case several:
                return Conflicting(query=query, facts=tuple(several))


@dataclass
class NoMaterial:
    """`NarrativePort` of a worker without passages."""

    asked: list[SearchPassages] = field(default_factory=list)
    material_loaded: bool = False

    async def search(self, request: SearchPassages) -> Passages:
        self.asked.append(request)
        return Passages(material_loaded=self.material_loaded)


@dataclass
class Away:
    """Every port at once, each of which fails in the same way."""

    error: Exception

    async def parse(self, request: ParseIntent) -> ParsedIntent:
        raise self.error

    async def query(self, request: QueryFacts) -> FactOutcomes:
        raise self.error

    async def search(self, request: SearchPassages) -> Passages:
        raise self.error

    async def propose(self, asked: FactQuery) -> Sequence[FactQuery]:
        raise self.error


@dataclass
class Drifting:
    """A model that asks for what it likes."""

    proposals: Sequence[FactQuery] = ()

    async def propose(self, asked: FactQuery) -> Sequence[FactQuery]:
        return self.proposals


def ports(
    intent: IntentPort,
    facts: FactPort | None = None,
    *,
    narrative: NarrativePort | None = None,
    provider: Provider | None = None,
) -> Ports:
    return Ports(
        intent=intent,
        facts=facts or FixedFacts(),
        narrative=narrative or NoMaterial(),
        provider=provider or OfflineProvider(),
    )


def _scope(row: FactRow) -> FactQuery:
    period = Period(type=row.period_type, value=row.period)
    return FactQuery(metric=row.metric_code, entity=row.entity, period=period, channel=row.channel)


def _value(row: FactRow) -> FactValue:
    return FactValue(
        value=row.value,
        unit=row.unit,
        source_doc_id=row.source_doc_id,
        source_locator=row.source_locator,
        valid_as_of=row.valid_as_of,
    )
