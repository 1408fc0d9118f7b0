"""`POST /v1/ask`."""

from dataclasses import dataclass
from typing import Final

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import ErrorCode, Scope
from contracts.subjects import HEADER_DEADLINE
from contracts.v1.ask import AnswerResult, AskRequest
from services.gateway.access.demands import needs
from services.gateway.answering import Answering
from services.gateway.deadlines import Deadlines
from services.gateway.http.bodies import read_ask
from services.gateway.http.openapi import body_of, replies_of

_EXAMPLE: Final = {"question": "中国内地FY2024的REVENUE是多少", "locale": "zh"}


@dataclass(frozen=True)
class AskRoutes:
    """The call that answers questions."""

    answering: Answering
    deadlines: Deadlines

    def add_to(self, app: FastAPI) -> None:
        """Add the call to an app."""
        app.add_api_route(
            "/v1/ask",
            self.ask,
            methods=["POST"],
            operation_id="ask",
            summary="Ask a question",
            responses=replies_of(
                AnswerResult,
                "An answer, a refusal or a question back",
                ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                ErrorCode.TOO_MANY_SUBTASKS,
                ErrorCode.PROFILE_MISMATCH,
            ),
            openapi_extra=body_of(AskRequest, _EXAMPLE),
            response_class=Response,
        )

    @needs(Scope.ASK, is_ask=True)
    async def ask(self, request: Request) -> Response:
        """Ask a question. Refusals and questions back are answers too: they come with status 200."""
        self.answering.admission.refuse_if_full()  # before the body costs anything: then refusing stays cheap
        deadline = self.deadlines.from_header(request.headers.get(HEADER_DEADLINE))
        ask = await read_ask(request, deadline)
        if ask.request_id is not None:
            request.state.request_id = ask.request_id
        return json_reply(await self.answering.answer_ask(ask, deadline, request.state.request_id))


def json_reply(message: BaseModel) -> Response:
    """A message as a reply, serialised once."""
    return Response(message.__pydantic_serializer__.to_json(message), media_type="application/json")
