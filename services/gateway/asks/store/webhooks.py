"""`WebhookLedger` in the same table: of every finished ask that wants to be told of, when it is due."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from runtime.postgres import Pool
from services.gateway.asks.store.rows import COLUMNS, ask_of
from services.gateway.asks.webhooks.ports import Due

_CLAIM: Final = f"""
UPDATE asks.ask SET webhook_attempts = webhook_attempts + 1, webhook_next_at = now() + $2 * interval '1 second'
WHERE place IN (
    SELECT place FROM asks.ask WHERE webhook_next_at <= now() AND final IS NOT NULL AND app <> ALL ($3)
    ORDER BY webhook_next_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
RETURNING {COLUMNS}, webhook_url, webhook_attempts
"""  # noqa: S608 - constants only
# A webhook that was given to somebody else meanwhile, or whose ask is tried again, is theirs.
_DELIVERED: Final = """
UPDATE asks.ask SET webhook_next_at = NULL, webhook_code = NULL, webhook_told_at = now()
WHERE app = $1 AND ask_id = $2 AND webhook_attempts = $3
"""
_POSTPONE: Final = """
UPDATE asks.ask SET webhook_next_at = now() + $5 * interval '1 second', webhook_code = $4
WHERE app = $1 AND ask_id = $2 AND webhook_attempts = $3
"""
_GIVE_UP: Final = """
UPDATE asks.ask SET webhook_next_at = NULL, webhook_code = $4
WHERE app = $1 AND ask_id = $2 AND webhook_attempts = $3
"""


@dataclass(frozen=True)
class WebhookRows:
    """Every method raises `UnavailableError`."""

    pool: Pool

    async def claim(self, limit: int, *, lease_seconds: float, without: Sequence[str]) -> Sequence[Due]:
        """At most `limit` webhooks of other apps than `without`, the longest due first."""
        async with self.pool.connection() as connection:
            rows = await connection.fetch(_CLAIM, limit, lease_seconds, list(without))
        asks = [(ask_of(row), row) for row in rows]
        return [
            Due(
                app=ask.name.app,
                ask_id=ask.name.ask_id,
                url=row["webhook_url"],
                attempt=row["webhook_attempts"],
                body=ask.status().model_dump_json().encode(),
            )
            for ask, row in asks
        ]

    async def delivered(self, due: Due) -> None:
        """The receiver has taken it."""
        await self._execute(_DELIVERED, due)

    async def postpone(self, due: Due, seconds: float, code: str) -> None:
        """It failed with a code; again after that time."""
        await self._execute(_POSTPONE, due, code, seconds)

    async def give_up(self, due: Due, code: str) -> None:
        """It failed with a code, for good."""
        await self._execute(_GIVE_UP, due, code)

    async def _execute(self, statement: str, due: Due, *values: object) -> None:
        async with self.pool.connection() as connection:
            await connection.execute(statement, due.app, due.ask_id, due.attempt, *values)
