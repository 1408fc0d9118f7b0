"""`/v1/asks`: hand in an ask that survives everything, and see what has become of it. An app sees its own asks only.

Whether an id belongs to somebody else, was never given or is no id at all: the reply is the same 404.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, assert_never

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import ErrorCode, Scope
from contracts.subjects import HEADER_DEADLINE, HEADER_IDEMPOTENCY_KEY, HEADER_REPLAYED
from contracts.v1.asks import (
    ASK_ID_PATTERN,
    IDEMPOTENCY_KEY_PATTERN,
    AskId,
    AskList,
    AskStatus,
    ListAsks,
    SubmitAsk,
)
from contracts.v1.base import EdgeMessage
from contracts.v1.errors import FieldProblem
from runtime.deadline import Deadline, serving_until
from runtime.errors import (
    ConflictError,
    IdempotencyMismatchError,
    InvalidRequestError,
    NotFoundError,
    OverloadedError,
    UnavailableError,
)
from services.gateway.access.callers import caller_of, is_still_known
from services.gateway.access.demands import needs
from services.gateway.asks.ports import (
    FINAL_STATES,
    Accepted,
    AskDesk,
    InFlight,
    Mismatch,
    NotFailed,
    Replayed,
    Requeued,
    TooMany,
    UnknownAsk,
)
from services.gateway.deadlines import Deadlines
from services.gateway.http.ask_routes import json_reply
from services.gateway.http.bodies import MAX_ASK_BYTES, read_message, read_query
from services.gateway.http.openapi import body_of, parameters_of, query_of, replies_of
from services.gateway.http.problems import RETRY_AFTER_SECONDS, problem_response
from services.gateway.http.streams import LONGEST_SECONDS, Event, EventStream, Streams

WebhookCheck = Callable[[str, str], None]
"""Whether an app may be told at a URL; raises `InvalidRequestError` with the reason."""

_ACCEPTED: Final = 202
_NO_CONTENT: Final = 204
_OFF: Final = (
    "This gateway keeps no durable asks: it needs Postgres, named by RAGSPINE_POSTGRES_URL, and a bus that keeps what "
    "it acknowledges."
)
_UNKNOWN: Final = "There is no such ask."
_IN_FLIGHT: Final = "The same request is being accepted at this moment; send it again in a moment."
_NOT_FAILED: Final = "Only a failed ask can be tried again; this one has not failed."
_TOO_MANY: Final = "This app has as many open durable asks as it may have; send it again once some have ended."
_ROOM_SECONDS: Final = 5.0
"""When to come back: some of so many asks end within that time, unless a part is away."""
_ASK_ID: Final = re.compile(ASK_ID_PATTERN)
_KEY: Final = re.compile(IDEMPOTENCY_KEY_PATTERN)
_EXAMPLE: Final[dict[str, Any]] = {"question": "中国内地FY2024的REVENUE是多少", "locale": "zh"}


class _Named(EdgeMessage):
    id: AskId


@dataclass(frozen=True)
class AsksRoutes:
    """The calls for durable asks; `desk` is None where this gateway keeps none."""

    desk: AskDesk | None
    deadlines: Deadlines
    streams: Streams
    check_webhook: WebhookCheck

    def add_to(self, app: FastAPI) -> None:
        """Add the calls to an app."""
        named = parameters_of(_Named, where="path")
        body = body_of(SubmitAsk, _EXAMPLE, [_KEY_PARAMETER])
        missing = (ErrorCode.NOT_FOUND,)
        submitting = replies_of(
            *(AskStatus, "Accepted; `Location` says where its state is"),
            *(ErrorCode.UNSUPPORTED_MEDIA_TYPE, ErrorCode.CONFLICT, ErrorCode.IDEMPOTENCY_MISMATCH),
            status=_ACCEPTED,
        )
        _add(app, "POST /v1/asks", self.submit, "submitAsk", submitting, body)
        listed = replies_of(AskList, "A page, newest first")
        _add(app, "GET /v1/asks", self.list, "listAsks", listed, query_of(ListAsks))
        one = replies_of(AskStatus, "Its state, and its answer or error once it has ended", *missing)
        _add(app, "GET /v1/asks/{id}", self.get, "getAsk", one, {"parameters": named})
        events = replies_of(AskStatus, "One event for each state", *missing, media_type=EventStream.media_type)
        events[_NO_CONTENT] = {"description": "Nothing comes after the event that was named"}
        following = {"parameters": [*named, _LAST_EVENT]}
        _add(app, "GET /v1/asks/{id}/events", self.events, "followAsk", events, following)
        again = replies_of(AskStatus, "Queued again", *missing, ErrorCode.CONFLICT, status=_ACCEPTED)
        _add(app, "POST /v1/asks/{id}/retry", self.retry, "retryAsk", again, {"parameters": named})

    @needs(Scope.ASK, is_ask=True)
    async def submit(self, request: Request) -> Response:
        """Hand in a question whose answer is fetched later. With an `Idempotency-Key` it is accepted only once."""
        desk, app = self._desk(), caller_of(request).app
        deadline = self.deadlines.from_header(request.headers.get(HEADER_DEADLINE))
        key = _key_of(request)
        ask = await read_message(request, SubmitAsk, limit=MAX_ASK_BYTES, deadline=deadline)
        if ask.request_id is not None:
            request.state.request_id = ask.request_id
        if ask.webhook_url is not None:
            self.check_webhook(app, ask.webhook_url)
        with serving_until(deadline):
            acceptance = await desk.accept(app, ask, key)
        match acceptance:
            case Accepted(status):
                return _accepted(status)
            case Replayed(status):
                return _accepted(status, {HEADER_REPLAYED: "true"})
            case Mismatch():
                raise IdempotencyMismatchError
            case InFlight():
                again = {"Retry-After": str(RETRY_AFTER_SECONDS)}
                return problem_response(ConflictError(_IN_FLIGHT), request.state.request_id, again)
            case TooMany():
                raise OverloadedError(_TOO_MANY, retry_after_seconds=_ROOM_SECONDS)
            case _:
                assert_never(acceptance)

    @needs(Scope.ASK)
    async def list(self, request: Request) -> Response:
        """List the app's asks, newest first, page by page; `state` names the only ones that are wanted."""
        with serving_until(self._deadline(request)):
            return json_reply(await self._desk().list(caller_of(request).app, read_query(request, ListAsks)))

    @needs(Scope.ASK)
    async def get(self, request: Request) -> Response:
        """See how far an ask is; once it has ended, its answer or error."""
        with serving_until(self._deadline(request)):
            return json_reply(await self._find(request))

    @needs(Scope.ASK)
    async def events(self, request: Request) -> Response:
        """Follow an ask as server-sent events, named by its states, up to the final one. Data is what `getAsk` says."""
        with serving_until(self._deadline(request)):
            status = await self._find(request)
        seen = request.headers.get("last-event-id")
        if status.state in FINAL_STATES and seen == event_id(status):
            return Response(status_code=_NO_CONTENT)  # on which browsers stop coming again
        is_bounded = HEADER_DEADLINE in request.headers
        seconds = self._deadline(request).left() if is_bounded else LONGEST_SECONDS
        following = self._desk().follow(status.app, status.ask_id)
        coming = _events(following, seen)
        return EventStream(self.streams, status.app, coming, seconds=seconds, may_stay=is_still_known(request))

    @needs(Scope.ASK, is_ask=True)
    async def retry(self, request: Request) -> Response:
        """Try a failed ask again, under its own id."""
        app, ask_id = caller_of(request).app, _id_of(request)
        with serving_until(self._deadline(request)):
            outcome = await self._desk().retry(app, ask_id)
        match outcome:
            case Requeued(status):
                return _accepted(status)
            case NotFailed():
                raise ConflictError(_NOT_FAILED)
            case UnknownAsk():
                raise NotFoundError(_UNKNOWN)
            case TooMany():
                raise OverloadedError(_TOO_MANY, retry_after_seconds=_ROOM_SECONDS)
            case _:
                assert_never(outcome)

    async def _find(self, request: Request) -> AskStatus:
        desk = self._desk()
        status = await desk.find(caller_of(request).app, _id_of(request))
        if status is None:
            raise NotFoundError(_UNKNOWN)
        return status

    def _desk(self) -> AskDesk:
        if self.desk is None:
            raise UnavailableError(_OFF)
        return self.desk

    def _deadline(self, request: Request) -> Deadline:
        return self.deadlines.from_header(request.headers.get(HEADER_DEADLINE))


