"""The orchestrator's ports without a bus: seconds-fast questions against facts in a dictionary, and parts that fail."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from contracts.codes import NothingFound, PeriodType, ReviewStatus
from contracts.v1.facts import (
    Conflicting,
    FactOutcome,
    FactOutcomes,
    FactQuery,
    FactRow,
    FactSeries,
    FactValue,
    FindNewest,
    Found,
    NewestPeriods,
    NotFound,
    QueryFacts,
)
from contracts.v1.intent import ParsedIntent, ParseIntent
from contracts.v1.narrative import Passage, Passages, SearchPassages
from contracts.v1.periods import Period
from domain.periods import period_sort_key
from domain.profile import CompanyProfile
from services.intent.parser import RuleIntentParser
from services.orchestrator.conversation import Message, Model, ProviderError, Tool, ToolCall, Turn
from services.orchestrator.ports import FactPort, IntentPort, ModelDesk, NarrativePort, Ports
from services.orchestrator.prose_numbers import ProseNumbers
from services.orchestrator.query_metric import NAME, QueryMetric
from services.orchestrator.writing import Writer
from tests.support.answers import sample_profile


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
    periods: Sequence[Period] = ()
    """What is loaded of every series, kind by kind, the newest first."""
    asked: list[QueryFacts] = field(default_factory=list)

    async def query(self, request: QueryFacts) -> FactOutcomes:
        self.asked.append(request)
        return FactOutcomes(outcomes=tuple(self.outcomes))

    async def newest(self, request: FindNewest) -> NewestPeriods:
        return NewestPeriods(series=tuple(tuple(self.periods) for _ in request.series))


class StoredFacts:
    """`FactPort` over rows: approved ones answer, the newest wins, equals that disagree conflict."""

    def __init__(self, rows: Iterable[FactRow]) -> None:
        self._visible: defaultdict[FactQuery, list[FactValue]] = defaultdict(list)
        for row in rows:
            if row.review_status is ReviewStatus.APPROVED:
                self._visible[_scope(row)].append(_value(row))

    async def query(self, request: QueryFacts) -> FactOutcomes:
        return FactOutcomes(outcomes=tuple(self._outcome(query) for query in request.queries))

    async def newest(self, request: FindNewest) -> NewestPeriods:
        return NewestPeriods(series=tuple(newest_of(self._visible, series, request.kinds) for series in request.series))

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


def newest_of(loaded: Iterable[FactQuery], series: FactSeries, kinds: Sequence[PeriodType]) -> tuple[Period, ...]:
    """The periods of a series among loaded scopes, kind by kind, the newest first."""
    parts = (series.metric, series.entity, series.channel)
    periods = {scope.period for scope in loaded if (scope.metric, scope.entity, scope.channel) == parts}
    newest = sorted(periods, key=period_sort_key, reverse=True)
    return tuple(period for kind in kinds or PeriodType for period in newest if period.type is kind)


@dataclass
class NoMaterial:
    """`NarrativePort` of a worker without passages."""

    asked: list[SearchPassages] = field(default_factory=list)
    material_loaded: bool = False
    nothing_found: NothingFound | None = None

    async def search(self, request: SearchPassages) -> Passages:
        self.asked.append(request)
        return Passages(material_loaded=self.material_loaded, nothing_found=self.nothing_found)


@dataclass
class Material:
    """`NarrativePort` that finds these passages, whatever is asked."""

    passages: Sequence[Passage]
    asked: list[SearchPassages] = field(default_factory=list)

    async def search(self, request: SearchPassages) -> Passages:
        self.asked.append(request)
        return Passages(passages=tuple(self.passages), material_loaded=True)


def passage(
    text: str,
    doc: str = "visit_log.pdf",
    locator: str = "p3",
    *,
    entity: str | None = None,
    period: str | None = None,
) -> Passage:
    return Passage(doc_id=doc, locator=locator, text=text, score=1.0, entity=entity, period=period)


@dataclass
class Away:
    """Every port at once, each of which fails in the same way."""

    error: Exception

    async def parse(self, request: ParseIntent) -> ParsedIntent:
        raise self.error

    async def query(self, request: QueryFacts) -> FactOutcomes:
        raise self.error

    async def newest(self, request: FindNewest) -> NewestPeriods:
        raise self.error

    async def search(self, request: SearchPassages) -> Passages:
        raise self.error

    async def propose(self, asked: FactQuery) -> Sequence[FactQuery]:
        raise self.error


@dataclass
class Scripted:
    """A model that says these turns, then nothing more."""

    turns: Sequence[Turn] = ()
    heard: list[Sequence[Message]] = field(default_factory=list)

    async def complete(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Turn:
        self.heard.append(tuple(messages))
        return self.turns[len(self.heard) - 1] if len(self.heard) <= len(self.turns) else Turn()


@dataclass
class FailingAfter:
    """A model that says these turns, then fails."""

    turns: Sequence[Turn] = ()
    calls: int = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Turn:
        self.calls += 1
        if self.calls > len(self.turns):
            raise ProviderError("down")
        return self.turns[self.calls - 1]


def asking_for(*scopes: FactQuery, text: str = "") -> Turn:
    """A turn that calls the tool once for each of these scopes."""
    return Turn(text=text, tool_calls=tuple(ToolCall(f"c{i}", NAME, arguments(s)) for i, s in enumerate(scopes)))


def arguments(scope: FactQuery) -> str:
    """The arguments of a call for a scope."""
    fields = {"metric": scope.metric, "entity": scope.entity, "period": scope.period.label, "channel": scope.channel}
    return json.dumps(fields)


@cache
def sample_tool() -> QueryMetric:
    """The tool under the sample profile; compiling it takes longer than an answer."""
    return QueryMetric(sample_profile())


@cache
def sample_writer(mode: ProseNumbers = ProseNumbers.REMOVE) -> Writer:
    """The writer under the sample profile."""
    return Writer(sample_profile(), mode)


def ports(
    intent: IntentPort,
    facts: FactPort | None = None,
    *,
    narrative: NarrativePort | None = None,
    model: Model | None = None,
    facts_on_failure: bool = False,
    writer: Writer | None = None,
) -> Ports:
    return Ports(
        intent=intent,
        facts=facts or FixedFacts(),
        narrative=narrative or NoMaterial(),
        model=model and ModelDesk(model, sample_tool(), facts_on_failure),
        writer=writer or sample_writer(),
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
