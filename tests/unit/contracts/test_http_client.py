"""Asking over HTTP: what is sent, and what each reply or failure comes to."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import pytest

from contracts.client import ClientError, HttpClient, asking
from contracts.codes import HTTP_STATUS, ErrorCode
from tests.component.gateway.doors import ANSWER

BODY = ANSWER.model_dump_json()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "RETRY_PAUSE_SECONDS", (0.0, 0.01))


@dataclass
class Service:
    """A service that gives these replies in turn; the last one again and again."""

    replies: list[httpx.Response | Exception]
    asked: list[httpx.Request] = field(default_factory=list[httpx.Request])

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def client(self, base_url: str = "http://127.0.0.1:8321", **headers: str) -> HttpClient:
        return HttpClient(base_url, headers=headers, transport=httpx.MockTransport(self.handle))


def problem(code: ErrorCode, *, retryable: bool, **headers: str) -> httpx.Response:
    """A problem document of the gateway."""
    fields = {"type": f"/docs#{code}", "title": "t", "status": HTTP_STATUS[code], "code": code, "detail": "said"}
    return httpx.Response(
        HTTP_STATUS[code], headers=headers, json={**fields, "request_id": "r", "retryable": retryable, "problems": []}
    )


async def ask(service: Service, *, seconds: float = 5.0) -> ClientError:
    """The error of an ask."""
    async with service.client() as client:
        with pytest.raises(ClientError) as raised:
            await client.ask("香港2024营收", deadline_seconds=seconds)
    return raised.value


async def test_the_question_goes_to_the_ask_call_with_the_headers_of_the_app() -> None:
    service = Service([httpx.Response(200, text=BODY)])

    async with service.client("http://gateway.example/rag/", authorization="Bearer k") as client:
        answer = await client.ask("香港2024营收")

    [request] = service.asked
    assert answer == ANSWER
    assert (request.method, str(request.url)) == ("POST", "http://gateway.example/rag/v1/ask")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["authorization"] == "Bearer k"
    assert json.loads(request.content)["question"] == "香港2024营收"


@pytest.mark.parametrize("code", ErrorCode)
async def test_a_problem_document_keeps_its_code_and_words(code: ErrorCode) -> None:
    error = await ask(Service([problem(code, retryable=False)]))

    assert (error.code, error.message, error.retryable) == (code, "said", False)


async def test_retry_after_is_obeyed_where_it_fits() -> None:
    healed = Service(
        [problem(ErrorCode.OVERLOADED, retryable=True, **{"Retry-After": "0"}), httpx.Response(200, text=BODY)]
    )
    late = Service([problem(ErrorCode.UNAVAILABLE, retryable=True, **{"Retry-After": "30"})])

    async with healed.client() as client:
        assert await client.ask("香港2024营收") == ANSWER
    error = await ask(late)

    assert len(healed.asked) == 2
    assert (len(late.asked), error.retry_after_seconds) == (1, 30)


@pytest.mark.parametrize("value", ["", "Wed, 21 Oct 2015 07:28:00 GMT", "nan", "-5"])
async def test_any_retry_after_is_bearable(value: str) -> None:
    service = Service([problem(ErrorCode.UNAVAILABLE, retryable=True, **{"Retry-After": value})])

    error = await ask(service)

    assert error.code is ErrorCode.UNAVAILABLE
    assert len(service.asked) == 2


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (502, ErrorCode.UNAVAILABLE, True),
        (503, ErrorCode.UNAVAILABLE, True),
        (504, ErrorCode.DEADLINE_EXCEEDED, True),
        (429, ErrorCode.OVERLOADED, True),
        (401, ErrorCode.UNAUTHENTICATED, False),
        (413, ErrorCode.PAYLOAD_TOO_LARGE, False),
        (302, ErrorCode.INTERNAL, False),
        (418, ErrorCode.INTERNAL, False),
    ],
)
async def test_the_status_of_a_proxy_has_a_code_too(status: int, code: ErrorCode, retryable: bool) -> None:
    error = await ask(Service([httpx.Response(status, html="<h1>nginx</h1>", headers={"Retry-After": "9"})]))

    assert (error.code, error.retryable) == (code, retryable)


@pytest.mark.parametrize("text", ["", "<html>", "[]", '{"answer": "7"}'])
async def test_a_reply_that_is_no_answer_is_an_error_that_repeats_nothing_of_it(text: str) -> None:
    error = await ask(Service([httpx.Response(200, text=text)]))

    assert error.code is ErrorCode.INTERNAL
    assert "7" not in str(error)


@pytest.mark.parametrize(
    "failure", [httpx.ConnectError("x"), httpx.ReadError("x"), httpx.RemoteProtocolError("x"), httpx.WriteError("x")]
)
async def test_a_broken_connection_is_tried_once_more(failure: Exception) -> None:
    healed, ill = Service([failure, httpx.Response(200, text=BODY)]), Service([failure])

    async with healed.client() as client:
        assert await client.ask("香港2024营收") == ANSWER
    error = await ask(ill)

    assert error.code is ErrorCode.UNAVAILABLE
    assert error.__cause__ is None
    assert len(ill.asked) == 2


async def test_silence_ends_with_the_deadline() -> None:
    async def silent(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(60)
        raise AssertionError("never read")

    async with HttpClient("http://127.0.0.1:1", transport=httpx.MockTransport(silent)) as client:
        async with asyncio.timeout(2):
            with pytest.raises(ClientError) as raised:
                await client.ask("香港2024营收", deadline_seconds=0.1)

    assert raised.value.code is ErrorCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("make", [lambda: HttpClient("127.0.0.1:8321"), lambda: HttpClient("nats://127.0.0.1")])
def test_an_address_that_is_no_http_is_refused_at_once(make: Callable[[], HttpClient]) -> None:
    with pytest.raises(ValueError, match="http://"):
        make()


async def test_a_client_that_is_not_open_says_how_to_use_it() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        await HttpClient("http://127.0.0.1:8321").ask("香港2024营收")
