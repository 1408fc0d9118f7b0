"""Every error a caller can meet, as one tree, and the only mapping between exceptions and error replies.

AskError
├── InvalidRequestError, UnauthenticatedError, ForbiddenError, NotFoundError, MethodNotAllowedError, ConflictError
├── IdempotencyMismatchError
├── PayloadTooLargeError, UnsupportedMediaTypeError, TooManySubtasksError
├── OverloadedError*, RateLimitedError*, UnavailableError*, FactSourceUnavailableError*, ProfileMismatchError*
└── DeadlineExceededError*, InternalError                                       (* worth a retry)

A message carries no input, no number of a fact and no text of a foreign exception.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contracts.codes import ErrorCode
from contracts.reasons import reason_of
from contracts.v1.errors import ErrorReply, FieldProblem

MAX_PROBLEMS: Final = 1_000
"""As many as a load request has rows; beyond, the rest is only counted."""

_MAX_COUNTED: Final = 40_000
"""Each problem costs several microseconds to describe; hostile bodies hold hundreds of thousands of them."""
_MAX_SEGMENT_CHARS: Final = 64
_MAX_REASON_CHARS: Final = 300


class AskError(Exception):
    """A request that cannot be answered, as a code that clients key on."""

    code: ClassVar[ErrorCode]
    retryable: ClassVar[bool] = False
    text: ClassVar[str]

    def __init__(
        self,
        message: str | None = None,
        *,
        problems: Sequence[FieldProblem] = (),
        retry_after_seconds: float | None = None,
    ) -> None:
        self.message = message or self.text
        self.problems = tuple(problems)
        self.retry_after_seconds = retry_after_seconds
        """When there will be room again, as far as that is known."""
        super().__init__(self.message)


class InvalidRequestError(AskError):
    """The request does not fit its contract."""

    code = ErrorCode.INVALID_REQUEST
    text = "The request is not valid."


class UnauthenticatedError(AskError):
    """The caller has not said who it is."""

    code = ErrorCode.UNAUTHENTICATED
    text = "A valid key is needed."


class ForbiddenError(AskError):
    """The caller may not do this."""

    code = ErrorCode.FORBIDDEN
    text = "The key does not allow this."


class NotFoundError(AskError):
    """What the request names does not exist."""

    code = ErrorCode.NOT_FOUND
    text = "There is no such thing here."


class MethodNotAllowedError(AskError):
    """The path exists, but not with this method."""

    code = ErrorCode.METHOD_NOT_ALLOWED
    text = "This method is not available here."


class ConflictError(AskError):
    """The request contradicts what is stored."""

    code = ErrorCode.CONFLICT
    text = "The request contradicts the current state."


class IdempotencyMismatchError(AskError):
    """The key of an earlier request came with another request."""

    code = ErrorCode.IDEMPOTENCY_MISMATCH
    text = "This Idempotency-Key was used for another request; use a new key for a new question."


class PayloadTooLargeError(AskError):
    """The request or its reply is larger than the way it would travel."""

    code = ErrorCode.PAYLOAD_TOO_LARGE
    text = "The message is too large."


class UnsupportedMediaTypeError(AskError):
    """The body is of a type that is not read here."""

    code = ErrorCode.UNSUPPORTED_MEDIA_TYPE
    text = "The body must be JSON: add the header, with curl by -H 'Content-Type: application/json'."


class TooManySubtasksError(AskError):
    """The question asks for more scopes than one answer holds."""

    code = ErrorCode.TOO_MANY_SUBTASKS
    text = "The question asks for too many values at once."


class OverloadedError(AskError):
    """There is more work than can be accepted now."""

    code = ErrorCode.OVERLOADED
    retryable = True
    text = "Too many requests at the moment."


class RateLimitedError(AskError):
    """One caller asks more often than it may, however idle the service is."""

    code = ErrorCode.RATE_LIMITED
    retryable = True
    text = "This key asks more often than it may."


class UnavailableError(AskError):
    """A part that is needed cannot be reached."""

    code = ErrorCode.UNAVAILABLE
    retryable = True
    text = "A part of the service is not available at the moment."


class FactSourceUnavailableError(AskError):
    """The facts cannot be read, so nothing may be said about them."""

    code = ErrorCode.FACT_SOURCE_UNAVAILABLE
    retryable = True
    text = "The fact source is not available at the moment."


class ProfileMismatchError(AskError):
    """Two processes run with different company profiles."""

    code = ErrorCode.PROFILE_MISMATCH
    retryable = True
    text = "Parts of the service run with different company profiles."


class DeadlineExceededError(AskError):
    """The time that the caller gave is over."""

    code = ErrorCode.DEADLINE_EXCEEDED
    retryable = True
    text = "The time for this request is over."


class InternalError(AskError):
    """A fault of ours. The text is fixed: what went wrong is in the log, not in the reply."""

    code = ErrorCode.INTERNAL
    text = "An internal error occurred."


def to_error_reply(exc: BaseException) -> ErrorReply:
    """The reply for an exception; whatever is not an `AskError` becomes `internal` with a fixed text."""
    error = exc if isinstance(exc, AskError) else InternalError()
    return ErrorReply(
        code=error.code, retryable=error.retryable, message=error.message, problems=error.problems[:MAX_PROBLEMS]
    )


def from_error_reply(reply: ErrorReply) -> AskError:
    """The exception that an error reply names."""
    return _BY_CODE[reply.code](reply.message, problems=reply.problems)


def invalid_request(error: ValidationError) -> InvalidRequestError:
    """The typed error for a message that failed validation: paths and reasons, never the input.

    Beyond `MAX_PROBLEMS` one is listed for each item of a list, so that every bad row is named.
    """
    count = error.error_count()
    if count > _MAX_COUNTED:
        too_many = FieldProblem(field="", reason=f"more than {_MAX_COUNTED} problems: this is no request of this kind")
        return InvalidRequestError(problems=(too_many,))
    if count > MAX_PROBLEMS:
        listed = _one_per_item(_details(error))
        return InvalidRequestError(
            f"The request is not valid; {len(listed)} of {count} problems are listed.",
            problems=[_problem(detail) for detail in listed],
        )
    return InvalidRequestError(problems=problems_of(error))


def refused(problems: Sequence[FieldProblem]) -> InvalidRequestError:
    """The typed error for rows that cannot be loaded; beyond `MAX_PROBLEMS` they are only counted."""
    listed = problems[:MAX_PROBLEMS]
    if len(listed) == len(problems):
        return InvalidRequestError(problems=listed)
    message = f"The request is not valid; the first {len(listed)} of {len(problems)} problems are listed."
    return InvalidRequestError(message, problems=listed)


def problems_of(error: ValidationError) -> tuple[FieldProblem, ...]:
    """What pydantic refused, as field paths and reasons without any input."""
    return tuple(_problem(detail) for detail in _details(error))


def _details(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False, include_input=False)


def _one_per_item(details: list[ErrorDetails]) -> list[ErrorDetails]:
    first_of: dict[tuple[int | str, ...], ErrorDetails] = {}
    for detail in details:
        first_of.setdefault(detail["loc"][:2], detail)
    return list(first_of.values())[:MAX_PROBLEMS]


def _problem(detail: ErrorDetails) -> FieldProblem:
    return FieldProblem(field=field_path(detail["loc"]), reason=reason_of(detail)[:_MAX_REASON_CHARS])


def field_path(steps: Sequence[int | str]) -> str:
    """A path as callers see it; names that come from outside are shortened and made printable."""
    segments = [str(step)[:_MAX_SEGMENT_CHARS] for step in steps]
    return ".".join("".join(c for c in segment if c.isprintable()) for segment in segments)


def _all_errors(base: type[AskError]) -> Iterator[type[AskError]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _all_errors(kind)


_BY_CODE: Final = {kind.code: kind for kind in _all_errors(AskError)}
