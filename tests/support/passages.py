"""Passages for tests: rows of the fictional ACME, a store in memory, and the worker's service on either store."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from contracts.codes import PeriodType
from contracts.v1.narrative import (
    LoadPassages,
    PassageRow,
    Passages,
    PassagesLoaded,
    SearchPassages,
    WithdrawPassages,
)
from contracts.v1.periods import PERIOD_PATTERNS
from domain.profile import CompanyProfile
from domain.sensitivity import is_open
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from services.narrative.following import Follower
from services.narrative.index import PassageIndex
from services.narrative.ports import Change, ReadPort, Stored, WritePort
from services.narrative.questions import Questions
from services.narrative.rows import Row, RowMaker
from services.narrative.search import Search
from services.narrative.service import NarrativeService
from services.narrative.store.reading import PassageReader
from services.narrative.store.writing import PassageWriter
from tests.support.answers import sample_profile

TYPHOON = "香港门店客流回落，主因是台风季停业。"


def passage(text: str = TYPHOON, *, doc: str = "visit_log.pdf", locator: str = "p3", **fields: object) -> PassageRow:
    """A passage to load."""
    return PassageRow.model_validate({"doc_id": doc, "locator": locator, "text": text, **fields})


@dataclass
class MemoryStore:
    """`ReadPort` and `WritePort` over a dictionary; `leaks` shows what the second exit does when the first fails."""

    leaks: bool = False
    is_up: bool = True
    kept: dict[tuple[str, str], tuple[int, int, Row, bool]] = field(default_factory=dict)
    """id, revision, row, withdrawn."""
    current: int = 0
    reads: int = 0

    async def revision(self) -> int:
        if not self.is_up:
            raise UnavailableError
        return self.current

    async def changes(self, after: tuple[int, int], limit: int) -> list[Change]:
        self.reads += 1
        found = [
            Change(id, revision, None if self._is_gone(row, withdrawn) else _stored(id, row))
            for id, revision, row, withdrawn in self.kept.values()
            if (revision, id) > after
        ]
        return sorted(found, key=lambda change: (change.revision, change.id))[:limit]

    async def passages(self, ids: Sequence[int]) -> dict[int, Stored]:
        return {
            id: _stored(id, row)
            for id, _, row, withdrawn in self.kept.values()
            if id in ids and not self._is_gone(row, withdrawn)
        }

    async def newest_periods(self, entities: Sequence[str], kind: PeriodType) -> dict[str | None, str]:
        newest: dict[str | None, str] = {}
        for _, _, row, withdrawn in self.kept.values():
            if self._is_gone(row, withdrawn) or not (row.period and re.fullmatch(PERIOD_PATTERNS[kind], row.period)):
                continue
            if not entities or row.entity is None or row.entity in entities:
                entity = row.entity if entities else None
                newest[entity] = max(newest.get(entity, ""), row.period)
        return newest

    async def load(self, rows: Sequence[Row]) -> PassagesLoaded:
        self.current += 1
        inserted = 0
        for row in rows:
            known = self.kept.get(row.key)
            inserted += known is None
            if known is None or known[2] != row or known[3]:
                self.kept[row.key] = (known[0] if known else len(self.kept) + 1, self.current, row, False)
        return PassagesLoaded(received=len(rows), inserted=inserted, updated=0, unchanged=len(rows) - inserted)

    async def withdraw(self, doc_id: str) -> int:
        self.current += 1
        gone = [key for key in self.kept if key[0] == doc_id]
        for key in gone:
            id, _, row, _ = self.kept[key]
            self.kept[key] = (id, self.current, row, True)
        return len(gone)

    def _is_gone(self, row: Row, withdrawn: bool) -> bool:
        return withdrawn or not (self.leaks or is_open(row.sensitivity))


def _stored(id: int, row: Row) -> Stored:
    return Stored(id, row.doc_id, row.locator, row.title, row.body, row.entity, row.period, row.sensitivity)


@dataclass(frozen=True)
class Narrative:
    """The narrative worker without its bus."""

    profile: CompanyProfile
    service: NarrativeService
    index: PassageIndex
    follower: Follower

    async def load(self, *rows: PassageRow) -> PassagesLoaded:
        """Load passages."""
        return await self.service.load(LoadPassages(passages=rows))

    async def withdraw(self, doc_id: str) -> int:
        """Withdraw a document."""
        return (await self.service.withdraw(WithdrawPassages(doc_id=doc_id))).withdrawn

    async def search(self, question: str, **fields: object) -> Passages:
        """What is found for a question."""
        raw = {"question": question, "profile_digest": self.profile.digest(), **fields}
        return await self.service.search(SearchPassages.model_validate(raw))

    async def found(self, question: str, **fields: object) -> list[str]:
        """The locators of what is found."""
        return [item.locator for item in (await self.search(question, **fields)).passages]


def narrative_over(reader: ReadPort, writer: WritePort, profile: CompanyProfile | None = None) -> Narrative:
    """The worker's service over any store."""
    company = profile or sample_profile()
    index = PassageIndex()
    follower = Follower(reader, index)
    searching = Search(reader, index, follower, Questions(company))
    service = NarrativeService(company.digest(), searching, writer, RowMaker.of(company))
    return Narrative(company, service, index, follower)


def narrative_in_memory(store: MemoryStore | None = None, profile: CompanyProfile | None = None) -> Narrative:
    """The worker's service without a database."""
    kept = store or MemoryStore()
    return narrative_over(kept, kept, profile)


@asynccontextmanager
async def narrative_on(dsn: str, profile: CompanyProfile | None = None) -> AsyncGenerator[Narrative]:
    """The worker's service on a migrated database."""
    async with (
        Pool.open(dsn, "narrative", UnavailableError, size=4, limit_seconds=5, read_only=True) as reading,
        Pool.open(dsn, "narrative", UnavailableError, size=2, limit_seconds=20, read_only=False) as writing,
    ):
        yield narrative_over(PassageReader(reading), PassageWriter(writing), profile)
