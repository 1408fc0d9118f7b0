"""The client for apps against the gateway's own HTTP: answers, refusals and deadlines in its words."""

import httpx
import pytest

from contracts.client import ClientError, HttpClient
from contracts.codes import ErrorCode
from contracts.v1.ask import AnswerQuestion, AnswerResult, AskRequest
from runtime.deadline import current_deadline
from runtime.errors import UnavailableError
from tests.component.gateway.doors import ANSWER, QUESTION, Doors, open_doors, usual_answer


def client_of(doors: Doors) -> HttpClient:
    transport = httpx.ASGITransport(doors.app, raise_app_exceptions=False)
    return HttpClient("http://127.0.0.1:8321", transport=transport)


async def test_the_answer_arrives_typed_and_whole(doors: Doors) -> None:
    async with client_of(doors) as client:
        answer = await client.ask(AskRequest(question=QUESTION, request_id=ANSWER.request_id))

    assert answer == ANSWER


async def test_the_deadline_reaches_the_orchestrator(doors: Doors) -> None:
    left: list[float] = []

    async def note(question: AnswerQuestion) -> AnswerResult:
        deadline = current_deadline()
        left.append(deadline.left() if deadline else 0.0)
        return await usual_answer(question)

    doors.answer_with(note)
    async with client_of(doors) as client:
        await client.ask(QUESTION, deadline_seconds=7)

    assert 5 < left[0] < 7


async def test_what_the_gateway_refuses_is_named(doors: Doors) -> None:
    async with client_of(doors) as client:
        with pytest.raises(ClientError) as raised:
            await client.ask(AskRequest(question=QUESTION, default_entity="NOBODY", request_id="app-7"))

    error = raised.value
    assert (error.code, error.retryable, error.request_id) == (ErrorCode.INVALID_REQUEST, False, "app-7")
    assert [problem.field for problem in error.problems] == ["default_entity"]
    assert doors.asked == []


async def test_a_worker_that_is_back_in_time_is_not_noticed(doors: Doors) -> None:
    async def away_once(question: AnswerQuestion) -> AnswerResult:
        if len(doors.asked) == 1:
            raise UnavailableError
        return await usual_answer(question)

    doors.answer_with(away_once)
    async with client_of(doors) as client:
        answer = await client.ask(QUESTION)

    first, second = doors.asked
    assert answer.answer == ANSWER.answer
    assert first.request_id == second.request_id


async def test_a_worker_that_stays_away_is_an_error_worth_a_retry_later(doors: Doors) -> None:
    async def away(question: AnswerQuestion) -> AnswerResult:
        raise UnavailableError

    doors.answer_with(away)
    async with client_of(doors) as client:
        with pytest.raises(ClientError) as raised:
            await client.ask(QUESTION)

    assert (raised.value.code, raised.value.retryable) == (ErrorCode.UNAVAILABLE, True)
    assert raised.value.retry_after_seconds == 2
    assert len(doors.asked) == 2


async def test_the_bound_of_the_gateway_is_overload() -> None:
    async with open_doors(max_requests=1) as doors, client_of(doors) as client:

        async def ask_again(question: AnswerQuestion) -> AnswerResult:
            with pytest.raises(ClientError) as raised:
                await client.ask(QUESTION, deadline_seconds=0.5)
            assert raised.value.code is ErrorCode.OVERLOADED
            return await usual_answer(question)

        doors.answer_with(ask_again)
        await client.ask(QUESTION)

    assert len(doors.asked) == 1
