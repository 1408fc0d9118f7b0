"""What both clients do alike: deadline, request id, the one retry, and how an accepted ask is waited for."""

import asyncio
import random
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Final, Self, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from .. import subjects
from ..codes import ErrorCode
from ..v1.ask import AnswerResult, AskRequest
from ..v1.asks import DurableAnswer, request_digest
from .errors import ClientError, failure, invalid, no_answer, unreadable

DEFAULT_DEADLINE_SECONDS: Final = 60.0
"""Enough where a model takes part; without one, answers take milliseconds whatever the deadline is."""
MAX_DEADLINE_SECONDS: Final = 300.0
REPLY_MARGIN_SECONDS: Final = 0.025
"""The service is told to end that much earlier, so that it can still say why there is no answer."""
RETRY_PAUSE_SECONDS: Final = (0.25, 0.75)
"""Bounds of the random pause before a retry where the service names none: a restarted worker is back by then."""
MIN_ATTEMPT_SECONDS: Final = 0.1
"""A retry with less time than this is not worth sending."""

ACCEPT_SECONDS: Final = 10.0
"""For handing in a durable ask."""
FIRST_LOOK_SECONDS: Final = 0.05
LONGEST_LOOK_SECONDS: Final = 1.0
"""Between two looks for the answer to a durable ask, growing from the first to the second."""

_TRACEPARENT: Final = re.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

T = TypeVar("T")


class RetryBudget:
    """Lets one ask in ten be repeated; what is not used is saved, for ten retries at most. It starts full."""

    _COST: Final = 10
    _MOST: Final = 100

    def __init__(self) -> None:
        self._saved = self._MOST

    def earn(self) -> None:
        """An ask was made."""
        self._saved = min(self._MOST, self._saved + 1)

    def spend(self) -> bool:
        """Whether a retry is allowed; if so, it is taken."""
        if self._saved < self._COST:
            return False
        self._saved -= self._COST
        return True


class Client(ABC):
    """What both clients do alike. Use as `async with`; one client serves any number of asks at once."""

    def __init__(self) -> None:
        self._budget = RetryBudget()

    async def __aenter__(self) -> Self:
        """Open the connection."""
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()

    async def ask(
        self,
        question: str | AskRequest,
        *,
        deadline_seconds: float = DEFAULT_DEADLINE_SECONDS,
        traceparent: str | None = None,
    ) -> AnswerResult:
        """The answer within `deadline_seconds`; raises `ClientError`.

        `traceparent` joins the ask to a W3C trace; one of another form is left out.
        """
        request, until = _request(question), _until(deadline_seconds)
        headers, body = _headers(until, traceparent), encoded(request)
        with _named(request):
            return await self._tried(until, lambda seconds: self._exchange(body, headers, seconds))

    async def ask_durably(
        self,
        question: str | AskRequest,
        *,
        key: str | None = None,
        deadline_seconds: float = DEFAULT_DEADLINE_SECONDS,
        traceparent: str | None = None,
    ) -> AnswerResult:
        """Hand in an ask that survives every outage, and wait for its answer; raises `ClientError`.

        Where the answer does not come by the deadline, the ask goes on: `ask_id` of the error says under which id
        `answer_to` finds it later. `key` is as for `hand_in`; one that stands for another question already is an error
        (`idempotency_mismatch`), never the answer to that question.
        """
        request, until = _request(question), _until(deadline_seconds)
        accepting = min(ACCEPT_SECONDS, deadline_seconds)
        ask_id = await self.hand_in(request, key=key, deadline_seconds=accepting, traceparent=traceparent)
        return await self._answer_to(ask_id, until, request)

    async def hand_in(
        self,
        question: str | AskRequest,
        *,
        key: str | None = None,
        deadline_seconds: float = ACCEPT_SECONDS,
        traceparent: str | None = None,
    ) -> str:
        """The id of a durable ask, once it is accepted: from then on it ends in exactly one answer.

        The same request under the same `key` is accepted only once, however often it is sent; without one a new key is
        made, and kept for the one retry. Over HTTP a key is 1 to 255 printable characters, over the bus it is the
        ask's id.
        """
        request, until = _request(question), _until(deadline_seconds)
        headers, kept = _headers(until, traceparent), key or uuid4().hex
        with _named(request):
            return await self._tried(until, lambda seconds: self._submit(kept, request, headers, seconds))

    async def answer_to(self, ask_id: str, *, deadline_seconds: float = DEFAULT_DEADLINE_SECONDS) -> AnswerResult:
        """The answer to a durable ask, waited for at most so long. One that has failed raises its error."""
        return await self._answer_to(ask_id, _until(deadline_seconds))

    async def _answer_to(self, ask_id: str, until: float, request: AskRequest | None = None) -> AnswerResult:
        """The answer to `request`, where that is known, and to nothing else."""
        try:
            word = await self._final_word(ask_id, until)
        except ClientError as error:
            error.ask_id = ask_id
            raise
        if request is not None and word.request_sha256 not in (None, request_digest(request)):
            raise failure(ErrorCode.IDEMPOTENCY_MISMATCH, "The key stands for another question; use a new one.")
        if word.answer is not None:
            return word.answer
        failed = ClientError(word.error) if word.error is not None else unreadable()
        failed.ask_id = ask_id
        raise failed

    async def _tried(self, until: float, attempt: Callable[[float], Awaitable[T]]) -> T:
        self._budget.earn()
        try:
            return await attempt(_left(until))
        except ClientError as error:
            pause = _pause(error)
            fits = time.time() + pause + MIN_ATTEMPT_SECONDS < until
            if not _may_pass(error) or not fits or not self._budget.spend():
                raise
        await self._until_back(until - MIN_ATTEMPT_SECONDS - time.time())
        await asyncio.sleep(min(pause, max(0.0, until - MIN_ATTEMPT_SECONDS - time.time())))
        return await attempt(_left(until))

    async def _final_word(self, ask_id: str, until: float) -> DurableAnswer:
        """Look again and again: an outage in between is waited for, since the ask itself goes on."""
        pause, last = FIRST_LOOK_SECONDS, no_answer()
        while (seconds := until - time.time()) > 0:
            try:
                word, last = await self._look(ask_id, seconds), no_answer()
            except ClientError as error:
                if not error.retryable:
                    raise
                word, last = None, error
            if word is not None:
                return word
            wanted = max(pause, last.retry_after_seconds or 0.0)
            await asyncio.sleep(max(0.0, min(wanted, until - time.time())))
            pause = min(LONGEST_LOOK_SECONDS, pause * 1.5)
        raise last

    @abstractmethod
    async def open(self) -> None:
        """Open the connection; raises `ClientError`."""

    async def _until_back(self, seconds: float) -> None:  # noqa: B027 -- most ways have nothing to wait for
        """Wait, for that long at most, until an attempt can be sent at all."""

    @abstractmethod
    async def close(self) -> None:
        """Close it; asks that still run fail."""

    @abstractmethod
    async def _exchange(self, body: bytes, headers: Mapping[str, str], seconds: float) -> AnswerResult:
        """One attempt, over within `seconds`; raises `ClientError`."""

    @abstractmethod
    async def _submit(self, key: str, request: AskRequest, headers: Mapping[str, str], seconds: float) -> str:
        """Hand in a durable ask, over within `seconds`; its id. Raises `ClientError`."""

    @abstractmethod
    async def _look(self, ask_id: str, seconds: float) -> DurableAnswer | None:
        """The final word on a durable ask, where there is one within `seconds`; raises `ClientError`."""


