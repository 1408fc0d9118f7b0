"""Durable asks on a real broker and database: each accepted one ends in one final word."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Generator
from datetime import date
from pathlib import Path

import pytest
from nats.js.errors import APIError

from contracts import subjects
from contracts.codes import AnswerKind, AskState, ErrorCode
from contracts.v1.ask import AnswerQuestion, AnswerResult
from runtime.errors import ConflictError
from services.gateway.asks.records import FAULTS_ALLOWED
from tests.component.gateway.doors import ANSWER, QUESTION
from tests.integration.gateway.durable import App, Stand, app_on, eventually, standing
from tests.integration.gateway.processes import behind, orchestrator, usual_answer
from tests.support.databases import Databases

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

OTHER = json.dumps({"question": "another question"}).encode()


@pytest.fixture(scope="module")
def stand(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Generator[Stand]:
    folder: Path = tmp_path_factory.mktemp("durable")
    with databases.migrated() as dsn, standing(dsn) as stand, stand.gateway(folder):
        yield stand


def failing(times: int, error: Callable[[], Exception]) -> tuple[list[str], Callable[[AnswerQuestion], Awaitable]]:
    """An orchestrator that fails so often and then answers, and what it was asked."""
    asked: list[str] = []

    async def answer(question: AnswerQuestion) -> AnswerResult:
        asked.append(question.question)
        if len(asked) <= times:
            raise error()
        return await usual_answer(question)

    return asked, answer


async def publish_again(app: App, ask_id: str, body: bytes | None = None) -> None:
    """Publish under a name that has its final word, once its message has left the queue; waits for this one, too."""

    async def published() -> bool:
        try:
            await app.publish(ask_id, body)
        except APIError:
            return False
        return True

    async def is_empty() -> bool:
        return (await app.stream.stream_info(subjects.ASK_STREAM)).state.messages == 0

    await eventually(published)
    await eventually(is_empty)


async def test_a_published_ask_gets_one_final_word(stand: Stand) -> None:
    async with behind(stand.nats.url, orchestrator(usual_answer)), app_on(stand.nats) as app:
        ask_id = await app.publish()
        word = await app.answer(ask_id)

    (row,) = await stand.rows("SELECT state, attempts FROM asks.ask WHERE ask_id = $1", ask_id)
    assert word.answer is not None
    assert word.answer.answer == ANSWER.answer
    assert (word.app, word.ask_id, word.state, word.attempts) == ("crm", ask_id, AskState.ANSWERED, 1)
    assert (row["state"], row["attempts"]) == ("answered", 1)


async def test_the_same_name_again_runs_nothing_again_and_alters_nothing(stand: Stand) -> None:
    asked, answer = failing(0, RuntimeError)
    async with behind(stand.nats.url, orchestrator(answer)), app_on(stand.nats) as app:
        ask_id = await app.publish()
        first = await app.answer(ask_id)
        await publish_again(app, ask_id)
        await publish_again(app, ask_id, OTHER)
        second = await app.answer(ask_id)

    (row,) = await stand.rows("SELECT attempts, body FROM asks.ask WHERE ask_id = $1", ask_id)
    assert asked == [QUESTION]
    assert first == second
    assert (row["attempts"], json.loads(row["body"])) == (1, {"question": QUESTION})


async def test_apps_with_the_same_id_have_asks_of_their_own(stand: Stand) -> None:
    async with (
        behind(stand.nats.url, orchestrator(usual_answer)),
        app_on(stand.nats, "crm") as one,
        app_on(stand.nats, "erp") as two,
    ):
        ask_id = await one.publish()
        assert await two.stored(ask_id) is None
        await two.publish(ask_id)

        assert ((await one.answer(ask_id)).app, (await two.answer(ask_id)).app) == ("crm", "erp")


@pytest.mark.parametrize("body", [b"", b"\xff\x00", b"[]", b'{"question": ""}', b'{"question": "a", "question": "b"}'])
async def test_a_body_that_cannot_be_read_fails_at_once_and_is_kept(stand: Stand, body: bytes) -> None:
    asked, answer = failing(0, RuntimeError)
    async with behind(stand.nats.url, orchestrator(answer)), app_on(stand.nats) as app:
        ask_id = await app.publish(body=body)
        word = await app.answer(ask_id)

    (row,) = await stand.rows("SELECT state, body FROM asks.ask WHERE ask_id = $1", ask_id)
    assert (word.state, word.error and word.error.code) == (AskState.FAILED, ErrorCode.INVALID_REQUEST)
    assert (row["state"], row["body"], asked) == ("failed", body, [])


async def test_an_impossible_name_fails_honestly(stand: Stand) -> None:
    async with behind(stand.nats.url, orchestrator(usual_answer)), app_on(stand.nats) as app:
        word = await app.answer(await app.publish("naïve$" * 20))

    assert word.error is not None
    assert word.error.problems[0].field == "subject"


async def test_a_subject_that_is_no_text_stops_nobody(stand: Stand) -> None:
    async with behind(stand.nats.url, orchestrator(usual_answer)), app_on(stand.nats) as app:
        with socket.create_connection(("127.0.0.1", stand.nats.port)) as raw:
            raw.sendall(b'CONNECT {"verbose":false}\r\nPUB ragspine.v1.asks.crm.\xff\xfe 2\r\n{}\r\nPING\r\n')
            await asyncio.to_thread(raw.recv, 4096)
        word = await app.answer(await app.publish())
        unnamed = await app.answer("\ufffd\ufffd")

    assert word.state is AskState.ANSWERED
    assert unnamed.state is AskState.FAILED


@pytest.mark.parametrize(
    "headers",
    [{"Status": "503"}, {"Status": "404"}, {"Status": "100"}, {"reply_to": "ragspine.v1.answers.erp.x"}],
    ids=lambda headers: "-".join([*headers, *headers.values()]),
)
async def test_headers_of_the_publisher_are_never_followed(stand: Stand, headers: dict[str, str]) -> None:
    async with (
        behind(stand.nats.url, orchestrator(usual_answer)),
        app_on(stand.nats) as app,
        app_on(stand.nats, "erp") as other,
    ):
        word = await app.answer(await app.publish(headers=headers))

        assert word.state is AskState.ANSWERED
        assert await other.stored("x") is None


async def test_a_part_that_is_away_makes_the_ask_wait_until_it_is_back(stand: Stand) -> None:
    async with app_on(stand.nats) as app:
        ask_id = await app.publish()

        async def waits() -> bool:
            return bool(await stand.rows("SELECT FROM asks.ask WHERE ask_id = $1 AND waits > 0", ask_id))

        await eventually(waits)
        async with behind(stand.nats.url, orchestrator(usual_answer)):
            word = await app.answer(ask_id)

    assert (word.state, word.attempts > 1) == (AskState.ANSWERED, True)


async def test_a_degraded_answer_is_not_the_final_word(stand: Stand) -> None:
    answers = [ANSWER.model_copy(update={"answer_kind": AnswerKind.DEGRADED}), ANSWER]

    async def answer(_: AnswerQuestion) -> AnswerResult:
        return answers.pop(0)

    async with behind(stand.nats.url, orchestrator(answer)), app_on(stand.nats) as app:
        word = await app.answer(await app.publish())

    assert word.answer is not None
    assert (word.answer.answer_kind, word.attempts) == (AnswerKind.NORMAL, 2)


async def test_what_cannot_change_by_waiting_fails_at_once(stand: Stand) -> None:
    asked, answer = failing(9, ConflictError)
    async with behind(stand.nats.url, orchestrator(answer)), app_on(stand.nats) as app:
        word = await app.answer(await app.publish())

    assert word.error is not None
    assert (word.error.code, len(asked)) == (ErrorCode.CONFLICT, 1)


async def test_a_fault_of_ours_is_admitted_after_five_attempts_with_a_dead_letter(stand: Stand) -> None:
    asked, answer = failing(99, lambda: RuntimeError("boom"))
    async with behind(stand.nats.url, orchestrator(answer)), app_on(stand.nats) as app:
        ask_id = await app.publish()
        word = await app.answer(ask_id)

    (letter,) = await stand.rows("SELECT code, attempts FROM asks.dead_letter WHERE ask_id = $1", ask_id)
    assert word.error is not None
    assert (word.state, word.error.code) == (AskState.FAILED, ErrorCode.INTERNAL)
    assert (len(asked), letter["code"], letter["attempts"]) == (FAULTS_ALLOWED, "internal", FAULTS_ALLOWED)


async def test_something_else_under_the_subject_of_an_answer_gives_way_to_the_final_word(stand: Stand) -> None:
    async with behind(stand.nats.url, orchestrator(usual_answer)), app_on(stand.nats) as app:
        await app.stream.publish(subjects.answers("crm", "forged"), b'{"stream":"RAGSPINE_ASKS","seq":1}')
        await app.publish("forged")

        async def is_ours() -> bool:
            return b"answered" in (await app.stored("forged") or b"")

        await eventually(is_ours)
        word = await app.answer("forged")

    assert word.state is AskState.ANSWERED


async def test_the_day_that_an_ask_names_is_kept(stand: Stand) -> None:
    days: list[date] = []

    async def answer(question: AnswerQuestion) -> AnswerResult:
        days.append(question.reference_date)
        return await usual_answer(question)

    async with behind(stand.nats.url, orchestrator(answer)), app_on(stand.nats) as app:
        body = json.dumps({"question": QUESTION, "reference_date": "2025-02-03"}).encode()
        await app.answer(await app.publish(body=body))

    assert days == [date(2025, 2, 3)]
