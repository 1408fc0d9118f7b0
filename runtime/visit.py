"""A bus for a short visit: a command that asks what a running stack says, and goes. It never waits for a server."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from faststream.nats import NatsBroker
from nats.errors import Error

from runtime.broker import CONNECT_TIMEOUT_SECONDS
from runtime.bus import Bus
from runtime.errors import UnavailableError

_FAILURES: Final = (Error, OSError, TimeoutError, ValueError)
"""What connecting raises: a refusal, no server, no answer, no address."""


@asynccontextmanager
async def visiting(url: str, name: str) -> AsyncGenerator[Bus]:
    """Connect to `url` (which may hold user and password) under a name that the server shows.

    Raises `UnavailableError` when there is no connection at once.
    """
    broker = NatsBroker(
        [server.strip() for server in url.split(",")],
        name=f"ragspine-{name}",
        inbox_prefix=f"_INBOX_{name}",
        allow_reconnect=False,
        logger=None,
        apply_types=False,
    )
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS):  # the client itself would go on trying
            await broker.connect()
    except _FAILURES as error:
        raise UnavailableError("The message bus cannot be reached.") from error
    try:
        yield Bus(broker)
    finally:
        await broker.stop()