@contextmanager
def _named(request: AskRequest) -> Generator[None]:
    """Errors say under which id the service's logs have the ask."""
    try:
        yield
    except ClientError as error:
        error.request_id = request.request_id or ""
        raise


def _until(seconds: float) -> float:
    return time.time() + (min(seconds, MAX_DEADLINE_SECONDS) if seconds > 0 else 0.0)


def _left(until: float) -> float:
    """Seconds until then; raises `ClientError` when there are none."""
    seconds = until - time.time()
    if seconds <= 0:
        raise no_answer()
    return seconds


def _headers(until: float, traceparent: str | None) -> dict[str, str]:
    headers = {subjects.HEADER_DEADLINE: str(int((until - REPLY_MARGIN_SECONDS) * 1_000))}
    if traceparent is not None and _TRACEPARENT.fullmatch(traceparent):
        headers[subjects.HEADER_TRACE] = traceparent
    return headers


def encoded(request: AskRequest) -> bytes:
    """A request as it is sent."""
    return request.model_dump_json(exclude_defaults=True).encode()  # an older service knows fewer fields


def _request(question: str | AskRequest) -> AskRequest:
    """The request, with an id that both attempts and the service's logs share."""
    try:
        request = AskRequest(question=question) if isinstance(question, str) else question
    except ValidationError as error:
        raise ClientError(invalid(error)) from None
    return request if request.request_id else request.model_copy(update={"request_id": uuid4().hex})


def _may_pass(error: ClientError) -> bool:
    return error.retryable and error.code is not ErrorCode.DEADLINE_EXCEEDED


def _pause(error: ClientError) -> float:
    """What the service asks for and a little more, so that not everybody comes back at once; else a short one."""
    if error.retry_after_seconds is None:
        return random.uniform(*RETRY_PAUSE_SECONDS)  # noqa: S311 -- spreads load, protects nothing
    return error.retry_after_seconds * random.uniform(1.0, 1.25)  # noqa: S311 -- spreads load, protects nothing
