"""Two gateways with one keys file, from outside: the client with a key, whose asks a key reaches, a key's one rate."""

from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass

import httpx
import pytest

from contracts.client import ClientError, HttpClient
from contracts.codes import ErrorCode, Scope
from services.gateway.access.key_file import IssuedKey, KeyRate
from tests.component.gateway.doors import ANSWER, QUESTION
from tests.integration.gateway.durable import standing
from tests.integration.gateway.processes import Gateway, behind, orchestrator, usual_answer
from tests.support.databases import Databases
from tests.support.keys import NOW, bearer, new_key, store

pytestmark = [pytest.mark.connected, pytest.mark.timeout(90)]

BURST = 6
MISSING = "00000000000000000000000000000000"
KEYS = {
    "crm": new_key("crm"),
    "reports": new_key("reports"),
    "loader": new_key("loader", Scope.LOAD),
    "ended": new_key("ended", revoked=NOW),
    "seldom": new_key("seldom", rate=KeyRate(asks_per_minute=1, burst=BURST)),
}


@dataclass
class Doors:
    """Two gateways on one bus, database and Redis."""

    nats_url: str
    one: Gateway
    other: Gateway

    def client(self, key: IssuedKey | str | None) -> HttpClient:
        return HttpClient(self.one.url, api_key=key.key if isinstance(key, IssuedKey) else key)


@pytest.fixture(scope="module")
def doors(databases: Databases, valkey_url: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Doors]:
    folders = [tmp_path_factory.mktemp("gateway") for _ in range(2)]
    variables = {
        "RAGSPINE_HTTP_KEYS_FILE": str(store(folders[0] / "keys.json", *KEYS.values())),
        "RAGSPINE_REDIS_URL": valkey_url,
        "RAGSPINE_REDIS_TIMEOUT_SECONDS": "2",
    }
    with databases.migrated() as dsn, standing(dsn) as stand, ExitStack() as stack:
        one, other = (stack.enter_context(stand.gateway(folder, **variables)) for folder in folders)
        yield Doors(stand.nats.url, one, other)


async def test_the_client_asks_with_its_key_at_once_and_durably(doors: Doors) -> None:
    async with behind(doors.nats_url, orchestrator(usual_answer)), doors.client(KEYS["crm"]) as client:
        at_once = await client.ask(QUESTION, deadline_seconds=10)
        durable = await client.ask_durably(QUESTION, deadline_seconds=20)

    assert (at_once.answer, at_once.tool_results) == (ANSWER.answer, ANSWER.tool_results)
    assert durable.answer == ANSWER.answer


@pytest.mark.parametrize(
    ("key", "code"),
    [
        (None, ErrorCode.UNAUTHENTICATED),
        (new_key("crm"), ErrorCode.UNAUTHENTICATED),
        (KEYS["ended"], ErrorCode.UNAUTHENTICATED),
        (KEYS["loader"], ErrorCode.FORBIDDEN),
    ],
    ids=["none", "not in the file", "revoked", "without the scope"],
)
async def test_the_client_is_told_what_is_wrong_with_its_key(
    doors: Doors, key: IssuedKey | None, code: ErrorCode
) -> None:
    async with doors.client(key) as client:
        with pytest.raises(ClientError) as raised:
            await client.ask(QUESTION, deadline_seconds=10)

    assert (raised.value.code, raised.value.retryable) == (code, False)
    assert key is None or key.key not in str(raised.value)


async def test_the_ask_of_another_app_answers_exactly_like_one_that_is_not_there(doors: Doors) -> None:
    async with behind(doors.nats_url, orchestrator(usual_answer)), doors.client(KEYS["crm"]) as client:
        ask_id = await client.hand_in(QUESTION)
        await client.answer_to(ask_id, deadline_seconds=20)

    owner, stranger = bearer(KEYS["crm"]), bearer(KEYS["reports"])
    async with doors.other.client() as http:
        for method, path, of_owner in (("GET", "", 200), ("GET", "/events", 200), ("POST", "/retry", 409)):

            async def reply(one: str, who: dict[str, str], method: str = method, path: str = path) -> httpx.Response:
                return await http.request(method, f"/v1/asks/{one}{path}", headers={**who, "X-Request-Id": "same"})

            assert (await reply(ask_id, owner)).status_code == of_owner
            assert _whole(await reply(ask_id, stranger)) == _whole(await reply(MISSING, stranger))
            assert _whole(await reply(ask_id, stranger))[0] == 404


def _whole(reply: httpx.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    """Everything that a caller sees of a reply to a request of one id, but what time it is."""
    return (
        reply.status_code,
        reply.content,
        sorted((name, value) for name, value in reply.headers.items() if name != "date"),
    )


async def test_two_gateways_allow_the_rate_of_a_key_once_and_not_twice(doors: Doors) -> None:
    headers = bearer(KEYS["seldom"])
    async with (
        behind(doors.nats_url, orchestrator(usual_answer)),
        doors.one.client() as one,
        doors.other.client() as other,
    ):
        replies = [
            await client.post("/v1/ask", json={"question": QUESTION}, headers=headers)
            for client in (one, other) * BURST
        ]

    allowed = [place % 2 for place, reply in enumerate(replies) if reply.status_code == 200]
    refused = [reply for reply in replies if reply.status_code != 200]
    assert (allowed.count(0), allowed.count(1)) == (BURST // 2, BURST // 2)
    assert {(reply.status_code, reply.json()["code"]) for reply in refused} == {(429, ErrorCode.RATE_LIMITED)}
    assert all(int(reply.headers["retry-after"]) > 0 for reply in refused)
