"""Reading what HTTP callers send: bounded in size and time, JSON only, and refused with the field and the reason."""

import asyncio
from contextlib import suppress
from typing import Final, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import Request

from contracts.v1.ask import AskRequest
from contracts.v1.base import MAX_LOAD_ROWS
from contracts.v1.errors import FieldProblem
from contracts.v1.facts import LoadFacts
from contracts.v1.narrative import LoadPassages
from runtime.deadline import Deadline
from runtime.errors import (
    DeadlineExceededError,
    InvalidRequestError,
    PayloadTooLargeError,
    UnsupportedMediaTypeError,
    invalid_request,
)
from runtime.repeats import refuse_repeats

MAX_ASK_BYTES: Final = 128 * 1024
MAX_LOAD_BYTES: Final = 8 * 1024 * 1024
_MAX_FIELDS: Final = 32
"""Twice as many as any row has."""
_PARSE_ASIDE_BYTES: Final = 64 * 1024
"""Larger bodies are validated in a thread: they take longer than other asks should have to wait."""

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R", LoadFacts, LoadPassages)


async def read_ask(request: Request, deadline: Deadline) -> AskRequest:
    """The body as an ask.

    Raises `UnsupportedMediaTypeError`, `PayloadTooLargeError`, `DeadlineExceededError` or `InvalidRequestError`.
    """
    require_json(request)
    body = await read_body(request, limit=MAX_ASK_BYTES, deadline=deadline)
    return parse_ask(body) if len(body) <= _PARSE_ASIDE_BYTES else await asyncio.to_thread(parse_ask, body)


async def read_rows(request: Request, kind: type[R], deadline: Deadline) -> R:
    """The body as rows to load; raises like `read_ask`."""
    require_json(request)
    body = await read_body(request, limit=MAX_LOAD_BYTES, deadline=deadline)
    if len(body) <= _PARSE_ASIDE_BYTES:
        return parse_rows(kind, body)
    return await asyncio.to_thread(parse_rows, kind, body)


async def read_message(request: Request, kind: type[M], *, limit: int, deadline: Deadline) -> M:
    """The body as a message of another kind, of at most `limit` bytes; raises like `read_ask`."""
    require_json(request)
    body = await read_body(request, limit=limit, deadline=deadline)
    return _read(kind, body) if len(body) <= _PARSE_ASIDE_BYTES else await asyncio.to_thread(_read, kind, body)


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
            raise _bad_field(_shown(name), "unknown parameter")
        if name in values:
            raise _bad_field(name, "given more than once")
        values[name] = value
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise invalid_request(error) from error


def require_json(request: Request) -> None:
    """JSON is always UTF-8 and never compressed; a missing content type is taken for JSON."""
    kind, _, parameters = request.headers.get("content-type", "application/json").partition(";")
    if kind.strip().lower() != "application/json":
        raise UnsupportedMediaTypeError
    charset = parameters.lower().partition("charset=")[2].strip().strip('"')
    if charset not in {"", "utf-8", "utf8"}:
        raise UnsupportedMediaTypeError("The body must be encoded in UTF-8.")
    if any(coding.strip().lower() not in {"", "identity"} for coding in _content_codings(request)):
        raise UnsupportedMediaTypeError("Send the body uncompressed, without the header Content-Encoding.")


def parse_ask(body: bytes) -> AskRequest:
    """An ask from JSON; raises `InvalidRequestError`."""
    return _read(AskRequest, body)


def parse_rows(kind: type[R], body: bytes) -> R:
    """Rows from JSON; raises `InvalidRequestError`.

    The shape is looked at first: describing what is wrong with millions of list items would take minutes and gigabytes.
    """
    with suppress(ValueError):  # not JSON: the validation below says where
        _refuse_shapeless(kind, from_json(body))
    return _read(kind, body)


def _content_codings(request: Request) -> list[str]:
    return ",".join(request.headers.getlist("content-encoding")).split(",")


def _read(kind: type[M], body: bytes) -> M:
    try:
        message = kind.model_validate_json(body)
    except ValidationError as error:
        raise invalid_request(error) from error
    refuse_repeats(body)
    return message


def _refuse_shapeless(kind: type[LoadFacts | LoadPassages], raw: object) -> None:
    if not isinstance(raw, dict):
        return
    fields = cast("dict[str, object]", raw)
    if len(fields) > _MAX_FIELDS:
        raise _bad_field("", f"more than {_MAX_FIELDS} fields")
    for name in kind.model_fields:
        if isinstance(fields.get(name), list):
            _refuse_shapeless_rows(name, cast("list[object]", fields[name]))


def _refuse_shapeless_rows(name: str, rows: list[object]) -> None:
    if len(rows) > MAX_LOAD_ROWS:
        raise _bad_field(name, f"more than {MAX_LOAD_ROWS} rows in one request")
    for number, row in enumerate(rows):
        if isinstance(row, dict) and len(cast("dict[str, object]", row)) > _MAX_FIELDS:
            raise _bad_field(f"{name}.{number}", f"more than {_MAX_FIELDS} fields")


def _shown(name: str) -> str:
    return "".join(c for c in name[:64] if c.isprintable())


def _too_large(limit: int) -> PayloadTooLargeError:
    return PayloadTooLargeError(f"The body is larger than {limit // 1024} KB.")


def _bad_field(field: str, reason: str) -> InvalidRequestError:
    return InvalidRequestError(problems=(FieldProblem(field=field, reason=reason),))
