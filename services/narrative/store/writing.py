"""What changes passages: loading and withdrawing, each in one transaction."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from contracts.v1.narrative import PassagesLoaded
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from services.narrative import staging
from services.narrative.rows import Row

_WITHDRAW: Final = """
WITH hidden AS (
    UPDATE narrative.passage SET withdrawn_at = now() WHERE doc_id = $1 AND withdrawn_at IS NULL RETURNING 1
)
SELECT count(*) FROM hidden
"""

_COLLISIONS: Final = (asyncpg.DeadlockDetectedError, asyncpg.LockNotAvailableError, asyncpg.SerializationError)


class PassageWriter:
    """Changes passages under the loader's role."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, rows: Sequence[Row]) -> PassagesLoaded:
        """Load rows with different keys, all or nothing."""
        async with self._pool.connection() as connection, _collisions(), connection.transaction():
            await staging.stage(connection, rows)
            return await staging.merge(connection)

    async def withdraw(self, doc_id: str) -> int:
        """Hide the passages of a document; returns how many there were."""
        async with self._pool.connection() as connection, _collisions(), connection.transaction():
            return int(await connection.fetchval(_WITHDRAW, doc_id))


@asynccontextmanager
async def _collisions() -> AsyncGenerator[None]:
    try:
        yield
    except _COLLISIONS as error:
        raise UnavailableError("Another load of passages was under way; nothing was changed.") from error
