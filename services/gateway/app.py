"""Composition root of the gateway: the only place that builds its parts and reads the clock."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

from faststream.nats import NatsRouter
from starlette.types import ASGIApp

from contracts import subjects
from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.http_server import serve_http
from runtime.logging import get_log
from runtime.ping import ping_check
from runtime.settings import load_settings
from runtime.worker import Build, Worker
from services.gateway.access.assembling import closed_where_needed, open_access
from services.gateway.access.gate import Gate
from services.gateway.admission import Admission
from services.gateway.answering import Answering
from services.gateway.asks.assembling import open_asks
from services.gateway.asks.ports import AskDesk
from services.gateway.asks.webhooks.checking import webhook_check
from services.gateway.asks.webhooks.running import webhooks_sent
from services.gateway.bus_ports import BusFacts, BusOrchestrator, BusPassages
from services.gateway.deadlines import Deadlines
from services.gateway.faq.assembling import NO_FAQ, Faq, open_faq
from services.gateway.handlers import make_router
from services.gateway.http.app import Routes, make_http_app
from services.gateway.http.ask_routes import AskRoutes
from services.gateway.http.asks_routes import AsksRoutes
from services.gateway.http.door import Door
from services.gateway.http.edge import Exposure
from services.gateway.http.fact_routes import FactRoutes
from services.gateway.http.faq_routes import FaqRoutes
from services.gateway.http.health_routes import HealthRoutes
from services.gateway.http.listener import KEEP_ALIVE_SECONDS, open_port, protocol_behind
from services.gateway.http.metering import HttpMetrics
from services.gateway.http.passage_routes import PassageRoutes
from services.gateway.http.reply_headers import reply_headers
from services.gateway.http.streams import Streams
from services.gateway.observing import AnswerMetrics, watch_admission
from services.gateway.profile_file import watch_profile_file
from services.gateway.settings import GatewaySettings

_BEHIND = (subjects.QUEUE_ORCHESTRATOR, subjects.QUEUE_INTENT, subjects.QUEUE_FACTS, subjects.QUEUE_NARRATIVE)

_log = get_log(__name__)


def main() -> int:
    """Run the gateway; returns the exit code of the process."""
    return launch("gateway", configure)


def configure() -> tuple[GatewaySettings, Build[GatewaySettings]]:
    """Settings and profile from the environment; refuses to listen where keys are needed and there are none."""
    settings = load_settings(GatewaySettings)
    closed_where_needed(settings, _now)
    return settings, partial(build, load_profile(settings.profile))


@dataclass(frozen=True)
class Doors:
    """Where asks come in."""

    nats: NatsRouter
    http: ASGIApp
    door: Door
    """Before the app."""
    streams: Streams
    routes: Routes
    """What the HTTP door serves."""


@asynccontextmanager
async def build(profile: CompanyProfile, worker: Worker[GatewaySettings]) -> AsyncGenerator[None]:
    """Open both doors; at the end the HTTP door lets running requests finish while the bus still works."""
    async with (
        open_access(worker.settings, _now) as access,
        open_faq(profile, worker, _today(profile)) as faq,
        open_asks(worker, answering := make_answering(profile, worker, faq), _now) as asks,
        webhooks_sent(asks.webhooks, worker.settings, worker.metrics, lambda: _now().timestamp()),
    ):
        doors = assemble(profile, worker, access.gate, faq, answering=answering, desk=asks.desk)
        worker.health.add_watch("http_keys", access.watch.tell)
        worker.uses_profile(profile.digest())
        worker.broker.include_router(doors.nats)
        _watch(profile.digest(), worker)
        async with _listening(doors, worker.settings):
            yield
            doors.streams.stop()


@asynccontextmanager
async def _listening(doors: Doors, settings: GatewaySettings) -> AsyncGenerator[None]:
    async with serve_http(
        doors.http,
        open_port(settings.http_host, settings.http_port),
        stop_grace_seconds=max(1, round(settings.stop_grace_seconds)),
        keep_alive_seconds=KEEP_ALIVE_SECONDS,
        protocol=protocol_behind(doors.door),
    ) as port:
        _log.info("listening", host=settings.http_host, port=port)
        yield


def _watch(digest: str, worker: Worker[GatewaySettings]) -> None:
    """Ready when every worker behind is, with the same profile; what has become of its file is only told."""
    for service in _BEHIND:
        worker.health.add_check(service, ping_check(worker.bus, worker.telemetry, service, profile_digest=digest))
    origin = worker.settings.profile_origin or worker.settings.profile
    worker.health.add_watch("profile_file", watch_profile_file(origin, digest))


def _now() -> datetime:
    return datetime.now(UTC)


def _today(profile: CompanyProfile) -> Callable[[], date]:
    return lambda: datetime.now(profile.zone).date()


def make_answering(profile: CompanyProfile, worker: Worker[GatewaySettings], faq: Faq = NO_FAQ) -> Answering:
    """The one ask path."""
    return Answering(
        profile=profile,
        vetted=faq.vetted,
        orchestrator=BusOrchestrator(worker.bus),
        admission=Admission(worker.settings.asks_at_once),
        metrics=AnswerMetrics(worker.metrics),
        today=_today(profile),
        on_miss=faq.on_miss,
    )


def assemble(
    profile: CompanyProfile,
    worker: Worker[GatewaySettings],
    gate: Gate,
    faq: Faq = NO_FAQ,
    *,
    answering: Answering | None = None,
    desk: AskDesk | None = None,
) -> Doors:
    """Both doors, over one ask path; `desk` keeps durable asks."""
    settings = worker.settings
    answering = answering or make_answering(profile, worker, faq)
    deadlines = Deadlines(default=settings.ask_seconds, longest=settings.max_deadline_seconds)
    loads, requests = Admission(settings.max_loads), Admission(settings.max_requests)
    watch_admission(worker.metrics, asks=answering.admission, loads=loads, requests=requests)
    streams = Streams(Admission(settings.max_streams))
    routes = Routes(
        asks=AskRoutes(answering, deadlines),
        durable=AsksRoutes(desk, deadlines, streams, webhook_check(settings)),
        facts=FactRoutes(BusFacts(worker.bus), deadlines, loads=loads),
        passages=PassageRoutes(BusPassages(worker.bus), deadlines, loads=loads),
        faq=FaqRoutes(faq.desk, deadlines, loads=loads),
        health=HealthRoutes(worker.health, worker.metrics),
    )
    metrics = HttpMetrics(worker.metrics)
    http = make_http_app(
        routes,
        requests=requests,
        exposure=Exposure(settings.allowed_hosts, settings.cors_origins, settings.http_behind_tls),
        gate=gate,
        metrics=metrics,
        telemetry=worker.telemetry,
    )
    door = Door(answering.admission, metrics, reply_headers(is_behind_tls=settings.http_behind_tls))
    return Doors(make_router(answering, deadlines, max_asks=settings.asks_at_once), http, door, streams, routes)
