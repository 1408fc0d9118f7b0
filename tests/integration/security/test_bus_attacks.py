"""What one app could do to another: four attacks, each shown to work in a shared account, and to fail with ours.

The control has the same streams, and users with exact lists of subjects: what the server checks of a message is its
subject, and nothing else of it.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from faststream import FastStream
from faststream.nats import JStream, NatsBroker
from faststream.security import SASLPlaintext
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import TimeoutError as NoReplyError
from nats.js.errors import NotFoundError

from contracts import subjects
from runtime.ask_streams import provide_ask_streams
from runtime.bus_apps import answers_consumer
from runtime.bus_users import PRODUCT_ACCOUNT
from tests.integration.security.bus_server import (
    APPS,
    PASSWORD,
    all_is_delivered,
    connection,
    guarded_nats,
    observer_of,
)
from tests.support.servers import Nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

_AS_OBSERVER = SASLPlaintext(username=observer_of(PRODUCT_ACCOUNT), password=PASSWORD)
NEXT = f"$JS.API.CONSUMER.MSG.NEXT.{subjects.ANSWER_STREAM}.app1"


@dataclass
class Bus:
    """A running bus with both apps and somebody who sees everything."""

    server: Nats
    app1: Client
    app2: Client
    observer: Client
    inbox: str
    """What the inbox of app2 is called."""

    async def answers(self) -> dict[str, bytes]:
        """What the stream of answers holds."""
        stream = self.observer.jetstream()
        found = await stream.stream_info(subjects.ANSWER_STREAM, subjects_filter=">")
        return {
            subject: (await stream.get_last_msg(subjects.ANSWER_STREAM, subject)).data or b""
            for subject in (found.state.subjects or {})
        }


def shared_account() -> str:
    """One account, with exact lists of subjects for each app and an inbox of its own."""
    users = [f'{{ user: "{observer_of(PRODUCT_ACCOUNT)}", password: "{PASSWORD}" }}']
    for app in APPS:
        allowed = [subjects.asks(app, "*"), f"$JS.API.CONSUMER.MSG.NEXT.{subjects.ANSWER_STREAM}.{app}"]
        publish, hear = json.dumps(allowed), json.dumps([f"_INBOX_{app}.>"])
        rights = f"permissions: {{ publish: {{ allow: {publish} }}, subscribe: {{ allow: {hear} }} }}"
        users.append(f'{{ user: "{app}", password: "{PASSWORD}", {rights} }}')
    return "\n".join(["accounts { RAGSPINE { jetstream: enabled, users: [", *users, "] } }", ""])


@asynccontextmanager
async def bus(folder: Path, text: str | None, inbox: str) -> AsyncGenerator[Bus]:
    with guarded_nats(folder, text) as server:
        async with (
            connection(server, observer_of(PRODUCT_ACCOUNT)) as observer,
            connection(server, "app1", "_INBOX_app1" if text else "_INBOX") as app1,
            connection(server, "app2", inbox) as app2,
        ):
            stream = observer.jetstream()
            await provide_ask_streams(stream, replicas=1, kept_seconds=3600, ack_wait_seconds=30)
            for app in APPS:
                await stream.add_consumer(subjects.ANSWER_STREAM, answers_consumer(app))
            yield Bus(server, app1, app2, observer, inbox)


@asynccontextmanager
async def ours(folder: Path) -> AsyncGenerator[Bus]:
    """An account for each app."""
    async with bus(folder, None, "_INBOX") as running:
        yield running


@asynccontextmanager
async def control(folder: Path) -> AsyncGenerator[Bus]:
    """One account for all."""
    async with bus(folder, shared_account(), "_INBOX_app2") as running:
        yield running


Kind = Callable[[Path], AbstractAsyncContextManager[Bus]]
BOTH = pytest.mark.parametrize(("kind", "works"), [(control, True), (ours, False)], ids=["control", "ours"])


@BOTH
async def test_an_acknowledgement_cannot_be_sent_to_the_answers_of_another_app(
    tmp_path: Path, kind: Kind, works: bool
) -> None:
    foreign = subjects.answers("app2", "a")
    async with kind(tmp_path) as running:
        await running.app1.publish(subjects.asks("app1", "a"), b"{}", reply=foreign)
        await all_is_delivered(running.app1, running.observer)
        await _stored(running, subjects.ASK_STREAM, 1)

        assert (foreign in await running.answers()) is works


@BOTH
async def test_an_answer_cannot_be_delivered_to_the_inbox_of_another_app(
    tmp_path: Path, kind: Kind, works: bool
) -> None:
    heard: list[bytes] = []
    async with kind(tmp_path) as running:

        async def keep(message: Msg) -> None:
            heard.append(message.data)

        await running.app2.subscribe(f"{running.inbox}.live", cb=keep)
        await running.app2.flush()
        await running.observer.jetstream().publish(subjects.answers("app1", "a"), b"an answer for app1")

        await running.app1.publish(NEXT, b'{"batch": 1, "no_wait": true}', reply=f"{running.inbox}.live")
        await all_is_delivered(running.app1, running.observer, running.app2)
        await asyncio.sleep(0.2)

    assert (b"an answer for app1" in heard) is works


async def test_a_message_id_of_another_app_drops_an_ask_that_has_the_same(tmp_path: Path) -> None:
    """The control: ids of messages are the stream's, whatever the account."""
    async with control(tmp_path) as running:
        await _hand_in(running.app1, "app1", {"Nats-Msg-Id": "guessed"})
        acknowledged = await _hand_in(running.app2, "app2", {"Nats-Msg-Id": "guessed"})

    assert acknowledged["duplicate"] is True


