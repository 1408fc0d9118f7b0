"""The one ask path, the same for HTTP and NATS: settle the ask, try the vetted answers, else ask the orchestrator."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from contracts.v1.ask import AnswerQuestion, AnswerResult, AskRequest
from contracts.v1.errors import FieldProblem
from domain.profile import CompanyProfile
from runtime.deadline import Deadline
from runtime.errors import InvalidRequestError
from services.gateway.admission import Admission
from services.gateway.faq.vetted import Hit, Miss, VettedAnswers
from services.gateway.observing import AnswerMetrics
from services.gateway.ports import OrchestratorPort


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

    async def answer_ask(self, ask: AskRequest, deadline: Deadline, request_id: str) -> AnswerResult:
        """Answer one ask; `request_id` counts where the ask names none.

        Raises `InvalidRequestError`, `OverloadedError`, or what the orchestrator and the bus raise.
        """
        question = settle(ask, self.profile, today=self.today(), request_id=request_id)
        with self.admission.admit():
            answer = await self._answer(question, deadline)
        self.metrics.count(answer)
        return answer

    async def _answer(self, question: AnswerQuestion, deadline: Deadline) -> AnswerResult:
        match await self.vetted.find(question):
            case Hit(answer):
                return answer
            case Miss():
                return await self.orchestrator.answer(question, deadline)


def settle(ask: AskRequest, profile: CompanyProfile, *, today: date, request_id: str) -> AnswerQuestion:
    """Fix what an ask left open, so that every worker behind decides by the same date, id and vocabulary."""
    if ask.default_entity is not None and ask.default_entity not in profile.entities:
        problem = FieldProblem(field="default_entity", reason="not an entity of the profile; /v1/catalogue lists them")
        raise InvalidRequestError("The request is not valid.", problems=(problem,))
    return AnswerQuestion(
        question=ask.question,
        reference_date=ask.reference_date or today,
        locale=ask.locale,
        default_entity=ask.default_entity,
        history=ask.history,
        decompose=ask.decompose,
        request_id=ask.request_id or request_id,
        profile_digest=profile.digest(),
    )
