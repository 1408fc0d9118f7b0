"""What the desk writes into the ledger, and what it reads of it. An app sees its own asks only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from contracts.codes import AskState
from contracts.v1.asks import ListAsks
from runtime.postgres import Connection, Pool
from services.gateway.asks.records import Ask, Name, sha256
from services.gateway.asks.store.rows import COLUMNS, ask_of

SENDING_SECONDS: Final = 10.0
"""Whoever puts an ask into the queue has so long; then somebody else does it."""

# Whether an app may have one more open ask; at most so many rows are read, however many there are.
_ROOM: Final = """(
    SELECT count(*) < {asks} AND coalesce(sum(bytes), 0) < {bytes}
    FROM (SELECT octet_length(body) AS bytes FROM asks.ask WHERE app = $1 AND final IS NULL LIMIT {asks}) AS open
)"""
_ACCEPT: Final = f"""
INSERT INTO asks.ask (
    app, ask_id, body, body_sha256, idempotency_key, request_sha256, trace, webhook_url, accepted_at, queued_at,
    sending_until
)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, now(), now(), now() + $9 * interval '1 second'
WHERE {_ROOM.format(asks="$10::bigint", bytes="$11::bigint")}
ON CONFLICT DO NOTHING
RETURNING {COLUMNS}
"""
_KEYED: Final = f"""
SELECT {COLUMNS}, request_sha256 = $3 AS is_same, sending_until IS NOT NULL AS is_unsent FROM asks.ask
WHERE app = $1 AND idempotency_key = $2
"""  # noqa: S608 - constants only
_SEND_AGAIN: Final = """
UPDATE asks.ask SET sending_until = now() + $3 * interval '1 second'
WHERE app = $1 AND ask_id = $2 AND sending_until <= now()
RETURNING true
"""
_SENT: Final = "UPDATE asks.ask SET sending_until = NULL, checked_at = now() WHERE app = $1 AND ask_id = $2"
_NOT_SENT: Final = """
UPDATE asks.ask SET sending_until = now() WHERE app = $1 AND ask_id = $2 AND sending_until IS NOT NULL
"""
_FIND: Final = f"SELECT {COLUMNS} FROM asks.ask WHERE app = $1 AND ask_id = $2"  # noqa: S608 - constants only
_LIST: Final = f"""
SELECT {COLUMNS.replace(" body,", " ''::bytea AS body,").replace(" final", " NULL AS final")} FROM asks.ask
WHERE app = $1 AND place < $2 AND {{which}} ORDER BY place DESC LIMIT $3
"""  # noqa: S608 - constants only
# Spelled out, so that the few open or failed ones are found by their own index.
_WHICH: Final[dict[AskState | None, str]] = {
    None: "true",
    AskState.QUEUED: "final IS NULL AND state = 'queued'",
    AskState.WORKING: "final IS NULL AND state = 'working'",
    AskState.ANSWERED: "state = 'answered'",
    AskState.FAILED: "state = 'failed'",
}
_REQUEUE: Final = f"""
UPDATE asks.ask SET
    state = 'queued', code = NULL, waits = 0, faults = 0, unreported = '{{}}', queued_at = now(), finished_at = NULL,
    final = NULL, is_published = false,
    webhook_attempts = 0, webhook_next_at = NULL, webhook_code = NULL, webhook_told_at = NULL,
    sending_until = now() + $3 * interval '1 second'
WHERE app = $1 AND ask_id = $2 AND state = 'failed' AND {_ROOM.format(asks="$4::bigint", bytes="$5::bigint")}
RETURNING {COLUMNS}
"""  # noqa: S608 - constants only
_LAST_PLACE: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class New:
    """The ask was written, and we have to send it."""

    ask: Ask


@dataclass(frozen=True, slots=True)
class Unsent:
    """It was written before, never reached the queue, and now we have to send it."""

    ask: Ask


@dataclass(frozen=True, slots=True)
class Known:
    """It was written and sent before."""

    ask: Ask


@dataclass(frozen=True, slots=True)
class Other:
    """Its key stands for another request."""


@dataclass(frozen=True, slots=True)
class BeingSent:
    """Somebody is putting it into the queue at this moment."""


@dataclass(frozen=True, slots=True)
class NoRoom:
    """Its app has as many open asks as one app may have; nothing was written."""


Written = New | Unsent | Known | Other | BeingSent | NoRoom


@dataclass(frozen=True, slots=True)
class Share:
    """What one app may have open. Calls at the same moment may go beyond it by as many as there are."""

    asks: int
    bytes: int
    """Of all their bodies."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An ask that is to be accepted."""

    name: Name
    body: bytes
    key: str | None
    request_sha256: bytes
    trace: str | None
    webhook_url: str | None


@dataclass(frozen=True)
class DeskLedger:
    """Every method raises `UnavailableError`."""

    pool: Pool
    share: Share

    async def accept(self, wanted: Wanted) -> Written:
        """Write an ask, or find what its key stands for: that is never refused for want of room."""
        values = (wanted.body, sha256(wanted.body), wanted.key, wanted.request_sha256, wanted.trace, wanted.webhook_url)
        async with self.pool.connection() as connection:
            row = await connection.fetchrow(_ACCEPT, *_pair(wanted.name), *values, SENDING_SECONDS, *self._share)
            return New(ask_of(row)) if row is not None else await self._known(connection, wanted)

    async def _known(self, connection: Connection, wanted: Wanted) -> Written:
        row = await connection.fetchrow(_KEYED, wanted.name.app, wanted.key, wanted.request_sha256)
        if row is None:
            return NoRoom()
        if not row["is_same"]:
            return Other()
        ask = ask_of(row)
        if not row["is_unsent"]:
            return Known(ask)
        is_ours = await connection.fetchval(_SEND_AGAIN, *_pair(ask.name), SENDING_SECONDS)
        return Unsent(ask) if is_ours else BeingSent()

    async def sent(self, name: Name) -> None:
        """It is in the queue."""
        await self._execute(_SENT, name)

    async def not_sent(self, name: Name) -> None:
        """It may not be in the queue: whoever asks again, or the upkeep, sends it."""
        await self._execute(_NOT_SENT, name)

    async def find(self, name: Name) -> Ask | None:
        """An ask."""
        rows = await self.pool.fetch(_FIND, *_pair(name))
        return ask_of(rows[0]) if rows else None

    async def list(self, app: str, wanted: ListAsks) -> Sequence[Ask]:
        """A page and one more, newest first, without bodies and final words."""
        statement = _LIST.format(which=_WHICH[wanted.state])
        rows = await self.pool.fetch(statement, app, wanted.before or _LAST_PLACE, wanted.limit + 1)
        return [ask_of(row) for row in rows]

    async def requeue(self, name: Name) -> Ask | None:
        """Make a failed ask an open one, which we have to send; None when it has not failed, or there is no room."""
        async with self.pool.connection() as connection:
            row = await connection.fetchrow(_REQUEUE, *_pair(name), SENDING_SECONDS, *self._share)
        return None if row is None else ask_of(row)

    @property
    def _share(self) -> tuple[int, int]:
        return self.share.asks, self.share.bytes

    async def _execute(self, statement: str, name: Name) -> None:
        async with self.pool.connection() as connection:
            await connection.execute(statement, *_pair(name))


def _pair(name: Name) -> tuple[str, str]:
    return name.app, name.ask_id
