"""A connection to Redis that asks once and waits no longer than it is told to."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, cast

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from runtime.errors import UnavailableError

WRITE_SECONDS: Final = 2.0
CONNECTIONS: Final = 1_024
"""Requests at the same time, more than asks are let in; beyond it they do not wait but fail."""

FAILED: Final = (RedisError, OSError, TimeoutError)
"""What a request ends with that Redis did not answer."""


@asynccontextmanager
async def connect(url: str, password: str | None, seconds: float) -> AsyncGenerator[Redis]:
    """A client that connects when it is used, and says nothing but what it is asked to."""
    secret: dict[str, Any] = {"password": password} if password else {}
    client: Redis = cast("Any", Redis).from_url(  # its keyword arguments have no types
        url,
        **secret,
        socket_timeout=seconds,
        socket_connect_timeout=seconds,
        max_connections=CONNECTIONS,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        driver_info=None,
    )
    try:
        yield client
    finally:
        await client.aclose()


@contextmanager
def unavailable() -> Generator[None]:
    """Raise `UnavailableError` for whatever keeps Redis from answering."""
    try:
        yield
    except FAILED as error:
        raise UnavailableError("The store of the vetted answers' copy does not answer at the moment.") from error
