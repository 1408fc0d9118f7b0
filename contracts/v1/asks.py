"""Durable asks: `ragspine.v1.asks.<app>.<ask_id>`, its final word on `ragspine.v1.answers.<app>.<ask_id>`, `/v1/asks`.

What an app publishes is an `AskRequest`; app and id are those of the subject, which the broker enforces, and nothing in
the message can change them. An accepted ask ends in exactly one `DurableAnswer`.
"""

import hashlib
from datetime import datetime
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from ..codes import AskState, ErrorCode
from .ask import AnswerResult, AskRequest
from .base import EdgeMessage, InternalMessage
from .errors import ErrorReply

APP_PATTERN: Final = r"^[a-z0-9][a-z0-9_-]{0,31}$"
ASK_ID_PATTERN: Final = r"^[A-Za-z0-9_-]{1,64}$"
IDEMPOTENCY_KEY_PATTERN: Final = r"^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$"
"""1 to 255 printable ASCII characters, no blank at either end."""
MAX_WEBHOOK_URL_CHARS: Final = 2_048
MAX_ASKS_PAGE: Final = 200
MAX_ASK_NUMBER: Final = 2**63 - 1

AppName = Annotated[str, Field(pattern=APP_PATTERN)]
"""Who asks, as the broker or the key says."""
AskId = Annotated[str, Field(pattern=ASK_ID_PATTERN)]
"""The name of an ask within its app."""
WebhookUrl = Annotated[str, Field(pattern=r"^https?://[\x21-\x7e]+$", max_length=MAX_WEBHOOK_URL_CHARS)]


class SubmitAsk(AskRequest):
    """`POST /v1/asks`: a question whose answer is fetched later."""

    webhook_url: WebhookUrl | None = None
    """Is told when the ask is finished; its host must be one that the operator allows."""


class AskSummary(InternalMessage):
    """How far a durable ask is, without texts."""

    ask_id: str
    app: str
    state: AskState
    attempts: int = 0
    """How often answering was begun; an outage of a part makes it more, and is no failure."""
    accepted_at: datetime
    finished_at: datetime | None = None
    """When it was answered or given up; null before."""
    error_code: ErrorCode | None = None
    """Why it failed, or what it waits for."""


class AskStatus(AskSummary):
    """The same with the final word, if there is one."""

    answer: AnswerResult | None = None
    """Of an answered ask."""
    error: ErrorReply | None = None
    """Of a failed one."""


class ListAsks(EdgeMessage):
    """Which of an app's asks to list, newest first."""

    before: Annotated[int, Field(ge=1, le=MAX_ASK_NUMBER)] | None = None
    """`next` of the page before."""
    state: AskState | None = None
    """Only asks in this state, however many newer ones are in others."""
    limit: Annotated[int, Field(ge=1, le=MAX_ASKS_PAGE)] = 50


class AskList(InternalMessage):
    """A page of an app's asks, newest first."""

    asks: tuple[AskSummary, ...]
    next: int | None = None
    """Where the next page begins; null on the last one."""


def request_digest(ask: AskRequest) -> str:
    """What tells two requests apart, as 64 hexadecimal digits: everything asked for, and not the id of one attempt."""
    asked = ask.model_dump_json(exclude_defaults=True, exclude={"request_id", "webhook_url"})
    return hashlib.sha256(asked.encode()).hexdigest()


class DurableAnswer(InternalMessage):
    """The final word on a durable ask: an answer, a refusal, or honestly that it failed.

    It never changes; only a failed ask that somebody orders to be tried again gets another one.
    """

    ask_id: str
    app: str
    state: Literal[AskState.ANSWERED, AskState.FAILED]
    attempts: int
    accepted_at: datetime
    finished_at: datetime
    request_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """`request_digest` of the ask that this answers: the first one under its id; null where it could not be read."""
    answer: AnswerResult | None = None
    """Of an answered ask; refusals and questions back are answers."""
    error: ErrorReply | None = None
    """Of a failed one."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        is_answered = self.state is AskState.ANSWERED
        if is_answered != (self.answer is not None) or is_answered == (self.error is not None):
            raise ValueError("an answered ask has an answer, a failed one an error")
        return self
