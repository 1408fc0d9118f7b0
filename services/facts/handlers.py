"""`ragspine.v1.facts.*`: each message to the method of the service that answers it."""

from collections.abc import Callable
from typing import Final

from faststream.nats import NatsRouter

from contracts import subjects
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactOutcomes,
    FactsLoaded,
    FactsWithdrawn,
    FindNewest,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    NewestPeriods,
    QueryFacts,
    WithdrawFacts,
)
from runtime.serving import rpc
from services.facts.observing import Observed
from services.facts.service import FactService

_QUEUE: Final = subjects.QUEUE_FACTS
_FEW: Final = 8
"""Changes and listings at once: they are rare, and each may hold a megabyte."""


def make_router(service: FactService, observed: Observed, on_change: Callable[[], None]) -> NatsRouter:
    """What the worker serves; `on_change` is called after every committed change."""
    router = NatsRouter()

    @rpc(router, subjects.FACTS_QUERY, queue=_QUEUE)
    async def on_query(asked: QueryFacts) -> FactOutcomes:
        """Look up all scopes of one ask: one outcome for each, in their order."""
        outcomes = await service.query(asked)
        observed.looked_up(outcomes)
        return outcomes

    @rpc(router, subjects.FACTS_NEWEST, queue=_QUEUE)
    async def on_newest(asked: FindNewest) -> NewestPeriods:
        """Say which periods of some series are the newest."""
        return await service.newest(asked)

    @rpc(router, subjects.FACTS_LOAD, queue=_QUEUE, limit=_FEW)
    async def on_load(wanted: LoadFacts) -> FactsLoaded:
        """Load facts, all or nothing."""
        loaded = await service.load(wanted)
        on_change()
        observed.loaded(loaded)
        return loaded

    @rpc(router, subjects.FACTS_WITHDRAW, queue=_QUEUE, limit=_FEW)
    async def on_withdraw(wanted: WithdrawFacts) -> FactsWithdrawn:
        """Withdraw the facts of a document."""
        withdrawn = await service.withdraw(wanted)
        on_change()
        observed.withdrawn(withdrawn)
        return withdrawn

    @rpc(router, subjects.FACTS_LIST, queue=_QUEUE, limit=_FEW)
    async def on_list(wanted: ListFacts) -> FactList:
        """A page of facts with lineage and history."""
        return await service.listed(wanted)

    @rpc(router, subjects.FACTS_CATALOGUE, queue=_QUEUE, limit=_FEW)
    async def on_catalogue(wanted: GetCatalogue) -> Catalogue:
        """What can be asked, and questions that work."""
        return await service.catalogue(wanted)

    return router