async def test_an_ask_without_message_id_cannot_be_dropped(tmp_path: Path) -> None:
    async with ours(tmp_path) as running:
        for guess in ("guessed", "a", subjects.asks("app2", "a")):
            await running.app1.publish(subjects.asks("app1", guess[-5:]), b"{}", headers={"Nats-Msg-Id": guess})
        await running.app1.flush()

        acknowledged = await _hand_in(running.app2, "app2", {})

    assert "duplicate" not in acknowledged


@pytest.mark.parametrize("no_reply", [False, True], ids=["control", "no_reply"])
async def test_a_reply_to_header_gets_no_answer(tmp_path: Path, no_reply: bool) -> None:
    """A consumer that answers replies wherever a header says, unless it is told to reply nowhere."""
    foreign = subjects.answers("app2", "forged")
    async with ours(tmp_path) as running:
        broker = NatsBroker(running.server.url, logger=None, security=_AS_OBSERVER)

        @broker.subscriber(
            subjects.ASKS_ANY,
            stream=JStream(subjects.ASK_STREAM, declare=False),
            durable=subjects.ASK_CONSUMER,
            pull_sub=True,
            no_reply=no_reply,
        )
        async def answer(body: dict[str, object]) -> str:
            return "an answer"

        async with broker:
            await FastStream(broker).start()
            await _hand_in(running.app1, "app1", {"reply_to": foreign})
            await _stored(running, subjects.ASK_STREAM, 0)
            await asyncio.sleep(0.1)

        assert (foreign in await running.answers()) is not no_reply


async def test_an_app_reads_its_own_answer_and_no_other(tmp_path: Path) -> None:
    async with ours(tmp_path) as running:
        for app in APPS:
            await running.observer.jetstream().publish(subjects.answers(app, "a"), f"for {app}".encode())
        stream = running.app1.jetstream()

        own = await stream.get_last_msg(subjects.ANSWER_STREAM, subjects.answers("app1", "a"), direct=True)
        with pytest.raises((NoReplyError, NotFoundError, TimeoutError)):
            await stream.get_last_msg(subjects.ANSWER_STREAM, subjects.answers("app2", "a"), direct=True)
        consumer = await stream.pull_subscribe_bind(consumer="app1", stream=subjects.ANSWER_STREAM)
        (taken,) = await consumer.fetch(1, timeout=2)
        await taken.ack_sync()

    assert (own.data, taken.data) == (b"for app1", b"for app1")


async def _hand_in(client: Client, app: str, headers: dict[str, str]) -> dict[str, object]:
    reply = await client.request(subjects.asks(app, "a"), b"{}", timeout=2, headers=headers or None)
    found: dict[str, object] = json.loads(reply.data)
    return found


async def _stored(running: Bus, stream: str, messages: int) -> None:
    async with asyncio.timeout(5):
        while (await running.observer.jetstream().stream_info(stream)).state.messages != messages:
            await asyncio.sleep(0.02)
