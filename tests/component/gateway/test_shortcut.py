"""Passing the framework's layers by changes nothing that a caller sees."""

from typing import Any

import pytest

from services.gateway.http.shortcut import Shortcut
from tests.component.gateway.doors import ANSWER, QUESTION, Doors, open_doors

REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/v1/ask", {"json": {"question": QUESTION}}),
    ("POST", "/v1/ask", {"json": {"question": QUESTION, "typo": 1}}),
    ("POST", "/v1/ask", {"content": b"{", "headers": {"content-type": "application/json"}}),
    ("POST", "/v1/ask", {"content": b"", "headers": {"content-type": "text/plain"}}),
    ("POST", "/v1/ask?more=1", {"json": {"question": QUESTION}}),
    ("GET", "/v1/ask", {}),
    ("HEAD", "/v1/ask", {}),
    ("OPTIONS", "/v1/ask", {}),
    ("POST", "/v1/ask/", {"json": {"question": QUESTION}}),
    ("POST", "/v1/%61sk", {"json": {"question": QUESTION}}),
    ("POST", "//v1/ask", {"json": {"question": QUESTION}}),
    ("GET", "/v1/facts", {}),
    ("GET", "/v1/facts?typo=1", {}),
    ("DELETE", "/v1/facts", {}),
    ("PATCH", "/v1/facts", {}),
    ("GET", "/v1/catalogue", {}),
    ("GET", "/healthz", {}),
    ("HEAD", "/healthz", {}),
    ("GET", "/readyz", {}),
    ("GET", "/docs", {}),
    ("HEAD", "/docs", {}),
    ("GET", "/openapi.json", {}),
    ("GET", "/", {}),
    ("GET", "/nothing", {}),
]


async def replies(doors: Doors) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for method, path, content in REQUESTS:
        headers = {"x-request-id": "r-1", **content.get("headers", {})}
        reply = await doors.http.request(method, path, **{**content, "headers": headers})
        found.append((method, path, reply.status_code, sorted(reply.headers.items()), reply.content))
    return found


async def test_replies_as_the_framework_would(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_doors() as doors:
        short = await replies(doors)

    async with open_doors() as doors:
        monkeypatch.setattr(Shortcut, "_route_of", lambda _self, _scope: None)
        whole = await replies(doors)

    assert short == whole


async def test_takes_the_shortcut_for_an_ask(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> None:
        raise AssertionError("went through the framework")

    monkeypatch.setattr("fastapi.FastAPI.__call__", refuse)

    reply = await doors.ask()

    assert reply.json()["answer"] == ANSWER.answer


@pytest.mark.parametrize("short", [True, False])
async def test_a_fault_of_ours_is_a_problem_document_and_reaches_the_servers_log(
    doors: Doors, monkeypatch: pytest.MonkeyPatch, short: bool
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("the secret of the fault")

    monkeypatch.setattr("services.gateway.answering.Answering.answer_ask", fail)
    if not short:
        monkeypatch.setattr(Shortcut, "_route_of", lambda _self, _scope: None)
    raised: list[BaseException] = []
    app = doors.app

    async def watched(*arguments: Any) -> None:
        try:
            await app(*arguments)
        except RuntimeError as error:
            raised.append(error)

    monkeypatch.setattr(doors.http._transport, "app", watched)

    reply = await doors.ask()

    assert reply.status_code == 500
    assert reply.json()["code"] == "internal"
    assert "secret" not in reply.text
    assert len(raised) == 1
