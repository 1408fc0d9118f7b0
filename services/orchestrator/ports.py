"""What the orchestrator needs of others. Every bus method raises the `AskError` that the worker or the bus names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.v1.facts import FactOutcomes, FactQuery, QueryFacts
from contracts.v1.intent import ParsedIntent, ParseIntent
from contracts.v1.narrative import Passages, SearchPassages


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


class NarrativePort(Protocol):
    """Retrieves passages."""

    async def search(self, request: SearchPassages) -> Passages:
        """The open passages for a question, best first."""
        ...


class ProviderError(Exception):
    """A model call failed, for whatever reason; the message carries no prompt and no key."""


class Provider(Protocol):
    """A model on the numeric route. It may ask for scopes and nothing else: there is no way to hand over a text."""

    async def propose(self, asked: FactQuery) -> Sequence[FactQuery]:
        """The scopes it wants looked up for a question about `asked`. Raises `ProviderError`."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that one answer may reach."""

    intent: IntentPort
    facts: FactPort
    narrative: NarrativePort
    provider: Provider
