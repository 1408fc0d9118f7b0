"""Puts the vetted answers together from the gateway's settings, and runs what looks after them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date

from contracts import subjects
from contracts.v1.ask import AnswerQuestion, AnswerResult
from contracts.v1.facts import FactsChanged
from domain.profile import CompanyProfile
from runtime.errors import UnavailableError
from runtime.following import Follower
from runtime.logging import get_log
from runtime.postgres import Pool
from runtime.tasks import end
from runtime.worker import Worker
from services.gateway.bus_ports import BusFacts, BusIntent
from services.gateway.faq.admission import Screening
from services.gateway.faq.cache.client import WRITE_SECONDS, connect
from services.gateway.faq.cache.copies import ServingCopy
from services.gateway.faq.cache.counting import CountingSketch
from services.gateway.faq.catalogue import Catalogue
from services.gateway.faq.desk import FaqDesk
from services.gateway.faq.observing import FaqMetrics
from services.gateway.faq.serving import Space
from services.gateway.faq.shortcut import Shortcut
from services.gateway.faq.staleness import FactPrints, Staleness
from services.gateway.faq.store.reading import ItemReader
from services.gateway.faq.store.writing import ItemWriter
from services.gateway.faq.suggestions import Sketch, Suggestions
from services.gateway.faq.trying import Trying
from services.gateway.faq.upkeep import Upkeep
from services.gateway.faq.vetted import NoVettedAnswers, VettedAnswers
from services.gateway.settings import GatewaySettings

_log = get_log(__name__)


@dataclass(frozen=True)
class Faq:
    """What the doors need of the vetted answers."""

    vetted: VettedAnswers
    desk: FaqDesk | None = None
    """None where this gateway keeps none."""

    @property
    def on_miss(self) -> Callable[[AnswerQuestion, AnswerResult], None] | None:
        """Counts what has no vetted answer, where that is switched on."""
        return self.desk.suggestions.note if self.desk and self.desk.suggestions.threshold else None


NO_FAQ = Faq(NoVettedAnswers())


@asynccontextmanager
async def open_faq(
    profile: CompanyProfile, worker: Worker[GatewaySettings], today: Callable[[], date]
) -> AsyncGenerator[Faq]:
    """The vetted answers, looked after beside the block; none where Postgres or Redis is not named."""
    settings = worker.settings
    if settings.postgres_url is None or settings.redis_url is None:
        _log.info("faq_off")
        yield NO_FAQ
        return
    async with (
        Pool.open(
            settings.postgres_url,
            "gateway",
            UnavailableError,
            size=settings.faq_connections,
            limit_seconds=settings.faq_query_seconds,
            read_only=False,
        ) as pool,
        ServingCopy.open(
            settings.redis_url, settings.redis_secret(), read_seconds=settings.redis_timeout_seconds
        ) as copy,
        connect(settings.redis_url, settings.redis_secret(), WRITE_SECONDS) as counting,
    ):
        parts = _Parts(profile, worker, pool, copy, settings.postgres_url)
        sketch = CountingSketch(counting, parts.space)
        async with _running(parts.upkeep, parts.follower):
            yield parts.faq(sketch, settings.faq_suggest_threshold, today)


class _Parts:
    """The parts, each made once."""

    def __init__(
        self, profile: CompanyProfile, worker: Worker[GatewaySettings], pool: Pool, copy: ServingCopy, dsn: str
    ) -> None:
        digest = profile.digest()
        self.profile = profile
        self.space = Space(digest)
        self.copy = copy
        self.metrics = FaqMetrics(worker.metrics)
        self.reader, self.writer = ItemReader(pool, digest), ItemWriter(pool, digest)
        self.screening = Screening(profile, BusIntent(worker.bus))
        self.upkeep = Upkeep(dsn, self.space, self.reader, self.writer, copy, self.screening, self.metrics)
        self.prints = FactPrints(BusFacts(worker.bus))
        self.staleness = Staleness(profile, self.reader, self.writer, self.prints, self.upkeep, self.metrics)
        self.follower = Follower(
            bus=worker.bus,
            subject=subjects.EVENT_FACTS_CHANGED,
            kind=FactsChanged,
            look_at_all=self.staleness.look_at_all,
            handle=self.staleness.on_facts_changed,
        )
        self.metrics.watch(lambda: self.upkeep.is_ready, lambda: self.follower.is_current)

    def faq(self, sketch: Sketch, threshold: int, today: Callable[[], date]) -> Faq:
        """What the doors need of them."""
        shortcut = Shortcut(self.profile, self.space, self.copy, self.upkeep, self.follower, self.metrics)
        catalogue = Catalogue(
            self.profile, self.reader, self.writer, self.screening, self.prints, self.staleness, self.upkeep
        )
        trying = Trying(shortcut, self.reader, self.screening)
        return Faq(shortcut, FaqDesk(self.profile, catalogue, trying, Suggestions(sketch, threshold), today))


@asynccontextmanager
async def _running(upkeep: Upkeep, follower: Follower[FactsChanged]) -> AsyncGenerator[None]:
    """Look after the copy and the facts beside the block; a fault ends the process instead of going unseen."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(upkeep.run(), name="faq-copy"), group.create_task(follower.run(), name="faq-facts")]
        try:
            yield
        finally:
            await end(*tasks)
