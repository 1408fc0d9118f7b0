"""Reading what HTTP callers send: bounded in size and time, JSON only, and refused with the field and the reason."""

import asyncio
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from contracts.v1.errors import FieldProblem
from runtime.deadline import Deadline
from runtime.errors import (
    DeadlineExceededError,
    InvalidRequestError,
    PayloadTooLargeError,
    UnsupportedMediaTypeError,
    invalid_request,
)

MAX_ASK_BYTES: Final = 128 * 1024
MAX_LOAD_BYTES: Final = 8 * 1024 * 1024
_PARSE_ASIDE_BYTES: Final = 64 * 1024
"""Larger bodies are validated in a thread: they take longer than other asks should have to wait."""

M = TypeVar("M", bound=BaseModel)


async def read_json(request: Request, kind: type[M], *, limit: int, deadline: Deadline) -> M:
    """The body as a message.

    Raises `UnsupportedMediaTypeError`, `PayloadTooLargeError`, `DeadlineExceededError` or `InvalidRequestError`.
    """
    _require_json(request)
    body = await read_body(request, limit=limit, deadline=deadline)
    if len(body) > _PARSE_ASIDE_BYTES:
        return await asyncio.to_thread(_parse, kind, body)
    return _parse(kind, body)


async def read_body(request: Request, *, limit: int, deadline: Deadline) -> bytes:
    """The whole body; refused as soon as it is known to be too large, whatever Content-Length says."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise _too_large(limit)
    if deadline.left() <= 0:
        raise DeadlineExceededError
    body = bytearray()
    try:
        async with asyncio.timeout(deadline.left()):
            async for chunk in request.stream():
                if len(body) + len(chunk) > limit:
                    raise _too_large(limit)
                body += chunk
    except TimeoutError as error:
        raise DeadlineExceededError("The body did not arrive in time.") from error
    return bytes(body)


def read_query(request: Request, kind: type[M]) -> M:
    """The query parameters as a message; unknown and repeated ones are refused, so that a typing error is seen."""
    values: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in kind.model_fields:
            raise _bad_parameter("unknown parameter", name)
        if name in values:
            raise _bad_parameter("given more than once", name)
        values[name] = value
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise invalid_request(error) from error


def _require_json(request: Request) -> None:
    """JSON is always UTF-8; a missing content type is taken for JSON."""
    kind, _, parameters = request.headers.get("content-type", "application/json").partition(";")
    if kind.strip().lower() != "application/json":
        raise UnsupportedMediaTypeError
    charset = parameters.partition("charset=")[2].strip().strip('"').lower()
    if charset not in {"", "utf-8", "utf8"}:
        raise UnsupportedMediaTypeError("The body must be encoded in UTF-8.")


def _parse(kind: type[M], body: bytes) -> M:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise invalid_request(error) from error


def _too_large(limit: int) -> PayloadTooLargeError:
    return PayloadTooLargeError(f"The body is larger than {limit // 1024} KB.")


def _bad_parameter(reason: str, name: str) -> InvalidRequestError:
    shown = "".join(c for c in name[:64] if c.isprintable())
    return InvalidRequestError(problems=(FieldProblem(field=shown, reason=reason),))
