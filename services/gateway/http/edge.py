"""Around every HTTP request, before any route: who may call, how many at once, its id, its trace, its reply headers."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.subjects import HEADER_TRACE
from contracts.v1.ask import REQUEST_ID_PATTERN
from runtime.errors import AskError, InvalidRequestError
from runtime.telemetry import UNSAMPLED, Telemetry, mark_failed
from services.gateway.access.gate import Gate
from services.gateway.admission import Admission
from services.gateway.http.cross_origin import is_preflight, preflight_reply, shared_with
from services.gateway.http.metering import HttpMetrics
from services.gateway.http.origins import refuse_foreign_pages
from services.gateway.http.problems import problem_response
from services.gateway.http.reply_headers import reply_headers
from services.gateway.http.streams import IS_HEAD

_REQUEST_ID: Final = re.compile(REQUEST_ID_PATTERN)
_UNBOUNDED: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Must answer above all when there is too much to do."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FAULT_OF_OURS: Final = 500
_SINGLE: Final = frozenset(
    {
        *(b"authorization", b"content-type", b"host", b"idempotency-key", b"if-match", b"if-none-match"),
        *(b"last-event-id", b"origin", b"ragspine-deadline", b"x-request-id"),
    }
)
"""Read here or by a route. Given twice, a proxy and we could take different ones for the one that counts."""


@dataclass(frozen=True)
class Exposure:
    """Under which names and to which pages the gateway answers."""

    allowed_hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    """Of pages that may call."""
    is_behind_tls: bool = False


class Edge:
    """Wraps the app of the routes."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        requests: Admission,
        exposure: Exposure,
        gate: Gate,
        open_paths: frozenset[str],
        metrics: HttpMetrics,
        telemetry: Telemetry,
    ) -> None:
        self._app = app
        self._requests = requests
        self._exposure = exposure
        self._gate = gate
        self._open_paths = open_paths
        self._headers = reply_headers(is_behind_tls=exposure.is_behind_tls)
        self._metrics = metrics
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Other protocols than HTTP are not spoken here."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        gate = self._gate
        scope["state"] = {
            **{
                "request_id": _request_id(headers),
                "caller": gate.anybody,
                "rates": gate.rates,
            },
            **{"is_still_known": gate.is_still_known, IS_HEAD: scope["method"] == "HEAD"},
        }
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope  # the server leaves the body out
        reply = _Reply(send, inner, self._headers)
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
            self._metrics.observe(reply.route, reply.status, time.perf_counter() - start)

    async def _serve(self, scope: Scope, headers: Headers, receive: Receive, reply: "_Reply") -> None:
        path = scope["path"]
        try:
            _refuse_repeated(scope["headers"])
            if self._is_preflight_of_a_friend(scope, headers, reply):
                await preflight_reply()(scope, receive, reply)
                return
            if self._gate.ring is not None and path not in self._open_paths:
                scope["state"]["caller"] = self._gate.caller(headers.get("authorization"), _address(scope))
            if path in _UNBOUNDED:
                await self._app(scope, receive, reply)
                return
            with self._requests.admit():
                await self._app(scope, receive, reply)
        except AskError as error:
            await problem_response(error, reply.request_id)(scope, receive, reply)

    def _is_preflight_of_a_friend(self, scope: Scope, headers: Headers, reply: "_Reply") -> bool:
        """Refuse pages of strangers, and let those of listed origins read the reply."""
        origin = headers.get("origin")
        is_listed = origin is not None and origin in self._exposure.origins
        if scope["path"] not in _UNBOUNDED:
            foreign = None if is_listed else origin
            refuse_foreign_pages(headers.get("host"), foreign, self._exposure.allowed_hosts)
        if origin is None or not is_listed:
            return False
        reply.add(shared_with(origin))
        return is_preflight(scope["method"], headers)


class _Reply:
    """Sends a reply, with the headers that every reply has."""

    def __init__(self, send: Send, scope: Scope, headers: Sequence[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._scope = scope
        self._headers = headers
        self.status = 0

    def add(self, headers: list[tuple[bytes, bytes]]) -> None:
        """Send these headers too."""
        self._headers = [*self._headers, *headers]

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = (b"x-request-id", self.request_id.encode())
            message = {**message, "headers": [*message["headers"], *self._headers, own]}
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


def _refuse_repeated(headers: list[tuple[bytes, bytes]]) -> None:
    names = [name for name, _ in headers if name in _SINGLE]
    if len(names) != len(set(names)):
        raise InvalidRequestError("A header that can be given once only is given more than once.")


def _address(scope: Scope) -> str:
    """Where the connection comes from; that of the proxy, behind one."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _request_id(headers: Headers) -> str:
    """The caller's id where it has the form of one, else a new one."""
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex
