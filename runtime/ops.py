"""What operators and orchestration ask of a process: `/healthz`, `/readyz`, `/metrics`."""

import os
from pathlib import Path

from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from runtime.health import OK, Health
from runtime.metrics import Metrics


def ops_routes(health: Health, metrics: Metrics) -> list[Route]:
    """The three routes; the gateway mounts them on its public port too."""

    async def healthz(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(_: Request) -> Response:
        report = await health.report()
        return JSONResponse(report.body(), status_code=200 if report.is_ready else 503)

    async def show_metrics(_: Request) -> Response:
        return Response(await metrics_page(health, metrics), media_type=CONTENT_TYPE_LATEST)

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", show_metrics)]


async def metrics_page(health: Health, metrics: Metrics) -> bytes:
    """All metrics, with the readiness of this moment: an alert must not depend on somebody asking `/readyz`."""
    report = await health.report()
    metrics.ready.set(report.is_ready)
    metrics.check_ok.clear()  # a check of the start is none of the running process
    for name, result in report.checks.items():
        metrics.check_ok.labels(name).set(result == OK)
    return metrics.render()


def ops_app(health: Health, metrics: Metrics) -> Starlette:
    """The ASGI app of the operations port."""
    return Starlette(routes=ops_routes(health, metrics))


def write_port(path: Path, port: int) -> None:
    """Tell the port by file; a reader sees either nothing or the whole number."""
    part = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    part.write_text(f"{port}\n", encoding="ascii")
    part.replace(path)
