"""The event stream is provisioned by the job, keeps what is published, and refuses doubles."""

import nats
import pytest
from nats.js.api import StreamConfig
from pydantic import BaseModel

from contracts import subjects
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from runtime.events import MAX_BYTES, EventStreamError, StreamSettings, provision_streams
from tests.integration.runtime.clients import connected
from tests.support.servers import free_port, nats_server

pytestmark = pytest.mark.connected


class Happened(BaseModel):
    number: int


async def test_an_event_is_kept_once_however_often_it_is_sent(nats_url: str) -> None:
    await provision_streams(StreamSettings(nats_url=nats_url))
    async with connected(nats_url) as (bus, broker):
        stream = broker.connection.jetstream()
        await stream.purge_stream(subjects.EVENT_STREAM)

        for event_id in ("1", "1", "2"):
            await bus.publish(
                subjects.EVENT_FACTS_CHANGED, Happened(number=1), event_id=event_id, deadline=Deadline.after(5)
            )

        assert (await stream.stream_info(subjects.EVENT_STREAM)).state.messages == 2


async def test_a_stream_that_differs_is_changed_and_keeps_its_events() -> None:
    with nats_server() as url:
        client = await nats.connect(url)
        stream = client.jetstream()
        await stream.add_stream(
            StreamConfig(name=subjects.EVENT_STREAM, subjects=[subjects.EVENTS_ANY], max_bytes=1_000)
        )
        await stream.publish(subjects.EVENT_FACTS_CHANGED, b"{}")

        await provision_streams(StreamSettings(nats_url=url))
        await provision_streams(StreamSettings(nats_url=url))

        info = await stream.stream_info(subjects.EVENT_STREAM)
        await client.close()
        assert (info.config.max_bytes, info.state.messages) == (MAX_BYTES, 1)


async def test_a_server_without_streams_is_a_clear_error() -> None:
    with nats_server(jetstream=False) as url:
        with pytest.raises(EventStreamError, match=subjects.EVENT_STREAM):
            await provision_streams(StreamSettings(nats_url=url))

        async with connected(url) as (bus, _):
            with pytest.raises(UnavailableError):
                await bus.publish(
                    subjects.EVENT_FACTS_CHANGED, Happened(number=1), event_id="1", deadline=Deadline.after(5)
                )


async def test_a_server_that_is_away_can_be_waited_for() -> None:
    with pytest.raises(ConnectionError):
        await provision_streams(StreamSettings(nats_url=f"nats://127.0.0.1:{free_port()}"))
