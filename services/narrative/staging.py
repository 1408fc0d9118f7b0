"""How passages enter their table, for files and messages alike: COPY into a staging table, then one merge statement.

Everything happens in the caller's transaction: all passages come together or not at all. What is stored already, word
for word and under the same label, is not written again, so loading a file twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from contracts.v1.narrative import PassagesLoaded
from domain.sensitivity import OPEN
from services.narrative.rows import Row

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

    Session = asyncpg.Connection | PoolConnectionProxy

_STAGE: Final = """
CREATE TEMPORARY TABLE IF NOT EXISTS staged_passage (
    doc_id          text COLLATE "C" NOT NULL,
    locator         text COLLATE "C" NOT NULL,
    title           text,
    body            text NOT NULL,
    entity          text COLLATE "C",
    period          text COLLATE "C",
    sensitivity     text COLLATE "C" NOT NULL,
    content_hash    bytea NOT NULL
) ON COMMIT DELETE ROWS
"""

_WITHDRAW_MISSING: Final = """
WITH hidden AS (
    UPDATE narrative.passage AS kept SET withdrawn_at = now()
    WHERE doc_id = ANY ($1) AND withdrawn_at IS NULL AND NOT EXISTS (
        SELECT FROM staged_passage AS staged WHERE (staged.doc_id, staged.locator) = (kept.doc_id, kept.locator)
    )
    RETURNING 1
)
SELECT count(*) FROM hidden
"""

_MERGE: Final = """
WITH written AS (
    INSERT INTO narrative.passage AS kept
        (doc_id, locator, title, body, entity, period, sensitivity, content_hash)
    SELECT doc_id, locator, title, body, entity, period, sensitivity, content_hash
    FROM staged_passage ORDER BY doc_id, locator
    ON CONFLICT (doc_id, locator) DO UPDATE SET
        title = excluded.title,
        body = excluded.body,
        entity = excluded.entity,
        period = excluded.period,
        sensitivity = excluded.sensitivity,
        content_hash = excluded.content_hash,
        withdrawn_at = NULL,
        ingested_at = now()
    WHERE kept.withdrawn_at IS NOT NULL OR kept.content_hash <> excluded.content_hash
    RETURNING old.id IS NULL AS is_new, old.withdrawn_at IS NOT NULL AS was_withdrawn
)
SELECT
    (SELECT count(*) FROM staged_passage) AS received,
    (SELECT count(*) FROM staged_passage WHERE sensitivity <> ALL ($1)) AS closed,
    count(*) FILTER (WHERE is_new) AS inserted,
    count(*) FILTER (WHERE NOT is_new AND NOT was_withdrawn) AS updated,
    count(*) FILTER (WHERE was_withdrawn) AS revived
FROM written
"""


async def stage(connection: Session, rows: Sequence[Row]) -> None:
    """Add rows to the staging table of this connection; it is empty again after the transaction."""
    await connection.execute(_STAGE)
    await connection.copy_records_to_table("staged_passage", records=rows, columns=Row._fields)


async def merge(connection: Session) -> PassagesLoaded:
    """Write what was staged; says what changed."""
    row = await connection.fetchrow(_MERGE, sorted(OPEN))
    if row is None:
        raise RuntimeError("an aggregate query returned no row")
    received, inserted, updated, revived = row["received"], row["inserted"], row["updated"], row["revived"]
    return PassagesLoaded(
        received=received,
        inserted=inserted,
        updated=updated,
        unchanged=received - inserted - updated - revived,
        revived=revived,
        closed=row["closed"],
    )


async def withdraw_missing(connection: Session, documents: Sequence[str]) -> int:
    """Hide what these documents no longer hold; returns how many passages that are."""
    return int(await connection.fetchval(_WITHDRAW_MISSING, documents)) if documents else 0
