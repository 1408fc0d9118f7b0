"""What the orchestrator needs of others. Every bus method raises the `AskError` that the worker or the bus names."""

from dataclasses import dataclass
from typing import Protocol

from contracts.v1.facts import FactOutcomes, FindNewest, NewestPeriods, QueryFacts
from contracts.v1.intent import ParsedIntent, ParseIntent
from contracts.v1.narrative import Passages, SearchPassages
from services.orchestrator.conversation import Model
from services.orchestrator.query_metric import QueryMetric
from services.orchestrator.writing import Writer


class IntentPort(Protocol):
    """Reads questions."""

    async def parse(self, request: ParseIntent) -> ParsedIntent:
        """The slots of a question."""
        ...


class FactPort(Protocol):
    """Looks facts up."""

    async def query(self, request: QueryFacts) -> FactOutcomes:
        """One outcome for each asked scope, in one batch."""
        ...

    async def newest(self, request: FindNewest) -> NewestPeriods:
        """The newest loaded periods of each asked series."""
        ...


class NarrativePort(Protocol):
    """Retrieves passages."""

    async def search(self, request: SearchPassages) -> Passages:
        """The open passages for a question, best first."""
        ...


@dataclass(frozen=True, slots=True)
class ModelDesk:
    """A model, with what it may do beside a look-up."""

    model: Model
    tool: QueryMetric
    facts_on_failure: bool
    """Look the scope up when the model fails, instead of the fixed degrade text."""
    decompose: bool = False
    """Split every question, not only those that ask for it."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that one answer may reach."""

    intent: IntentPort
    facts: FactPort
    narrative: NarrativePort
    model: ModelDesk | None
    """None: no model. The asked scope is looked up, and no text is made up by anybody."""
    writer: Writer
