"""Passages in a real Postgres: what the schema holds, and how every replica's index follows it."""

import asyncio

import asyncpg
import pytest

from contracts.codes import NothingFound
from domain.sensitivity import OPEN
from services.narrative.store.reading import PassageReader
from tests.support.passages import Narrative, narrative_on, passage

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

QUESTION = "香港门店客流为什么回落"


async def _sql(dsn: str, statement: str, *arguments: object) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetch(statement, *arguments)
    finally:
        await connection.close()


async def test_loading_counts_what_changed_and_repeating_changes_nothing(database: str) -> None:
    rows = (passage(entity="ACME_HK", period="FY2024", title="门店"), passage(locator="p4", sensitivity="secret"))
    async with narrative_on(database) as narrative:
        first = await narrative.load(*rows)
        again = await narrative.load(*rows)
        changed = await narrative.load(passage("另一段"))
        await narrative.withdraw("visit_log.pdf")
        revived = await narrative.load(*rows)

    def counts(loaded: object) -> tuple[int, ...]:
        return tuple(getattr(loaded, name) for name in ("inserted", "updated", "unchanged", "revived", "closed"))

    assert counts(first) == (2, 0, 0, 0, 1)
    assert counts(again) == (0, 0, 2, 0, 1)
    assert counts(changed) == (0, 1, 0, 0, 0)
    assert counts(revived) == (0, 0, 0, 2, 1)


async def test_what_one_replica_accepts_every_replica_finds_and_both_answer_the_same(database: str) -> None:
    async with narrative_on(database) as one, narrative_on(database) as two:
        for number in range(20):
            await one.load(passage(f"香港门店客流回落的说明之{number}", locator=f"p{number}", period="2024Q3"))
            replies = [await replica.search(QUESTION, top_k=50) for replica in (two, one)]

            assert replies[0] == replies[1]
            assert len(replies[0].passages) == number + 1
        await two.withdraw("visit_log.pdf")

        assert (await one.search(QUESTION)).nothing_found is NothingFound.NO_MATERIAL


async def test_loads_that_run_together_are_all_found(database: str) -> None:
    async def load_some(narrative: Narrative, document: str) -> None:
        for number in range(5):
            await narrative.load(*(passage(doc=document, locator=f"{number}.{row}") for row in range(10)))
            await narrative.search(QUESTION)

    async with narrative_on(database) as one, narrative_on(database) as two, narrative_on(database) as fresh:
        await asyncio.gather(*(load_some(worker, f"{i}.md") for i, worker in enumerate((one, two) * 3)))

        for narrative in (one, two, fresh):
            await narrative.search(QUESTION)
            assert narrative.index.size == 300


async def test_a_change_by_hand_is_followed_as_well(database: str) -> None:
    async with narrative_on(database) as narrative:
        await narrative.load(passage(), passage(locator="p4"), passage(locator="p5"))
        assert len(await narrative.found(QUESTION)) == 3

        await _sql(database, "UPDATE narrative.passage SET sensitivity = 'board' WHERE locator = 'p3'")
        await _sql(database, "DELETE FROM narrative.passage WHERE locator = 'p4'")

        assert await narrative.found(QUESTION) == ["p5"]
        assert narrative.index.size == 1


async def test_a_restored_older_database_is_indexed_anew(database: str) -> None:
    async with narrative_on(database) as narrative:
        await narrative.load(passage())
        await narrative.load(passage(locator="p4"))
        assert len(await narrative.found(QUESTION)) == 2

        await _sql(database, "ALTER TABLE narrative.passage DISABLE TRIGGER USER")
        await _sql(database, "DELETE FROM narrative.passage WHERE locator = 'p4'")
        await _sql(database, "UPDATE narrative.revision SET value = 1")

        assert await narrative.found(QUESTION) == ["p3"]


async def test_the_database_and_the_worker_open_the_same_labels(database: str) -> None:
    async with narrative_on(database) as narrative:
        labels = (*OPEN, "restricted", "", "confidential", "open")
        await narrative.load(*(passage(locator=label or "none", sensitivity=label) for label in labels))

    rows = await _sql(database, "SELECT DISTINCT sensitivity FROM narrative.open_passage")
    gone = await _sql(database, "SELECT count(*) FROM narrative.gone_passage")
    assert {row["sensitivity"] for row in rows} == OPEN
    assert gone[0][0] == 3


@pytest.mark.parametrize("column", ["doc_id", "locator", "body", "sensitivity", "content_hash"])
async def test_lineage_and_label_cannot_be_missing(database: str, column: str) -> None:
    values = {"doc_id": "'a.pdf'", "locator": "'p1'", "body": "'x'", "sensitivity": "'public'"}
    values |= {"content_hash": "sha256('x')", column: "NULL"}
    statement = f"INSERT INTO narrative.passage ({', '.join(values)}) VALUES ({', '.join(values.values())})"

    with pytest.raises(asyncpg.NotNullViolationError):
        await _sql(database, statement)


async def test_who_searches_cannot_read_a_closed_text(database: str) -> None:
    async with narrative_on(database) as narrative:
        await narrative.load(passage(sensitivity="RESTRICTED"))

    connection = await asyncpg.connect(database)
    try:
        await connection.execute("SET ROLE ragspine_narrative_read")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch("SELECT body FROM narrative.passage")
        assert await connection.fetch("SELECT body FROM narrative.open_passage") == []
    finally:
        await connection.close()


async def test_changes_are_paged_without_a_gap(database: str) -> None:
    async with narrative_on(database) as narrative:
        await narrative.load(*(passage(locator=f"{i}", sensitivity="public" if i % 3 else "x") for i in range(30)))
        await narrative.load(passage("geändert", locator="4"))
        reader = narrative.service.searching.reader
        assert isinstance(reader, PassageReader)
        place, seen = (0, 0), list[int]()
        while changes := await reader.changes(place, 7):
            seen += [change.id for change in changes]
            place = (changes[-1].revision, changes[-1].id)

    assert sorted(seen) == sorted(set(seen))
    assert len(seen) == 30
