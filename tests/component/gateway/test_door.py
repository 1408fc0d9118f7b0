"""What the door answers is what the app would have answered, in its turn, and leaves the connection usable."""

from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager

import pytest

from tests.component.gateway.raw_port import ASK, BODY, Connection, Port, Reply, open_raw_port

HEALTH = b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n"
OWN_ID = "0f3c8a52b1d94e7f8a6b5c4d3e2f1a09"


@pytest.fixture
async def port() -> AsyncGenerator[Port]:
    async with open_raw_port(max_asks=1) as port:
        yield port


@contextmanager
def all_places_taken(port: Port) -> Generator[None]:
    with port.doors.routes.asks.answering.admission.admit():
        yield


def with_header(request: bytes, line: str) -> bytes:
    return request.replace(b"host: a\r\n", f"host: a\r\n{line}\r\n".encode())


async def exchange(connection: Connection, request: bytes) -> Reply:
    await connection.send(request)
    return await connection.reply()


def without_ids(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    own = reply.headers["x-request-id"]
    others = {name: value for name, value in reply.headers.items() if name != "x-request-id"}
    return reply.status, others, reply.body.replace(own.encode(), b"ID")


@pytest.mark.parametrize("request_", [HEALTH, ASK], ids=["alive", "full"])
async def test_the_door_and_the_app_say_the_same(port: Port, request_: bytes) -> None:
    with all_places_taken(port):
        async with port.connection() as connection:
            at_the_door = await exchange(connection, request_)
            by_the_app = await exchange(connection, with_header(request_, f"x-request-id: {OWN_ID}"))

    assert without_ids(at_the_door) == without_ids(by_the_app)
    assert by_the_app.headers["x-request-id"] == OWN_ID
    assert at_the_door.headers["x-request-id"] != OWN_ID


async def test_every_reply_has_an_id_of_its_own(port: Port) -> None:
    with all_places_taken(port):
        async with port.connection() as connection:
            replies = [await exchange(connection, request) for request in (ASK, ASK, HEALTH, HEALTH)]

    ids = {reply.headers["x-request-id"] for reply in replies}
    assert len(ids) == 4
    assert all(reply.headers["x-request-id"].encode() in reply.body for reply in replies[:2])


async def test_an_ask_without_a_place_is_refused_before_its_body_is_there(port: Port) -> None:
    async with port.connection() as connection:
        with all_places_taken(port):
            refused = await exchange(connection, ASK[: -len(BODY)])
        await connection.send(BODY)
        answered = await exchange(connection, ASK)

    assert (refused.status, refused.code(), refused.headers["retry-after"]) == (429, "overloaded", "1")
    assert answered.status == 200


async def test_an_ask_with_a_place_is_answered(port: Port) -> None:
    async with port.connection() as connection:
        assert (await exchange(connection, ASK)).status == 200


@pytest.mark.parametrize(
    ("line", "status"),
    [("origin: https://elsewhere.example", 403), ("expect: 100-continue", 429), ("upgrade: h2c", 429)],
)
async def test_what_needs_a_second_look_gets_it(port: Port, line: str, status: int) -> None:
    with all_places_taken(port):
        async with port.connection() as connection:
            reply = await exchange(connection, with_header(ASK, line))

    assert reply.status == status


@pytest.mark.parametrize("request_", [HEALTH, ASK], ids=["alive", "full"])
async def test_a_connection_ends_when_its_caller_wants_it_to(port: Port, request_: bytes) -> None:
    with all_places_taken(port):
        async with port.connection() as connection:
            reply = await exchange(connection, with_header(request_, "connection: close"))

            assert reply.headers["connection"] == "close"
            assert await connection.is_closed()


async def test_replies_keep_the_order_of_their_requests(port: Port) -> None:
    async with port.connection() as connection:
        await connection.send(ASK + HEALTH + HEALTH)
        replies = [await connection.reply() for _ in range(3)]

    assert [b"answer" in reply.body for reply in replies] == [True, False, False]


async def test_a_caller_that_sends_all_before_it_reads_gets_every_reply(port: Port) -> None:
    async with port.connection() as connection:
        connection.writer.write(HEALTH * 3_000)
        replies = [await connection.reply() for _ in range(3_000)]

    assert {reply.status for reply in replies} == {200}


async def test_what_the_door_answers_is_counted(port: Port) -> None:
    with all_places_taken(port):
        async with port.connection() as connection:
            await exchange(connection, ASK)
            await exchange(connection, HEALTH)

    counted = port.doors.metrics.registry.get_sample_value
    assert counted("ragspine_http_requests_total", {"route": "/v1/ask", "status": "429"}) == 1
    assert counted("ragspine_http_requests_total", {"route": "/healthz", "status": "200"}) == 1
