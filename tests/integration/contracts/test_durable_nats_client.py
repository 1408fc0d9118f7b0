"""The client's durable asks on a real bus: acknowledged, resent, waited for, also while the bus restarts."""

import asyncio
import dataclasses
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import nats
import pytest
from nats.js.errors import APIError

from contracts import subjects
from contracts.client import ClientError, NatsClient
from contracts.codes import AskState, ErrorCode
from contracts.v1 import AskRequest, DurableAnswer, ErrorReply, SubmitAsk
from contracts.v1.asks import request_digest
from runtime.ask_streams import ASK_BYTES, ask_stream
from runtime.events import StreamSettings, provision_streams
from tests.component.gateway.doors import ANSWER, QUESTION
from tests.support.servers import Nats, running_nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

TOO_LARGE = 10_054
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def word(ask_id: str, error: ErrorReply | None = None) -> DurableAnswer:
    state = AskState.FAILED if error else AskState.ANSWERED
    said = {"error": error} if error else {"answer": ANSWER}
    return DurableAnswer(ask_id=ask_id, app="local", state=state, attempts=1, accepted_at=NOW, finished_at=NOW, **said)


@asynccontextmanager
async def kept() -> AsyncGenerator[tuple[Nats, NatsClient]]:
    """A bus that keeps durable asks, and a client of it."""
    with running_nats(syncing=True) as server:
        await provision_streams(StreamSettings(nats_url=server.url, nats_monitor_url=server.monitor_url))
        async with NatsClient(server.url) as client:
            yield server, client


async def queued(server: Nats) -> list[tuple[str, bytes]]:
    """What stands in the queue."""
    connection = await nats.connect(server.url)
    stream = connection.jetstream()
    found: list[tuple[str, bytes]] = []
    info = await stream.stream_info(subjects.ASK_STREAM)
    for number in range(max(1, info.state.first_seq), info.state.last_seq + 1):
        message = await stream.get_msg(subjects.ASK_STREAM, number)
        found.append((message.subject or "", message.data or b""))
    await connection.close()
    return found


async def answer(server: Nats, said: DurableAnswer) -> None:
    connection = await nats.connect(server.url)
    await connection.jetstream().publish(subjects.answers("local", said.ask_id), said.model_dump_json().encode())
    await connection.close()


async def test_a_bus_without_room_has_not_accepted_an_ask_and_one_that_is_there_stays_accepted() -> None:
    async with kept() as (server, client):
        await client.hand_in(QUESTION, key="first")
        connection = await nats.connect(server.url)
        stream = connection.jetstream()
        held = (await stream.stream_info(subjects.ASK_STREAM)).state.bytes
        await stream.update_stream(dataclasses.replace(ask_stream(1), max_bytes=held))

        with pytest.raises(ClientError, match="no room") as raised:
            await client.hand_in(QUESTION, key="second")
        again = await client.hand_in(QUESTION, key="first")
        await connection.close()

        assert (raised.value.code, again) == (ErrorCode.UNAVAILABLE, "first")
        assert [subject for subject, _ in await queued(server)] == [subjects.asks("local", "first")]


async def test_an_ask_that_is_larger_than_any_may_be_is_refused_for_good() -> None:
    async with kept() as (server, _):
        connection = await nats.connect(server.url)
        with pytest.raises(APIError) as raised:
            await connection.jetstream().publish(subjects.asks("local", "1"), b"x" * (ASK_BYTES + 1))
        await connection.close()

    assert raised.value.err_code == TOO_LARGE


async def until(done: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not done():
            await asyncio.sleep(0.01)


async def test_an_ask_is_queued_once_however_often_it_is_sent_and_its_answer_comes() -> None:
    request = SubmitAsk(question=QUESTION, request_id="r1")

    async with kept() as (server, client):
        for _ in range(3):
            assert await client.hand_in(request, key="order-66") == "order-66"
        waiting = asyncio.create_task(client.answer_to("order-66", deadline_seconds=10))
        in_queue = await queued(server)
        await answer(server, word("order-66"))
        said = await waiting

    ((subject, body),) = in_queue
    assert (subject, said) == (subjects.asks("local", "order-66"), ANSWER)
    assert AskRequest.model_validate_json(body) == AskRequest(question=QUESTION, request_id="r1")


async def test_a_failed_ask_raises_its_error() -> None:
    error = ErrorReply(code=ErrorCode.TOO_MANY_SUBTASKS, retryable=False, message="Too many values.")

    async with kept() as (server, client):
        await answer(server, word("a1", error))
        with pytest.raises(ClientError) as raised:
            await client.answer_to("a1")

    assert (raised.value.code, raised.value.message, raised.value.ask_id) == (error.code, error.message, "a1")


async def test_a_restart_of_the_bus_while_it_waits_is_not_noticed() -> None:
    async with kept() as (server, client):
        asking = asyncio.create_task(client.ask_durably(QUESTION, key="a1", deadline_seconds=30))
        await asyncio.wait({asking}, timeout=0.2)
        server.server.kill()
        await asyncio.wait({asking}, timeout=0.2)
        await asyncio.to_thread(server.server.start)
        await answer(server, word("a1"))
        said = await asking

    assert said == ANSWER


async def test_a_key_of_another_question_is_an_error_and_never_its_answer() -> None:
    async with kept() as (server, client):
        first = AskRequest(question=QUESTION, request_id="one")
        said = word("order-66").model_copy(update={"request_sha256": request_digest(first)})
        await answer(server, said)

        same = await client.ask_durably(first.model_copy(update={"request_id": "two"}), key="order-66")
        with pytest.raises(ClientError) as raised:
            await client.ask_durably(f"{QUESTION} FY2019", key="order-66")

    assert same == ANSWER
    assert raised.value.code is ErrorCode.IDEMPOTENCY_MISMATCH


async def test_without_streams_a_durable_ask_is_not_accepted_and_says_so() -> None:
    with running_nats() as server:
        async with NatsClient(server.url) as client:
            with pytest.raises(ClientError) as raised:
                await client.hand_in(QUESTION, deadline_seconds=0.5)

    assert (raised.value.code, raised.value.ask_id) == (ErrorCode.UNAVAILABLE, "")


async def test_what_the_bus_could_not_carry_is_refused_before_it_is_sent() -> None:
    async with kept() as (server, client):
        for ask, key in (
            (QUESTION, "a.b"),
            (QUESTION, "*"),
            (QUESTION, "x" * 65),
            (SubmitAsk(question=QUESTION, webhook_url="https://a.test/"), "a1"),
        ):
            with pytest.raises(ClientError) as raised:
                await client.hand_in(ask, key=key)
            assert raised.value.code is ErrorCode.INVALID_REQUEST
        with pytest.raises(ClientError) as missing:
            await client.answer_to("a.b")
        in_queue = await queued(server)

    assert missing.value.code is ErrorCode.NOT_FOUND
    assert in_queue == []
