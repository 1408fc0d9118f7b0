"""Facts for tests: rows of the fictional ACME, and the worker's service on a real database."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from contracts.v1.facts import FactOutcome, FactRow, FactsLoaded, LoadFacts, QueryFacts
from domain.profile import CompanyProfile
from runtime.errors import FactSourceUnavailableError
from runtime.postgres import Pool
from services.facts.service import FactService
from services.facts.store.events import Outbox
from services.facts.store.reading import FactReader
from services.facts.store.writing import FactWriter
from services.facts.vocabulary import Vocabulary
from tests.support.answers import sample_profile, scope


def row(
    period: str = "2024",
    value: str = "1320",
    *,
    doc: str = "review.pptx",
    metric: str = "REVENUE",
    entity: str = "ACME_HK",
    channel: str = "TOTAL",
    **fields: object,
) -> FactRow:
    """A row to load."""
    raw = {
        "metric_code": metric,
        "entity": entity,
        "period_type": "FY",
        "period": period,
        "channel": channel,
        "value": value,
        "unit": "USD_M",
        "source_doc_id": doc,
        "source_locator": "slide=2",
    }
    return FactRow.model_validate(raw | fields)


@dataclass(frozen=True)
class Facts:
    """The facts worker without its bus."""

    profile: CompanyProfile
    service: FactService
    reading: Pool
    writing: Pool
    outbox: Outbox

    async def load(self, *rows: FactRow) -> FactsLoaded:
        """Load rows."""
        return await self.service.load(LoadFacts(facts=rows))

    async def ask(self, text: str = "2024", **parts: str) -> FactOutcome:
        """The outcome for one scope."""
        asked = QueryFacts(queries=(scope(text, **parts),), profile_digest=self.profile.digest())
        return (await self.service.query(asked)).outcomes[0]


@asynccontextmanager
async def facts_on(
    dsn: str, *, profile: CompanyProfile | None = None, query_seconds: float = 2, load_seconds: float = 10
) -> AsyncGenerator[Facts]:
    """The worker's service on a migrated database."""
    company = profile or sample_profile()
    async with (
        Pool.open(
            dsn, "facts", FactSourceUnavailableError, size=4, limit_seconds=query_seconds, read_only=True
        ) as reading,
        Pool.open(
            dsn, "facts", FactSourceUnavailableError, size=3, limit_seconds=load_seconds, read_only=False
        ) as writing,
    ):
        service = FactService(company, Vocabulary.of(company), FactReader(reading), FactWriter(writing))
        yield Facts(company, service, reading, writing, Outbox(writing))
