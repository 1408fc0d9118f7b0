"""Whatever bytes a caller sends, the reply is an answer or a typed problem: never 500, never silence."""

import asyncio
import json
from collections.abc import Callable, Generator
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.codes import ErrorCode
from contracts.subjects import HEADER_DEADLINE, HEADER_TRACE
from tests.component.gateway.doors import open_doors

REFUSED = {
    ErrorCode.INVALID_REQUEST,
    ErrorCode.PAYLOAD_TOO_LARGE,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    ErrorCode.FORBIDDEN,
    ErrorCode.DEADLINE_EXCEEDED,
}
HEADERS = ["content-type", "x-request-id", "host", "origin", HEADER_DEADLINE, HEADER_TRACE, "tracestate", "baggage"]
PARAMETERS = ["metric", "entity", "period", "limit", "after", "source_doc_id"]
FIELDS = ["question", "reference_date", "locale", "default_entity", "history", "decompose", "request_id"]

texts = st.text(st.characters(), max_size=40) | st.sampled_from(
    ["", " ", "\x00", "\u202e", "香港2024营收", "zh", "2024-01-01"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(FIELDS) | texts, values, max_size=8)
asks = st.fixed_dictionaries({"question": texts}, optional={name: values for name in FIELDS[1:]})


Send = Callable[[str, str, bytes, dict[str, bytes]], httpx.Response]


@pytest.fixture(scope="module")
def send() -> Generator[Send]:
    """Sends a request to one gateway, which all examples share."""
    with asyncio.Runner() as runner:
        doors = open_doors()
        opened = runner.run(doors.__aenter__())

        def request(method: str, path: str, body: bytes, headers: dict[str, bytes]) -> httpx.Response:
            return runner.run(opened.http.request(method, path, content=body, headers=headers))

        yield request
        runner.run(doors.__aexit__(None, None, None))


def assert_answered_or_refused(reply: httpx.Response) -> None:
    body: dict[str, Any] = reply.json()
    assert body["request_id"] == reply.headers["x-request-id"]
    if reply.status_code != 200:
        assert reply.headers["content-type"] == "application/problem+json"
        assert ErrorCode(body["code"]) in REFUSED


@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf{}")
@example(b'{"question":"\\ud83d"}')
@example(b'{"a":' * 2_000 + b"1" + b"}" * 2_000)
@example(b"-")
def test_any_bytes_as_an_ask_are_answered_or_refused(send: Send, body: bytes) -> None:
    assert_answered_or_refused(send("POST", "/v1/ask", body, {"content-type": b"application/json"}))


@given(objects | asks)
def test_any_json_object_as_an_ask_is_answered_or_refused(send: Send, body: dict[str, Any]) -> None:
    encoded = json.dumps(body).encode()

    assert_answered_or_refused(send("POST", "/v1/ask", encoded, {"content-type": b"application/json"}))


@given(st.dictionaries(st.sampled_from(HEADERS), st.binary(max_size=60), max_size=4))
@example({HEADER_DEADLINE: b"9999999999999999"})
def test_any_header_is_answered_or_refused(send: Send, headers: dict[str, bytes]) -> None:
    assert_answered_or_refused(send("POST", "/v1/ask", b'{"question":"x"}', headers))


@given(st.lists(st.tuples(st.sampled_from(PARAMETERS) | texts, texts), max_size=5), st.sampled_from(["GET", "DELETE"]))
def test_any_query_is_passed_on_or_refused(send: Send, query: list[tuple[str, str]], method: str) -> None:
    path = f"/v1/facts?{urlencode(query, errors='replace')}"

    reply = send(method, path, b"", {})

    # Nobody keeps facts here: what passes the door is told so.
    assert reply.json()["code"] in {ErrorCode.INVALID_REQUEST, ErrorCode.UNAVAILABLE}


@given(values)
def test_any_json_as_rows_is_refused(send: Send, rows: object) -> None:
    reply = send("POST", "/v1/facts", json.dumps({"facts": rows}).encode(), {"content-type": b"application/json"})

    assert reply.json()["code"] == ErrorCode.INVALID_REQUEST
