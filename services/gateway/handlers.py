"""`ragspine.v1.ask.<app>`: the same ask path as HTTP, for apps on the bus."""

from uuid import uuid4

from faststream.nats import NatsRouter

from contracts import subjects
from contracts.v1.ask import AnswerResult, AskRequest
from runtime.deadline import current_deadline
from runtime.serving import rpc
from services.gateway.answering import Answering
from services.gateway.deadlines import Deadlines


def make_router(answering: Answering, deadlines: Deadlines, *, max_asks: int) -> NatsRouter:
    """What the gateway serves on the bus."""
    router = NatsRouter()

    # Twice the admission limit: what comes beyond it is told so at once, instead of waiting unseen in a queue.
    @rpc(
        router,
        subjects.ASK_ANY_APP,
        queue=subjects.QUEUE_GATEWAY,
        limit=2 * max_asks,
        default_deadline_seconds=deadlines.default,
    )
    async def on_ask(ask: AskRequest) -> AnswerResult:
        """Answer a question of an app."""
        return await answering.answer_ask(ask, deadlines.capped(current_deadline()), uuid4().hex)

    return router
