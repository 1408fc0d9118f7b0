"""The outbox: events that were committed with a change and wait for being stored in the stream."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from asyncpg import Record

from contracts.v1.facts import FactsChanged
from runtime.postgres import Connection, Pool
from services.facts.ports import Claim, OutboxEvent

KEPT_DAYS: Final = 7
"""As long as the stream keeps its events."""
COUNTED: Final = 10_000

_CLAIM: Final = """
SELECT event_id, payload::text AS payload, created_at FROM facts.outbox
WHERE published_at IS NULL ORDER BY event_id LIMIT $1 FOR UPDATE SKIP LOCKED
"""
_WAITING: Final = "SELECT count(*) FROM (SELECT FROM facts.outbox WHERE published_at IS NULL LIMIT $1) AS some"
_PUBLISHED: Final = "UPDATE facts.outbox SET published_at = now() WHERE event_id = ANY ($1)"
_PRUNE: Final = "DELETE FROM facts.outbox WHERE published_at < now() - make_interval(days => $1)"


class Outbox:
    """Events of committed changes, under the loader's role."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @asynccontextmanager
    async def claim(self, limit: int) -> AsyncGenerator[Claim]:
        """Take up to `limit` waiting events; other processes skip them for as long as the block lasts."""
        async with self._pool.connection() as connection, connection.transaction():
            rows = await connection.fetch(_CLAIM, limit)
            yield _Claimed(connection, [_event(row) for row in rows])

    async def waiting(self) -> int:
        """How many events wait; a long queue is not counted to its end."""
        (row,) = await self._pool.fetch(_WAITING, COUNTED)
        return int(row[0])

    async def prune(self) -> None:
        """Forget events that were published more than `KEPT_DAYS` ago."""
        async with self._pool.connection() as connection:
            await connection.execute(_PRUNE, KEPT_DAYS)


@dataclass(frozen=True, slots=True)
class _Claimed:
    connection: Connection
    events: Sequence[OutboxEvent]

    async def published(self, event_ids: Sequence[int]) -> None:
        await self.connection.execute(_PUBLISHED, event_ids)


def _event(row: Record) -> OutboxEvent:
    event = FactsChanged.model_validate_json(f'{{"event_id": {row["event_id"]}, ' + row["payload"][1:])
    # The time is part of the id: a database made anew counts its events from 1 again.
    instant = f"{row['created_at'].timestamp():.6f}"  # allow-fact-number: an instant
    return OutboxEvent(event, f"facts_changed.{row['event_id']}.{instant}")
