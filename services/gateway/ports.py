"""What the gateway needs of the other workers. Every method raises the `AskError` that the worker or the bus names."""

from typing import Protocol

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
from runtime.deadline import Deadline


class OrchestratorPort(Protocol):
    """Answers questions."""

    async def answer(self, question: AnswerQuestion, deadline: Deadline) -> AnswerResult:
        """The answer, a question back or a refusal."""
        ...


class FactLister(Protocol):
    """Lists the facts."""

    async def list(self, wanted: ListFacts, deadline: Deadline) -> FactList:
        """A page of facts with lineage and history."""
        ...


class FactsPort(FactLister, Protocol):
    """Keeps the facts."""

    async def load(self, rows: LoadFacts, deadline: Deadline) -> FactsLoaded:
        """Load rows, all or nothing."""
        ...

    async def withdraw(self, document: WithdrawFacts, deadline: Deadline) -> FactsWithdrawn:
        """Withdraw the facts of a document."""
        ...

    async def catalogue(self, wanted: GetCatalogue, deadline: Deadline) -> Catalogue:
        """What can be asked."""
        ...


class PassagesPort(Protocol):
    """Keeps the passages."""

    async def load(self, rows: LoadPassages, deadline: Deadline) -> PassagesLoaded:
        """Load passages, all or nothing."""
        ...

    async def withdraw(self, document: WithdrawPassages, deadline: Deadline) -> PassagesWithdrawn:
        """Withdraw the passages of a document."""
        ...


class IntentPort(Protocol):
    """Reads questions."""

    async def parse(self, request: ParseIntent, deadline: Deadline) -> ParsedIntent:
        """The slots of a text."""
        ...
