"""What both clients do alike: deadline, request id, and the one retry."""

import asyncio
import random
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final, Self
from uuid import uuid4

from pydantic import ValidationError

from .. import subjects
from ..codes import ErrorCode
from ..v1.ask import AnswerResult, AskRequest
from .errors import ClientError, invalid, no_answer

DEFAULT_DEADLINE_SECONDS: Final = 60.0
"""Enough where a model takes part; without one, answers take milliseconds whatever the deadline is."""
MAX_DEADLINE_SECONDS: Final = 300.0
REPLY_MARGIN_SECONDS: Final = 0.025
"""The service is told to end that much earlier, so that it can still say why there is no answer."""
RETRY_PAUSE_SECONDS: Final = (0.25, 0.75)
"""Bounds of the random pause before a retry where the service names none: a restarted worker is back by then."""
MIN_ATTEMPT_SECONDS: Final = 0.1
"""A retry with less time than this is not worth sending."""

_TRACEPARENT: Final = re.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


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
        request = _request(question)
        seconds = min(deadline_seconds, MAX_DEADLINE_SECONDS) if deadline_seconds > 0 else 0.0
        until = time.time() + seconds
        headers = {subjects.HEADER_DEADLINE: str(int((until - REPLY_MARGIN_SECONDS) * 1_000))}
        if traceparent is not None and _TRACEPARENT.fullmatch(traceparent):
            headers[subjects.HEADER_TRACE] = traceparent
        body = request.model_dump_json(exclude_defaults=True).encode()  # an older service knows fewer fields
        self._budget.earn()
        try:
            return await self._ask_by(until, body, headers)
        except ClientError as error:
            error.request_id = request.request_id or ""
            raise

    async def _ask_by(self, until: float, body: bytes, headers: Mapping[str, str]) -> AnswerResult:
        try:
            return await self._attempt(until, body, headers)
        except ClientError as error:
            pause = _pause(error)
            fits = time.time() + pause + MIN_ATTEMPT_SECONDS < until
            if not _may_pass(error) or not fits or not self._budget.spend():
                raise
        await self._until_back(until - MIN_ATTEMPT_SECONDS - time.time())
        await asyncio.sleep(min(pause, max(0.0, until - MIN_ATTEMPT_SECONDS - time.time())))
        return await self._attempt(until, body, headers)

    async def _attempt(self, until: float, body: bytes, headers: Mapping[str, str]) -> AnswerResult:
        seconds = until - time.time()
        if seconds <= 0:
            raise no_answer()
        return await self._exchange(body, headers, seconds)

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
