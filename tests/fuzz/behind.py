"""What stands behind a gateway under fuzz: the real orchestrator and intent, and stores that keep nothing."""

from collections.abc import Sequence
from typing import Any, cast

from contracts import subjects
from contracts.v1.ask import AnswerQuestion
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactOutcomes,
    FactsLoaded,
    FactsWithdrawn,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    NotFound,
    QueryFacts,
    WithdrawFacts,
)
from contracts.v1.faq import (
    FaqAudit,
    FaqDeleted,
    FaqImported,
    FaqItems,
    FaqList,
    FaqSuggestions,
    FaqVerdict,
    ListFaq,
    StoredFaqItem,
)
from contracts.v1.narrative import (
    LoadPassages,
    Passages,
    PassagesLoaded,
    PassagesWithdrawn,
    SearchPassages,
    WithdrawPassages,
)
from runtime.deadline import current_deadline
from runtime.metrics import Metrics
from runtime.testing import InMemoryBus
from services.gateway.faq.assembling import Faq
from services.gateway.faq.desk import FaqDesk
from services.gateway.faq.vetted import NoVettedAnswers
from services.intent.handlers import make_router as intent_router
from services.intent.observing import Observed
from services.intent.parser import RuleIntentParser
from services.orchestrator.bus_ports import HopBudgets, bus_ports
from services.orchestrator.handlers import make_router as orchestrator_router
from services.orchestrator.ports import Ports
from services.orchestrator.reporting import Reporter
from tests.support.inprocess import sample_writer
from tests.support.profiles import REFERENCE_DATE, acme
from tests.support.vetted import shown


def serve_behind(bus: InMemoryBus) -> None:
    """Serve every subject that a gateway asks."""
    budgets = HopBudgets(intent_seconds=3, facts_seconds=3, narrative_seconds=3)

    def ports_of_this_ask() -> Ports:
        deadline = current_deadline()
        assert deadline is not None
        return bus_ports(bus, deadline, budgets, sample_writer())

    bus.include_router(orchestrator_router(acme(), ports_of_this_ask, Reporter(Metrics())))
    bus.include_router(intent_router(RuleIntentParser(acme()), lambda: REFERENCE_DATE, Observed(Metrics())))
    for subject, fake in (
        (subjects.FACTS_QUERY, _query_facts),
        (subjects.FACTS_LOAD, _load_facts),
        (subjects.FACTS_WITHDRAW, _withdraw_facts),
        (subjects.FACTS_LIST, _list_facts),
        (subjects.FACTS_CATALOGUE, _catalogue),
        (subjects.NARRATIVE_SEARCH, _search),
        (subjects.NARRATIVE_LOAD, _load_passages),
        (subjects.NARRATIVE_WITHDRAW, _withdraw_passages),
    ):
        bus.serve(subject, fake)


def faq_without_store() -> Faq:
    """Vetted answers of which every call succeeds and nothing is kept."""
    kept: Any = _Kept()
    return Faq(NoVettedAnswers(), FaqDesk(acme(), kept, kept, cast(Any, _NothingCounted()), lambda: REFERENCE_DATE))


class _Kept:
    async def page(self, _: ListFaq) -> FaqList:
        return FaqList(items=(shown(),))

    async def get(self, _: str) -> StoredFaqItem:
        return shown()

    async def audit(self, item_id: str) -> FaqAudit:
        return FaqAudit(id=item_id, entries=())

    async def put(self, *_: object, who: str) -> StoredFaqItem:
        return shown()

    async def put_all(self, items: FaqItems, *_: object, who: str, skips_bad: bool) -> FaqImported:
        return FaqImported(created=len(items.items), changed=0, unchanged=0, items=())

    async def approve(self, *_: object, who: str) -> StoredFaqItem:
        return shown()

    async def disable(self, *_: object, who: str) -> StoredFaqItem:
        return shown()

    async def delete(self, item_id: str, *_: object, who: str) -> FaqDeleted:
        return FaqDeleted(id=item_id)

    async def verdict(self, question: AnswerQuestion, _: object) -> FaqVerdict:
        return FaqVerdict(is_hit=False, reason="unknown", detail="-", normal_form=question.question)


class _NothingCounted:
    threshold = 0

    async def shown(self) -> FaqSuggestions:
        return FaqSuggestions(is_on=False, threshold=0, suggestions=())


async def _query_facts(request: QueryFacts) -> FactOutcomes:
    return FactOutcomes(outcomes=tuple(NotFound(query=query) for query in request.queries))


async def _load_facts(request: LoadFacts) -> FactsLoaded:
    return FactsLoaded(**_counts(request.facts))


async def _withdraw_facts(_: WithdrawFacts) -> FactsWithdrawn:
    return FactsWithdrawn(withdrawn=0)


async def _list_facts(_: ListFacts) -> FactList:
    return FactList(facts=())


async def _catalogue(_: GetCatalogue) -> Catalogue:
    return Catalogue(metrics=(), entities=(), channels=(), periods=(), examples=())


async def _search(_: SearchPassages) -> Passages:
    return Passages(material_loaded=False)


async def _load_passages(request: LoadPassages) -> PassagesLoaded:
    return PassagesLoaded(**_counts(request.passages))


async def _withdraw_passages(_: WithdrawPassages) -> PassagesWithdrawn:
    return PassagesWithdrawn(withdrawn=0)


def _counts(rows: Sequence[object]) -> dict[str, int]:
    return {"received": len(rows), "inserted": len(rows), "updated": 0, "unchanged": 0}
