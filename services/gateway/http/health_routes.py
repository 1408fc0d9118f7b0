"""`/healthz`, `/readyz` and `/metrics` on the public port: the same as on the operations port, and documented."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from fastapi import FastAPI
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from contracts.codes import Scope
from runtime.health import Health
from runtime.metrics import Metrics
from runtime.ops import metrics_page
from services.gateway.access.demands import needs
from services.gateway.access.watching import State


class Readiness(BaseModel):
    """Whether an ask would get through."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    status: Literal["ready", "degraded"]
    checks: Mapping[str, str]
    """`ok` or a reason code, by the name of the part."""
    profile_digest: str | None = None
    """Which company profile is in force; the same at every worker, or the checks say `profile_mismatch`."""
    profile_file: Literal["same", "changed", "unreadable"] | None = None
    """Whether the file of that profile still says the same; a changed one is in force after a restart."""
    http_keys: State | None = None
    """Whether API keys are needed; or what is wrong with their file, while the earlier ones stay in force."""


def alive() -> Response:
    """That the process is alive, whatever else is down."""
    return JSONResponse({"status": "ok"})


@dataclass(frozen=True)
class HealthRoutes:
    """What operators ask."""

    health: Health
    metrics: Metrics

    def add_to(self, app: FastAPI) -> None:
        """Add the calls to an app."""
        app.add_api_route("/healthz", self.healthz, methods=["GET"], operation_id="healthz", summary="Alive?")
        app.add_api_route(
            "/readyz",
            self.readyz,
            methods=["GET"],
            operation_id="readyz",
            summary="Ready?",
            response_model=Readiness,
            responses={503: {"description": "A part is missing", "model": Readiness}},
        )
        app.add_api_route(
            "/metrics",
            self.show_metrics,
            methods=["GET"],
            operation_id="metrics",
            summary="Metrics",
            response_class=PlainTextResponse,
        )

    @needs(None)
    async def healthz(self, _: Request) -> Response:
        """Say that the process is alive, whatever else is down."""
        return alive()

    @needs(None)
    async def readyz(self, _: Request) -> Response:
        """Say whether every worker that an ask needs can be reached and is ready: 200 if so, else 503."""
        report = await self.health.report()
        return JSONResponse(report.body(), status_code=200 if report.is_ready else 503)

    @needs(Scope.ADMIN)
    async def show_metrics(self, _: Request) -> Response:
        """Metrics in the Prometheus text format."""
        return Response(await metrics_page(self.health, self.metrics), media_type=CONTENT_TYPE_LATEST)
