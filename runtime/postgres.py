"""A connection pool whose every use ends within its time, and that heals by itself once Postgres is back.

A frozen server enforces no limit of its own, so every use is bounded on this side of the wire as well. Whatever keeps
the data from being read becomes the one error that the pool was opened with: absence is only ever stated by Postgres.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

import asyncpg
from pydantic import AfterValidator

from runtime.deadline import current_deadline
from runtime.errors import AskError, DeadlineExceededError
from runtime.logging import describe, get_log
from runtime.settings import without_weak_password

CONNECT_SECONDS: Final = 2.0
IDLE_SECONDS: Final = 60.0
"""A connection that nobody used for so long is closed: a firewall in between may have forgotten it."""
SERVER_SPARE_SECONDS: Final = 1.0
"""How much later the server ends a transaction that our side has forgotten: ending it costs the connection."""
REPLY_SECONDS: Final = 0.05
"""Kept back from the caller's deadline, so that the reason still arrives in time."""

_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(:[0-9]{1,5})?")
# A running clock of the transaction can be stopped, but not be given more time.
_SLOWLY: Final = "SELECT set_config('statement_timeout', $1, true), set_config('transaction_timeout', '0', true)"
_SCHEMA_MISSING: Final = (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError, asyncpg.UndefinedColumnError)

_BROKEN: Final = (
    ConnectionError,
    asyncpg.ConnectionDoesNotExistError,
    asyncpg.InterfaceError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)

_log = get_log(__name__)

Connection = asyncpg.pool.PoolConnectionProxy
Record = asyncpg.Record


def _is_postgres_url(value: str) -> str:
    address = urlsplit(value)
    if address.scheme not in ("postgresql", "postgres"):
        raise ValueError("must be postgresql://user@host/database, or ...?host=/socket/directory")
    if not all(_HOST.fullmatch(host) for host in address.netloc.rpartition("@")[2].split(",")):
        raise ValueError("has a host or port that cannot be read")
    return without_weak_password(value)


PostgresUrl = Annotated[str, AfterValidator(_is_postgres_url)]
"""Where a database is, and under which role. It may hold a password, so it is never shown."""


class Pool:
    """Connections to one database under one role."""

    def __init__(self, pool: asyncpg.Pool, limit_seconds: float, unavailable: type[AskError]) -> None:
        self._pool = pool
        self._limit_seconds = limit_seconds
        self._unavailable = unavailable
        self._waiting = 0

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        dsn: str,
        service: str,
        unavailable: type[AskError],
        *,
        size: int,
        limit_seconds: float,
        read_only: bool,
        search_path: str = "public",
    ) -> AsyncGenerator[Self]:
        """A pool that connects when it is used, so that a worker starts without Postgres and waits for it.

        `unavailable` is raised, without a text of the driver, whenever Postgres cannot do its part.
        """
        pool = asyncpg.create_pool(
            dsn,
            min_size=0,
            max_size=size,
            timeout=CONNECT_SECONDS,
            max_inactive_connection_lifetime=IDLE_SECONDS,
            reset=_leave_as_it_is if read_only else None,
            server_settings={
                "application_name": f"ragspine-{service}",
                "search_path": search_path,
                "default_transaction_read_only": "on" if read_only else "off",
                "statement_timeout": _milliseconds(limit_seconds),
                "transaction_timeout": _milliseconds(limit_seconds + SERVER_SPARE_SECONDS),
                "idle_in_transaction_session_timeout": _milliseconds(limit_seconds),
                "jit": "off",  # compiling costs more than these statements take
            },
        )
        await pool
        try:
            yield cls(pool, limit_seconds, unavailable)
        finally:
            pool.terminate()  # nothing is running any more; a frozen server would not let a polite close end

    @property
    def size(self) -> int:
        """Open connections."""
        return self._pool.get_size()

    @property
    def idle(self) -> int:
        """Open connections that nobody uses."""
        return self._pool.get_idle_size()

    @property
    def limit(self) -> int:
        """Most connections that may be open."""
        return self._pool.get_max_size()

    @property
    def waiting(self) -> int:
        """Requests that wait for a connection."""
        return self._waiting

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        """A connection for work that ends in time; raises `unavailable` or `DeadlineExceededError`."""
        with _raising(self._unavailable):
            async with asyncio.timeout(self._seconds()), self._acquired() as connection:
                yield connection

    async def fetch(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        """The rows of a statement that only reads; raises as `connection` does.

        A connection that turns out to be dead, after a restart of Postgres for example, is replaced once.
        """
        with _raising(self._unavailable):
            async with asyncio.timeout(self._seconds()):
                try:
                    return await self._fetch_once(statement, arguments)
                except _BROKEN:
                    return await self._fetch_once(statement, arguments)

    async def fetch_slowly(self, seconds: float, statement: str, *arguments: object) -> list[asyncpg.Record]:
        """The same for a statement that may take `seconds`, because it goes through everything."""
        with _raising(self._unavailable):
            async with (
                asyncio.timeout(self._seconds(seconds)),
                self._acquired() as connection,
                connection.transaction(readonly=True),
            ):
                await connection.execute(_SLOWLY, _milliseconds(seconds))
                return await connection.fetch(statement, *arguments)

    async def _fetch_once(self, statement: str, arguments: tuple[object, ...]) -> list[asyncpg.Record]:
        async with self._acquired() as connection:
            return await connection.fetch(statement, *arguments)

    @asynccontextmanager
    async def _acquired(self) -> AsyncGenerator[Connection]:
        self._waiting += 1
        try:
            connection = await self._pool.acquire()
        finally:
            self._waiting -= 1
        try:
            yield connection
        except (TimeoutError, asyncio.CancelledError):
            connection.terminate()  # it may be in the middle of an answer that never comes
            raise
        finally:
            await self._pool.release(connection)

    def _seconds(self, limit_seconds: float | None = None) -> float:
        allowed = self._limit_seconds if limit_seconds is None else limit_seconds
        deadline = current_deadline()
        left = allowed if deadline is None else min(allowed, deadline.left() - REPLY_SECONDS)
        if left <= 0:
            raise DeadlineExceededError
        return left


async def _leave_as_it_is(_: object) -> None:
    """What to do with a session that only reads, before its next use: it has no locks, cursors or settings of its own.

    asyncpg would reset it by a statement, which costs as much as the look-up itself; an open transaction it still ends.
    """


def _milliseconds(seconds: float) -> str:
    return str(int(seconds * 1000))


@contextmanager
def _raising(unavailable: type[AskError]) -> Generator[None]:
    try:
        yield
    except _SCHEMA_MISSING as error:
        _log.error("not_migrated", code=error.sqlstate)
        raise unavailable from error
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        _log.warning("postgres_unavailable", code=getattr(error, "sqlstate", None), **describe(error))
        raise unavailable from error
