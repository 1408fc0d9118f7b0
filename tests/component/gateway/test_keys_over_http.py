"""Keys, rates, origins and headers at the HTTP door."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from services.gateway.access.failures import ALLOWED
from services.gateway.access.key_file import KeyRate
from tests.component.gateway.doors import QUESTION, Doors, open_doors
from tests.support.keys import bearer, new_key, store

FRIEND = "https://app.example.com"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
KEY = new_key("crm", rate=KeyRate(asks_per_minute=60, burst=2))
SECURE = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "strict-transport-security": "max-age=31536000",
}


@pytest.fixture
async def doors(tmp_path: Path) -> AsyncGenerator[Doors]:
    path = store(tmp_path / "keys.json", KEY)
    async with open_doors(http_keys_file=path, http_cors_origins=FRIEND, http_behind_tls=True) as opened:
        yield opened


async def test_an_ask_beyond_the_rate_is_told_when_it_may_come_again(doors: Doors) -> None:
    replies = [await doors.ask(headers=bearer(KEY)) for _ in range(3)]

    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert replies[2].json()["code"] == "rate_limited"
    assert replies[2].json()["retryable"] is True
    assert replies[2].headers["retry-after"] == "1"
    assert len(doors.asked) == 2


async def test_what_is_no_ask_does_not_count(doors: Doors) -> None:
    for _ in range(3):
        assert (await doors.http.post("/v1/facts", headers=bearer(KEY))).status_code == 403

    assert (await doors.ask(headers=bearer(KEY))).status_code == 200


async def test_wrong_keys_without_end_are_stopped_and_a_good_one_still_comes_in(doors: Doors) -> None:
    statuses = [(await doors.ask(headers=bearer(new_key()))).status_code for _ in range(ALLOWED.burst + 1)]

    stopped = await doors.ask(headers=bearer(new_key()))
    good = await doors.ask(headers=bearer(KEY))

    assert statuses == [401] * ALLOWED.burst + [429]
    assert int(stopped.headers["retry-after"]) in {2, 3}
    assert good.status_code == 200


async def test_two_keys_in_one_request_are_none(doors: Doors) -> None:
    header = ("authorization", f"Bearer {KEY.key}")

    reply = await doors.http.post("/v1/ask", json={"question": QUESTION}, headers=[header, header])

    assert reply.status_code == 422
    assert not doors.asked


@pytest.mark.parametrize("name", ["host", "origin", "content-type", "ragspine-deadline", "idempotency-key", "if-match"])
async def test_a_header_that_counts_is_given_once(doors: Doors, name: str) -> None:
    headers = [("authorization", f"Bearer {KEY.key}"), (name, "a"), (name, "b")]

    reply = await doors.http.post("/v1/ask", content=b"{}", headers=headers)

    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")


async def test_a_preflight_of_a_listed_origin_is_answered_without_a_key(doors: Doors) -> None:
    reply = await doors.http.options("/v1/ask", headers={"Origin": FRIEND, **PREFLIGHT})

    assert reply.status_code == 204
    assert reply.headers["access-control-allow-origin"] == FRIEND
    assert "authorization" in reply.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in reply.headers
    assert reply.headers["vary"] == "Origin"


@pytest.mark.parametrize("origin", ["https://evil.example", f"{FRIEND}.evil.example", f"{FRIEND}:444", "null"])
async def test_a_page_of_another_origin_gets_nothing(doors: Doors, origin: str) -> None:
    asked = await doors.ask(headers={"Origin": origin, **bearer(KEY)})
    preflight = await doors.http.options("/v1/ask", headers={"Origin": origin, **PREFLIGHT})

    assert (asked.status_code, preflight.status_code) == (403, 403)
    assert not any(name.startswith("access-control") for name in {*asked.headers, *preflight.headers})
    assert not doors.asked


async def test_a_page_of_a_listed_origin_can_read_answers_and_errors(doors: Doors) -> None:
    asked = await doors.ask(headers={"Origin": FRIEND, **bearer(KEY)})
    refused = await doors.ask(headers={"Origin": FRIEND})

    assert (asked.status_code, refused.status_code) == (200, 401)
    for reply in (asked, refused):
        assert reply.headers["access-control-allow-origin"] == FRIEND


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/docs", "/v1/ask", "/v1/nothing", "/metrics", "/v1/asks/x/events"]
)
async def test_every_reply_has_the_headers_that_protect_it(doors: Doors, path: str) -> None:
    for headers in ({}, bearer(KEY)):
        reply = await doors.http.get(path, headers=headers)

        assert {name: reply.headers.get(name) for name in SECURE} == SECURE


async def test_says_nothing_of_tls_where_it_is_not_told_of_it() -> None:
    async with open_doors() as opened:
        reply = await opened.http.get("/healthz")

    assert "strict-transport-security" not in reply.headers


async def test_without_keys_a_key_is_no_hindrance() -> None:
    async with open_doors() as opened:
        assert (await opened.ask(headers=bearer(new_key()))).status_code == 200
