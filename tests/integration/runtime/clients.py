"""Buses and workers inside the test process, on a real server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from faststream.nats import NatsBroker, NatsRouter

from runtime.broker import make_broker
from runtime.bus import Bus
from runtime.concurrency import drain
from runtime.observer import Observer
from runtime.settings import RuntimeSettings
from tests.integration.runtime.worker_process import PROFILE


@asynccontextmanager
async def connected(
    url: str, *routers: NatsRouter, observer: Observer | None = None, service: str = "test"
) -> AsyncGenerator[tuple[Bus, NatsBroker]]:
    """A bus of this process that also serves `routers`."""
    settings = RuntimeSettings(nats_url=url, profile=PROFILE)
    observer = observer or Observer()
    broker = make_broker(settings, service, observer, on_fault=lambda _: None)
    for router in routers:
        broker.include_router(router)
    await broker.start()
    try:
        yield Bus(broker, observer), broker
    finally:
        await drain(broker.subscribers, 5)
        if broker.connection.is_connected:
            await broker.stop()
        else:
            await broker.connection.close()
