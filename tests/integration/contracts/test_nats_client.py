"""The client for apps on a real bus: answers, errors, nobody there, a bus that goes away."""

import asyncio
import gc
import json
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, suppress

import nats
import pytest
from nats.aio.msg import Msg

from contracts import subjects
from contracts.client import ClientError, NatsClient
from contracts.codes import HTTP_STATUS, ErrorCode
from contracts.v1 import AnswerResult, AskRequest, ErrorReply
from tests.component.gateway.doors import ANSWER, QUESTION
from tests.support.partitions import line_to
from tests.support.servers import Nats, running_nats

pytestmark = pytest.mark.connected

IN_FLIGHT = 4

Reply = AnswerResult | ErrorReply | bytes | None


def error(code: ErrorCode, *, retryable: bool = False) -> ErrorReply:
    return ErrorReply(code=code, retryable=retryable, message="said")


@asynccontextmanager
async def gateway(url: str, reply: Callable[[int], Reply] = lambda _: ANSWER) -> AsyncGenerator[list[Msg]]:
    """What an app meets on the bus; `reply` gets the number of the request, from 1. None: silence."""
    asked: list[Msg] = []
    connection = await nats.connect(url, reconnect_time_wait=0.1)  # type: ignore[arg-type]  # says int, takes float

    async def serve(message: Msg) -> None:
        asked.append(message)
        AskRequest.model_validate_json(message.data)
        said = reply(len(asked))
        if isinstance(said, ErrorReply):
            headers = {subjects.HEADER_ERROR: said.code, subjects.HEADER_ERROR_CODE: str(HTTP_STATUS[said.code])}
            await connection.publish(message.reply, said.model_dump_json().encode(), headers=headers)
        elif said is not None:
            await message.respond(said if isinstance(said, bytes) else said.model_dump_json().encode())

    await connection.subscribe(subjects.ASK_ANY_APP, queue=subjects.QUEUE_GATEWAY, cb=serve)
    await connection.flush()
    try:
        yield asked
    finally:
        await connection.close()


async def failure(client: NatsClient, *, seconds: float = 5.0) -> ClientError:
    """The error of an ask."""
    with pytest.raises(ClientError) as raised:
        await client.ask(QUESTION, deadline_seconds=seconds)
    return raised.value


async def test_an_answer_arrives_typed_and_whole(nats_url: str) -> None:
    async with gateway(nats_url) as asked, NatsClient(nats_url, app="reports") as client:
        answer = await client.ask(QUESTION)

    [message] = asked
    assert answer == ANSWER
    assert message.subject == subjects.ask("reports")
    assert int(message.headers[subjects.HEADER_DEADLINE]) > time.time() * 1_000
    assert json.loads(message.data)["question"] == QUESTION


async def test_many_asks_share_one_client(nats_url: str) -> None:
    async with gateway(nats_url) as asked, NatsClient(nats_url) as client:
        answers = await asyncio.gather(*(client.ask(QUESTION) for _ in range(200)))

    assert answers == [ANSWER] * 200
    assert len({json.loads(message.data)["request_id"] for message in asked}) == 200


async def test_an_error_reply_keeps_its_code_and_words(nats_url: str) -> None:
    reply = error(ErrorCode.INVALID_REQUEST)

    async with gateway(nats_url, lambda _: reply) as asked, NatsClient(nats_url) as client:
        raised = await failure(client)

    assert (raised.code, raised.message, raised.retryable) == (reply.code, "said", False)
    assert raised.request_id == json.loads(asked[0].data)["request_id"]
    assert len(asked) == 1


async def test_a_failure_that_passes_is_not_noticed(nats_url: str) -> None:
    def away_once(number: int) -> Reply:
        return error(ErrorCode.UNAVAILABLE, retryable=True) if number == 1 else ANSWER

    async with gateway(nats_url, away_once) as asked, NatsClient(nats_url) as client:
        assert await client.ask(QUESTION) == ANSWER

    assert len(asked) == 2


@pytest.mark.parametrize("reply", [b"", b"{}", b"\xff", b'{"answer": "7"}'])
async def test_a_reply_that_is_no_answer_is_an_error(nats_url: str, reply: bytes) -> None:
    async with gateway(nats_url, lambda _: reply), NatsClient(nats_url) as client:
        raised = await failure(client)

    assert raised.code is ErrorCode.INTERNAL


async def test_a_gateway_that_comes_in_time_is_found_by_the_retry(nats_url: str) -> None:
    async with NatsClient(nats_url) as client:
        asking = asyncio.create_task(client.ask(QUESTION))
        await asyncio.sleep(0.05)  # by now the first attempt has found nobody
        async with gateway(nats_url) as asked:
            answer = await asking

    assert answer == ANSWER
    assert len(asked) == 1


async def test_nobody_there_is_said_at_once_and_not_by_the_deadline(nats_url: str) -> None:
    start = time.monotonic()

    async with NatsClient(nats_url) as client:
        raised = await failure(client, seconds=30)

    assert (raised.code, raised.retryable) == (ErrorCode.UNAVAILABLE, True)
    assert time.monotonic() - start < 5


async def test_silence_ends_with_the_deadline_and_is_not_repeated(nats_url: str) -> None:
    start = time.monotonic()

    async with gateway(nats_url, lambda _: None) as asked, NatsClient(nats_url) as client:
        raised = await failure(client, seconds=0.4)

    assert raised.code is ErrorCode.DEADLINE_EXCEEDED
    assert 0.35 < time.monotonic() - start < 2
    assert len(asked) == 1


