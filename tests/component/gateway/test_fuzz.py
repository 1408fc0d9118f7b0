"""Whatever bytes a caller sends, the reply is an answer or a typed problem: never 500, never an echo, never silence."""

import asyncio
import json
from typing import Any

import httpx
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.codes import ErrorCode
from tests.component.gateway.doors import open_doors

REFUSED = {ErrorCode.INVALID_REQUEST, ErrorCode.PAYLOAD_TOO_LARGE, ErrorCode.UNSUPPORTED_MEDIA_TYPE}
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


def send(method: str, path: str, body: bytes, headers: dict[str, bytes]) -> httpx.Response:
    async def run() -> httpx.Response:
        async with open_doors() as doors:
            return await doors.http.request(method, path, content=body, headers=headers)

    return asyncio.run(run())


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
def test_any_bytes_as_an_ask_are_answered_or_refused(body: bytes) -> None:
    assert_answered_or_refused(send("POST", "/v1/ask", body, {"content-type": b"application/json"}))


@given(objects | asks)
def test_any_json_object_as_an_ask_is_answered_or_refused(body: dict[str, Any]) -> None:
    encoded = json.dumps(body).encode()

    assert_answered_or_refused(send("POST", "/v1/ask", encoded, {"content-type": b"application/json"}))


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_header_is_answered_or_refused(kind: bytes, request_id: bytes) -> None:
    reply = send("POST", "/v1/ask", b'{"question":"x"}', {"content-type": kind, "x-request-id": request_id})

    assert_answered_or_refused(reply)


@given(values)
def test_any_json_as_rows_is_refused(rows: object) -> None:
    reply = send("POST", "/v1/facts", json.dumps({"facts": rows}).encode(), {"content-type": b"application/json"})

    assert reply.json()["code"] == ErrorCode.INVALID_REQUEST
