"""What both clients promise about durable asks: one key, one retry, and a wait that no outage ends early."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from contracts import subjects
from contracts.client import Client, ClientError
from contracts.client.errors import failure
from contracts.codes import AskState, ErrorCode
from contracts.v1 import AnswerResult, AskRequest, DurableAnswer, ErrorReply
from tests.component.gateway.doors import ANSWER

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
ANSWERED = DurableAnswer(
    ask_id="a1", app="local", state=AskState.ANSWERED, attempts=1, accepted_at=NOW, finished_at=NOW, answer=ANSWER
)
FAILED = DurableAnswer(
    **{"ask_id": "a1", "app": "local", "state": AskState.FAILED, "attempts": 5, "accepted_at": NOW, "finished_at": NOW},
    error=ErrorReply(code=ErrorCode.INTERNAL, retryable=False, message="An internal error occurred."),
)


def away(*, retry_after: float | None = 0.01) -> ClientError:
    return failure(ErrorCode.UNAVAILABLE, "away", retry_after_seconds=retry_after)


@dataclass
class Wire(Client):
    """A client whose service says these, one an attempt and one a look; then it has accepted, and answered."""

    acceptances: Iterable[ClientError] = ()
    looks: Iterable[ClientError | DurableAnswer | None] = (ANSWERED,)
    submitted: list[tuple[str, AskRequest, Mapping[str, str]]] = field(
        default_factory=list[tuple[str, AskRequest, Mapping[str, str]]]
    )
    looked: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        super().__init__()
        self._acceptances, self._looks = iter(self.acceptances), iter(self.looks)

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def _exchange(self, body: bytes, headers: Mapping[str, str], seconds: float) -> AnswerResult:
        raise NotImplementedError

    async def _submit(self, key: str, request: AskRequest, headers: Mapping[str, str], seconds: float) -> str:
        self.submitted.append((key, request, headers))
        error = next(self._acceptances, None)
        if error is not None:
            raise error
        return "a1"

    async def _look(self, ask_id: str, seconds: float) -> DurableAnswer | None:
        self.looked.append(ask_id)
        word = next(self._looks, None)
        if isinstance(word, ClientError):
            raise word
        return word


async def test_an_ask_is_handed_in_once_and_its_answer_comes_back() -> None:
    client = Wire()

    answer = await client.ask_durably("香港2024营收", deadline_seconds=5)

    ((key, request, headers),) = client.submitted
    assert (answer, client.looked) == (ANSWER, ["a1"])
    assert (len(key), request.question) == (32, "香港2024营收")
    assert headers[subjects.HEADER_DEADLINE].isdecimal()


async def test_the_one_retry_is_made_under_the_same_key_and_request_id() -> None:
    client = Wire([away()])

    await client.ask_durably("香港2024营收")

    (first, second) = client.submitted
    assert first[0] == second[0]
    assert first[1] == second[1]


async def test_two_asks_have_two_keys_and_a_key_of_ones_own_is_kept() -> None:
    client = Wire(looks=(ANSWERED,) * 3)

    for key in (None, None, "order-66"):
        await client.ask_durably("香港2024营收", key=key)

    keys = [key for key, *_ in client.submitted]
    assert keys[2] == "order-66"
    assert len(set(keys)) == 3


async def test_what_is_refused_is_not_sent_again() -> None:
    client = Wire([failure(ErrorCode.IDEMPOTENCY_MISMATCH, "no"), away()])

    with pytest.raises(ClientError) as raised:
        await client.hand_in("香港2024营收", key="k")

    assert (raised.value.code, len(client.submitted)) == (ErrorCode.IDEMPOTENCY_MISMATCH, 1)
    assert raised.value.request_id
    assert raised.value.ask_id == ""


async def test_outages_while_it_waits_are_waited_for() -> None:
    client = Wire(looks=[None, away(), failure(ErrorCode.DEADLINE_EXCEEDED, "slow"), None, ANSWERED])

    answer = await client.answer_to("a1", deadline_seconds=5)

    assert answer == ANSWER
    assert len(client.looked) == 5


@pytest.mark.parametrize(("looks", "code"), [((), "deadline_exceeded"), ((away(retry_after=9.0),), "unavailable")])
async def test_a_wait_without_an_answer_says_why_and_under_which_id_the_ask_goes_on(
    looks: Iterable[ClientError], code: str
) -> None:
    client = Wire(looks=looks)

    with pytest.raises(ClientError) as raised:
        await client.ask_durably("香港2024营收", deadline_seconds=0.2)

    assert (raised.value.code, raised.value.retryable, raised.value.ask_id) == (code, True, "a1")


async def test_an_ask_that_failed_raises_its_own_error() -> None:
    client = Wire(looks=[FAILED])

    with pytest.raises(ClientError) as raised:
        await client.answer_to("a1")

    assert (raised.value.code, raised.value.ask_id) == (ErrorCode.INTERNAL, "a1")
    assert not raised.value.retryable


async def test_an_unknown_ask_ends_the_wait_at_once() -> None:
    client = Wire(looks=[failure(ErrorCode.NOT_FOUND, "There is no such ask.")])

    with pytest.raises(ClientError) as raised:
        await client.answer_to("nobody", deadline_seconds=60)

    assert (raised.value.code, len(client.looked)) == (ErrorCode.NOT_FOUND, 1)


@pytest.mark.parametrize("seconds", [0, -1])
async def test_no_time_is_no_attempt(seconds: float) -> None:
    client = Wire()

    with pytest.raises(ClientError) as raised:
        await client.ask_durably("香港2024营收", deadline_seconds=seconds)

    assert (raised.value.code, client.submitted) == (ErrorCode.DEADLINE_EXCEEDED, [])
