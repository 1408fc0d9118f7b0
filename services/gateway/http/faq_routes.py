"""`/v1/faq`: the vetted answers. Without API keys they are managed from where the gateway is reached: this machine.

With keys the history of an item names the key that changed it, whatever the request says.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import ErrorCode, Scope
from contracts.subjects import HEADER_DEADLINE
from contracts.v1.base import EdgeMessage
from contracts.v1.errors import FieldProblem
from contracts.v1.faq import (
    FaqAudit,
    FaqDeleted,
    FaqId,
    FaqImported,
    FaqItems,
    FaqList,
    FaqSuggestions,
    FaqText,
    FaqVerdict,
    ListFaq,
    Person,
    StoredFaqItem,
    TryFaq,
)
from runtime.deadline import Deadline
from runtime.errors import InvalidRequestError, UnavailableError
from services.gateway.access.callers import caller_of
from services.gateway.access.demands import needs
from services.gateway.admission import Admission
from services.gateway.deadlines import Deadlines
from services.gateway.faq.changes import Condition, Precondition
from services.gateway.faq.desk import FaqDesk
from services.gateway.http.ask_routes import json_reply
from services.gateway.http.bodies import MAX_ASK_BYTES, MAX_LOAD_BYTES, read_message, read_query
from services.gateway.http.openapi import body_of, parameters_of, query_of, replies_of

NOBODY: Final = "local"
"""Who changes items as long as nobody says who they are."""
_OFF: Final = (
    "This gateway keeps no vetted answers: it needs Postgres and Redis, named by RAGSPINE_POSTGRES_URL and "
    "RAGSPINE_REDIS_URL."
)
_EXAMPLE: Final[dict[str, Any]] = {
    "question": "食堂在哪？",
    "aliases": ["餐厅在哪里", "Where is the canteen?"],
    "answer": "在三楼，电梯右手边。",
    "source": "guide.pdf",
    "owner": "facilities",
}


class _By(EdgeMessage):
    by: Person = NOBODY
    """Who does this; it stands in the history of the item. With a key that is the key: the app and its id."""


B = TypeVar("B", bound=_By)


class ImportQuery(_By):
    """The query parameters of `POST /v1/faq`."""

    skip_bad: bool = False
    """Import the good items although others are bad."""


class ChangeQuery(_By):
    """The query parameters of every call that changes one item."""


class SuggestionsQuery(EdgeMessage):
    """No parameters."""


class _Named(EdgeMessage):
    id: FaqId


@dataclass(frozen=True)
class FaqRoutes:
    """The calls that manage vetted answers; `desk` is None where this gateway keeps none."""

    desk: FaqDesk | None
    deadlines: Deadlines
    loads: Admission

    def add_to(self, app: FastAPI) -> None:
        """Add the calls to an app."""
        add = _Adder(app)
        one, conflict = "/v1/faq/{id}", (ErrorCode.CONFLICT, ErrorCode.NOT_FOUND)
        change = parameters_of(ChangeQuery)
        add("GET", "/v1/faq", self.list, "listFaq", "List vetted answers", FaqList, (), query_of(ListFaq))
        add(
            *("POST", "/v1/faq", self.put_all, "importFaq", "Import vetted answers", FaqImported, conflict),
            body_of(FaqItems, {"items": [{"id": "canteen", **_EXAMPLE}]}, parameters_of(ImportQuery)),
        )
        example = {"question": "食堂在哪"}
        add("POST", "/v1/faq/test", self.verdict, "testFaq", "Try a question", FaqVerdict, (), body_of(TryFaq, example))
        get = parameters_of(_Named, where="path")
        add("GET", one, self.get, "getFaq", "Get a vetted answer", StoredFaqItem, conflict, {"parameters": get})
        add(
            *("PUT", one, self.put, "putFaq", "Store a vetted answer", StoredFaqItem, conflict),
            body_of(FaqText, _EXAMPLE, [*get, *change, _IF_MATCH, _IF_NONE_MATCH]),
        )
        changing = {"parameters": [*get, *change, _IF_MATCH]}
        add("DELETE", one, self.delete, "deleteFaq", "Delete a vetted answer", FaqDeleted, conflict, changing)
        add("POST", f"{one}/approve", self.approve, "approveFaq", "Approve it", StoredFaqItem, conflict, changing)
        add("POST", f"{one}/disable", self.disable, "disableFaq", "Disable it", StoredFaqItem, conflict, changing)
        add("GET", f"{one}/audit", self.audit, "auditFaq", "See its history", FaqAudit, conflict, {"parameters": get})
        suggestions = ("/v1/faq-suggestions", self.suggestions, "suggestFaq", "See what to vet next", FaqSuggestions)
        add("GET", *suggestions, (), query_of(SuggestionsQuery))

    @needs(Scope.ASK)
    async def list(self, request: Request) -> Response:
        """List vetted answers, page by page."""
        self._deadline(request)  # read to be refused where it is malformed, as everywhere
        return json_reply(await self._desk().catalogue.page(read_query(request, ListFaq)))

    @needs(Scope.FAQ_WRITE)
    async def put_all(self, request: Request) -> Response:
        """Import items, all or none. The same items again change nothing."""
        query, deadline = _read_by(request, ImportQuery), self._deadline(request)
        with self.loads.admit():
            items = await read_message(request, FaqItems, limit=MAX_LOAD_BYTES, deadline=deadline)
            catalogue = self._desk().catalogue
            return json_reply(await catalogue.put_all(items, deadline, who=query.by, skips_bad=query.skip_bad))

    @needs(Scope.ASK, is_ask=True)
    async def verdict(self, request: Request) -> Response:
        """Try a question: hit, or the exact reason for a miss."""
        deadline = self._deadline(request)
        wanted = await read_message(request, TryFaq, limit=MAX_ASK_BYTES, deadline=deadline)
        return json_reply(await self._desk().verdict(wanted, request_id=request.state.request_id))

    @needs(Scope.ASK)
    async def get(self, request: Request) -> Response:
        """Get an item, with what would be served of it. Its ETag is its revision."""
        return _with_etag(await self._desk().catalogue.get(_id_of(request)))

    @needs(Scope.FAQ_WRITE)
    async def put(self, request: Request) -> Response:
        """Store an item. An existing one is changed only with the ETag that was read, in `If-Match`."""
        item_id, query, deadline = _id_of(request), _read_by(request, ChangeQuery), self._deadline(request)
        text = await _read_text(request, item_id, deadline)
        on = precondition(request)
        return _with_etag(await self._desk().catalogue.put(item_id, text, on, deadline, who=query.by))

    @needs(Scope.FAQ_WRITE)
    async def delete(self, request: Request) -> Response:
        """Delete an item; its history stays."""
        item_id, query = _id_of(request), _read_by(request, ChangeQuery)
        return json_reply(await self._desk().catalogue.delete(item_id, precondition(request), who=query.by))

    @needs(Scope.FAQ_WRITE)
    async def approve(self, request: Request) -> Response:
        """Serve an item from now on, as it is stored, or as it was read where `If-Match` says so."""
        item_id, query, deadline = _id_of(request), _read_by(request, ChangeQuery), self._deadline(request)
        on = precondition(request)
        return _with_etag(await self._desk().catalogue.approve(item_id, on, deadline, who=query.by))

    @needs(Scope.FAQ_WRITE)
    async def disable(self, request: Request) -> Response:
        """Serve an item no more."""
        item_id, query = _id_of(request), _read_by(request, ChangeQuery)
        return _with_etag(await self._desk().catalogue.disable(item_id, precondition(request), who=query.by))

    @needs(Scope.ASK)
    async def audit(self, request: Request) -> Response:
        """See who did what to an item, newest first; also of one that was deleted."""
        return json_reply(await self._desk().catalogue.audit(_id_of(request)))

    @needs(Scope.FAQ_WRITE)
    async def suggestions(self, request: Request) -> Response:
        """See questions that were asked often and have no vetted answer."""
        self._deadline(request)
        read_query(request, SuggestionsQuery)
        return json_reply(await self._desk().suggestions.shown())

    def _desk(self) -> FaqDesk:
        if self.desk is None:
            raise UnavailableError(_OFF)
        return self.desk

    def _deadline(self, request: Request) -> Deadline:
        return self.deadlines.from_header(request.headers.get(HEADER_DEADLINE))


@dataclass(frozen=True)
class _Adder:
    """Adds a call with its documentation."""

    app: FastAPI

    def __call__(
        self,
        method: str,
        path: str,
        serve: Callable[[Request], Awaitable[Response]],
        operation: str,
        summary: str,
        reply: type[BaseModel],
        errors: Sequence[ErrorCode],
        documented: dict[str, Any],
    ) -> None:
        self.app.add_api_route(
            path,
            serve,
            methods=[method],
            operation_id=operation,
            summary=summary,
            responses=replies_of(reply, summary, ErrorCode.UNSUPPORTED_MEDIA_TYPE, *errors),
            openapi_extra=documented,
            response_class=Response,
        )


_IF_MATCH: Final[dict[str, Any]] = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag that was read; `*` for whatever is stored.",
    "schema": {"anyOf": [{"type": "string", "pattern": '^"[0-9]{1,18}"$'}, {"enum": ["*"]}]},
}
_IF_NONE_MATCH: Final[dict[str, Any]] = {
    "name": "If-None-Match",
    "in": "header",
    "description": "`*`: only if there is no such item yet; not beside `If-Match`.",
    "schema": {"type": "string", "enum": ["*"]},
}


def precondition(request: Request) -> Precondition:
    """What `If-Match` and `If-None-Match` say; raises `InvalidRequestError` for what is no ETag of ours."""
    match, none_match = request.headers.get("if-match"), request.headers.get("if-none-match")
    if none_match is not None:
        if none_match.strip() != "*" or match is not None:
            raise _bad("If-None-Match", "must be *, and stand alone")
        return Condition.NEW
    if match is None:
        return Condition.UNSAID
    tag = match.strip()
    if tag == "*":
        return Condition.ANY
    number = tag[1:-1] if len(tag) > 2 and tag[0] == tag[-1] == '"' else ""
    if not (number.isascii() and number.isdecimal() and len(number) < 19):
        raise _bad("If-Match", 'must be an ETag as it was read, such as "7", or *')
    return int(number)


def _read_by(request: Request, kind: type[B]) -> B:
    """The query of a change. Who makes it says the key, and only without keys the caller."""
    query, caller = read_query(request, kind), caller_of(request)
    return query if caller.key_id is None else query.model_copy(update={"by": f"{caller.app}/{caller.key_id}"})


def _id_of(request: Request) -> str:
    named: str = request.path_params["id"]
    if not _Named.__pydantic_validator__.isinstance_python({"id": named}):
        raise _bad("id", "1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit")
    return named


async def _read_text(request: Request, item_id: str, deadline: Deadline) -> FaqText:
    """The body of a PUT: an item with the id of the path, or without one."""
    text = await read_message(request, _TextMaybeNamed, limit=MAX_ASK_BYTES, deadline=deadline)
    if text.id not in {None, item_id}:
        raise _bad("id", "is not the one in the path")
    return text


class _TextMaybeNamed(FaqText):
    id: FaqId | None = None


def _with_etag(item: StoredFaqItem) -> Response:
    reply = json_reply(item)
    reply.headers["etag"] = f'"{item.revision}"'
    return reply


def _bad(field: str, reason: str) -> InvalidRequestError:
    return InvalidRequestError(problems=(FieldProblem(field=field, reason=reason),))
