"""Gateways that are killed again and again: by one ask that always does it, and at any time under their callers."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from contracts import subjects
from contracts.codes import AskState, ErrorCode
from contracts.v1.ask import AnswerQuestion, AnswerResult
from contracts.v1.asks import DurableAnswer
from services.gateway.asks.records import FAULTS_ALLOWED
from tests.integration.gateway.durable import App, Stand, app_on, eventually, standing
from tests.integration.gateway.processes import Gateway, behind, orchestrator, running_gateway, usual_answer
from tests.support.databases import Databases
from tests.support.servers import free_port

pytestmark = [pytest.mark.connected, pytest.mark.timeout(120)]

ASKS = 24
SENDERS = 4
KILLS = 3


@pytest.fixture
def stand(databases: Databases) -> Generator[Stand]:
    with databases.migrated() as dsn, standing(dsn) as stand:
        yield stand


async def told(question: AnswerQuestion) -> AnswerResult:
    """An answer that names its question."""
    return (await usual_answer(question)).model_copy(update={"answer_plain": question.question})


class Keeper:
    """Starts a gateway whenever there is none."""

    def __init__(self, stand: Stand, folder: Path) -> None:
        self._stand, self._folder, self._port = stand, folder, str(free_port())
        self.url = f"http://127.0.0.1:{self._port}"
        self.gateway: Gateway | None = None

    async def run(self) -> None:
        while True:
            variables = {
                "RAGSPINE_NATS_MONITOR_URL": self._stand.nats.monitor_url,
                "RAGSPINE_POSTGRES_URL": self._stand.dsn,
                "RAGSPINE_HTTP_PORT": self._port,
            }
            with running_gateway(self._stand.nats.url, self._folder, **variables) as self.gateway:
                while self.gateway.process.popen.poll() is None:
                    await asyncio.sleep(0.02)

    def kill(self) -> None:
        assert self.gateway is not None
        self.gateway.process.popen.kill()


async def test_an_ask_that_ends_its_gateway_each_time_is_given_up_and_takes_no_other_with_it(
    stand: Stand, tmp_path: Path
) -> None:
    keeper, kills = Keeper(stand, tmp_path), 0

    async def deadly(question: AnswerQuestion) -> AnswerResult:
        nonlocal kills
        if question.question == "deadly":
            await asyncio.sleep(0.2)
            kills += 1
            keeper.kill()
        await asyncio.sleep(0.5)
        return await told(question)

    async with behind(stand.nats.url, orchestrator(deadly)), app_on(stand.nats) as app:
        killer = await app.publish(body=b'{"question":"deadly"}')
        others = [await app.publish(body=b'{"question":"harmless"}') for _ in range(3)]
        keeping = asyncio.create_task(keeper.run())
        word = await app.answer(killer, 90)
        words = [await app.answer(ask_id, 30) for ask_id in others]
        await end_of(keeping)

    letters = await stand.rows("SELECT ask_id, code FROM asks.dead_letter")
    assert word.error is not None
    assert (word.state, word.error.code, kills) == (AskState.FAILED, ErrorCode.INTERNAL, FAULTS_ALLOWED)
    assert [word.answer and word.answer.answer_plain for word in words] == ["harmless"] * len(others)
    assert [tuple(row) for row in letters] == [(killer, "internal")]


async def test_what_is_sent_over_http_until_it_is_accepted_has_one_answer_whichever_gateways_die(
    stand: Stand, tmp_path: Path
) -> None:
    keeper, accepted = Keeper(stand, tmp_path), dict[int, str]()
    async with (
        behind(stand.nats.url, orchestrator(told)),
        app_on(stand.nats, subjects.LOCAL_APP) as app,
        httpx.AsyncClient(base_url=keeper.url, timeout=5) as http,
    ):
        keeping = asyncio.create_task(keeper.run())
        sending = asyncio.gather(
            *(send(http, range(first, ASKS, SENDERS), accepted, pause=0.02) for first in range(SENDERS))
        )
        for kill in range(KILLS):
            await at_least(accepted, (kill + 1) * ASKS // (KILLS + 1))
            keeper.kill()
        await sending
        again = dict[int, str]()
        replayed = await send(http, range(ASKS), again)
        words = [await app.answer(ask_id, 30) for _, ask_id in sorted(accepted.items())]
        info = await app.stream.stream_info(subjects.ANSWER_STREAM)
        stored = [await stored_word(app, ask_id) for ask_id in accepted.values()]
        await end_of(keeping)

    rows = await stand.rows("SELECT ask_id, idempotency_key, final FROM asks.ask")
    assert (replayed, again) == (ASKS, accepted)
    assert [word.answer and word.answer.answer_plain for word in words] == [
        f"number {number}" for number in range(ASKS)
    ]
    assert {(row["ask_id"], row["idempotency_key"]) for row in rows} == {(i, f"key {n}") for n, i in accepted.items()}
    assert sorted(row["final"] for row in rows) == sorted(stored)
    assert (len(rows), info.state.messages) == (ASKS, ASKS)


async def send(http: httpx.AsyncClient, numbers: Sequence[int], accepted: dict[int, str], pause: float = 0) -> int:
    """Send asks until each is accepted, always under its own key; returns how many had been accepted before."""
    replays = 0
    for number in numbers:
        while number not in accepted:
            with suppress(httpx.TransportError):
                headers = {"Idempotency-Key": f"key {number}"}
                reply = await http.post("/v1/asks", json={"question": f"number {number}"}, headers=headers)
                if reply.status_code == 202:
                    replays += "idempotency-replayed" in reply.headers
                    accepted[number] = reply.json()["ask_id"]
                else:
                    assert reply.status_code in {409, 503, 504}, reply.text
            await asyncio.sleep(pause if number in accepted else 0.05)
    return replays


async def at_least(accepted: dict[int, str], count: int) -> None:
    async def are_there() -> bool:
        return len(accepted) >= count

    await eventually(are_there, 30)


async def stored_word(app: App, ask_id: str) -> str:
    body = await app.stored(ask_id)
    assert body is not None
    return DurableAnswer.model_validate_json(body) and body.decode()


async def end_of(task: asyncio.Task[None]) -> None:
    """End it, and with it the gateway that it keeps."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
