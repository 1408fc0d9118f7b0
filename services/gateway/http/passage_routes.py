"""`/v1/passages`: passed on to the narrative worker. Nothing is kept, so the next ask sees a change."""

from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import ErrorCode, Scope
from contracts.subjects import HEADER_DEADLINE
from contracts.v1.narrative import LoadPassages, PassagesLoaded, PassagesWithdrawn, WithdrawPassages
from runtime.deadline import Deadline
from services.gateway.access.demands import needs
from services.gateway.admission import Admission
from services.gateway.deadlines import Deadlines
from services.gateway.http.ask_routes import json_reply
from services.gateway.http.bodies import read_query, read_rows
from services.gateway.http.openapi import body_of, query_of, replies_of
from services.gateway.ports import PassagesPort

_EXAMPLE: Final[dict[str, Any]] = {
    "passages": [
        {
            "doc_id": "ACME_FY2024_Review.pptx",
            "locator": "slide=3,paragraph=1",
            "title": "Hong Kong in 2024",
            "text": "Revenue in Hong Kong fell because the typhoon season closed branches for eleven days.",
            "sensitivity": "INTERNAL",
            "entity": "ACME_HK",
            "period": "2024",
        }
    ]
}


@dataclass(frozen=True)
class PassageRoutes:
    """The calls that load and withdraw passages."""

    passages: PassagesPort
    deadlines: Deadlines
    loads: Admission

    def add_to(self, app: FastAPI) -> None:
        """Add the calls to an app."""
        app.add_api_route(
            "/v1/passages",
            self.load,
            methods=["POST"],
            operation_id="loadPassages",
            summary="Load passages",
            responses=replies_of(PassagesLoaded, "What changed", ErrorCode.UNSUPPORTED_MEDIA_TYPE),
            openapi_extra=body_of(LoadPassages, _EXAMPLE),
            response_class=Response,
        )
        app.add_api_route(
            "/v1/passages",
            self.withdraw,
            methods=["DELETE"],
            operation_id="withdrawPassages",
            summary="Withdraw a document's passages",
            responses=replies_of(PassagesWithdrawn, "How many passages were withdrawn"),
            openapi_extra=query_of(WithdrawPassages),
            response_class=Response,
        )

    @needs(Scope.LOAD)
    async def load(self, request: Request) -> Response:
        """Load passages, all or nothing. The same document and locator with another text replaces it."""
        deadline = self._deadline(request)
        with self.loads.admit():
            rows = await read_rows(request, LoadPassages, deadline)
            return json_reply(await self.passages.load(rows, deadline))

    @needs(Scope.LOAD)
    async def withdraw(self, request: Request) -> Response:
        """Withdraw all passages of a document; loading it again revives them."""
        document = read_query(request, WithdrawPassages)
        return json_reply(await self.passages.withdraw(document, self._deadline(request)))

    def _deadline(self, request: Request) -> Deadline:
        return self.deadlines.from_header(request.headers.get(HEADER_DEADLINE))
