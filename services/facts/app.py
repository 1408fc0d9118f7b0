"""Composition root of the facts worker."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from contracts import subjects
from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.errors import FactSourceUnavailableError
from runtime.postgres import Pool
from runtime.settings import load_settings
from runtime.tasks import end
from runtime.worker import Build, Worker
from services.facts.handlers import make_router
from services.facts.observing import Observed
from services.facts.outbox import Relay
from services.facts.ports import OutboxEvent
from services.facts.service import FactService
from services.facts.settings import FactsSettings
from services.facts.store.events import Outbox
from services.facts.store.reading import FactReader
from services.facts.store.writing import FactWriter
from services.facts.vocabulary import Vocabulary

PUBLISH_SECONDS: Final = 2.0


def main() -> int:
    """Run the worker; returns the exit code of the process."""
    return launch("facts", configure)


def configure() -> tuple[FactsSettings, Build[FactsSettings]]:
    """Settings and profile from the environment."""
    settings = load_settings(FactsSettings)
    return settings, partial(build, load_profile(settings.profile))


@asynccontextmanager
async def build(profile: CompanyProfile, worker: Worker[FactsSettings]) -> AsyncGenerator[None]:
    """Open both pools, serve, and announce changes until the end."""
    settings, observed = worker.settings, Observed(worker.metrics)
    async with (
        Pool.open(
            settings.postgres_url,
            "facts",
            FactSourceUnavailableError,
            size=settings.facts_connections,
            limit_seconds=settings.facts_query_seconds,
            read_only=True,
        ) as reading,
        Pool.open(
            settings.loader_url,
            "facts",
            FactSourceUnavailableError,
            size=settings.facts_loader_connections,
            limit_seconds=settings.facts_load_seconds,
            read_only=False,
        ) as writing,
        _announcing(Relay(Outbox(writing), partial(_publish, worker.bus), observed.backlog)) as relay,
    ):
        observed.watch("read", reading)
        observed.watch("load", writing)
        reader = FactReader(reading)
        service = FactService(profile, Vocabulary.of(profile), reader, FactWriter(writing))
        worker.broker.include_router(make_router(service, observed, relay.wake))
        worker.health.add_check("postgres", reader.check)
        worker.uses_profile(profile.digest())
        yield


@asynccontextmanager
async def _announcing(relay: Relay) -> AsyncGenerator[Relay]:
    """Run the relay beside the block; a fault of it ends the process, so that events do not wait unseen."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(relay.run(), name="outbox")
        try:
            yield relay
        finally:
            await end(task)


async def _publish(bus: Bus, waiting: OutboxEvent) -> None:
    await bus.publish(
        subjects.EVENT_FACTS_CHANGED,
        waiting.event,
        event_id=waiting.message_id,
        deadline=Deadline.after(PUBLISH_SECONDS),
    )
