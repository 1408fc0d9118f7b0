"""The gateway's ports over the bus: one request each, no retry (retries belong to the caller's client)."""

from dataclasses import dataclass

from contracts import subjects
from contracts.v1.ask import AnswerQuestion, AnswerResult
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactsLoaded,
    FactsWithdrawn,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    WithdrawFacts,
)
from contracts.v1.intent import ParsedIntent, ParseIntent
from contracts.v1.narrative import LoadPassages, PassagesLoaded, PassagesWithdrawn, WithdrawPassages
from runtime.bus import Bus
from runtime.deadline import Deadline


@dataclass(frozen=True)
class BusOrchestrator:
    """`OrchestratorPort` over the bus."""

    bus: Bus

    async def answer(self, question: AnswerQuestion, deadline: Deadline) -> AnswerResult:
        """The answer, a question back or a refusal."""
        return await self.bus.request(subjects.ORCHESTRATOR_ANSWER, question, AnswerResult, deadline=deadline)


@dataclass(frozen=True)
class BusFacts:
    """`FactsPort` over the bus."""

    bus: Bus

    async def load(self, rows: LoadFacts, deadline: Deadline) -> FactsLoaded:
        """Load rows, all or nothing."""
        return await self.bus.request(subjects.FACTS_LOAD, rows, FactsLoaded, deadline=deadline)

    async def withdraw(self, document: WithdrawFacts, deadline: Deadline) -> FactsWithdrawn:
        """Withdraw the facts of a document."""
        return await self.bus.request(subjects.FACTS_WITHDRAW, document, FactsWithdrawn, deadline=deadline)

    async def list(self, wanted: ListFacts, deadline: Deadline) -> FactList:
        """A page of facts with lineage and history."""
        return await self.bus.request(subjects.FACTS_LIST, wanted, FactList, deadline=deadline)

    async def catalogue(self, wanted: GetCatalogue, deadline: Deadline) -> Catalogue:
        """What can be asked."""
        return await self.bus.request(subjects.FACTS_CATALOGUE, wanted, Catalogue, deadline=deadline)


@dataclass(frozen=True)
class BusPassages:
    """`PassagesPort` over the bus."""

    bus: Bus

    async def load(self, rows: LoadPassages, deadline: Deadline) -> PassagesLoaded:
        """Load passages, all or nothing."""
        return await self.bus.request(subjects.NARRATIVE_LOAD, rows, PassagesLoaded, deadline=deadline)

    async def withdraw(self, document: WithdrawPassages, deadline: Deadline) -> PassagesWithdrawn:
        """Withdraw the passages of a document."""
        return await self.bus.request(subjects.NARRATIVE_WITHDRAW, document, PassagesWithdrawn, deadline=deadline)


@dataclass(frozen=True)
class BusIntent:
    """`IntentPort` over the bus."""

    bus: Bus

    async def parse(self, request: ParseIntent, deadline: Deadline) -> ParsedIntent:
        """The slots of a text."""
        return await self.bus.request(subjects.INTENT_PARSE, request, ParsedIntent, deadline=deadline)
