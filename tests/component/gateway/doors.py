"""A gateway without servers: both doors over a bus in memory, with an orchestrator that the test scripts."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from faststream.nats import NatsBroker
from starlette.types import ASGIApp

from contracts import subjects
from contracts.v1.ask import AnswerQuestion, AnswerResult
from runtime.health import Health
from runtime.metrics import Metrics
from runtime.observer import Observer
from runtime.telemetry import Telemetry
from runtime.testing import InMemoryBus
from runtime.worker import Worker
from services.gateway.access.assembling import closed_where_needed
from services.gateway.access.gate import Gate
from services.gateway.access.watching import KeysWatch
from services.gateway.app import assemble
from services.gateway.asks.ports import AskDesk
from services.gateway.faq.assembling import NO_FAQ, Faq
from services.gateway.http.app import Routes
from services.gateway.http.listener import BoundedProtocol, protocol_behind
from services.gateway.http.streams import Streams
from services.gateway.settings import GatewaySettings
from tests.support.answers import SAMPLE_PROFILE, sample_profile

ANSWER = AnswerResult.model_validate_json(
    Path("contracts/examples/v1/AnswerResult/structured_found.json").read_text(encoding="utf-8")
)
QUESTION = "中国内地FY2024的REVENUE是多少"

Answer = Callable[[AnswerQuestion], Awaitable[AnswerResult]]


@dataclass
class Doors:
    """Both doors of a gateway and what stands behind them."""

    bus: InMemoryBus
    app: ASGIApp
    http: httpx.AsyncClient
    health: Health
    metrics: Metrics
    streams: Streams
    protocol: type[BoundedProtocol]
    """Of connections to the app."""
    gate: Gate
    keys: KeysWatch
    routes: Routes
    asked: list[AnswerQuestion] = field(default_factory=list[AnswerQuestion])
    """What reached the orchestrator."""
    arrivals: asyncio.Queue[AnswerQuestion] = field(default_factory=asyncio.Queue[AnswerQuestion])
    """The same, to wait for."""

    def answer_with(self, answer: Answer) -> None:
        """Let the orchestrator answer so."""

        async def on_answer(question: AnswerQuestion) -> AnswerResult:
            self.asked.append(question)
            self.arrivals.put_nowait(question)
            return await answer(question)

        self.bus.serve(subjects.ORCHESTRATOR_ANSWER, on_answer)

    async def ask(
        self, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | Mapping[str, bytes] | None = None
    ) -> httpx.Response:
        return await self.http.post("/v1/ask", json=body or {"question": QUESTION}, headers=headers)


async def usual_answer(question: AnswerQuestion) -> AnswerResult:
    return ANSWER.model_copy(update={"request_id": question.request_id})


@asynccontextmanager
async def open_doors(
    telemetry: Telemetry | None = None, *, faq: Faq = NO_FAQ, desk: AskDesk | None = None, **settings: object
) -> AsyncGenerator[Doors]:
    """A gateway with these settings; its orchestrator gives the usual answer."""
    metrics = Metrics()
    observer = Observer(metrics, telemetry or Telemetry())
    bus = InMemoryBus(observer=observer)
    worker = Worker(
        service="gateway",
        settings=GatewaySettings(profile=SAMPLE_PROFILE, **settings),
        broker=NatsBroker(logger=None),
        bus=bus,
        health=Health(),
        metrics=metrics,
        telemetry=observer.telemetry,
    )
    access = closed_where_needed(worker.settings, lambda: datetime.now(UTC))
    gateway = assemble(sample_profile(), worker, access.gate, faq, desk=desk)
    bus.include_router(gateway.nats)
    transport = httpx.ASGITransport(gateway.http, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as http:
        doors = Doors(
            bus=bus,
            app=gateway.http,
            http=http,
            health=worker.health,
            metrics=metrics,
            streams=gateway.streams,
            protocol=protocol_behind(gateway.door),
            gate=access.gate,
            keys=access.watch,
            routes=gateway.routes,
        )
        doors.answer_with(usual_answer)
        yield doors
