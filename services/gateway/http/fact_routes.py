"""`/v1/facts` and `/v1/catalogue`: passed on to the facts worker. Nothing is kept, so the next ask sees a change."""

from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import ErrorCode, Locale, Scope
from contracts.subjects import HEADER_DEADLINE
from contracts.v1.base import EdgeMessage
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactsLoaded,
    FactsWithdrawn,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    WithdrawFacts,
)
from runtime.deadline import Deadline
from services.gateway.access.demands import needs
from services.gateway.admission import Admission
from services.gateway.deadlines import Deadlines
from services.gateway.http.ask_routes import json_reply
from services.gateway.http.bodies import read_query, read_rows
from services.gateway.http.openapi import body_of, query_of, replies_of
from services.gateway.ports import FactsPort

_DOWN: Final = ErrorCode.FACT_SOURCE_UNAVAILABLE
_EXAMPLE: Final[dict[str, Any]] = {
    "facts": [
        {
            "metric_code": "REVENUE",
            "entity": "ACME_CN",
            "period_type": "FY",
            "period": "2024",
            "value": "1320",
            "unit": "USD_M",
            "source_doc_id": "ACME_FY2024_Review.pptx",
            "source_locator": "slide=2,table=1,row=REVENUE,col=FY2024",
        }
    ]
}


class CatalogueQuery(EdgeMessage):
    """The query parameters of `GET /v1/catalogue`."""

    locale: Locale | None = None
    """Language of the labels and example questions."""


@dataclass(frozen=True)
class FactRoutes:
    """The calls that load, withdraw and list facts."""

    facts: FactsPort
    deadlines: Deadlines
    loads: Admission

    def add_to(self, app: FastAPI) -> None:
        """Add the calls to an app."""
        app.add_api_route(
            "/v1/facts",
            self.load,
            methods=["POST"],
            operation_id="loadFacts",
            summary="Load facts",
            responses=replies_of(FactsLoaded, "What changed", ErrorCode.UNSUPPORTED_MEDIA_TYPE, _DOWN),
            openapi_extra=body_of(LoadFacts, _EXAMPLE),
            response_class=Response,
        )
        app.add_api_route(
            "/v1/facts",
            self.withdraw,
            methods=["DELETE"],
            operation_id="withdrawFacts",
            summary="Withdraw a document",
            responses=replies_of(FactsWithdrawn, "How many facts were withdrawn", _DOWN),
            openapi_extra=query_of(WithdrawFacts),
            response_class=Response,
        )
        app.add_api_route(
            "/v1/facts",
            self.list,
            methods=["GET"],
            operation_id="listFacts",
            summary="List facts",
            responses=replies_of(FactList, "A page of facts", _DOWN),
            openapi_extra=query_of(ListFacts),
            response_class=Response,
        )
        app.add_api_route(
            "/v1/catalogue",
            self.catalogue,
            methods=["GET"],
            operation_id="getCatalogue",
            summary="See what can be asked",
            responses=replies_of(Catalogue, "What can be asked", _DOWN),
            openapi_extra=query_of(CatalogueQuery),
            response_class=Response,
        )

    @needs(Scope.LOAD)
    async def load(self, request: Request) -> Response:
        """Load facts, all or nothing. The same key and document with another value replaces it."""
        deadline = self._deadline(request)
        with self.loads.admit():
            rows = await read_rows(request, LoadFacts, deadline)
            return json_reply(await self.facts.load(rows, deadline))

    @needs(Scope.LOAD)
    async def withdraw(self, request: Request) -> Response:
        """Withdraw all facts of a document; loading it again revives them."""
        document = read_query(request, WithdrawFacts)
        return json_reply(await self.facts.withdraw(document, self._deadline(request)))

    @needs(Scope.ASK)
    async def list(self, request: Request) -> Response:
        """List facts with lineage and history, page by page."""
        wanted = read_query(request, ListFacts)
        return json_reply(await self.facts.list(wanted, self._deadline(request)))

    @needs(Scope.ASK)
    async def catalogue(self, request: Request) -> Response:
        """List metrics, entities, channels, loaded periods, and example questions that work."""
        query = read_query(request, CatalogueQuery)
        wanted = GetCatalogue(locale=query.locale)
        return json_reply(await self.facts.catalogue(wanted, self._deadline(request)))

    def _deadline(self, request: Request) -> Deadline:
        return self.deadlines.from_header(request.headers.get(HEADER_DEADLINE))
