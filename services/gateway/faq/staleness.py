"""Whether the facts on which approved answers depend are still those that the answers were approved with.

Every change of a fact is announced in the event stream; at each start, and whenever announcements may have been missed,
all items are looked at again. Until that is done nothing that depends on facts is served (`runtime.following`).
"""

import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.codes import FaqState, ReviewStatus
from contracts.v1.errors import FieldProblem
from contracts.v1.facts import FactsChanged, FactScope, ListFacts, StoredFact
from contracts.v1.faq import FaqDependency
from domain.profile import CompanyProfile
from runtime.deadline import Deadline
from runtime.errors import ConflictError, InvalidRequestError
from runtime.logging import get_log
from services.gateway.faq.changes import Move
from services.gateway.faq.items import Item
from services.gateway.faq.observing import FaqMetrics
from services.gateway.faq.store.reading import ItemReader
from services.gateway.faq.store.writing import ItemWriter, Planned
from services.gateway.faq.upkeep import Upkeep
from services.gateway.ports import FactLister

MAX_FACTS: Final = 5_000
"""Facts that one item may depend on: all of them are read whenever one has changed."""
LOOK_SECONDS: Final = 10.0
NOBODY: Final = "system"
"""Who makes an item stale."""

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class FactPrints:
    """The identity of the facts that an answer depends on: what may answer, with value and source."""

    facts: FactLister

    async def of(self, depends_on: Sequence[FaqDependency], deadline: Deadline) -> str | None:
        """Changes when a fact is loaded, replaced, withdrawn or revived; None without dependencies.

        Raises `InvalidRequestError` for too many facts, and what the facts worker raises.
        """
        if not depends_on:
            return None
        lines: set[str] = set()
        for one in depends_on:
            async for fact in self._facts(one, deadline):
                lines.add(_line(fact))
                if len(lines) > MAX_FACTS:
                    reason = f"more than {MAX_FACTS} facts; name the entity and the period"
                    raise InvalidRequestError(problems=(FieldProblem(field="depends_on", reason=reason),))
        return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()

    async def _facts(self, one: FaqDependency, deadline: Deadline) -> AsyncIterator[StoredFact]:
        after: int | None = None
        while True:
            wanted = ListFacts(metric=one.metric, entity=one.entity, period=one.period, after=after)
            page = await self.facts.list(wanted, deadline)
            for fact in page.facts:
                if fact.review_status is ReviewStatus.APPROVED and not fact.withdrawn:
                    yield fact
            after = page.next_after
            if after is None:
                return


@dataclass
class Staleness:
    """Finds items whose facts have changed, and takes them out of service."""

    profile: CompanyProfile
    reader: ItemReader
    writer: ItemWriter
    prints: FactPrints
    upkeep: Upkeep
    metrics: FaqMetrics

    async def look_at_all(self) -> None:
        """Look at every approved item that depends on facts; raises `AskError` when that is not possible."""
        snapshot = await self.reader.snapshot()
        await self.look_at(snapshot.items)

    async def on_facts_changed(self, event: FactsChanged) -> None:
        """Look at the items that depend on one of the changed facts; raises as `look_at_all` does."""
        snapshot = await self.reader.snapshot()
        await self.look_at([item for item in snapshot.items if self._is_touched(item, event.scopes)])

    async def look_at(self, items: Sequence[Item]) -> None:
        """Make those items stale whose facts are others than they were approved with."""
        stale = [item for item in items if await self._has_changed(item)]
        for item in stale:
            move = Move(FaqState.STALE, item.revision, NOBODY, item.facts_seen)
            try:
                _, change = await self.writer.apply([Planned(item.id, move, None)], who=NOBODY)
            except ConflictError:  # changed meanwhile: whoever did that looks at its facts
                continue
            self.metrics.went_stale(1)
            _log.info("faq_went_stale", count=1)
            await self.upkeep.catch_up(change)

    async def _has_changed(self, item: Item) -> bool:
        if item.state is not FaqState.APPROVED or not item.depends_on:
            return False
        return await self.prints.of(item.depends_on, Deadline.after(LOOK_SECONDS)) != item.facts_seen

    def _is_touched(self, item: Item, scopes: Sequence[FactScope]) -> bool:
        return any(self._covers(one, scope) for one in item.depends_on for scope in scopes)

    def _covers(self, one: FaqDependency, scope: FactScope) -> bool:
        metric = self.profile.metrics.get(one.metric)
        codes = {one.metric, *(metric.source_codes if metric else ())}
        return scope.metric in codes and one.entity in {None, scope.entity} and one.period in {None, scope.period}


def _line(fact: StoredFact) -> str:
    return fact.model_dump_json(exclude={"ingested_at", "history", "review_status", "withdrawn"})
