"""Errors as RFC 9457 documents: the same code, message and field problems as the bus replies, plus the request id.

Nothing of the request's content is repeated.
"""

from collections.abc import Mapping
from math import ceil
from typing import Final

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from contracts.codes import HTTP_STATUS, ErrorCode
from contracts.v1.errors import FieldProblem
from runtime.errors import AskError, OverloadedError, RateLimitedError, to_error_reply

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER_SECONDS: Final = 1
"""At least, and where nothing better is known."""
AFTER_RESTART_SECONDS: Final = 2
"""For 503: what restarts is back by then; a client with a longer outage backs off by itself."""
MAX_RETRY_AFTER_SECONDS: Final = 60

TITLES: Final[Mapping[ErrorCode, str]] = {
    ErrorCode.INVALID_REQUEST: "Invalid request",
    ErrorCode.UNAUTHENTICATED: "Not authenticated",
    ErrorCode.FORBIDDEN: "Forbidden",
    ErrorCode.NOT_FOUND: "Not found",
    ErrorCode.METHOD_NOT_ALLOWED: "Method not allowed",
    ErrorCode.CONFLICT: "Conflict",
    ErrorCode.IDEMPOTENCY_MISMATCH: "Key used for another request",
    ErrorCode.PAYLOAD_TOO_LARGE: "Payload too large",
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: "Unsupported media type",
    ErrorCode.TOO_MANY_SUBTASKS: "Too many values in one question",
    ErrorCode.OVERLOADED: "Overloaded",
    ErrorCode.RATE_LIMITED: "Too many requests of one caller",
    ErrorCode.UNAVAILABLE: "Unavailable",
    ErrorCode.FACT_SOURCE_UNAVAILABLE: "Fact source unavailable",
    ErrorCode.PROFILE_MISMATCH: "Company profiles differ",
    ErrorCode.DEADLINE_EXCEEDED: "Deadline exceeded",
    ErrorCode.INTERNAL: "Internal error",
}

_RETRY_LATER: Final = frozenset({429, 503})


class Problem(BaseModel):
    """An error, as RFC 9457 describes it. `code` is what programs key on."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    type: str
    """Where the code is explained, relative to this server."""
    title: str
    status: int
    code: ErrorCode
    detail: str
    request_id: str
    retryable: bool
    """Whether the same request may succeed later."""
    problems: tuple[FieldProblem, ...] = ()
    """The parts of the request that were refused."""


def problem_of(error: AskError, request_id: str) -> Problem:
    """The document for an error."""
    reply = to_error_reply(error)
    return Problem(
        type=f"/docs#{reply.code}",
        title=TITLES[reply.code],
        status=HTTP_STATUS[reply.code],
        code=reply.code,
        detail=reply.message,
        request_id=request_id,
        retryable=reply.retryable,
        problems=reply.problems,
    )


def problem_response(error: AskError, request_id: str, headers: Mapping[str, str] | None = None) -> Response:
    """The reply for an error; 429 and 503 say when to come back, 401 what is missing."""
    problem = problem_of(error, request_id)
    return Response(
        problem.model_dump_json(),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers={**(headers or {}), **_headers_of(error, problem.status)},
    )


def _headers_of(error: AskError, status: int) -> dict[str, str]:
    if status in _RETRY_LATER:
        return {"Retry-After": str(_retry_after(error))}
    return {"WWW-Authenticate": "Bearer"} if status == HTTP_STATUS[ErrorCode.UNAUTHENTICATED] else {}


def _retry_after(error: AskError) -> int:
    """Whole seconds, as the header wants them, rounded up: coming back early would be refused again."""
    match error:
        case RateLimitedError():
            return max(RETRY_AFTER_SECONDS, ceil(error.retry_after_seconds or 0))
        case OverloadedError():
            return min(max(RETRY_AFTER_SECONDS, ceil(error.retry_after_seconds or 0)), MAX_RETRY_AFTER_SECONDS)
        case _:
            return AFTER_RESTART_SECONDS
