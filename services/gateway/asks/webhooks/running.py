"""Puts the delivery of webhooks together from the gateway's settings, and runs it beside a block."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from runtime.logging import get_log
from runtime.metrics import Metrics
from runtime.tasks import end
from services.gateway.asks.webhooks.delivery import Delivery
from services.gateway.asks.webhooks.observing import WebhookMetrics
from services.gateway.asks.webhooks.ports import WebhookLedger
from services.gateway.asks.webhooks.sending import HttpSender
from services.gateway.asks.webhooks.settings import WebhookSettings

_log = get_log(__name__)


@asynccontextmanager
async def webhooks_sent(
    ledger: WebhookLedger | None, settings: WebhookSettings, metrics: Metrics, now: Callable[[], float]
) -> AsyncGenerator[None]:
    """Send what is due beside the block; nothing where no host is listed. `now` is in seconds since the epoch.

    A fault of ours ends the process instead of going unseen.
    """
    hosts = settings.webhook_targets()
    if ledger is None or not hosts.listed:
        _log.info("webhooks_off")
        yield
        return
    async with HttpSender.open(hosts, timeout_seconds=settings.webhook_timeout_seconds) as sender:
        delivery = Delivery(
            ledger=ledger,
            sender=sender,
            hosts=hosts,
            secrets=settings.webhook_secrets(),
            metrics=WebhookMetrics(metrics),
            now=now,
            spread=random.random,
            max_attempts=settings.webhook_attempts,
            attempt_seconds=settings.webhook_timeout_seconds,
        )
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(delivery.run(), name="webhooks")
            try:
                yield
            finally:
                await end(sending)
