"""`ragspine.v1.intent.parse`: one question in, its slots out. Serial, because a parse only computes."""

from collections.abc import Callable
from datetime import date

from faststream.nats import NatsRouter

from contracts import subjects
from contracts.v1.intent import ParsedIntent, ParseIntent
from runtime.serving import rpc
from services.intent.observing import Observed
from services.intent.ports import IntentParser


def make_router(parser: IntentParser, today: Callable[[], date], observed: Observed) -> NatsRouter:
    """What the worker serves; `today` is asked when a request brings no reference date."""
    router = NatsRouter()

    @rpc(router, subjects.INTENT_PARSE, queue=subjects.QUEUE_INTENT, limit=1)
    async def on_parse(request: ParseIntent) -> ParsedIntent:
        """Parse a question."""
        reference_date = request.reference_date or today()
        parsed = parser.parse(request.question, reference_date=reference_date, default_entity=request.default_entity)
        observed.parsed(parsed)
        return parsed

    return router
