# pyright: reportUnknownMemberType=false
# (nats-py leaves the types of its keyword arguments open)
"""The streams, provisioned by the deployment job and never by a worker.

Here is the one that keeps events, codes only; those of durable asks are added where a monitoring port is named.

Events announce that something changed; whoever acts on one checks the truth again at its start, so a week of them is
plenty, and the oldest go first when the space is used up.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Final

import nats
from nats.aio.client import Client
from nats.errors import Error, NoServersError
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from pydantic import Field

from contracts import subjects
from runtime.ask_streams import create_or_change, provide_ask_streams
from runtime.bus_login import connect_options
from runtime.monitor import MonitorUrls, NotSyncingError, require_syncing
from runtime.settings import DEFAULT_KEPT_SECONDS, KeptSeconds, NatsCredentials, NatsUrl

MAX_AGE_SECONDS: Final = 7 * 24 * 3600.0
MAX_BYTES: Final = 64 * 1024 * 1024
DUPLICATE_WINDOW_SECONDS: Final = 3600.0
"""A publisher may send the same event again for this long; longer than any of its retries."""

_CONNECT_SECONDS: Final = 2


class EventStreamError(Exception):
    """A stream could not be provided; the message says why."""


class StreamSettings(NatsCredentials):
    """How the stream's server is reached."""

    nats_url: NatsUrl | None = None
    event_replicas: Annotated[int, Field(ge=1, le=5)] = 1
    """Servers that keep each event, ask and answer; 3 in a cluster."""
    nats_monitor_url: MonitorUrls | None = None
    """The monitoring port of the server, which says whether it syncs; without it there are no durable asks."""
    asks_kept_seconds: KeptSeconds = DEFAULT_KEPT_SECONDS
    """How long final words stay."""
    asks_ack_wait_seconds: Annotated[float, Field(ge=1, le=300)] = 30
    """After so long without a sign of life of its gateway an ask goes to another one."""


def event_stream(replicas: int) -> StreamConfig:
    """What the event stream is to be."""
    return StreamConfig(
        name=subjects.EVENT_STREAM,
        subjects=[subjects.EVENTS_ANY],
        storage=StorageType.FILE,
        discard=DiscardPolicy.OLD,
        max_age=MAX_AGE_SECONDS,
        max_bytes=MAX_BYTES,
        duplicate_window=DUPLICATE_WINDOW_SECONDS,
        num_replicas=replicas,
    )


async def provision_streams(settings: StreamSettings) -> None:
    """Create the streams, or change them to what they should be.

    Raises `ConnectionError` while no server can be reached, `EventStreamError` when it refuses or does not sync.
    """
    client = await _connect(settings)
    try:
        stream: JetStreamContext = client.jetstream()
        with _refused(subjects.EVENT_STREAM):
            await create_or_change(stream, event_stream(settings.event_replicas))
        if settings.nats_monitor_url is not None:
            with _refused(subjects.ASK_STREAM):
                await require_syncing(client, settings.nats_monitor_url)
                await _provide_asks(stream, settings)
    finally:
        await client.close()


async def _provide_asks(stream: JetStreamContext, settings: StreamSettings) -> None:
    await provide_ask_streams(
        stream,
        replicas=settings.event_replicas,
        kept_seconds=settings.asks_kept_seconds,
        ack_wait_seconds=settings.asks_ack_wait_seconds,
    )


@contextmanager
def _refused(stream: str) -> Generator[None]:
    try:
        yield
    except (Error, NotSyncingError) as error:
        raise EventStreamError(f"{stream}: {error}") from error


async def _connect(settings: StreamSettings) -> Client:
    urls = [url.strip() for url in (settings.nats_url or "").split(",")]
    try:
        return await nats.connect(
            urls,
            **connect_options(settings),
            name="ragspine-migrate",
            inbox_prefix="_INBOX_migrate",
            allow_reconnect=False,
            max_reconnect_attempts=1,  # it would try the first connection 60 times otherwise
            reconnect_time_wait=0,
            connect_timeout=_CONNECT_SECONDS,
            error_cb=_ignore,
        )
    except (NoServersError, OSError, TimeoutError) as error:
        raise ConnectionError(str(error)) from error
    except Error as error:
        raise EventStreamError(f"NATS refused the connection: {error}") from error


async def _ignore(_: Exception) -> None:
    """The error also ends the call that met it."""
