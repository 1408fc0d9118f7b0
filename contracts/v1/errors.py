"""The one error reply of the bus; HTTP renders the same fields as RFC 9457 problem+json."""

from ..codes import ErrorCode
from .base import InternalMessage


class FieldProblem(InternalMessage):
    """A part of the request that was refused. The value itself is never repeated."""

    field: str
    reason: str


class ErrorReply(InternalMessage):
    """A request that was not answered. Texts carry no input, no number of a fact and no traceback."""

    code: ErrorCode
    retryable: bool
    message: str
    problems: tuple[FieldProblem, ...] = ()
