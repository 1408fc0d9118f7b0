"""What an ask that got no answer comes to: one error, with the code that the service gave or would have given."""

from importlib.util import find_spec
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from ..codes import ErrorCode
from ..reasons import reason_of
from ..v1.errors import ErrorReply, FieldProblem

_PASSING: Final = frozenset({ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED})

M = TypeVar("M", bound=BaseModel)


class ClientError(Exception):
    """An ask that got no answer; programs key on `code`. Refusals and questions back are answers, never errors."""

    def __init__(self, reply: ErrorReply, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(f"{reply.code}: {reply.message}")
        self.code = reply.code
        self.message = reply.message
        self.retryable = reply.retryable
        """Whether the same ask may succeed later."""
        self.problems = reply.problems
        """The parts of the request that were refused."""
        self.retry_after_seconds = retry_after_seconds
        """When to come back, where the service says so."""
        self.request_id = ""
        """The id under which the service's logs have this ask."""
        self.ask_id = ""
        """The id of a durable ask that was accepted: it goes on, and `answer_to` still finds its answer."""


def failure(code: ErrorCode, message: str, *, retry_after_seconds: float | None = None) -> ClientError:
    """The error for what went wrong on our side of the wire."""
    reply = ErrorReply(code=code, retryable=code in _PASSING, message=message)
    return ClientError(reply, retry_after_seconds=retry_after_seconds)


def no_answer() -> ClientError:
    """The error for a deadline that has passed."""
    return failure(ErrorCode.DEADLINE_EXCEEDED, "No answer by the deadline.")


def unreadable() -> ClientError:
    """The error for a reply that says nothing to us."""
    return failure(ErrorCode.INTERNAL, "The reply cannot be read; is the package as new as the service?")


def invalid(error: ValidationError) -> ErrorReply:
    """What is wrong with a request, as the service would say it, without the input."""
    details = error.errors(include_url=False, include_input=False)
    problems = tuple(FieldProblem(field=".".join(map(str, item["loc"])), reason=reason_of(item)) for item in details)
    message = "The request is not valid."
    return ErrorReply(code=ErrorCode.INVALID_REQUEST, retryable=False, message=message, problems=problems)


def read(body: bytes, kind: type[M]) -> M:
    """A reply as a message; raises `ClientError` when it is none."""
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        raise unreadable() from None


def need(package: str, *, install: str, extra: str) -> None:
    """Raise `ImportError`, saying what to install, when an optional package is not there."""
    if find_spec(package) is None:
        raise ImportError(f"this client needs {install}: pip install 'ragspine-contracts[{extra}]'")
