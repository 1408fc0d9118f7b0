"""What keeps ledger, queue and letter box in step, and what has been kept for long enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from runtime.postgres import Pool
from services.gateway.asks.records import Name
from services.gateway.asks.store.rows import name_of

# Each gateway takes others than the rest, and the same again only after a while.
_LOST: Final = """
UPDATE asks.ask AS a SET checked_at = now()
FROM (
    SELECT app, ask_id FROM asks.ask
    WHERE final IS NULL AND (
        sending_until <= now() OR (sending_until IS NULL AND checked_at < now() - $1 * interval '1 second')
    )
    ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED
) AS quiet
WHERE a.app = quiet.app AND a.ask_id = quiet.ask_id
RETURNING a.app, a.ask_id, a.body
"""
_UNPUBLISHED: Final = """
UPDATE asks.ask AS a SET checked_at = now()
FROM (
    SELECT app, ask_id FROM asks.ask
    WHERE final IS NOT NULL AND NOT is_published AND checked_at < now() - $1 * interval '1 second'
    ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED
) AS quiet
WHERE a.app = quiet.app AND a.ask_id = quiet.ask_id
RETURNING a.app, a.ask_id, a.final
"""
_REMOVE: Final = """
DELETE FROM asks.ask WHERE place IN (
    SELECT place FROM asks.ask
    WHERE finished_at < now() - $1 * interval '1 second' ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
"""
_STANDING: Final = """
SELECT count(*) AS open, count(*) FILTER (WHERE waits > 0 AND state = 'queued') AS waiting,
    extract(epoch FROM now() - min(queued_at))::float AS oldest
FROM asks.ask WHERE final IS NULL
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """How many asks have no final word."""

    open: int
    waiting: int
    """Of these, those that wait for a part that is away."""
    oldest_seconds: float


@dataclass(frozen=True)
class UpkeepLedger:
    """Every method raises `UnavailableError`."""

    pool: Pool

    async def lost(self, quiet_seconds: float, limit: int) -> Sequence[tuple[Name, bytes]]:
        """Open asks whose message may be missing from the queue, with their bodies."""
        async with self.pool.connection() as connection:
            return [(name_of(row), row["body"]) for row in await connection.fetch(_LOST, quiet_seconds, limit)]

    async def unpublished(self, quiet_seconds: float, limit: int) -> Sequence[tuple[Name, str]]:
        """Final words that may be missing from their stream."""
        async with self.pool.connection() as connection:
            return [(name_of(row), row["final"]) for row in await connection.fetch(_UNPUBLISHED, quiet_seconds, limit)]

    async def remove(self, kept_seconds: float, limit: int) -> int:
        """Remove finished asks that were kept for long enough; returns how many."""
        async with self.pool.connection() as connection:
            done: str = await connection.execute(_REMOVE, kept_seconds, limit)
        return int(done.rpartition(" ")[2])

    async def standing(self) -> Standing:
        """How much is open."""
        (row,) = await self.pool.fetch(_STANDING)
        return Standing(open=row["open"], waiting=row["waiting"], oldest_seconds=row["oldest"] or 0.0)