@pytest.fixture
def own_nats() -> Generator[Nats]:
    with running_nats() as server:
        yield server


async def test_a_lost_bus_is_said_at_once_and_the_client_works_again_by_itself(own_nats: Nats) -> None:
    async with NatsClient(own_nats.url) as client:
        async with gateway(own_nats.url, lambda _: None) as asked:
            waiting = asyncio.create_task(client.ask(QUESTION, deadline_seconds=60))
            await _until(lambda: bool(asked))
            own_nats.server.kill()
            async with asyncio.timeout(20):
                with pytest.raises(ClientError) as lost:
                    await waiting
                away = await failure(client, seconds=60)
        own_nats.server.start()
        async with gateway(own_nats.url):
            answer = await _answer_within(client, 20)

    assert lost.value.code is away.code is ErrorCode.UNAVAILABLE
    assert answer == ANSWER


async def test_a_bus_that_restarts_in_time_fails_no_ask(own_nats: Nats) -> None:
    def silent_at_first(number: int) -> Reply:
        return None if number <= IN_FLIGHT else ANSWER

    async with gateway(own_nats.url, silent_at_first) as asked, NatsClient(own_nats.url) as client:
        waiting = [asyncio.create_task(client.ask(QUESTION, deadline_seconds=20)) for _ in range(IN_FLIGHT)]
        await _until(lambda: len(asked) == IN_FLIGHT)
        own_nats.server.kill()
        await asyncio.sleep(1.0)  # longer than the pause before a retry
        own_nats.server.start()
        answers = await asyncio.gather(*waiting)

    assert answers == [ANSWER] * IN_FLIGHT


async def test_a_frozen_bus_ends_with_the_deadline(own_nats: Nats) -> None:
    async with gateway(own_nats.url), NatsClient(own_nats.url) as client:
        own_nats.server.pause()
        try:
            async with asyncio.timeout(5):
                raised = await failure(client, seconds=0.5)
        finally:
            own_nats.server.resume()

    assert raised.code is ErrorCode.DEADLINE_EXCEEDED


# nats-py leaves the socket of an attempt that heard nothing to the garbage collector, which complains.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("is_noticed_before", [False, True], ids=["healed before it is noticed", "after that"])
async def test_a_network_that_loses_everything_is_noticed_by_pings(
    own_nats: Nats, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_noticed_before: bool
) -> None:
    monkeypatch.setattr("contracts.client.over_nats.PING_SECONDS", 0.2)
    with line_to(own_nats.port) as line:
        async with gateway(own_nats.url), NatsClient(f"nats://127.0.0.1:{line.port}") as client:
            assert await client.ask(QUESTION) == ANSWER

            with line.partition():
                raised = await failure(client, seconds=0.1)
                if is_noticed_before:
                    await _until(lambda: "the connection to the bus was lost" in caplog.text)

            assert await _answer_within(client, 10) == ANSWER
    gc.collect()  # here, not in the next test

    assert raised.code is ErrorCode.DEADLINE_EXCEEDED


async def test_closing_is_no_loss_worth_a_warning(nats_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async with NatsClient(nats_url):
        pass

    assert caplog.records == []


async def test_closing_ends_the_asks_that_wait(nats_url: str) -> None:
    async with gateway(nats_url, lambda _: None) as asked:
        client = NatsClient(nats_url)
        await client.open()
        waiting = asyncio.create_task(client.ask(QUESTION, deadline_seconds=60))
        await _until(lambda: bool(asked))
        async with asyncio.timeout(5):
            await client.close()
            with pytest.raises((ClientError, RuntimeError)):
                await waiting


async def test_a_bus_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(ClientError) as raised:
        await NatsClient("nats://127.0.0.1:9").open()

    assert (raised.value.code, raised.value.retryable) == (ErrorCode.UNAVAILABLE, True)


@pytest.mark.parametrize(("user", "password"), [(None, None), ("app", "wrong")])
async def test_a_wrong_password_is_named_and_not_shown(user: str | None, password: str | None) -> None:
    with running_nats(arguments=("--user", "app", "--pass", "right")) as server:
        start = time.monotonic()
        with pytest.raises(ClientError) as raised:
            await NatsClient(server.url, user=user, password=password).open()
        seconds = time.monotonic() - start
        async with NatsClient(server.url, user="app", password="right"):
            pass
        async with NatsClient(server.url.replace("nats://", "nats://app:right@")):
            pass

    assert raised.value.code is ErrorCode.UNAUTHENTICATED
    assert "wrong" not in str(raised.value)
    assert seconds < 3


@pytest.mark.parametrize("app", ["", "a.b", "*", ">", "a b", "a\r\n"])
def test_an_app_is_one_token(app: str) -> None:
    with pytest.raises(ValueError, match="token"):
        NatsClient("nats://127.0.0.1:4222", app=app)


async def test_a_client_that_is_not_open_says_how_to_use_it() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        await NatsClient("nats://127.0.0.1:4222").ask(QUESTION)


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def _answer_within(client: NatsClient, seconds: float) -> AnswerResult:
    """Ask until there is an answer."""
    async with asyncio.timeout(seconds):
        while True:
            with suppress(ClientError):
                return await client.ask(QUESTION)
