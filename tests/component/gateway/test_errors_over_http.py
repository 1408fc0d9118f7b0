"""Every error row of the HTTP door: its status, code and form, and that nothing of the request comes back."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx
import pytest

from contracts.codes import HTTP_STATUS, ErrorCode
from contracts.subjects import HEADER_DEADLINE
from contracts.v1.ask import AnswerQuestion, AnswerResult
from contracts.v1.errors import ErrorReply, FieldProblem
from runtime.errors import InvalidRequestError, OverloadedError, from_error_reply
from services.gateway.http.problems import problem_response
from tests.component.gateway.doors import QUESTION, Doors, open_doors, usual_answer
from tests.support.asks import AsksInMemory

SECRET = "SECRETCANARY"


def assert_problem(reply: httpx.Response, code: ErrorCode, *, status: int | None = None) -> dict[str, object]:
    body = reply.json()
    assert reply.headers["content-type"] == "application/problem+json"
    assert (reply.status_code, body["status"], body["code"]) == (status or HTTP_STATUS[code],) * 2 + (code,)
    assert set(body) == {"type", "title", "status", "code", "detail", "request_id", "retryable", "problems"}
    assert body["type"] == f"/docs#{code}"
    assert body["request_id"] == reply.headers["x-request-id"]
    assert SECRET not in reply.text
    assert "Traceback" not in reply.text
    return body


def fields(body: dict[str, object]) -> list[str]:
    problems = body["problems"]
    assert isinstance(problems, list)
    return [problem["field"] for problem in problems]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b'{"question": "SECRETCANARY"',
        b"null",
        b"[]",
        b'"SECRETCANARY"',
        b"\xff\xfe",
        b'{"question": "\xff"}',
        b'{"question": "\\ud800"}',
        b'{"question": "\\udc00SECRETCANARY"}',
        b"[" * 100_000,
        b'{"question":' * 10_000,
        b'{"question": NaN}',
        b'{"question": 1}',
        b'{"question": true}',
        b'{"question": null}',
        b'{"question": ["SECRETCANARY"]}',
        b'{"question": {"a": 1}}',
        b'{"question": ""}',
        b'{"question": " \\n\\t"}',
        b'{"question": "\\u0000"}',
        b"9" * 5_000,
        b'{"question": "x", "reference_date": "yesterday"}',
        b'{"question": "x", "reference_date": "2024-13-01"}',
        b'{"question": "x", "locale": "SECRETCANARY"}',
        b'{"question": "x", "decompose": "SECRETCANARY"}',
        b'{"question": "x", "history": [{"role": "system", "text": "SECRETCANARY"}]}',
        b'{"question": "x", "history": "SECRETCANARY"}',
        b'{"question": "x", "request_id": "SECRETCANARY/"}',
        b'{"question": "x", "request_id": ""}',
        b'{"question": "x", "default_entity": "SECRETCANARY"}',
        b'{"question": "x", "default_entity": ""}',
        b'{"question": "x", "quesiton": "SECRETCANARY"}',
    ],
)
async def test_refuses_a_body_that_is_not_an_ask(doors: Doors, body: bytes) -> None:
    reply = await doors.http.post("/v1/ask", content=body, headers={"content-type": "application/json"})

    problem = assert_problem(reply, ErrorCode.INVALID_REQUEST)
    assert problem["problems"]
    assert problem["retryable"] is False
    assert not doors.asked


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": "x" * 2_001}, "question"),
        ({"question": "x", "histroy": []}, "histroy"),
        ({"question": "x", "history": [{"role": "user", "text": "a"}] * 21}, "history"),
        ({"question": "x", "history": [{"role": "user"}]}, "history.0.text"),
        ({"question": "x", "default_entity": "NOBODY"}, "default_entity"),
    ],
)
async def test_names_the_field_that_was_refused(doors: Doors, body: dict[str, object], field: str) -> None:
    reply = await doors.http.post("/v1/ask", json=body)

    assert fields(assert_problem(reply, ErrorCode.INVALID_REQUEST)) == [field]


async def test_keeps_the_request_id_of_the_header_when_the_body_cannot_be_read(doors: Doors) -> None:
    reply = await doors.http.post("/v1/ask", content=b"{", headers={"x-request-id": "mine"})

    assert assert_problem(reply, ErrorCode.INVALID_REQUEST)["request_id"] == "mine"


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=gbk"]
)
async def test_refuses_other_media_types(doors: Doors, kind: str) -> None:
    reply = await doors.http.post("/v1/ask", content=b'{"question": "x"}', headers={"content-type": kind})

    told = assert_problem(reply, ErrorCode.UNSUPPORTED_MEDIA_TYPE)
    assert "charset" in kind or "-H 'Content-Type: application/json'" in told["detail"]


async def test_every_call_with_a_body_wants_it_uncompressed_and_says_so_in_the_document() -> None:
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    async with open_doors(desk=AsksInMemory()) as doors:
        document = (await doors.http.get("/openapi.json")).json()
        calls = {
            (method, path): operation
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if "requestBody" in operation
        }

        for (method, path), operation in calls.items():
            reply = await doors.http.request(method, path.format(id="some"), content=b"{}", headers=headers)

            told = assert_problem(reply, ErrorCode.UNSUPPORTED_MEDIA_TYPE)
            assert "uncompressed" in str(told["detail"])
            assert "415" in operation["responses"]
    assert {path for _, path in calls} >= {"/v1/ask", "/v1/asks", "/v1/facts", "/v1/passages", "/v1/faq/test"}


@pytest.mark.parametrize("coding", ["gzip", "deflate, identity", "identity, br", "x"])
async def test_any_coding_but_none_is_refused(doors: Doors, coding: str) -> None:
    reply = await doors.http.post("/v1/ask", json={"question": QUESTION}, headers={"content-encoding": coding})

    assert_problem(reply, ErrorCode.UNSUPPORTED_MEDIA_TYPE)


@pytest.mark.parametrize("coding", ["identity", "Identity", ""])
async def test_a_body_that_is_said_to_be_plain_is_read(doors: Doors, coding: str) -> None:
    reply = await doors.http.post("/v1/ask", json={"question": QUESTION}, headers={"content-encoding": coding})

    assert reply.status_code == 200


async def test_refuses_a_body_by_its_declared_length_without_reading_it(doors: Doors) -> None:
    async def never() -> AsyncGenerator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    reply = await doors.http.post("/v1/ask", content=never(), headers={"content-length": "131073"})

    assert_problem(reply, ErrorCode.PAYLOAD_TOO_LARGE)


async def test_refuses_a_body_while_it_grows_too_large(doors: Doors) -> None:
    sent: list[int] = []

    async def grows() -> AsyncGenerator[bytes]:
        for number in range(1_000):
            sent.append(number)
            yield b" " * 1_024

    reply = await doors.http.post("/v1/ask", content=grows(), headers={"content-type": "application/json"})

    assert_problem(reply, ErrorCode.PAYLOAD_TOO_LARGE)
    assert len(sent) < 200


async def test_accepts_a_body_just_within_the_limit(doors: Doors) -> None:
    body = json.dumps({"question": QUESTION}).encode()

    reply = await doors.http.post(
        "/v1/ask", content=body + b" " * (128 * 1024 - len(body)), headers={"content-type": "application/json"}
    )

    assert reply.status_code == 200


@pytest.mark.parametrize("path", ["/", "/nowhere", "/v1", "/v1/ask/", "/v1/ask/x", "/v1/%00", "/..%2f"])
async def test_knows_no_other_paths(doors: Doors, path: str) -> None:
    reply = await doors.http.post(path) if path != "/" else await doors.http.get("/v1/nowhere")

    assert_problem(reply, ErrorCode.NOT_FOUND)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/ask", "POST"),
        ("PUT", "/v1/ask", "POST"),
        ("OPTIONS", "/v1/ask", "POST"),
        ("PATCH", "/v1/facts", "DELETE, GET, HEAD, POST"),
        ("POST", "/healthz", "GET, HEAD"),
    ],
)
async def test_names_the_methods_of_a_path(doors: Doors, method: str, path: str, allowed: str) -> None:
    reply = await doors.http.request(method, path)

    assert_problem(reply, ErrorCode.METHOD_NOT_ALLOWED)
    assert reply.headers["allow"] == allowed


@pytest.mark.parametrize("header", ["", "soon", "-1", "1e9", "1.5", "9" * 17, "１２３"])
async def test_refuses_a_deadline_that_is_not_a_time(doors: Doors, header: str) -> None:
    reply = await doors.ask(headers={HEADER_DEADLINE: header.encode()})

    assert fields(assert_problem(reply, ErrorCode.INVALID_REQUEST)) == [HEADER_DEADLINE]


async def test_runs_nothing_for_a_caller_who_has_left(doors: Doors) -> None:
    reply = await doors.ask(headers={HEADER_DEADLINE: str(int(time.time() * 1000) - 1)})

    assert_problem(reply, ErrorCode.DEADLINE_EXCEEDED)
    assert not doors.asked


async def test_gives_up_on_an_orchestrator_that_does_not_answer_in_time(doors: Doors) -> None:
    doors.answer_with(sleepless)
    start = time.monotonic()

    reply = await doors.ask(headers={HEADER_DEADLINE: str(int((time.time() + 0.3) * 1000))})

    assert assert_problem(reply, ErrorCode.DEADLINE_EXCEEDED)["retryable"] is True
    assert time.monotonic() - start < 1


async def test_gives_up_on_a_body_that_does_not_arrive_in_time(doors: Doors) -> None:
    async def trickles() -> AsyncGenerator[bytes]:
        yield b"{"
        await asyncio.sleep(60)
        yield b"}"

    reply = await doors.http.post(
        "/v1/ask",
        content=trickles(),
        headers={"content-type": "application/json", HEADER_DEADLINE: str(int((time.time() + 0.2) * 1000))},
    )

    assert_problem(reply, ErrorCode.DEADLINE_EXCEEDED)


async def test_says_when_to_come_back_while_the_bus_is_away(doors: Doors) -> None:
    doors.bus.is_up = False

    reply = await doors.ask()

    assert assert_problem(reply, ErrorCode.UNAVAILABLE)["retryable"] is True
    assert reply.headers["retry-after"] == "2"


@pytest.mark.parametrize("code", [code for code in ErrorCode if code is not ErrorCode.INTERNAL])
async def test_passes_on_the_error_of_the_orchestrator(doors: Doors, code: ErrorCode) -> None:
    problem = FieldProblem(field="question", reason="no")
    error = from_error_reply(ErrorReply(code=code, retryable=True, message="As it is.", problems=(problem,)))
    doors.answer_with(raising(error))

    reply = await doors.ask()

    body = assert_problem(reply, code)
    assert (body["detail"], body["problems"]) == ("As it is.", [{"field": "question", "reason": "no"}])
    assert ("retry-after" in reply.headers) == (reply.status_code in {429, 503})


async def test_an_unexpected_fault_behind_the_bus_is_internal_and_says_nothing(doors: Doors) -> None:
    doors.answer_with(raising(RuntimeError(f"{SECRET} 1320.50")))

    reply = await doors.ask()

    assert_problem(reply, ErrorCode.INTERNAL)


async def test_an_unexpected_fault_of_our_own_is_internal_and_says_nothing(
    doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> bytes:
        raise RuntimeError(f"{SECRET} 1320.50")

    monkeypatch.setattr("services.gateway.http.ask_routes.json_reply", broken)

    reply = await doors.ask()

    assert_problem(reply, ErrorCode.INTERNAL)
    assert reply.headers["x-content-type-options"] == "nosniff"


async def test_tells_further_asks_at_once_that_there_is_too_much_to_do() -> None:
    release = asyncio.Event()

    async def waits(question: AnswerQuestion) -> AnswerResult:
        await release.wait()
        return await usual_answer(question)

    async with open_doors(max_asks=2) as doors:
        doors.answer_with(waits)
        running = [asyncio.create_task(doors.ask()) for _ in range(2)]
        for _ in running:
            await doors.arrivals.get()
        refused = await doors.ask()
        release.set()
        answered = await asyncio.gather(*running)
        after = await doors.ask()

    assert assert_problem(refused, ErrorCode.OVERLOADED)["retryable"] is True
    assert refused.headers["retry-after"] == "1"
    assert [reply.status_code for reply in [*answered, after]] == [200, 200, 200]


async def test_a_refused_ask_is_not_even_read() -> None:
    release = asyncio.Event()

    async def waits(question: AnswerQuestion) -> AnswerResult:
        await release.wait()
        return await usual_answer(question)

    async with open_doors(max_asks=1) as doors:
        doors.answer_with(waits)
        running = asyncio.create_task(doors.ask())
        await doors.arrivals.get()
        refused = await doors.http.post("/v1/ask", content=b"not JSON")
        release.set()
        await running

    assert_problem(refused, ErrorCode.OVERLOADED)


@pytest.mark.parametrize(("seconds", "header"), [(None, "1"), (0.2, "1"), (4.2, "5"), (1_000.0, "60")])
def test_says_when_to_come_back_in_whole_seconds(seconds: float | None, header: str) -> None:
    response = problem_response(OverloadedError(retry_after_seconds=seconds), "1")

    assert response.headers["retry-after"] == header


async def test_health_answers_while_all_places_are_taken() -> None:
    release = asyncio.Event()

    async def waits(question: AnswerQuestion) -> AnswerResult:
        await release.wait()
        return await usual_answer(question)

    async with open_doors(max_requests=1) as doors:
        doors.answer_with(waits)
        running = asyncio.create_task(doors.ask())
        await doors.arrivals.get()
        refused, health = await doors.ask(), await doors.http.get("/healthz")
        release.set()
        await running

    assert_problem(refused, ErrorCode.OVERLOADED)
    assert health.json() == {"status": "ok"}


async def test_a_place_is_free_again_after_every_kind_of_end() -> None:
    async with open_doors(max_asks=1, max_requests=1) as doors:
        for error in (InvalidRequestError(), RuntimeError("x")):
            doors.answer_with(raising(error))
            await doors.ask()
        doors.answer_with(sleepless)
        await doors.ask(headers={HEADER_DEADLINE: str(int((time.time() + 0.1) * 1000))})
        doors.answer_with(usual_answer)

        reply = await doors.ask()

    assert reply.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "attacker.example"},
        {"host": "attacker.example:8321"},
        {"origin": "https://attacker.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
    ],
)
async def test_refuses_pages_of_others(doors: Doors, headers: dict[str, str]) -> None:
    reply = await doors.ask(headers=headers)

    assert_problem(reply, ErrorCode.FORBIDDEN)
    assert not doors.asked


async def sleepless(question: AnswerQuestion) -> AnswerResult:
    await asyncio.sleep(60)
    return await usual_answer(question)


def raising(error: Exception) -> Callable[[AnswerQuestion], Awaitable[AnswerResult]]:
    async def answer(_: AnswerQuestion) -> AnswerResult:
        raise error

    return answer
