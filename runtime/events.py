# pyright: reportUnknownMemberType=false
# (nats-py leaves the types of its keyword arguments open)
"""The stream that keeps events (codes only), provisioned by the deployment job and never by a worker.

Events announce that something changed; whoever acts on one checks the truth again at its start, so a week of them is
plenty, and the oldest go first when the space is used up.
"""

from typing import Annotated, Final

import nats
from nats.aio.client import Client
from nats.errors import Error, NoServersError
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError
from pydantic import Field

from contracts import subjects
from runtime.settings import NatsCredentials, NatsUrl

MAX_AGE_SECONDS: Final = 7 * 24 * 3600.0
MAX_BYTES: Final = 64 * 1024 * 1024
DUPLICATE_WINDOW_SECONDS: Final = 3600.0
"""A publisher may send the same event again for this long; longer than any of its retries."""

_CONNECT_SECONDS: Final = 2


class EventStreamError(Exception):
    """The event stream could not be provided; the message says why."""


class StreamSettings(NatsCredentials):
    """How the stream's server is reached."""

    nats_url: NatsUrl | None = None
    event_replicas: Annotated[int, Field(ge=1, le=5)] = 1
    """Servers that keep each event; 3 in a cluster."""


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


async def provision_event_stream(settings: StreamSettings) -> None:
    """Create the event stream, or change it to what it should be.

    Raises `ConnectionError` while no server can be reached, `EventStreamError` when the server refuses.
    """
    client = await _connect(settings)
    try:
        stream: JetStreamContext = client.jetstream()
        await _create_or_change(stream, event_stream(settings.event_replicas))
    except Error as error:
        raise EventStreamError(f"{subjects.EVENT_STREAM}: {error}") from error
    finally:
        await client.close()


async def _connect(settings: StreamSettings) -> Client:
    urls = [url.strip() for url in (settings.nats_url or "").split(",")]
    password = settings.nats_secret() if settings.nats_user else None
    try:
        return await nats.connect(
            urls,
            user=settings.nats_user,
            password=password,
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


async def _create_or_change(stream: JetStreamContext, wanted: StreamConfig) -> None:
    try:
        await stream.stream_info(subjects.EVENT_STREAM)
    except NotFoundError:
        await stream.add_stream(wanted)
    else:
        await stream.update_stream(wanted)
