"""An ask as all workers behind the gateway read it: nothing is left open."""

from datetime import date

from contracts.v1.ask import AnswerQuestion, AskRequest
from contracts.v1.errors import FieldProblem
from domain.profile import CompanyProfile
from runtime.errors import InvalidRequestError


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
