"""Hearing of changes as they are committed, by whichever gateway: Postgres itself tells them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from runtime.errors import UnavailableError
from runtime.postgres import CONNECT_SECONDS
from services.gateway.faq.store.writing import CHANNEL

ANSWER_SECONDS: Final = 2.0
"""A Postgres that does not answer for so long is taken for gone."""

_GONE: Final = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Watch:
    """A connection on which changes are heard."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    @property
    def is_open(self) -> bool:
        """Whether changes are still heard, as far as is known."""
        return not self._connection.is_closed()

    async def read(self) -> int:
        """The number of the last change, as Postgres has it; raises `UnavailableError`."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return int(await self._connection.fetchval("SELECT change FROM faq.clock"))
        except _GONE as error:
            raise UnavailableError from error


@asynccontextmanager
async def watching(dsn: str, on_change: Callable[[int], None], on_end: Callable[[], None]) -> AsyncGenerator[Watch]:
    """Listen: `on_change` is told the number of every change, `on_end` that nothing is heard any more.

    Raises `UnavailableError` when Postgres cannot be reached.
    """
    connection = await _connect(dsn)
    try:
        connection.add_termination_listener(lambda _: on_end())
        await _listen(connection, on_change)
        yield Watch(connection)
    finally:
        connection.terminate()


async def _connect(dsn: str) -> asyncpg.Connection:
    settings = {"application_name": "ragspine-gateway-watch"}
    try:
        return await asyncpg.connect(dsn, timeout=CONNECT_SECONDS, server_settings=settings)
    except _GONE as error:
        raise UnavailableError from error


async def _listen(connection: asyncpg.Connection, on_change: Callable[[int], None]) -> None:
    def hear(_connection: object, _pid: int, _channel: str, payload: object) -> None:
        on_change(int(str(payload)))

    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await connection.add_listener(CHANNEL, hear)
    except _GONE as error:
        raise UnavailableError from error
