"""The client's durable asks against the gateway's own HTTP, over the desk in memory."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest

from contracts.client import ClientError, HttpClient, over_http
from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import SubmitAsk
from contracts.v1.errors import ErrorReply
from runtime.http_server import listen, serve_http
from tests.component.gateway.doors import ANSWER, QUESTION, Doors, open_doors
from tests.support.asks import AsksInMemory


@dataclass
class Opened:
    desk: AsksInMemory
    doors: Doors
    client: HttpClient

    async def until(self, done: Callable[[], object]) -> None:
        async with asyncio.timeout(5):
            while not done():
                await asyncio.sleep(0.001)

    async def answer_soon(self, ask_id: str = "ask1") -> None:
        """Answer an ask once it is there."""
        await self.until(lambda: any(kept.status.ask_id == ask_id for kept in self.desk.kept))
        self.desk.move("local", ask_id, AskState.WORKING)
        await asyncio.sleep(0)
        self.desk.move("local", ask_id, AskState.ANSWERED, answer=ANSWER)


@asynccontextmanager
async def opened(desk: AsksInMemory | None = None, **settings: object) -> AsyncGenerator[Opened]:
    desk = desk or AsksInMemory()
    async with (
        open_doors(desk=desk, **settings) as doors,
        serve_http(doors.app, listen("127.0.0.1", 0), protocol=doors.protocol) as port,
        HttpClient(f"http://127.0.0.1:{port}") as client,
    ):
        yield Opened(desk, doors, client)
        doors.streams.stop()


async def test_an_ask_is_handed_in_and_followed_to_its_answer() -> None:
    async with opened() as it:
        asking = asyncio.create_task(it.client.ask_durably(QUESTION, deadline_seconds=5))
        await it.answer_soon()
        answer = await asking

    assert answer == ANSWER
    assert len(it.desk.kept) == 1


async def test_a_lost_reply_is_made_good_by_the_retry_under_the_same_key() -> None:
    class Losing(httpx.AsyncHTTPTransport):
        lost = 0

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            reply = await super().handle_async_request(request)
            if request.method == "POST" and not Losing.lost:
                Losing.lost += 1
                await reply.aclose()
                raise httpx.ReadError("lost")
            return reply

    async with opened() as it, HttpClient(str(it.client._base_url), transport=Losing()) as client:
        ask_id = await client.hand_in(QUESTION)

    assert (ask_id, len(it.desk.kept), Losing.lost) == ("ask1", 1, 1)


async def test_a_key_of_ones_own_is_accepted_once_and_not_for_another_question() -> None:
    async with opened() as it:
        first = await it.client.hand_in(SubmitAsk(question=QUESTION, request_id="r1"), key="order 66")
        again = await it.client.hand_in(SubmitAsk(question=QUESTION, request_id="r1"), key="order 66")
        with pytest.raises(ClientError) as raised:
            await it.client.hand_in("香港2024营收", key="order 66")

    assert first == again == "ask1"
    assert raised.value.code is ErrorCode.IDEMPOTENCY_MISMATCH


async def test_the_same_ask_that_is_still_being_accepted_is_waited_for() -> None:
    async with opened() as it:
        it.desk.being_accepted.add(("local", "k"))
        asking = asyncio.create_task(it.client.hand_in(QUESTION, key="k"))
        await asyncio.sleep(0.1)
        it.desk.being_accepted.clear()
        ask_id = await asking

    assert ask_id == "ask1"


async def test_a_failed_ask_raises_its_error() -> None:
    error = ErrorReply(code=ErrorCode.TOO_MANY_SUBTASKS, retryable=False, message="Too many values.")

    async with opened() as it:
        ask_id = await it.client.hand_in(QUESTION)
        it.desk.move("local", ask_id, AskState.FAILED, error=error)
        with pytest.raises(ClientError) as raised:
            await it.client.answer_to(ask_id)

    assert (raised.value.code, raised.value.message) == (error.code, error.message)


async def test_streams_that_end_early_are_opened_again() -> None:
    async with opened() as it:
        it.doors.streams.stop()  # from now on each ends after its first event
        asking = asyncio.create_task(it.client.ask_durably(QUESTION, deadline_seconds=5))
        await asyncio.sleep(0.2)
        await it.answer_soon()
        answer = await asking

    assert answer == ANSWER


@pytest.mark.parametrize("limit", ["service", "client"])
async def test_where_no_stream_is_free_the_state_is_asked_for(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "client":
        monkeypatch.setattr(over_http, "MAX_STREAMS", 0)

    async with opened(max_streams=1) as it:
        first = asyncio.create_task(it.client.ask_durably(QUESTION, deadline_seconds=5))
        await it.until(lambda: limit == "client" or it.doors.streams.admission.running)
        second = asyncio.create_task(it.client.ask_durably(QUESTION, deadline_seconds=5))
        await it.answer_soon("ask2")
        await second
        await it.answer_soon("ask1")
        answer = await first

    assert answer == ANSWER


@pytest.mark.parametrize("ask_id", ["nobody", "../ask", "a b", ""])
async def test_an_id_that_nobody_gave_is_not_found(ask_id: str) -> None:
    async with opened() as it:
        with pytest.raises(ClientError) as raised:
            await it.client.answer_to(ask_id)

    assert raised.value.code is ErrorCode.NOT_FOUND


async def test_a_wait_that_is_over_leaves_the_ask_and_no_stream() -> None:
    async with opened() as it:
        with pytest.raises(ClientError) as raised:
            await it.client.ask_durably(QUESTION, deadline_seconds=0.3)
        await it.until(lambda: not it.doors.streams.admission.running)

    assert (raised.value.code, raised.value.ask_id) == (ErrorCode.DEADLINE_EXCEEDED, "ask1")
    assert it.desk.kept[0].status.state is AskState.QUEUED
