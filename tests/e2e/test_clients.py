"""The clients for apps against a running stack: both doors give the same answer, also while workers are restarted."""

import asyncio
import os
import signal
import time

import pytest

from contracts.client import Client, ClientError, HttpClient, NatsClient
from contracts.codes import AnswerKind, ErrorCode, Locale
from contracts.v1 import AnswerResult, AskRequest
from tests.e2e.asking import ANSWER, QUESTION
from tests.support.answers import TODAY
from tests.support.stacks import Stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(240)]

REQUEST = AskRequest(question=QUESTION, reference_date=TODAY, locale=Locale.ZH)


@pytest.fixture(params=["nats", "http"])
def client(stack: Stack, request: pytest.FixtureRequest) -> Client:
    """A client of either kind."""
    return NatsClient(stack.state["nats_url"]) if request.param == "nats" else HttpClient(stack.http_url)


async def test_the_answer_is_typed_and_exact(client: Client) -> None:
    async with client:
        answer = await client.ask(REQUEST, deadline_seconds=10)

    [result] = answer.tool_results
    assert (answer.answer, answer.answer_kind) == (ANSWER, AnswerKind.NORMAL)
    assert (str(result.value), result.unit) == ("1320", "USD_M")


async def test_both_doors_give_the_same_answer(stack: Stack) -> None:
    request = REQUEST.model_copy(update={"request_id": "both-doors"})

    async with NatsClient(stack.state["nats_url"]) as bus, HttpClient(stack.http_url) as http:
        assert await bus.ask(request) == await http.ask(request)


async def test_an_option_that_is_sent_back_is_answered(client: Client) -> None:
    async with client:
        asked = await client.ask(REQUEST.model_copy(update={"question": "中国内地2024年是多少"}))
        assert asked.clarification is not None
        chosen = await client.ask(REQUEST.model_copy(update={"question": asked.clarification.options[0].question}))

    assert (asked.answer_kind, chosen.answer_kind) == (AnswerKind.CLARIFICATION, AnswerKind.NORMAL)


async def test_what_the_service_refuses_is_named(client: Client) -> None:
    request = REQUEST.model_copy(update={"default_entity": "NOBODY", "request_id": "app-7"})

    async with client:
        with pytest.raises(ClientError) as raised:
            await client.ask(request)

    error = raised.value
    assert (error.code, error.retryable, error.request_id) == (ErrorCode.INVALID_REQUEST, False, "app-7")
    assert [problem.field for problem in error.problems] == ["default_entity"]


async def test_a_killed_worker_costs_a_retryable_error_at_most(client: Client, stack: Stack) -> None:
    async with client:
        os.kill(stack.pid("intent"), signal.SIGKILL)
        outcomes = await _ask_until_right(client)

    assert {outcome for outcome in outcomes if isinstance(outcome, ErrorCode)} <= {
        ErrorCode.UNAVAILABLE,
        ErrorCode.DEADLINE_EXCEEDED,
    }


async def _ask_until_right(client: Client) -> list[ErrorCode | AnswerResult]:
    outcomes: list[ErrorCode | AnswerResult] = []
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            outcomes.append(await client.ask(REQUEST, deadline_seconds=5))
        except ClientError as error:
            outcomes.append(error.code)
            await asyncio.sleep(0.1)
            continue
        assert outcomes[-1].answer == ANSWER
        return outcomes
    raise AssertionError(f"not healed: {outcomes}")
