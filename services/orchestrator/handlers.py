"""`ragspine.v1.orchestrator.answer`: one question in, one answer out."""

from collections.abc import Callable

from faststream.nats import NatsRouter

from contracts import subjects
from contracts.v1.ask import AnswerQuestion, AnswerResult
from domain.profile import CompanyProfile
from runtime.serving import rpc
from services.orchestrator.flow import answer
from services.orchestrator.ports import Ports
from services.orchestrator.reporting import Reporter


def make_router(profile: CompanyProfile, ports_of_this_ask: Callable[[], Ports], reporter: Reporter) -> NatsRouter:
    """What the worker serves; `ports_of_this_ask` is called once for each question."""
    router = NatsRouter()

    @rpc(router, subjects.ORCHESTRATOR_ANSWER, queue=subjects.QUEUE_ORCHESTRATOR)
    async def on_answer(ask: AnswerQuestion) -> AnswerResult:
        """Answer a question from facts with lineage, ask back, or refuse."""
        result = await answer(ask, ports_of_this_ask(), profile)
        reporter.report(result, ask.profile_digest)
        return result

    return router
