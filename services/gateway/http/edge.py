"""Around every HTTP request, before any route: who may call, how many at once, its id, its trace, its reply headers."""

import re
import time
from typing import Final
from uuid import uuid4

from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.subjects import HEADER_TRACE
from contracts.v1.ask import REQUEST_ID_PATTERN
from runtime.errors import AskError
from runtime.metrics import Metrics
from runtime.telemetry import UNSAMPLED, Telemetry, mark_failed
from services.gateway.access.callers import LOCAL_CALLER
from services.gateway.admission import Admission
from services.gateway.http.origins import refuse_foreign_pages
from services.gateway.http.pages import CONTENT_SECURITY_POLICY
from services.gateway.http.problems import problem_response

_REQUEST_ID: Final = re.compile(REQUEST_ID_PATTERN)
_UNBOUNDED: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Must answer above all when there is too much to do."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FAULT_OF_OURS: Final = 500
_HEADERS: Final = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]


class Edge:
    """Wraps the app of the routes."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        requests: Admission,
        allowed_hosts: frozenset[str],
        metrics: Metrics,
        telemetry: Telemetry,
    ) -> None:
        self._app = app
        self._requests = requests
        self._allowed_hosts = allowed_hosts
        self._telemetry = telemetry
        self._count = metrics.counter("ragspine_http_requests", "HTTP requests answered", "route", "status")
        self._seconds = metrics.histogram("ragspine_http_seconds", "From receipt to reply over HTTP", "route")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Other protocols than HTTP are not spoken here."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        scope["state"] = {"request_id": _request_id(headers), "caller": LOCAL_CALLER}
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope  # the server leaves the body out
        reply = _Reply(send, inner)
        start = time.perf_counter()
        try:
            with self._telemetry.serving(
                "http", UNSAMPLED if scope["path"] in _UNBOUNDED else headers.get(HEADER_TRACE)
            ) as span:
                await self._serve(inner, headers, receive, reply)
                if span.is_recording():
                    method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
                    span.update_name(f"{method} {reply.route}")
                    span.set_attributes(
                        {
                            "http.request.method": method,
                            "http.route": reply.route,
                            "http.response.status_code": reply.status,
                            "ragspine.request_id": reply.request_id,
                        }
                    )
                    if reply.status >= _FAULT_OF_OURS:
                        mark_failed(span, str(reply.status))
        finally:
            self._count.labels(reply.route, str(reply.status)).inc()
            self._seconds.labels(reply.route).observe(time.perf_counter() - start)

    async def _serve(self, scope: Scope, headers: Headers, receive: Receive, reply: "_Reply") -> None:
        if scope["path"] in _UNBOUNDED:
            await self._app(scope, receive, reply)
            return
        try:
            refuse_foreign_pages(headers.get("host"), headers.get("origin"), self._allowed_hosts)
            with self._requests.admit():
                await self._app(scope, receive, reply)
        except AskError as error:
            await problem_response(error, reply.request_id)(scope, receive, reply)


class _Reply:
    """Sends a reply, with the headers that every reply has."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send = send
        self._scope = scope
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = (b"x-request-id", self.request_id.encode())
            message = {**message, "headers": [*message["headers"], *_HEADERS, own]}
        await self._send(message)

    @property
    def request_id(self) -> str:
        """The id of the request; that of its body once it was read."""
        return str(self._scope["state"]["request_id"])

    @property
    def route(self) -> str:
        """The path as declared, so that the number of metric series is bounded."""
        route = self._scope.get("route")
        return route.path if isinstance(route, APIRoute) else "none"


def _request_id(headers: Headers) -> str:
    """The caller's id where it has the form of one, else a new one."""
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex
