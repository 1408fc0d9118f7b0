"""What both clients promise: one deadline, one retry, one kind of error."""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from contracts import subjects
from contracts.client import Client, ClientError
from contracts.client.asking import RetryBudget
from contracts.codes import ErrorCode
from contracts.v1 import AnswerResult, AskRequest, DurableAnswer, ErrorReply, HistoryTurn
from runtime.errors import AskError, InvalidRequestError, to_error_reply
from tests.component.gateway.doors import ANSWER

SOON = 0.02
"""Seconds after which the service says to come back."""


@dataclass
class Sent:
    """One attempt."""

    body: Mapping[str, object]
    headers: Mapping[str, str]
    seconds: float


@dataclass
class Wire(Client):
    """A client whose service answers with these, one an attempt, then rightly."""

    outcomes: Iterable[ClientError] = ()
    sent: list[Sent] = field(default_factory=list[Sent])

    def __post_init__(self) -> None:
        super().__init__()
        self._outcomes = iter(self.outcomes)

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def _exchange(self, body: bytes, headers: Mapping[str, str], seconds: float) -> AnswerResult:
        self.sent.append(Sent(json.loads(body), headers, seconds))
        error = next(self._outcomes, None)
        if error is not None:
            raise error
        return ANSWER

    async def _submit(self, key: str, request: AskRequest, headers: Mapping[str, str], seconds: float) -> str:
        raise NotImplementedError

    async def _look(self, ask_id: str, seconds: float) -> DurableAnswer | None:
        raise NotImplementedError


def refused(code: ErrorCode, *, retry_after: float | None = SOON) -> ClientError:
    [kind] = [kind for kind in _kinds(AskError) if getattr(kind, "code", None) is code]
    return ClientError(to_error_reply(kind()), retry_after_seconds=retry_after)


def _kinds(base: type[AskError]) -> list[type[AskError]]:
    return [kind for sub in base.__subclasses__() for kind in (sub, *_kinds(sub))]


async def test_an_answer_comes_back_as_it_is() -> None:
    async with Wire() as client:
        assert await client.ask("香港2024营收") is ANSWER


async def test_every_attempt_carries_the_same_deadline_a_little_before_ours() -> None:
    client = Wire([refused(ErrorCode.UNAVAILABLE)])
    before = time.time()

    await client.ask("香港2024营收", deadline_seconds=5)

    first, second = client.sent
    told = int(first.headers[subjects.HEADER_DEADLINE]) / 1_000
    assert before + 4.9 < told < time.time() + 5
    assert second.headers == first.headers
    assert second.seconds <= first.seconds - SOON


async def test_both_attempts_are_one_request_with_an_id_of_its_own() -> None:
    client = Wire([refused(ErrorCode.OVERLOADED)])

    await client.ask("香港2024营收")
    await client.ask(AskRequest(question="香港2024营收", request_id="app-7"))

    first, second, third = (sent.body["request_id"] for sent in client.sent)
    assert first == second
    assert third == "app-7"
    assert first != third


async def test_what_has_its_default_is_not_sent() -> None:
    client = Wire()
    request = AskRequest(question="why", history=(HistoryTurn(role="user", text="hello"),), request_id="a")

    await client.ask(request)

    assert client.sent[0].body == {
        "question": "why",
        "history": [{"role": "user", "text": "hello"}],
        "request_id": "a",
    }


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.UNAVAILABLE,
        ErrorCode.OVERLOADED,
        ErrorCode.FACT_SOURCE_UNAVAILABLE,
        ErrorCode.PROFILE_MISMATCH,
    ],
)
async def test_what_may_pass_is_tried_once_more(code: ErrorCode) -> None:
    healed, ill = Wire([refused(code)]), Wire([refused(code), refused(code)])

    assert await healed.ask("香港2024营收") is ANSWER
    with pytest.raises(ClientError) as raised:
        await ill.ask("香港2024营收")

    assert raised.value.code is code
    assert len(ill.sent) == 2


