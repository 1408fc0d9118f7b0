"""Every exception of a route becomes a problem document; nothing of its text does, unless it is one of ours."""

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match

from contracts.codes import HTTP_STATUS
from runtime.errors import AskError, InternalError, InvalidRequestError, MethodNotAllowedError, NotFoundError
from runtime.logging import get_log
from services.gateway.http.problems import problem_response

_CLIENT_GONE = 499
"""For our own count: nobody is there to read it."""

_log = get_log(__name__)


def add_error_handlers(app: FastAPI) -> None:
    """Answer all exceptions of an app's routes."""
    for kind in (AskError, HTTPException, ClientDisconnect, Exception):
        app.add_exception_handler(kind, answer_error)


async def answer_error(request: Request, error: Exception) -> Response:
    """The problem document for an exception of a route."""
    request_id: str = request.state.request_id
    match error:
        case ClientDisconnect():
            return Response(status_code=_CLIENT_GONE)
        case AskError():
            known = error
        case HTTPException(status_code=404):
            known = NotFoundError("There is nothing at this path.")
        case HTTPException(status_code=405):
            return problem_response(MethodNotAllowedError(), request_id, {"Allow": _allowed(request)})
        case HTTPException(status_code=status) if status < 500:
            known = InvalidRequestError()
        case _:
            known = InternalError()
    _log_fault(known, request_id)
    return problem_response(known, request_id)


def _log_fault(error: AskError, request_id: str) -> None:
    status = HTTP_STATUS[error.code]
    if status >= 500:
        _log.warning("ask_failed", code=error.code.value, status=status, request_id=request_id)


def _allowed(request: Request) -> str:
    """All methods of a path as it is documented: `/v1/faq/test` is no `/v1/faq/{id}`.

    Starlette itself names those of its first route only.
    """
    routes = [route for route in request.app.router.routes if route.matches(request.scope)[0] is not Match.NONE]
    literal = [route for route in routes if route.path == request.scope["path"]]
    methods: set[str] = set[str]().union(*(route.methods or () for route in literal or routes))
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
