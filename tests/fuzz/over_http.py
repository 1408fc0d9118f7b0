"""The whole HTTP app in one process, its edge included: every reply is an answer or a typed problem without the input.

Behind the gateway stand the real orchestrator and the real reader of questions; facts and passages are kept by nobody.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from random import Random
from typing import Any
from urllib.parse import quote, unquote, urlencode

from starlette.types import ASGIApp, Message

from contracts.codes import HTTP_STATUS, ErrorCode
from services.gateway.http.problems import MEDIA_TYPE, Problem
from tests.component.gateway.doors import open_doors
from tests.fuzz import hostile
from tests.fuzz.behind import faq_without_store, serve_behind
from tests.fuzz.mutating import broken, shattered
from tests.fuzz.payloads import MARK, BrokenClaimError, Payload, assert_no_mark, has_marked_name

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "BREW", "A" * 300)
_HEADERS = (
    "content-type", "x-request-id", "host", "origin", "authorization", "idempotency-key", "if-match", "cookie",
    "if-none-match", "last-event-id", "content-length", "content-encoding", "transfer-encoding", "expect",
    "range", "traceparent", "tracestate", "baggage", "accept", "ragspine-deadline", "x-forwarded-for", "x-odd",
)  # fmt: skip
_SHOWN = {"x-request-id"}
"""Comes back where it has the form of one."""
_ALWAYS_SENT = {"cache-control", "content-security-policy", "x-content-type-options", "x-frame-options", "x-request-id"}
_NO_LINES = dict.fromkeys(map(ord, "\r\n\0"), " ")
"""What a server would not hand on as a part of a header."""
_HONEST = {ErrorCode.UNAVAILABLE, ErrorCode.FACT_SOURCE_UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED}
"""Codes of 5xx that are no fault: a part is not there, or the caller's own deadline was over."""


class OverHttp:
    """The routes of a running app, with what the OpenAPI document gives as their bodies."""

    name = "http"
    seconds = 3.0

    def __init__(self, app: ASGIApp, document: Mapping[str, Any], sent_behind: list[str]) -> None:
        self._app = app
        self._sent_behind = sent_behind  # the bus in memory notes every request, for tests that are short
        self._calls = [
            (
                path,
                method.upper(),
                _body_of(call),
                [p["name"] for p in call.get("parameters", ()) if p["in"] == "query"],
            )
            for path, calls in document["paths"].items()
            for method, call in calls.items()
        ]

    def make(self, random: Random) -> Payload:
        """A documented call, broken at one or more of its ends."""
        path, method, example, parameters = random.choice(self._calls)
        body = broken(example, random) if example is not None else b""
        if random.random() < 0.1:
            body = shattered(body, random)
        more = {
            "method": method if random.random() < 0.9 else random.choice(_METHODS),
            "path": _path(path, random),
            "query": _query(parameters, random),
            "headers": _headers(random),
            "leaves": random.random() < 0.01,
        }
        return Payload(self.name, f"{method} {path}", body, more)

    async def attempt(self, payload: Payload) -> str:
        """Send it, and look at the whole reply."""
        reply = await self._exchange(payload)
        if payload.more["leaves"]:
            return "left"
        return judged(*reply, may_show=_may_be_shown(payload))

    async def _exchange(self, payload: Payload) -> tuple[int, dict[str, str], bytes]:
        more = payload.more
        sent: list[Message] = []
        arriving: list[Message] = [{"type": "http.request", "body": payload.body, "more_body": bool(more["leaves"])}]

        async def receive() -> Message:
            return arriving.pop(0) if arriving else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(_scope(more), receive, send)
        self._sent_behind.clear()
        if not sent:
            raise BrokenClaimError("no reply")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent[0]["headers"]}
        return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


def judged(status: int, headers: Mapping[str, str], body: bytes, *, may_show: bool = False) -> str:
    """The outcome that a reply stands for; raises `BrokenClaimError` for one that nobody may get."""
    if missing := _ALWAYS_SENT - headers.keys():
        raise BrokenClaimError(f"{status} without the headers {sorted(missing)}")
    if status < 400:
        return str(status)
    if status == 503 and _is_readiness(body):
        return "503 not ready"
    if headers.get("content-type") != MEDIA_TYPE:
        raise BrokenClaimError(f"{status} as {headers.get('content-type')}")
    problem = Problem.model_validate_json(body)
    if (HTTP_STATUS[problem.code], problem.request_id) != (status, headers["x-request-id"]) and status != 400:
        raise BrokenClaimError(f"{status} says it is {problem.code.value} of another request")
    if status >= 500 and problem.code not in _HONEST:
        raise BrokenClaimError(f"{status} {problem.code.value}")
    if not may_show:
        assert_no_mark(body.decode() + str(sorted(headers.items())), f"the body of {status}")
    return f"{status} {problem.code.value}"


def _is_readiness(body: bytes) -> bool:
    return body.startswith(b'{"status":"degraded","checks":')


def _may_be_shown(payload: Payload) -> bool:
    """Whether the mark stands where callers are shown what they wrote: in a name or in a request id."""
    more = payload.more
    if any(name in _SHOWN and MARK in value for name, value in more["headers"]) or MARK in unquote(more["query"]):
        return True
    return has_marked_name(payload.body)


def _body_of(call: Mapping[str, Any]) -> Any:
    content = call.get("requestBody", {}).get("content", {}).get("application/json", {})
    return content.get("example", {}) if content else None


def _scope(more: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": more["method"],
        "scheme": "http",
        "path": unquote(more["path"]),
        "raw_path": more["path"].encode("ascii"),
        "query_string": more["query"].encode("ascii"),
        "root_path": "",
        "headers": [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in more["headers"]],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8321),
    }


def _path(path: str, random: Random) -> str:
    for name in ("{id}", "{ask_id}"):
        if name in path:
            given = random.choice(("canteen", "a.b_c-d", "test", hostile.text(random)[:200] or "x"))
            path = path.replace(name, quote(given, safe="", errors="replace"))
    kind = random.random()
    if kind < 0.9:
        return path
    strange = "/" + quote(hostile.text(random), errors="replace")
    return random.choice((path + "/", path + "/..", "//" + path, path + "%00", path.upper(), strange, f"{path}/{MARK}"))


def _query(parameters: list[str], random: Random) -> str:
    if not parameters and random.random() < 0.8:
        return ""
    names = random.choices([*parameters, "x", "limit", "after"], k=random.randrange(4))
    values = [(name, random.choice((hostile.text(random), "1", "REVENUE", "zh"))[:3_000]) for name in names]
    return urlencode(values, errors="replace")


def _headers(random: Random) -> list[tuple[str, str]]:
    headers = [("host", "127.0.0.1:8321"), ("content-type", "application/json")]
    for _ in range(random.choice((0, 0, 0, 1, 1, 2, 5))):
        name = random.choice(_HEADERS)
        value = random.choice((hostile.text(random), "", "*", '"7"', "application/json; charset=utf-16", "r-1", "1"))
        value = value.encode("utf-8", "replace").decode("latin-1").translate(_NO_LINES)
        if random.random() < 0.5:
            headers = [(known, old) for known, old in headers if known != name]
        headers.append((name, value[:9_000]))
    return headers


@asynccontextmanager
async def open_http() -> AsyncGenerator[OverHttp]:
    """The app, with everything behind it that needs no server."""
    async with open_doors(faq=faq_without_store(), max_requests=1_000) as doors:
        serve_behind(doors.bus)
        document = (await doors.http.get("/openapi.json")).json()
        yield OverHttp(doors.app, document, doors.bus.requests)
