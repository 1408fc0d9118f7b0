"""The HTTP app: routes inside, the edge around them."""

from dataclasses import dataclass
from typing import Final

from fastapi import FastAPI
from starlette.types import ASGIApp

from runtime.telemetry import Telemetry
from services.gateway.access.gate import Gate
from services.gateway.admission import Admission
from services.gateway.http.ask_routes import AskRoutes
from services.gateway.http.asks_routes import AsksRoutes
from services.gateway.http.edge import Edge, Exposure
from services.gateway.http.errors import add_error_handlers
from services.gateway.http.fact_routes import FactRoutes
from services.gateway.http.faq_routes import FaqRoutes
from services.gateway.http.health_routes import HealthRoutes
from services.gateway.http.metering import HttpMetrics
from services.gateway.http.openapi import BareRoute, demands_of
from services.gateway.http.page_routes import add_pages
from services.gateway.http.passage_routes import PassageRoutes
from services.gateway.http.shortcut import Shortcut

API_VERSION: Final = "1.0.0"
"""Version of the HTTP interface; it grows with docs/api.md."""
_DESCRIPTION: Final = (
    "Ask questions about a company's numbers. Every number in an answer is a loaded fact with its source, or the "
    "question is refused."
)


@dataclass(frozen=True)
class Routes:
    """The groups of calls."""

    asks: AskRoutes
    durable: AsksRoutes
    facts: FactRoutes
    passages: PassageRoutes
    faq: FaqRoutes
    health: HealthRoutes


def make_http_app(
    routes: Routes, *, requests: Admission, exposure: Exposure, gate: Gate, metrics: HttpMetrics, telemetry: Telemetry
) -> ASGIApp:
    """The app as a server runs it. Raises `TypeError` when a route does not say what it needs of its caller."""
    app = make_routes(routes, gate)
    return Edge(
        Shortcut(app),
        requests=requests,
        exposure=exposure,
        gate=gate,
        open_paths=frozenset(path for (_, path), demand in demands_of(app).items() if demand.scope is None),
        metrics=metrics,
        telemetry=telemetry,
    )


def make_routes(routes: Routes, gate: Gate) -> FastAPI:
    """All routes and their documents, without the edge."""
    app = FastAPI(
        title="RAGSpine",
        version=API_VERSION,
        description=_DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # it would record paths and queries
    )
    app.router.route_class = BareRoute
    add_error_handlers(app)
    routes.asks.add_to(app)
    routes.durable.add_to(app)
    routes.facts.add_to(app)
    routes.passages.add_to(app)
    routes.faq.add_to(app)
    routes.health.add_to(app)
    add_pages(app, lambda: gate.ring is not None)
    return app
