"""Composition root of the narrative worker."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from runtime.settings import load_settings
from runtime.worker import Build, Worker
from services.narrative.following import Follower
from services.narrative.handlers import make_router
from services.narrative.index import PassageIndex
from services.narrative.observing import Observed
from services.narrative.rows import RowMaker
from services.narrative.search import Search
from services.narrative.service import NarrativeService
from services.narrative.settings import NarrativeSettings
from services.narrative.store.reading import PassageReader
from services.narrative.store.writing import PassageWriter
from services.narrative.synonyms import Synonyms


def main() -> int:
    """Run the worker; returns the exit code of the process."""
    return launch("narrative", configure)


def configure() -> tuple[NarrativeSettings, Build[NarrativeSettings]]:
    """Settings and profile from the environment."""
    settings = load_settings(NarrativeSettings)
    return settings, partial(build, load_profile(settings.profile))


@asynccontextmanager
async def build(profile: CompanyProfile, worker: Worker[NarrativeSettings]) -> AsyncGenerator[None]:
    """Open both pools, follow changes, and serve until the end."""
    settings, observed = worker.settings, Observed(worker.metrics)
    async with (
        Pool.open(
            settings.postgres_url,
            "narrative",
            UnavailableError,
            size=settings.narrative_connections,
            limit_seconds=settings.narrative_query_seconds,
            read_only=True,
        ) as reading,
        Pool.open(
            settings.loader_url,
            "narrative",
            UnavailableError,
            size=settings.narrative_loader_connections,
            limit_seconds=settings.narrative_load_seconds,
            read_only=False,
        ) as writing,
    ):
        reader, index = PassageReader(reading), PassageIndex()
        follower = Follower(reader, index)
        observed.watch(lambda: index.size, lambda: follower.revision)
        service = NarrativeService(
            profile.digest(),
            Search(reader, index, follower, Synonyms(profile)),
            PassageWriter(writing),
            RowMaker.of(profile),
        )
        async with follower.following():
            worker.broker.include_router(make_router(service, observed))
            worker.health.add_check("postgres", reader.check)
            worker.health.add_check("index", follower.check)
            worker.uses_profile(profile.digest())
            yield
