"""The one ask path, the same for HTTP and NATS: settle the ask, try the vetted answers, else ask the orchestrator."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from contracts.v1.ask import AnswerQuestion, AnswerResult, AskRequest
from domain.profile import CompanyProfile
from runtime.deadline import Deadline
from runtime.turns import Turns
from services.gateway.admission import Admission
from services.gateway.faq.vetted import Hit, Miss, VettedAnswers
from services.gateway.observing import AnswerMetrics
from services.gateway.ports import OrchestratorPort
from services.gateway.settling import settle


@dataclass(frozen=True)
class Answering:
    """Answers asks."""

    profile: CompanyProfile
    vetted: VettedAnswers
    orchestrator: OrchestratorPort
    admission: Admission
    metrics: AnswerMetrics
    today: Callable[[], date]
    """Today in the profile's time zone."""
    on_miss: Callable[[AnswerQuestion, AnswerResult], None] | None = None
    """Told of every answer for which there was no vetted one."""
    turns: Turns = field(default_factory=Turns)
    """Of asks that arrive together."""

    async def answer_ask(self, ask: AskRequest, deadline: Deadline, request_id: str) -> AnswerResult:
        """Answer one ask; `request_id` counts where the ask names none.

        Raises `InvalidRequestError`, `OverloadedError`, or what the orchestrator and the bus raise.
        """
        with self.admission.admit():
            await self.turns.mine()  # with a place: who gets none is told so now
            question = settle(ask, self.profile, today=self.today(), request_id=request_id)
            answer = await self._answer(question, deadline)
        self.metrics.count(answer)
        return answer

    async def _answer(self, question: AnswerQuestion, deadline: Deadline) -> AnswerResult:
        match await self.vetted.find(question):
            case Hit(answer):
                return answer
            case Miss():
                answer = await self.orchestrator.answer(question, deadline)
                if self.on_miss is not None:
                    self.on_miss(question, answer)
                return answer
