"""How rows enter the fact table, for files and messages alike: COPY into a staging table, then one merge statement.

Everything happens in the caller's transaction: facts, and the history and events that the database itself writes, come
together or not at all. Rows are merged in the order of their keys, so two loads at a time wait for each other instead
of blocking each other for good.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from contracts.v1.facts import FactsLoaded
from services.facts.rows import Row

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

    Session = asyncpg.Connection | PoolConnectionProxy

_STAGE: Final = """
CREATE TEMPORARY TABLE IF NOT EXISTS staged (
    file            integer NOT NULL,
    line            bigint NOT NULL,
    metric_code     text COLLATE "C" NOT NULL,
    entity          text COLLATE "C" NOT NULL,
    period_type     text COLLATE "C" NOT NULL,
    period          text COLLATE "C" NOT NULL,
    channel         text COLLATE "C" NOT NULL,
    value           numeric NOT NULL,
    unit            text COLLATE "C" NOT NULL,
    source_doc_id   text COLLATE "C" NOT NULL,
    source_locator  text COLLATE "C" NOT NULL,
    valid_as_of     date,
    review_status   text COLLATE "C" NOT NULL
) ON COMMIT DELETE ROWS
"""

# In all of these the value is compared as text: 1.5 and 1.50 are one number but two statements of it.
_CONTRADICTIONS: Final = """
WITH repeated AS (
    SELECT metric_code, entity, period_type, period, channel, source_doc_id FROM staged
    GROUP BY metric_code, entity, period_type, period, channel, source_doc_id HAVING count(*) > 1
), first AS (
    SELECT DISTINCT ON (metric_code, entity, period_type, period, channel, source_doc_id) staged.*
    FROM staged JOIN repeated USING (metric_code, entity, period_type, period, channel, source_doc_id)
    ORDER BY metric_code, entity, period_type, period, channel, source_doc_id, file, line
)
SELECT later.file, later.line, first.file AS first_file, first.line AS first_line
FROM first JOIN staged AS later USING (metric_code, entity, period_type, period, channel, source_doc_id)
WHERE (later.value::text, later.unit, later.source_locator, later.valid_as_of, later.review_status)
    IS DISTINCT FROM (first.value::text, first.unit, first.source_locator, first.valid_as_of, first.review_status)
ORDER BY later.file, later.line
"""

_DROP_CONTRADICTIONS: Final = """
DELETE FROM staged WHERE (metric_code, entity, period_type, period, channel, source_doc_id) IN (
    SELECT metric_code, entity, period_type, period, channel, source_doc_id FROM staged
    GROUP BY metric_code, entity, period_type, period, channel, source_doc_id
    HAVING count(DISTINCT (value::text, unit, source_locator, valid_as_of, review_status)) > 1
)
"""

_MERGE: Final = """
WITH incoming AS (
    SELECT DISTINCT ON (metric_code, entity, period_type, period, channel, source_doc_id) * FROM staged
    ORDER BY metric_code, entity, period_type, period, channel, source_doc_id, file, line
), written AS (
    INSERT INTO facts.fact AS kept (metric_code, entity, period_type, period, channel, value, unit,
        source_doc_id, source_locator, valid_as_of, review_status)
    SELECT metric_code, entity, period_type, period, channel, value, unit,
        source_doc_id, source_locator, valid_as_of, review_status
    FROM incoming
    ON CONFLICT (metric_code, entity, period_type, period, channel, source_doc_id) DO UPDATE SET
        value = excluded.value,
        unit = excluded.unit,
        source_locator = excluded.source_locator,
        valid_as_of = excluded.valid_as_of,
        review_status = excluded.review_status,
        withdrawn_at = NULL,
        ingested_at = now()
    WHERE kept.withdrawn_at IS NOT NULL
        OR (kept.value::text, kept.unit, kept.source_locator, kept.valid_as_of, kept.review_status)
            IS DISTINCT FROM (excluded.value::text, excluded.unit, excluded.source_locator, excluded.valid_as_of,
                excluded.review_status)
    RETURNING old.id IS NULL AS is_new, old.withdrawn_at IS NOT NULL AS was_withdrawn
)
SELECT
    (SELECT count(*) FROM staged) AS received,
    count(*) FILTER (WHERE is_new) AS inserted,
    count(*) FILTER (WHERE NOT is_new AND NOT was_withdrawn) AS updated,
    count(*) FILTER (WHERE was_withdrawn) AS revived
FROM written
"""

_ESCAPES: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_TABS_PER_ROW: Final = len(Row._fields) - 1


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two rows with one key that state different things, as (file, line)."""

    place: tuple[int, int]
    first: tuple[int, int]


def copy_line(file: int, line: int, row: Row) -> str:
    """A row in the text format of COPY."""
    text = "\t".join(row)
    if "\\" in text or "\n" in text or "\r" in text or text.count("\t") != _TABS_PER_ROW:
        text = "\t".join(field.translate(_ESCAPES) for field in row)
    return f"{file}\t{line}\t{text}\n"


async def stage(connection: Session, chunks: AsyncIterator[bytes]) -> None:
    """Fill the staging table of this session from lines of `copy_line`; it is empty again after the transaction."""
    await connection.execute(_STAGE)
    # An empty cell is NULL: only the date may be empty, the other columns are NOT NULL.
    await connection.copy_to_table("staged", source=chunks, null="")


async def contradictions(connection: Session) -> list[Contradiction]:
    """The staged rows that repeat the key of an earlier one with another statement."""
    found = await connection.fetch(_CONTRADICTIONS)
    return [Contradiction((r["file"], r["line"]), (r["first_file"], r["first_line"])) for r in found]


async def drop_contradictions(connection: Session) -> None:
    """Forget every staged row whose key is stated in more than one way: none of them is picked."""
    await connection.execute(_DROP_CONTRADICTIONS)


async def merge(connection: Session) -> FactsLoaded:
    """Write what was staged, with history and events; says what changed."""
    row = await connection.fetchrow(_MERGE)
    if row is None:
        raise RuntimeError("an aggregate query returned no row")
    received, inserted, updated, revived = row["received"], row["inserted"], row["updated"], row["revived"]
    return FactsLoaded(
        received=received,
        inserted=inserted,
        updated=updated,
        unchanged=received - inserted - updated - revived,
        revived=revived,
    )
