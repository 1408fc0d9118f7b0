"""A bus whose store is full: what was accepted stays, what is not accepted is told so, and requests go on."""

import dataclasses
from collections.abc import Generator
from pathlib import Path

import nats
import pytest
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.errors import APIError

from contracts import subjects
from runtime.ask_streams import ask_stream
from runtime.events import EventStreamError, StreamSettings, provision_streams
from tests.support.servers import Nats, running_nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

ASK_BYTES = 8_000
ROOM = 40


@pytest.fixture
def small(tmp_path: Path) -> Generator[Nats]:
    """A server with half a megabyte for all of its streams."""
    configuration = tmp_path / "small.conf"
    configuration.write_text("jetstream { max_file_store: 512KB }\n", encoding="utf-8")
    with running_nats(arguments=("-c", str(configuration))) as server:
        yield server


async def test_a_store_without_room_for_the_streams_is_told_at_deployment(small: Nats) -> None:
    with pytest.raises(EventStreamError, match="insufficient storage"):
        await provision_streams(StreamSettings(nats_url=small.url))


async def test_a_full_stream_refuses_new_asks_keeps_the_accepted_and_requests_go_on(small: Nats) -> None:
    client = await _connected(small)
    stream = client.jetstream()
    await stream.add_stream(dataclasses.replace(ask_stream(1), max_bytes=ASK_BYTES * ROOM))

    accepted = await _fill(stream)
    small.server.kill()
    small.server.start()
    await _until_back(client)
    kept = [(await stream.get_msg(subjects.ASK_STREAM, seq)).subject for seq in range(1, len(accepted) + 1)]
    echo = await client.subscribe("echo", cb=_respond)
    answered = await client.request("echo", b"still here", timeout=2)
    await echo.unsubscribe()
    await client.close()
    assert 0 < len(accepted) < 2 * ROOM
    assert kept == accepted
    assert answered.data == b"still here"


async def test_room_is_there_again_once_asks_are_done(small: Nats) -> None:
    client = await _connected(small)
    stream = client.jetstream()
    await stream.add_stream(dataclasses.replace(ask_stream(1), max_bytes=ASK_BYTES * ROOM))
    await _fill(stream)

    puller = await stream.pull_subscribe(subjects.ASKS_ANY, durable="d", stream=subjects.ASK_STREAM)
    for message in await puller.fetch(5):
        await message.ack_sync()
    done = await stream.publish(subjects.asks("a", "one-more"), b"x" * ASK_BYTES)

    await client.close()
    assert done.stream == subjects.ASK_STREAM


async def _fill(stream: JetStreamContext) -> list[str]:
    """Publish until the server refuses; returns the subjects of what it has accepted."""
    accepted: list[str] = []
    why = ""
    for number in range(2 * ROOM):
        subject = subjects.asks("a", str(number))
        try:
            await stream.publish(subject, b"x" * ASK_BYTES)
        except APIError as error:
            why = str(error)
            break
        accepted.append(subject)
    assert "maximum bytes exceeded" in why
    return accepted


async def _respond(message: Msg) -> None:
    await message.respond(message.data)


async def _connected(server: Nats) -> nats.NATS:
    async def ignore(_: Exception) -> None:
        """A server that was killed."""

    return await nats.connect(server.url, reconnect_time_wait=0.05, max_reconnect_attempts=-1, error_cb=ignore)


async def _until_back(client: nats.NATS) -> None:
    """The client reconnects by itself; its first request says when."""
    for _ in range(100):
        try:
            await client.jetstream().account_info()
        except (nats.errors.Error, TimeoutError):
            continue
        return
    raise AssertionError("not back")