def event_id(status: AskStatus) -> str:
    """What tells one state of an ask from another, also when a failed ask was tried again."""
    return f"{status.attempts}-{status.state}"


async def _events(following: AsyncGenerator[AskStatus], seen: str | None) -> AsyncGenerator[Event]:
    """Every state after the one that was seen; where that one is the present one, it is not sent again."""
    async with aclosing(following):
        async for status in following:
            name = event_id(status)
            if name != seen:
                yield Event(name, status.state.value, status.__pydantic_serializer__.to_json(status))
            seen = None


def _accepted(status: AskStatus, headers: dict[str, str] | None = None) -> Response:
    reply = json_reply(status)
    reply.status_code = _ACCEPTED
    reply.headers["location"] = f"/v1/asks/{status.ask_id}"
    reply.headers.update(headers or {})
    return reply


def _id_of(request: Request) -> str:
    named: str = request.path_params["id"]
    if not _ASK_ID.fullmatch(named):
        raise NotFoundError(_UNKNOWN)
    return named


def _key_of(request: Request) -> str | None:
    given = request.headers.getlist(HEADER_IDEMPOTENCY_KEY)
    if not given:
        return None
    if len(given) > 1 or not _KEY.fullmatch(given[0]):
        reason = "must be one header of 1 to 255 printable ASCII characters"
        raise InvalidRequestError(problems=(FieldProblem(field=HEADER_IDEMPOTENCY_KEY, reason=reason),))
    return given[0]


_KEY_PARAMETER: Final[dict[str, Any]] = {
    "name": HEADER_IDEMPOTENCY_KEY,
    "in": "header",
    "description": "Made once per question by the caller: the same request under the same key is accepted only once.",
    "schema": {"type": "string", "pattern": IDEMPOTENCY_KEY_PATTERN},
}
_LAST_EVENT: Final[dict[str, Any]] = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The id of the last event that was received; it is not sent again.",
    "schema": {"type": "string"},
}


def _add(
    app: FastAPI,
    call: str,
    serve: Callable[[Request], Awaitable[Response]],
    operation: str,
    replies: dict[int | str, dict[str, Any]],
    documented: dict[str, Any],
) -> None:
    method, path = call.split()
    app.add_api_route(
        path,
        serve,
        methods=[method],
        operation_id=operation,
        summary=_SUMMARIES[operation],
        status_code=min(status for status in replies if isinstance(status, int)),
        responses=replies,
        openapi_extra=documented,
        response_class=Response,
    )


_SUMMARIES: Final = {
    "submitAsk": "Hand in a durable ask",
    "listAsks": "List durable asks",
    "getAsk": "Get a durable ask",
    "followAsk": "Follow a durable ask",
    "retryAsk": "Try a failed ask again",
}
