"""Vectors in a real Postgres with pgvector: made once per text, found within the scope, never of a closed passage."""

import hashlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from contracts.codes import RankedBy
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from services.narrative.embedders.ports import Vector
from services.narrative.store.vectors import SEARCH_PATH, VectorReader, VectorWriter
from services.narrative.vectors import Vectors
from tests.support.databases import Databases
from tests.support.passages import Narrative, narrative_on, passage

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]


@dataclass
class Model:
    """Two texts of one topic are near, whatever their words; the topic is the letter behind `#`."""

    name: str = "topics"
    embedded: list[str] = field(default_factory=list[str])

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        return [_of_topic(text) for text in texts]

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        return [_of_topic(text) for text in texts]


def _of_topic(text: str) -> Vector:
    digest = hashlib.sha256(text.partition("#")[2][:1].encode()).digest()
    return [byte / 255 - 0.5 for byte in digest[:16]]


@asynccontextmanager
async def _worker(dsn: str, model: Model) -> AsyncGenerator[tuple[Narrative, Vectors]]:
    async with (
        narrative_on(dsn) as narrative,
        Pool.open(
            dsn, "narrative", UnavailableError, size=2, limit_seconds=10, read_only=True, search_path=SEARCH_PATH
        ) as reading,
        Pool.open(
            dsn, "narrative", UnavailableError, size=2, limit_seconds=10, read_only=False, search_path=SEARCH_PATH
        ) as writing,
    ):
        vectors = Vectors(model, VectorReader(reading), VectorWriter(writing), 5, on_outcome=lambda _: None)
        searching = replace(narrative.service.searching, vectors=vectors)
        yield replace(narrative, service=replace(narrative.service, searching=searching)), vectors


async def test_each_open_text_is_embedded_once_and_found_in_its_scope(database: str) -> None:
    async with _worker(database, Model()) as (narrative, vectors):
        await narrative.load(
            passage("台风 #a", locator="p1", entity="ACME_HK", period="2024Q3"),
            passage("typhoon #a", locator="p2", entity="ACME_CN", period="2024Q3"),
            passage("成本", locator="p3", title="#a"),
            passage("绝密 #a", locator="p4", sensitivity="RESTRICTED"),
            passage("费用 #b", locator="p5"),
        )
        counts = [await vectors.fill_once() for _ in range(2)]
        year = {"type": "FY", "value": "2024"}
        found = await narrative.search("为什么 #a", entities=["ACME_CN"], periods=[year])
        newest = await narrative.search("为什么 #a", entities=["ACME_HK"], latest="QUARTER")
        await narrative.load(passage("另一段 #b", locator="p1", entity="ACME_HK"))
        again = await vectors.fill_once()

    assert (counts, again) == ([4, 0], 1)
    assert found.ranked_by is RankedBy.WORDS_AND_VECTORS
    assert {item.locator for item in found.passages} == {"p2", "p3"}
    assert {item.locator for item in newest.passages} == {"p1", "p3"}


async def test_two_workers_do_not_embed_the_same(database: str) -> None:
    one, two = Model(), Model()
    async with _worker(database, one) as (narrative, first), _worker(database, two) as (_, second):
        await narrative.load(*(passage(f"text {number}", locator=str(number)) for number in range(20)))
        async with first.writer.turn(one.name, 5) as turn:
            meanwhile = await second.fill_once()
        rest = [await worker.fill_once() for worker in (first, second, first, second)]

    assert turn is not None
    assert (meanwhile, sum(rest)) == (0, 20)
    assert sorted(one.embedded + two.embedded) == sorted(f"text {number}" for number in range(20))


async def test_without_the_extension_words_decide_alone(databases: Databases) -> None:
    with databases.migrated() as dsn:
        databases.postgres.sql("DROP VIEW narrative.open_embedding; DROP TABLE narrative.embedding", _name(dsn))
        async with _worker(dsn, Model()) as (narrative, vectors):
            await narrative.load(passage())

            filled = await vectors.fill_once()
            found = await narrative.search("香港门店")

    assert (filled, found.ranked_by, len(found.passages)) == (0, RankedBy.WORDS, 1)


def _name(dsn: str) -> str:
    return dsn.partition("@/")[2].partition("?")[0]
