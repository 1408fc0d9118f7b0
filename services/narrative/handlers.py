"""`ragspine.v1.narrative.search`: says that no material is loaded, so that callers never take silence for an answer."""

from faststream.nats import NatsRouter

from contracts import subjects
from contracts.v1.narrative import Passages, SearchPassages
from runtime.errors import ProfileMismatchError
from runtime.serving import rpc
from services.narrative.observing import Observed


def make_router(profile_digest: str, observed: Observed) -> NatsRouter:
    """What the worker serves; `profile_digest` is that of its own company profile."""
    router = NatsRouter()

    @rpc(router, subjects.NARRATIVE_SEARCH, queue=subjects.QUEUE_NARRATIVE)
    async def on_search(wanted: SearchPassages) -> Passages:
        """Find passages with their lineage."""
        if wanted.profile_digest != profile_digest:
            raise ProfileMismatchError
        found = Passages(material_loaded=False)
        observed.searched(found)
        return found

    return router
