"""What changes facts: loading and withdrawing, each in one transaction with its history and its events."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from contracts.v1.facts import FactsLoaded
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from services.facts import staging
from services.facts.ports import Contradictory
from services.facts.rows import Row

# Locked in the order of the keys, as a load does: the two never wait for each other in a circle.
_WITHDRAW: Final = """
WITH hidden AS (
    UPDATE facts.fact SET withdrawn_at = now()
    WHERE id IN (
        SELECT id FROM facts.fact WHERE source_doc_id = $1 AND withdrawn_at IS NULL
        ORDER BY metric_code, entity, period_type, period, channel FOR UPDATE
    )
    RETURNING review_status
)
SELECT count(*) FILTER (WHERE review_status = 'approved') FROM hidden
"""

_COLLISIONS: Final = (asyncpg.DeadlockDetectedError, asyncpg.LockNotAvailableError, asyncpg.SerializationError)


class FactWriter:
    """Changes facts under the loader's role."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, rows: Sequence[Row]) -> FactsLoaded | list[Contradictory]:
        """Load rows, or nothing when some contradict each other."""
        async with self._pool.connection() as connection, _collisions(), connection.transaction():
            await staging.stage(connection, _encoded(rows))
            found = await staging.contradictions(connection)
            if found:
                return [Contradictory(row=c.place[1], first=c.first[1]) for c in found]
            return await staging.merge(connection)

    async def withdraw(self, source_doc_id: str) -> int:
        """Hide the facts of a document; returns how many were visible."""
        async with self._pool.connection() as connection, _collisions(), connection.transaction():
            return int(await connection.fetchval(_WITHDRAW, source_doc_id))


@asynccontextmanager
async def _collisions() -> AsyncGenerator[None]:
    try:
        yield
    except _COLLISIONS as error:
        raise UnavailableError("Another load of the same facts was under way; nothing was changed.") from error


async def _encoded(rows: Sequence[Row]) -> AsyncIterator[bytes]:
    yield "".join(staging.copy_line(0, number, row) for number, row in enumerate(rows)).encode()
