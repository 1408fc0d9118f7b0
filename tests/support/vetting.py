"""The vetted answers of a gateway over real servers, inside the test process: only the other workers are made up."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from contracts.v1.ask import AskRequest
from contracts.v1.facts import FactList, ListFacts
from contracts.v1.faq import FaqItem
from domain.profile import CompanyProfile
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from runtime.metrics import Metrics
from runtime.postgres import Pool
from runtime.tasks import end
from services.gateway.faq.admission import Screening
from services.gateway.faq.cache.copies import ServingCopy
from services.gateway.faq.catalogue import Catalogue
from services.gateway.faq.observing import FaqMetrics
from services.gateway.faq.serving import Space
from services.gateway.faq.shortcut import Shortcut
from services.gateway.faq.staleness import FactPrints, Staleness
from services.gateway.faq.store.reading import ItemReader
from services.gateway.faq.store.writing import ItemWriter
from services.gateway.faq.upkeep import Upkeep
from services.gateway.faq.vetted import Hit, Miss
from services.gateway.settling import settle
from tests.support.profiles import REFERENCE_DATE, acme
from tests.support.vetted import ParsedHere, TrustHere

SECONDS = 10.0


@dataclass
class FactsHere:
    """`FactLister` that lists what a test says."""

    page: FactList = field(default_factory=lambda: FactList(facts=()))

    async def list(self, wanted: ListFacts, deadline: Deadline) -> FactList:
        return self.page


@dataclass
class Vetting:
    """One gateway's vetted answers."""

    catalogue: Catalogue
    shortcut: Shortcut
    upkeep: Upkeep
    staleness: Staleness
    copy: ServingCopy
    facts: FactsHere
    trust: TrustHere
    profile: CompanyProfile

    async def put(self, item_id: str, on: Any, **fields: Any) -> Any:
        """Store an item; approved unless `state` says otherwise."""
        body = {
            "question": "食堂在哪",
            "answer": "三楼。",
            "owner": "tests",
            "state": "approved",
            **fields,
            "id": item_id,
        }
        text = FaqItem.model_validate(body, strict=False)
        return await self.catalogue.put(item_id, text, on, Deadline.after(SECONDS), who="tests")

    async def find(self, text: str = "食堂在哪", today: date = REFERENCE_DATE) -> Hit | Miss:
        question = settle(AskRequest(question=text), self.profile, today=today, request_id="r")
        return await self.shortcut.find(question)

    async def answer(self, text: str = "食堂在哪") -> str | None:
        """The vetted answer, None for a miss."""
        match await self.find(text):
            case Hit(answer):
                return answer.answer
            case Miss():
                return None

    async def until_answered(self, wanted: str | None, text: str = "食堂在哪") -> None:
        """Wait until a question gets this answer."""
        async with asyncio.timeout(SECONDS):
            while await self.answer(text) != wanted:
                await asyncio.sleep(0.02)


@asynccontextmanager
async def vetting(
    dsn: str, redis_url: str, *, profile: CompanyProfile | None = None, read_seconds: float = 0.2
) -> AsyncGenerator[Vetting]:
    """Vetted answers that are looked after, and ready when the block begins."""
    profile = profile or acme()
    digest = profile.digest()
    metrics, facts, trust, space = FaqMetrics(Metrics()), FactsHere(), TrustHere(), Space(digest)
    async with (
        Pool.open(dsn, "test", UnavailableError, size=8, limit_seconds=SECONDS, read_only=False) as pool,
        ServingCopy.open(redis_url, None, read_seconds=read_seconds) as copy,
    ):
        reader, writer = ItemReader(pool, digest), ItemWriter(pool, digest)
        screening = Screening(profile, ParsedHere(profile))
        upkeep = Upkeep(dsn, space, reader, writer, copy, screening, metrics)
        prints = FactPrints(facts)
        staleness = Staleness(profile, reader, writer, prints, upkeep, metrics)
        catalogue = Catalogue(profile, reader, writer, screening, prints, staleness, upkeep)
        shortcut = Shortcut(profile, space, copy, upkeep, trust, metrics)
        task = asyncio.create_task(upkeep.run())
        try:
            async with asyncio.timeout(SECONDS):
                while not upkeep.is_ready:
                    await asyncio.sleep(0.01)
            yield Vetting(catalogue, shortcut, upkeep, staleness, copy, facts, trust, profile)
        finally:
            await end(task)