@pytest.mark.parametrize(
    "code",
    sorted(
        set(ErrorCode)
        - {
            ErrorCode.UNAVAILABLE,
            ErrorCode.OVERLOADED,
            ErrorCode.RATE_LIMITED,
            ErrorCode.FACT_SOURCE_UNAVAILABLE,
            ErrorCode.PROFILE_MISMATCH,
        }
    ),
)
async def test_what_would_fail_again_is_not_repeated(code: ErrorCode) -> None:
    client = Wire([refused(code)])

    with pytest.raises(ClientError) as raised:
        await client.ask("香港2024营收")

    assert raised.value.code is code
    assert len(client.sent) == 1


@pytest.mark.parametrize(("retry_after", "attempts"), [(SOON, 2), (3.0, 1), (None, 2)])
async def test_a_retry_must_fit_into_the_deadline(retry_after: float | None, attempts: int) -> None:
    client = Wire([refused(ErrorCode.OVERLOADED, retry_after=retry_after), refused(ErrorCode.OVERLOADED)])

    with pytest.raises(ClientError):
        await client.ask("香港2024营收", deadline_seconds=1.2)

    assert len(client.sent) == attempts


async def test_in_an_outage_retries_stop_by_themselves() -> None:
    client = Wire(refused(ErrorCode.UNAVAILABLE, retry_after=0) for _ in range(1_000))

    for _ in range(100):
        with pytest.raises(ClientError):
            await client.ask("香港2024营收")

    assert 100 < len(client.sent) <= 100 + 10 + 100 / 10


def test_the_budget_is_a_tenth_of_the_asks_beyond_what_was_saved() -> None:
    budget = RetryBudget()

    def retries(asks: int) -> int:
        allowed = 0
        for _ in range(asks):
            budget.earn()
            allowed += budget.spend()
        return allowed

    assert retries(1_000) in range(100, 112)
    assert retries(1_000) == 100


async def test_an_error_says_what_the_service_said() -> None:
    reply = to_error_reply(InvalidRequestError()).model_copy(
        update={"problems": ErrorReply.model_validate_json(_example("invalid_request")).problems}
    )
    client = Wire([ClientError(reply)])

    with pytest.raises(ClientError, match=r"^invalid_request: ") as raised:
        await client.ask(AskRequest(question="香港2024营收", request_id="app-7"))

    error = raised.value
    assert (error.code, error.retryable, error.request_id) == (ErrorCode.INVALID_REQUEST, False, "app-7")
    assert error.problems == reply.problems != ()


def _example(name: str) -> bytes:
    return Path(f"contracts/examples/v1/ErrorReply/{name}.json").read_bytes()


@pytest.mark.parametrize("question", ["", "  ", "营" * 2_001])
async def test_a_question_that_cannot_be_one_is_refused_like_the_service_would_without_sending(question: str) -> None:
    client = Wire()

    with pytest.raises(ClientError) as raised:
        await client.ask(question)

    assert raised.value.code is ErrorCode.INVALID_REQUEST
    assert [problem.field for problem in raised.value.problems] == ["question"]
    assert "营营" not in str(raised.value) + str(raised.value.problems)
    assert client.sent == []


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("-inf"), float("nan")])
async def test_a_deadline_that_has_passed_sends_nothing(seconds: float) -> None:
    client = Wire()

    with pytest.raises(ClientError) as raised:
        await client.ask("香港2024营收", deadline_seconds=seconds)

    assert raised.value.code is ErrorCode.DEADLINE_EXCEEDED
    assert client.sent == []


async def test_a_deadline_without_end_is_cut_to_what_the_service_takes() -> None:
    client = Wire()

    await client.ask("香港2024营收", deadline_seconds=float("inf"))

    assert client.sent[0].seconds == pytest.approx(300, abs=5)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", True),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx: y", False),
        ("", False),
    ],
)
async def test_a_trace_is_joined_by_its_header_alone(given: str, sent: bool) -> None:
    client = Wire()

    await client.ask("香港2024营收", traceparent=given)

    assert (client.sent[0].headers.get(subjects.HEADER_TRACE) == given) is sent
