"""What is read from Postgres: the revision, changes, passages by id. Of closed passages only the numbers."""

from collections.abc import Sequence
from typing import Final

from contracts.codes import PeriodType
from contracts.v1.periods import PERIOD_PATTERNS
from runtime.postgres import Pool, Record
from services.narrative.ports import Change, Stored

_REVISION: Final = "SELECT value FROM narrative.revision"

_CHANGES: Final = """
(SELECT id, revision, doc_id, locator, title, body, entity, period, sensitivity
    FROM narrative.open_passage WHERE (revision, id) > ($1, $2) ORDER BY revision, id LIMIT $3)
UNION ALL
(SELECT id, revision, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM narrative.gone_passage WHERE (revision, id) > ($1, $2) ORDER BY revision, id LIMIT $3)
ORDER BY revision, id
LIMIT $3
"""

_PASSAGES: Final = """
SELECT id, doc_id, locator, title, body, entity, period, sensitivity
FROM narrative.open_passage WHERE id = ANY ($1)
"""

# Every value of one kind has the same width, so that the greatest text is the newest period.
_NEWEST: Final = """
SELECT CASE WHEN $1::text[] = '{}' THEN NULL ELSE entity END AS entity, max(period) AS period
FROM narrative.open_passage
WHERE ($1::text[] = '{}' OR entity IS NULL OR entity = ANY ($1)) AND period ~ $2
GROUP BY 1
"""


class PassageReader:
    """Reads passages under a role that cannot write."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def check(self) -> None:
        """Do nothing, successfully, if passages can be read."""
        await self._pool.fetch("SELECT FROM narrative.open_passage LIMIT 1")

    async def revision(self) -> int:
        """The revision of the newest committed change."""
        (row,) = await self._pool.fetch(_REVISION)
        return int(row["value"])

    async def changes(self, after: tuple[int, int], limit: int) -> list[Change]:
        """The next changes behind `(revision, id)`, in that order; fewer than `limit` at the end."""
        return [_change(row) for row in await self._pool.fetch(_CHANGES, *after, limit)]

    async def passages(self, ids: Sequence[int]) -> dict[int, Stored]:
        """The open ones among these passages, by id."""
        return {row["id"]: _stored(row) for row in await self._pool.fetch(_PASSAGES, ids)}

    async def newest_periods(self, entities: Sequence[str], kind: PeriodType) -> dict[str | None, str]:
        """The newest period of a kind for each of these entities, and for passages of no entity under None."""
        rows = await self._pool.fetch(_NEWEST, entities, f"^{PERIOD_PATTERNS[kind].pattern}$")
        return {row["entity"]: row["period"] for row in rows}


def _change(row: Record) -> Change:
    return Change(row["id"], row["revision"], None if row["body"] is None else _stored(row))


def _stored(row: Record) -> Stored:
    return Stored(
        id=row["id"],
        doc_id=row["doc_id"],
        locator=row["locator"],
        title=row["title"],
        body=row["body"],
        entity=row["entity"],
        period=row["period"],
        sensitivity=row["sensitivity"],
    )
