"""What the one who answers writes into the ledger. A final word is written once and never changed by any of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import DurableAnswer
from runtime.postgres import Pool
from services.gateway.asks.records import Ask, Name, sha256
from services.gateway.asks.store.rows import COLUMNS, ask_of

# The body that came first counts: one that comes later under the same name changes nothing.
_TAKE: Final = f"""
INSERT INTO asks.ask AS a (app, ask_id, body, body_sha256, trace, accepted_at, queued_at, state, attempts, unreported)
VALUES ($1, $2, $3, $4, $5, $6, $6, 'working', 1, ARRAY[$7])
ON CONFLICT (app, ask_id) DO UPDATE
SET state = 'working', attempts = a.attempts + 1, sending_until = NULL, checked_at = now(),
    unreported = array_append(array_remove(a.unreported, $7), $7)
WHERE a.final IS NULL
RETURNING {COLUMNS}, xmax = 0 AS is_new, body_sha256 = $4 AS is_same
"""  # noqa: S608 - constants only
_FINISHED: Final = f"""
SELECT {COLUMNS}, false AS is_new, body_sha256 = $3 AS is_same FROM asks.ask
WHERE app = $1 AND ask_id = $2 AND final IS NOT NULL
"""  # noqa: S608 - constants only
_WAIT: Final = """
UPDATE asks.ask SET state = 'queued', code = $3, waits = waits + 1, unreported = '{}', checked_at = now()
WHERE app = $1 AND ask_id = $2 AND final IS NULL
"""
_FAULT: Final = """
UPDATE asks.ask SET
    state = 'queued', code = $3, faults = faults + 1, unreported = array_remove(unreported, $4), checked_at = now()
WHERE app = $1 AND ask_id = $2 AND final IS NULL
"""
_HAND_BACK: Final = """
UPDATE asks.ask SET
    state = 'queued', attempts = attempts - $4, unreported = array_remove(unreported, $3), checked_at = now()
WHERE app = $1 AND ask_id = $2 AND final IS NULL
"""
_FINISH: Final = """
UPDATE asks.ask SET
    state = $3, code = $4, final = $5, finished_at = $6, is_published = false, checked_at = now(),
    webhook_next_at = CASE WHEN webhook_url IS NOT NULL THEN now() END
WHERE app = $1 AND ask_id = $2 AND final IS NULL
RETURNING final
"""
_FINAL: Final = "SELECT final FROM asks.ask WHERE app = $1 AND ask_id = $2 AND final IS NOT NULL"
_DEAD: Final = "INSERT INTO asks.dead_letter (app, ask_id, code, attempts) VALUES ($1, $2, $3, $4)"
_PUBLISHED: Final = """
UPDATE asks.ask SET is_published = true, checked_at = now() WHERE app = $1 AND ask_id = $2 AND final = $3
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """An ask whose message was given to us."""

    ask: Ask
    is_new: bool
    """The ledger had not heard of it: an app published it itself."""
    is_same: bool
    """The message says what the ledger has."""


@dataclass(frozen=True)
class WorkingLedger:
    """Every method raises `UnavailableError`, and then nothing was changed."""

    pool: Pool
    run: str
    """This process, and no other one, also none before it."""

    async def take(self, name: Name, body: bytes, trace: str | None, stored_at: datetime) -> Taken | None:
        """Begin an attempt, or find that there is a final word already; None when the ask went in this very moment."""
        digest = sha256(body)
        async with self.pool.connection() as connection:
            row = await connection.fetchrow(_TAKE, name.app, name.ask_id, body, digest, trace, stored_at, self.run)
            if row is None:
                row = await connection.fetchrow(_FINISHED, name.app, name.ask_id, digest)
        return None if row is None else Taken(ask_of(row), row["is_new"], row["is_same"])

    async def wait(self, name: Name, code: ErrorCode) -> None:
        """A part was away."""
        await self._execute(_WAIT, name.app, name.ask_id, code.value)

    async def fault(self, name: Name) -> None:
        """Our own code failed."""
        await self._execute(_FAULT, name.app, name.ask_id, ErrorCode.INTERNAL.value, self.run)

    async def hand_back(self, name: Name, *, was_begun: bool) -> None:
        """We end, and the ask goes on elsewhere; or it is not its turn, and this was no attempt."""
        await self._execute(_HAND_BACK, name.app, name.ask_id, self.run, 0 if was_begun else 1)

    async def finish(self, name: Name, word: DurableAnswer, *, is_dead_letter: bool) -> str | None:
        """The final word: this one, or the one that somebody else was quicker with; None when the ask is gone."""
        code = word.error.code.value if word.error else None
        values = (word.state.value, code, word.model_dump_json(), word.finished_at)
        async with self.pool.connection() as connection, connection.transaction():
            final: str | None = await connection.fetchval(_FINISH, name.app, name.ask_id, *values)
            if final is None:
                found: str | None = await connection.fetchval(_FINAL, name.app, name.ask_id)
                return found
            if is_dead_letter and word.state is AskState.FAILED:
                await connection.execute(_DEAD, name.app, name.ask_id, code, word.attempts)
            return final

    async def published(self, name: Name, final: str) -> None:
        """That final word is in its stream."""
        await self._execute(_PUBLISHED, name.app, name.ask_id, final)

    async def _execute(self, statement: str, *values: object) -> None:
        async with self.pool.connection() as connection:
            await connection.execute(statement, *values)
