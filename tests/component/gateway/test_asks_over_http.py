"""`/v1/asks` over the desk in memory: acceptance, replays, mismatches, whose asks are seen, and what is refused."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest

from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import SubmitAsk
from contracts.v1.errors import ErrorReply
from tests.component.gateway.doors import ANSWER, QUESTION, Doors, open_doors
from tests.support.asks import AsksInMemory

SECRET = "k3Jx9-Qw7zR2mT5vB8nL0pYc"
KEY = {"Idempotency-Key": "order 66/42"}
FAILURE = ErrorReply(code=ErrorCode.INTERNAL, retryable=False, message="An internal error occurred.")


@pytest.fixture
def desk() -> AsksInMemory:
    return AsksInMemory()


@pytest.fixture
async def opened(desk: AsksInMemory) -> AsyncGenerator[Doors]:
    async with open_doors(desk=desk, webhook_hosts="hooks.test", webhook_secret=SECRET) as doors:
        yield doors


async def submit(doors: Doors, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
    return await doors.http.post("/v1/asks", json={"question": QUESTION, **fields}, headers=headers)


async def test_an_accepted_ask_says_where_its_state_is(opened: Doors, desk: AsksInMemory) -> None:
    reply = await submit(opened)

    assert (reply.status_code, reply.headers["location"]) == (202, "/v1/asks/ask1")
    assert reply.json()["state"] == "queued"
    assert "idempotency-replayed" not in reply.headers
    assert (await opened.http.get(reply.headers["location"])).json() == reply.json()
    assert opened.asked == []  # nothing is answered while the caller waits


async def test_the_same_request_under_the_same_key_is_accepted_once_and_the_replay_is_flagged(
    opened: Doors, desk: AsksInMemory
) -> None:
    first = await submit(opened, KEY)

    second = await submit(opened, KEY)

    assert (second.status_code, second.headers["idempotency-replayed"]) == (202, "true")
    assert (second.headers["location"], second.json()) == (first.headers["location"], first.json())
    assert len(desk.kept) == 1


async def test_a_replay_after_the_end_brings_the_answer(opened: Doors, desk: AsksInMemory) -> None:
    await submit(opened, KEY)
    desk.move("local", "ask1", AskState.ANSWERED, answer=ANSWER)

    reply = await submit(opened, KEY)

    assert reply.json()["state"] == "answered"
    assert reply.json()["answer"]["answer"] == ANSWER.answer


async def test_the_same_key_with_another_request_is_refused(opened: Doors, desk: AsksInMemory) -> None:
    await submit(opened, KEY)

    reply = await submit(opened, KEY, locale="en")

    assert (reply.status_code, reply.json()["code"]) == (422, "idempotency_mismatch")
    assert len(desk.kept) == 1


async def test_the_same_key_while_it_is_being_accepted_is_a_conflict_that_passes(
    opened: Doors, desk: AsksInMemory
) -> None:
    desk.being_accepted.add(("local", KEY["Idempotency-Key"]))

    reply = await submit(opened, KEY)

    assert (reply.status_code, reply.json()["code"], reply.headers["retry-after"]) == (409, "conflict", "1")


async def test_an_app_with_too_many_open_asks_is_told_when_to_come_back_and_nothing_is_accepted(
    opened: Doors, desk: AsksInMemory
) -> None:
    desk.room = 1
    await submit(opened, KEY)

    refused, replayed = await submit(opened), await submit(opened, KEY)

    assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (429, "overloaded", "5")
    assert (replayed.status_code, replayed.headers["idempotency-replayed"], len(desk.kept)) == (202, "true", 1)


async def test_a_failed_ask_waits_with_its_retry_until_there_is_room(opened: Doors, desk: AsksInMemory) -> None:
    desk.room = 1
    await submit(opened)
    desk.move("local", "ask1", AskState.FAILED, error=FAILURE)
    await submit(opened)

    refused = await opened.http.post("/v1/asks/ask1/retry")
    desk.move("local", "ask2", AskState.ANSWERED, answer=ANSWER)
    retried = await opened.http.post("/v1/asks/ask1/retry")

    assert (refused.status_code, refused.json()["code"], retried.status_code) == (429, "overloaded", 202)


async def test_a_key_of_another_form_is_refused_by_name(opened: Doors, desk: AsksInMemory) -> None:
    for key in ("", " ", "x" * 256, "\x7f", "a\tb", "é"):
        reply = await opened.http.post(
            "/v1/asks", json={"question": QUESTION}, headers={"Idempotency-Key": key.encode("latin-1")}
        )

        assert reply.status_code == 422
        assert reply.json()["problems"][0]["field"] == "Idempotency-Key"
    assert desk.kept == []


async def test_two_keys_are_refused(opened: Doors, desk: AsksInMemory) -> None:
    headers = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]

    reply = await opened.http.post("/v1/asks", json={"question": QUESTION}, headers=headers)

    assert (reply.status_code, desk.kept) == (422, [])


REFUSED: list[tuple[dict[str, Any], int]] = [
    ({}, 422),
    ({"question": " "}, 422),
    ({"question": QUESTION, "typo": 1}, 422),
    ({"question": "x" * 2_001}, 422),
    ({"question": QUESTION, "history": [{"role": "user", "text": "x" * 200_000}]}, 413),
    ({"question": QUESTION, "webhook_url": "https://elsewhere.test/"}, 422),
    ({"question": QUESTION, "webhook_url": "http://hooks.test/"}, 422),
    ({"question": QUESTION, "webhook_url": "https://u@hooks.test/"}, 422),
    ({"question": QUESTION, "webhook_url": "gopher://hooks.test/"}, 422),
]


async def test_what_is_refused_is_not_kept(opened: Doors, desk: AsksInMemory) -> None:
    for body, status in REFUSED:
        reply = await opened.http.post("/v1/asks", json=body)

        assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
        assert "elsewhere" not in reply.text
    assert desk.kept == []


async def test_a_webhook_at_a_listed_host_is_accepted(opened: Doors, desk: AsksInMemory) -> None:
    reply = await submit(opened, webhook_url="https://hooks.test/done?x=1")

    assert reply.status_code == 202
    assert desk.kept[0].ask.webhook_url == "https://hooks.test/done?x=1"


async def test_without_hosts_a_webhook_is_refused_naming_the_setting(desk: AsksInMemory) -> None:
    async with open_doors(desk=desk) as doors:
        reply = await submit(doors, webhook_url="https://hooks.test/")

    (problem,) = reply.json()["problems"]
    assert (reply.status_code, problem["field"]) == (422, "webhook_url")
    assert "RAGSPINE_WEBHOOK_HOSTS" in problem["reason"]


async def test_an_app_that_nobody_could_sign_for_is_told_so(desk: AsksInMemory) -> None:
    async with open_doors(desk=desk, webhook_hosts="hooks.test", webhook_secret=f"sales:{SECRET}") as doors:
        reply = await submit(doors, webhook_url="https://hooks.test/")

    assert reply.status_code == 422
    assert "RAGSPINE_WEBHOOK_SECRET or RAGSPINE_WEBHOOK_SECRET_FILE" in reply.json()["problems"][0]["reason"]


async def test_asks_are_listed_newest_first_page_by_page(opened: Doors) -> None:
    for _ in range(3):
        await submit(opened)

    first = (await opened.http.get("/v1/asks?limit=2")).json()
    second = (await opened.http.get(f"/v1/asks?limit=2&before={first['next']}")).json()

    assert [ask["ask_id"] for ask in first["asks"] + second["asks"]] == ["ask3", "ask2", "ask1"]
    assert second["next"] is None


async def test_asks_of_one_state_are_found_behind_any_number_of_others(opened: Doors, desk: AsksInMemory) -> None:
    for _ in range(4):
        await submit(opened)
    desk.move("local", "ask1", AskState.FAILED, error=FAILURE)

    found = (await opened.http.get("/v1/asks?limit=1&state=failed")).json()

    assert ([ask["ask_id"] for ask in found["asks"]], found["next"]) == (["ask1"], None)


async def test_a_list_that_cannot_be_is_refused(opened: Doors) -> None:
    for query in ("limit=0", "limit=201", "before=0", f"before={2**63}", "state=x", "limit=1&limit=2"):
        assert (await opened.http.get(f"/v1/asks?{query}")).status_code == 422


async def test_foreign_missing_and_malformed_ids_get_the_same_reply(opened: Doors, desk: AsksInMemory) -> None:
    await desk.accept("sales", SubmitAsk(question=QUESTION), None)
    ids = [desk.kept[0].status.ask_id, "nobody", "a.b", "x" * 65, "%20", "ä"]

    for method, path in (("GET", ""), ("GET", "/events"), ("POST", "/retry")):
        replies = [await opened.http.request(method, f"/v1/asks/{one}{path}") for one in ids]
        seen = {(reply.status_code, tuple(sorted(without_id(reply).items()))) for reply in replies}

        assert len(seen) == 1
        assert next(iter(seen))[0] == 404


def without_id(reply: httpx.Response) -> dict[str, str]:
    return {name: str(value) for name, value in reply.json().items() if name != "request_id"}


async def test_asks_of_others_are_not_listed(opened: Doors, desk: AsksInMemory) -> None:
    await desk.accept("sales", SubmitAsk(question=QUESTION), None)

    assert (await opened.http.get("/v1/asks")).json() == {"asks": [], "next": None}


async def test_a_failed_ask_is_tried_again_and_no_other(opened: Doors, desk: AsksInMemory) -> None:
    await submit(opened)
    too_early = await opened.http.post("/v1/asks/ask1/retry")
    desk.move("local", "ask1", AskState.FAILED, error=FAILURE)

    reply = await opened.http.post("/v1/asks/ask1/retry")

    assert (too_early.status_code, too_early.json()["code"]) == (409, "conflict")
    assert (reply.status_code, reply.headers["location"], reply.json()["state"]) == (202, "/v1/asks/ask1", "queued")


async def test_a_gateway_without_a_ledger_says_what_is_missing(doors: Doors) -> None:
    for method, path in (("POST", ""), ("GET", ""), ("GET", "/x"), ("GET", "/x/events"), ("POST", "/x/retry")):
        reply = await doors.http.request(method, f"/v1/asks{path}", json={"question": QUESTION})

        assert (reply.status_code, reply.json()["code"]) == (503, "unavailable")
        assert "RAGSPINE_POSTGRES_URL" in reply.json()["detail"]
