"""Streams of durable asks are provided on a server that syncs, and refused on one that does not or cannot be asked."""

import nats
import pytest
from nats.js.errors import APIError, NotFoundError

from contracts import subjects
from runtime.ask_streams import ANSWERS_BYTES, MAX_ACK_PENDING
from runtime.events import EventStreamError, StreamSettings, provision_streams
from tests.support.servers import free_port, running_nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(30)]


async def test_a_subject_holds_one_ask_until_it_is_acknowledged_and_one_answer_for_good() -> None:
    with running_nats(syncing=True) as server:
        settings = StreamSettings(nats_url=server.url, nats_monitor_url=server.monitor_url)
        await provision_streams(settings)
        await provision_streams(settings)
        client = await nats.connect(server.url)
        stream = client.jetstream()
        ask, answer = subjects.asks("a", "1"), subjects.answers("a", "1")
        await stream.publish(ask, b"first")
        await stream.publish(answer, b"first")

        with pytest.raises(APIError, match="maximum messages per subject"):
            await stream.publish(ask, b"second")
        with pytest.raises(APIError, match="maximum messages per subject"):
            await stream.publish(answer, b"second")
        puller = await stream.pull_subscribe_bind(subjects.ASK_CONSUMER, subjects.ASK_STREAM)
        (message,) = await puller.fetch(1)
        await message.ack_sync()
        again = await stream.publish(ask, b"third")

        consumer = await stream.consumer_info(subjects.ASK_STREAM, subjects.ASK_CONSUMER)
        answers = await stream.stream_info(subjects.ANSWER_STREAM)
        await client.close()
        assert again.stream == subjects.ASK_STREAM
        assert (consumer.config.max_deliver, consumer.config.max_ack_pending) == (-1, MAX_ACK_PENDING)
        assert (answers.config.max_bytes, answers.config.allow_direct) == (ANSWERS_BYTES, True)


async def test_a_server_that_does_not_sync_gets_no_stream_for_asks() -> None:
    with running_nats() as server:
        with pytest.raises(EventStreamError, match="sync_interval: always"):
            await provision_streams(StreamSettings(nats_url=server.url, nats_monitor_url=server.monitor_url))

        client = await nats.connect(server.url)
        with pytest.raises(NotFoundError):
            await client.jetstream().stream_info(subjects.ASK_STREAM)
        await client.close()


async def test_the_word_of_another_server_does_not_count() -> None:
    with (
        running_nats() as server,
        running_nats(syncing=True) as other,
        pytest.raises(EventStreamError, match="another"),
    ):
        await provision_streams(StreamSettings(nats_url=server.url, nats_monitor_url=other.monitor_url))


async def test_a_monitoring_port_that_does_not_answer_is_named() -> None:
    with running_nats(syncing=True) as server:
        nobody = f"http://127.0.0.1:{free_port()}"

        with pytest.raises(ConnectionError, match="RAGSPINE_NATS_MONITOR_URL"):
            await provision_streams(StreamSettings(nats_url=server.url, nats_monitor_url=nobody))


async def test_without_a_monitoring_port_there_are_no_durable_asks() -> None:
    with running_nats(syncing=True) as server:
        await provision_streams(StreamSettings(nats_url=server.url))

        client = await nats.connect(server.url)
        with pytest.raises(NotFoundError):
            await client.jetstream().stream_info(subjects.ASK_STREAM)
        await client.close()
