"""One typed request/reply operation, independent of how its bytes travel.

Whatever arrives and whatever the handler does, `respond` returns exactly one reply: the handler's message, or an
`ErrorReply` with the ADR-32 headers. Silence, which would cost the caller its whole time-out, is not an outcome.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, get_type_hints

from pydantic import BaseModel, ValidationError

from contracts import subjects
from contracts.codes import HTTP_STATUS
from contracts.v1.base import EdgeMessage
from runtime.deadline import Deadline, serving_until
from runtime.errors import (
    AskError,
    DeadlineExceededError,
    OverloadedError,
    PayloadTooLargeError,
    invalid_request,
    to_error_reply,
)
from runtime.logging import describe, get_log
from runtime.observer import OK
from runtime.repeats import refuse_repeats

BUS_BYTES: Final = 1_048_576
"""What nats-server must carry as one message (`max_payload`); its default."""
MAX_MESSAGE_BYTES: Final = BUS_BYTES - 16_384
"""Largest body that we send; headers need the rest."""

_MAX_PROBLEMS_SHOWN: Final = 100  # when the full list would not fit into one message
_CONTENT_TYPE: Final = {"content-type": "application/json"}

_log = get_log(__name__)

Request = TypeVar("Request", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be asked of a worker; AsyncAPI is generated from these."""

    subject: str
    queue: str
    request: type[BaseModel]
    reply: type[BaseModel]
    summary: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it travels."""

    body: bytes
    headers: dict[str, str]
    outcome: str = OK
    """`ok` or the error code."""
    was_dropped: bool = False
    """The request came too late and the handler was not run."""


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[Request, Answer]):
    """A handler with its types."""

    operation: Operation
    request: type[Request]
    reply: type[Answer]
    handler: Handler[Request, Answer]
    default_deadline_seconds: float

    async def respond(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Answer one request; raises nothing but `CancelledError`."""
        try:
            deadline = self._deadline(headers)
            if deadline.left() <= 0:
                return _failure(DeadlineExceededError(), was_dropped=True)
            return _success(await self._run(self._read(body), deadline))
        except AskError as error:
            return _failure(error)
        except Exception as error:
            _log.error("handler_failed", subject=self.operation.subject, **describe(error))
            return _failure(error)

    def refuse(self) -> Reply:
        """The reply to a request for which there is no room; its body is not even read."""
        return _failure(OverloadedError("This part has too much to do."))

    def _deadline(self, headers: Mapping[str, str]) -> Deadline:
        header = headers.get(subjects.HEADER_DEADLINE)
        return Deadline.from_header(header) if header else Deadline.after(self.default_deadline_seconds)

    def _read(self, body: bytes) -> Request:
        try:
            message = self.request.model_validate_json(body)
        except ValidationError as error:
            raise invalid_request(error) from None
        if issubclass(self.request, EdgeMessage):  # what our own processes write has no repeats
            refuse_repeats(body)
        return message

    async def _run(self, message: Request, deadline: Deadline) -> Answer:
        limit = asyncio.timeout(deadline.left())
        try:
            with serving_until(deadline):
                async with limit:
                    answer = await self.handler(message)
        except TimeoutError:
            if limit.expired():
                raise DeadlineExceededError from None
            raise
        if not isinstance(answer, self.reply):
            raise TypeError(f"{self.operation.subject} returned {type(answer).__name__}, not {self.reply.__name__}")
        return answer


def make_endpoint(
    handler: Handler[Request, Answer], *, subject: str, queue: str, default_deadline_seconds: float
) -> Endpoint[Request, Answer]:
    """Read the message types from the handler's annotations; raises `TypeError` when they are not messages."""
    hints = get_type_hints(handler)
    reply: type[Answer] | None = _message(hints.pop("return", None))
    request: type[Request] | None = _message(next(iter(hints.values()), None))
    if len(inspect.signature(handler).parameters) != 1 or request is None or reply is None:
        raise TypeError(f"the handler of {subject} must take one message and return one message, both annotated")
    operation = Operation(subject, queue, request, reply, inspect.getdoc(handler) or "")
    return Endpoint(operation, request, reply, handler, default_deadline_seconds)


def _message(kind: Any) -> Any:  # noqa: ANN401 - the annotation is checked here, its type parameter is the caller's
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _success(answer: BaseModel) -> Reply:
    body = answer.model_dump_json().encode()
    if len(body) > MAX_MESSAGE_BYTES:
        raise PayloadTooLargeError("The reply is larger than the bus carries; ask for less at once.")
    return Reply(body, dict(_CONTENT_TYPE))


def _failure(exc: BaseException, *, was_dropped: bool = False) -> Reply:
    reply = to_error_reply(exc)
    body = reply.model_dump_json().encode()
    if len(body) > MAX_MESSAGE_BYTES:
        body = reply.model_copy(update={"problems": reply.problems[:_MAX_PROBLEMS_SHOWN]}).model_dump_json().encode()
    headers = {
        **_CONTENT_TYPE,
        subjects.HEADER_ERROR: reply.code.value,
        subjects.HEADER_ERROR_CODE: str(HTTP_STATUS[reply.code]),
    }
    return Reply(body, headers, outcome=reply.code.value, was_dropped=was_dropped)
