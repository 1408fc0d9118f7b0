"""The orchestrator's ports over the bus, for one ask: each hop ends early enough for the rest of the answer.

No retry: retries belong to the caller's client.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from contracts import subjects
from contracts.v1.facts import FactOutcomes, FindNewest, NewestPeriods, QueryFacts
from contracts.v1.intent import ParsedIntent, ParseIntent
from contracts.v1.narrative import Passages, SearchPassages
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.errors import DeadlineExceededError, UnavailableError
from services.orchestrator.ports import ModelDesk, Ports
from services.orchestrator.writing import Writer

KEPT_FOR_FACTS_SECONDS: Final = 1.0
"""What is left of the deadline when everything before the look-up has used its time; half of a shorter deadline."""
KEPT_FOR_REPLY_SECONDS: Final = 0.1
"""What is left to say so when the last hop does not answer; a tenth of a shorter deadline."""


@dataclass(frozen=True, slots=True)
class HopBudgets:
    """How long each worker may take at most, whatever is left of the deadline."""

    intent_seconds: float
    facts_seconds: float
    narrative_seconds: float


def bus_ports(
    bus: Bus,
    deadline: Deadline,
    budgets: HopBudgets,
    writer: Writer,
    model: Callable[[Deadline], ModelDesk] | None = None,
) -> Ports:
    """The ports of an answer that must be there by `deadline`."""
    left = max(deadline.left(), 0.0)
    before_facts = deadline.earlier_by(min(KEPT_FOR_FACTS_SECONDS, left / 2))
    before_reply = deadline.earlier_by(min(KEPT_FOR_REPLY_SECONDS, left / 10))
    return Ports(
        intent=BusIntent(bus, before_facts, budgets.intent_seconds),
        facts=BusFacts(bus, before_reply, budgets.facts_seconds),
        narrative=BusNarrative(bus, before_reply, budgets.narrative_seconds),
        model=model(before_facts) if model else None,
        writer=writer,
    )


@dataclass(frozen=True, slots=True)
class BusIntent:
    """`IntentPort` over the bus."""

    bus: Bus
    deadline: Deadline
    budget_seconds: float

    async def parse(self, request: ParseIntent) -> ParsedIntent:
        """The slots of a question; a worker that does not answer within its budget counts as away."""
        until = self.deadline.no_later_than(self.budget_seconds)
        try:
            return await self.bus.request(subjects.INTENT_PARSE, request, ParsedIntent, deadline=until)
        except DeadlineExceededError:
            raise UnavailableError("The intent worker does not answer at the moment.") from None


@dataclass(frozen=True, slots=True)
class BusFacts:
    """`FactPort` over the bus."""

    bus: Bus
    deadline: Deadline
    budget_seconds: float

    async def query(self, request: QueryFacts) -> FactOutcomes:
        """One outcome for each asked scope."""
        until = self.deadline.no_later_than(self.budget_seconds)
        return await self.bus.request(subjects.FACTS_QUERY, request, FactOutcomes, deadline=until)

    async def newest(self, request: FindNewest) -> NewestPeriods:
        """The newest loaded periods of each asked series."""
        until = self.deadline.no_later_than(self.budget_seconds)
        return await self.bus.request(subjects.FACTS_NEWEST, request, NewestPeriods, deadline=until)


@dataclass(frozen=True, slots=True)
class BusNarrative:
    """`NarrativePort` over the bus."""

    bus: Bus
    deadline: Deadline
    budget_seconds: float

    async def search(self, request: SearchPassages) -> Passages:
        """The open passages for a question."""
        until = self.deadline.no_later_than(self.budget_seconds)
        return await self.bus.request(subjects.NARRATIVE_SEARCH, request, Passages, deadline=until)
