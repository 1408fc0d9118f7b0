"""Composition root of the gateway: the only place that builds its parts and reads the clock."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial

from starlette.types import ASGIApp

from contracts import subjects
from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.http_server import serve_http
from runtime.logging import get_log
from runtime.ping import ping_check
from runtime.settings import load_settings
from runtime.worker import Build, Worker
from services.gateway.admission import Admission
from services.gateway.answering import Answering
from services.gateway.bus_ports import BusFacts, BusOrchestrator
from services.gateway.deadlines import Deadlines
from services.gateway.faq.vetted import NoVettedAnswers
from services.gateway.handlers import make_router
from services.gateway.http.app import Routes, make_http_app
from services.gateway.http.ask_routes import AskRoutes
from services.gateway.http.fact_routes import FactRoutes
from services.gateway.http.health_routes import HealthRoutes
from services.gateway.http.listener import KEEP_ALIVE_SECONDS, BoundedProtocol, open_port
from services.gateway.observing import AnswerMetrics
from services.gateway.settings import GatewaySettings

_BEHIND = (subjects.QUEUE_ORCHESTRATOR, subjects.QUEUE_INTENT, subjects.QUEUE_FACTS, subjects.QUEUE_NARRATIVE)

_log = get_log(__name__)


def main() -> int:
    """Run the gateway; returns the exit code of the process."""
    return launch("gateway", configure)


def configure() -> tuple[GatewaySettings, Build[GatewaySettings]]:
    """Settings and profile from the environment."""
    settings = load_settings(GatewaySettings)
    return settings, partial(build, load_profile(settings.profile))


@asynccontextmanager
async def build(profile: CompanyProfile, worker: Worker[GatewaySettings]) -> AsyncGenerator[None]:
    """Everything between the two doors and the bus."""
    settings = worker.settings
    deadlines = Deadlines(default=settings.ask_seconds, longest=settings.max_deadline_seconds)
    answering = Answering(
        profile=profile,
        vetted=NoVettedAnswers(),
        orchestrator=BusOrchestrator(worker.bus),
        admission=Admission(settings.max_asks),
        metrics=AnswerMetrics(worker.metrics),
        today=lambda: datetime.now(profile.zone).date(),
    )
    worker.broker.include_router(make_router(answering, deadlines, max_asks=settings.max_asks))
    for service in _BEHIND:
        worker.health.add_check(service, ping_check(worker.bus, worker.telemetry, service))
    async with serve_http(
        _http_app(worker, answering, deadlines),
        open_port(settings.http_host, settings.http_port),
        stop_grace_seconds=max(1, round(settings.stop_grace_seconds)),
        keep_alive_seconds=KEEP_ALIVE_SECONDS,
        protocol=BoundedProtocol,
    ) as port:
        _log.info("listening", host=settings.http_host, port=port)
        yield


def _http_app(worker: Worker[GatewaySettings], answering: Answering, deadlines: Deadlines) -> ASGIApp:
    settings = worker.settings
    routes = Routes(
        asks=AskRoutes(answering, deadlines),
        facts=FactRoutes(BusFacts(worker.bus), deadlines, loads=Admission(settings.max_loads)),
        health=HealthRoutes(worker.health, worker.metrics),
    )
    return make_http_app(
        routes,
        requests=Admission(settings.max_requests),
        allowed_hosts=settings.allowed_hosts,
        metrics=worker.metrics,
        telemetry=worker.telemetry,
    )
