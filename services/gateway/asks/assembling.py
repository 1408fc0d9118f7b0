"""Puts durable asks together from the gateway's settings, and runs what works on them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from contracts import subjects
from runtime.ask_streams import BYTES_OF_ONE_APP
from runtime.errors import UnavailableError
from runtime.logging import get_log
from runtime.monitor import require_syncing
from runtime.postgres import Pool
from runtime.subject_stream import SubjectStream
from runtime.tasks import end
from runtime.work_queue import WorkQueue
from runtime.worker import Worker
from services.gateway.answering import Answering
from services.gateway.asks.desk import LedgerDesk
from services.gateway.asks.letters import Letters
from services.gateway.asks.observing import AskMetrics
from services.gateway.asks.off import AsksOff
from services.gateway.asks.ports import AskDesk
from services.gateway.asks.store.accepting import DeskLedger, Share
from services.gateway.asks.store.upkeep import UpkeepLedger
from services.gateway.asks.store.webhooks import WebhookRows
from services.gateway.asks.store.working import WorkingLedger
from services.gateway.asks.upkeep import Upkeep
from services.gateway.asks.webhooks.ports import WebhookLedger
from services.gateway.asks.working import Working
from services.gateway.settings import GatewaySettings

_log = get_log(__name__)


@dataclass(frozen=True)
class Asks:
    """What the gateway needs of durable asks."""

    desk: AskDesk
    webhooks: WebhookLedger | None = None
    """None where there are no durable asks."""


@asynccontextmanager
async def open_asks(
    worker: Worker[GatewaySettings], answering: Answering, now: Callable[[], datetime]
) -> AsyncGenerator[Asks]:
    """Durable asks, worked on beside the block; closed, with the reason, where something they need is not named."""
    settings = worker.settings
    needed = {"RAGSPINE_NATS_MONITOR_URL": settings.nats_monitor_url, "RAGSPINE_POSTGRES_URL": settings.postgres_url}
    if settings.nats_monitor_url is None or settings.postgres_url is None:
        _log.info("asks_off")
        yield Asks(AsksOff(tuple(name for name, value in needed.items() if value is None)))
        return
    async with Pool.open(
        settings.postgres_url,
        "gateway-asks",
        UnavailableError,
        size=settings.asks_connections,
        limit_seconds=settings.asks_query_seconds,
        read_only=False,
    ) as pool:
        parts = _Parts(worker, answering, pool, settings.nats_monitor_url, now)
        worker.health.add_watch("durable_asks", parts.state)
        async with _running(parts, settings.stop_grace_seconds):
            yield Asks(parts.desk, WebhookRows(pool))


class _Parts:
    """The parts, each made once."""

    def __init__(
        self,
        worker: Worker[GatewaySettings],
        answering: Answering,
        pool: Pool,
        monitor_url: str,
        now: Callable[[], datetime],
    ) -> None:
        settings, bus = worker.settings, worker.bus
        metrics = AskMetrics(worker.metrics)
        share = Share(settings.asks_open_per_app, BYTES_OF_ONE_APP)
        working_ledger, desk_ledger = WorkingLedger(pool, uuid4().hex), DeskLedger(pool, share)
        letters = Letters(SubjectStream(bus, subjects.ANSWER_STREAM), working_ledger)
        asks = SubjectStream(bus, subjects.ASK_STREAM)
        self._monitor_url = monitor_url
        self._worker = worker
        self.working = Working(
            ledger=working_ledger,
            letters=letters,
            answering=answering,
            metrics=metrics,
            telemetry=worker.telemetry,
            now=now,
            attempt_seconds=settings.ask_seconds,
            longest_wait_seconds=settings.asks_longest_wait_seconds,
        )
        self.queue = WorkQueue(
            bus,
            stream=subjects.ASK_STREAM,
            consumer=subjects.ASK_CONSUMER,
            handle=self.working.handle,
            check=self._require_syncing,
            at_once=settings.asks_worked_at_once,
        )
        self.desk = LedgerDesk(desk_ledger, asks, self.queue, metrics)
        self.upkeep = Upkeep(
            ledger=UpkeepLedger(pool),
            desk=desk_ledger,
            stream=asks,
            letters=letters,
            queue=self.queue,
            metrics=metrics,
            kept_seconds=settings.asks_kept_seconds,
        )

    async def state(self) -> str:
        """For `/readyz`, where it is only told: questions that are answered at once need none of this."""
        return "ready" if self.queue.is_bound else "no_queue"

    async def _require_syncing(self) -> None:
        await require_syncing(self._worker.bus.client(), self._monitor_url)


@asynccontextmanager
async def _running(parts: _Parts, grace_seconds: float) -> AsyncGenerator[None]:
    """Work beside the block; a fault ends the process instead of going unseen."""
    async with asyncio.TaskGroup() as group:
        taking = group.create_task(parts.queue.run(), name="asks-queue")
        upkeep = group.create_task(parts.upkeep.run(), name="asks-upkeep")
        try:
            yield
        finally:
            await parts.queue.stop(grace_seconds)
            await end(taking, upkeep)
