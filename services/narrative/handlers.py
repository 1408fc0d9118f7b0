"""`ragspine.v1.narrative.*`: each message to the method of the service that answers it."""

from typing import Final

from faststream.nats import NatsRouter

from contracts import subjects
from contracts.v1.narrative import (
    LoadPassages,
    Passages,
    PassagesLoaded,
    PassagesWithdrawn,
    SearchPassages,
    WithdrawPassages,
)
from runtime.serving import rpc
from services.narrative.observing import Observed
from services.narrative.service import NarrativeService

_QUEUE: Final = subjects.QUEUE_NARRATIVE
_FEW: Final = 4
"""Changes at once: they are rare, and each may hold a megabyte."""


def make_router(service: NarrativeService, observed: Observed) -> NatsRouter:
    """What the worker serves."""
    router = NatsRouter()

    @rpc(router, subjects.NARRATIVE_SEARCH, queue=_QUEUE)
    async def on_search(wanted: SearchPassages) -> Passages:
        """Find passages with their lineage."""
        found = await service.search(wanted)
        observed.searched(found)
        return found

    @rpc(router, subjects.NARRATIVE_LOAD, queue=_QUEUE, limit=_FEW)
    async def on_load(wanted: LoadPassages) -> PassagesLoaded:
        """Load passages, all or nothing."""
        loaded = await service.load(wanted)
        observed.loaded(loaded)
        return loaded

    @rpc(router, subjects.NARRATIVE_WITHDRAW, queue=_QUEUE, limit=_FEW)
    async def on_withdraw(wanted: WithdrawPassages) -> PassagesWithdrawn:
        """Withdraw the passages of a document."""
        withdrawn = await service.withdraw(wanted)
        observed.withdrawn(withdrawn)
        return withdrawn

    return router
