"""What may die while durable asks are open: gateways, the broker, Postgres, the queue. Each ask gets one word.

Servers are killed and started in this thread: a server ends with the thread that has started it.
"""

import asyncio
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contracts import subjects
from contracts.codes import AskState, ErrorCode
from contracts.v1.ask import AnswerQuestion, AnswerResult
from tests.integration.gateway.durable import Stand, app_on, eventually, provide, standing
from tests.integration.gateway.processes import Gateway, behind, orchestrator, usual_answer
from tests.support.databases import migrate
from tests.support.servers import Postgres, running_postgres

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]


@pytest.fixture(scope="module")
def own_postgres() -> Generator[Postgres]:
    with running_postgres() as server:
        migrate(server.dsn())
        yield server


@pytest.fixture(scope="module")
def stand(own_postgres: Postgres) -> Generator[Stand]:
    with standing(own_postgres.dsn()) as stand:
        yield stand


@pytest.fixture(scope="module")
def gateway(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> Generator[Gateway]:
    with stand.gateway(tmp_path_factory.mktemp("gateway")) as gateway:
        yield gateway


async def finals(stand: Stand, ask_id: str) -> list[str]:
    return [row["final"] for row in await stand.rows("SELECT final FROM asks.ask WHERE ask_id = $1", ask_id)]


async def test_a_gateway_that_freezes_or_dies_at_work_leaves_one_final_word(
    stand: Stand, gateway: Gateway, tmp_path: Path
) -> None:
    asked: list[str] = []

    async def slower_first(question: AnswerQuestion) -> AnswerResult:
        asked.append(question.request_id)
        number = len(asked)
        await asyncio.sleep(3.0 if number == 1 else 0.1)
        return (await usual_answer(question)).model_copy(update={"answer_plain": f"the {number}."})

    with stand.gateway(tmp_path) as other:
        async with behind(stand.nats.url, orchestrator(slower_first)), app_on(stand.nats) as app:
            with frozen(gateway):
                first = await app.publish()
                await eventually_asked(asked, 1)
            with frozen(other):  # no sign of life any more: the ask goes to the first gateway
                word = await app.answer(first)
            await asyncio.sleep(1.0)  # and the other one goes on with what it was at
            after = (await app.stored(first) or b"").decode()

            asked.clear()
            with frozen(gateway):
                second = await app.publish()
                await eventually_asked(asked, 1)
                other.process.popen.kill()
            dead = await app.answer(second)

    assert [word.answer and word.answer.answer_plain, dead.answer and dead.answer.answer_plain] == ["the 2."] * 2
    assert await finals(stand, first) == [after]


@contextmanager
def frozen(gateway: Gateway) -> Generator[None]:
    """The gateway does nothing within the block, and knows nothing of it."""
    gateway.process.popen.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        gateway.process.popen.send_signal(signal.SIGCONT)


async def eventually_asked(asked: list[str], count: int) -> None:
    async def are_there() -> bool:
        return len(asked) >= count

    await eventually(are_there)


async def test_what_the_broker_has_acknowledged_survives_its_kill(stand: Stand, gateway: Gateway) -> None:
    async with app_on(stand.nats) as app:
        ids = [await app.publish() for _ in range(20)]  # nobody answers yet
        stand.nats.server.kill()
        stand.nats.server.start()
        async with behind(stand.nats.url, orchestrator(usual_answer)):
            words = [await app.answer(ask_id, 30) for ask_id in ids]

    assert {word.state for word in words} == {AskState.ANSWERED}


async def test_while_postgres_is_away_asks_wait(stand: Stand, gateway: Gateway, own_postgres: Postgres) -> None:
    async with behind(stand.nats.url, orchestrator(usual_answer)), app_on(stand.nats) as app:
        own_postgres.server.kill()
        ask_id = await app.publish()
        await asyncio.sleep(1)
        assert await app.stored(ask_id) is None
        own_postgres.server.start()
        word = await app.answer(ask_id, 30)

    assert word.state is AskState.ANSWERED


async def test_a_gateway_without_the_queue_goes_on_and_takes_it_up_when_it_is_back(
    stand: Stand, gateway: Gateway
) -> None:
    async with behind(stand.nats.url, orchestrator(usual_answer)), app_on(stand.nats) as app:
        await app.stream.delete_consumer(subjects.ASK_STREAM, subjects.ASK_CONSUMER)

        async def is_told() -> bool:
            return '"durable_asks":"no_queue"' in gateway.process.get("/readyz")[1]

        await eventually(is_told)
        async with gateway.client() as client:
            refused = await client.post("/v1/asks", json={"question": "?"})
            direct = await client.post("/v1/ask", json={"question": "x"})
        await provide(stand.nats)
        word = await app.answer(await app.publish(), 30)

    assert (refused.status_code, refused.json()["code"]) == (503, ErrorCode.UNAVAILABLE)
    assert direct.status_code == 200
    assert word.state is AskState.ANSWERED


async def test_a_gateway_that_is_stopped_finishes_what_it_is_at(stand: Stand, tmp_path: Path, gateway: Gateway) -> None:
    asked: list[str] = []

    async def slow(question: AnswerQuestion) -> AnswerResult:
        asked.append(question.request_id)
        await asyncio.sleep(1)
        return await usual_answer(question)

    with stand.gateway(tmp_path) as other:
        async with behind(stand.nats.url, orchestrator(slow)), app_on(stand.nats) as app:
            with frozen(gateway):
                ask_id = await app.publish()
                await eventually_asked(asked, 1)
                other.process.terminate()
                code = await asyncio.to_thread(other.process.wait)
                word = await app.answer(ask_id, 1)

    assert (code, word.state, word.attempts) == (0, AskState.ANSWERED, 1)
