"""The public port on a real socket: bounded heads, one format for every error, and connections that stay usable."""

import socket
from collections.abc import AsyncGenerator

import pytest

from runtime.settings import ConfigurationError
from services.gateway.http import listener
from services.gateway.http.listener import open_port
from tests.component.gateway.raw_port import ASK, BODY, Port, open_raw_port


@pytest.fixture
async def port() -> AsyncGenerator[Port]:
    async with open_raw_port() as port:
        yield port


async def test_one_connection_carries_many_asks(port: Port) -> None:
    async with port.connection() as connection:
        for _ in range(3):
            await connection.send(ASK)
            assert (await connection.reply()).status == 200


@pytest.mark.parametrize("refused", [ASK.replace(b"question", b"quesiton"), ASK.replace(b"/v1/ask", b"/v1/nix")])
async def test_a_connection_survives_a_refused_request(port: Port, refused: bytes) -> None:
    async with port.connection() as connection:
        await connection.send(refused)
        first = await connection.reply()
        await connection.send(ASK)
        second = await connection.reply()

    assert (first.status >= 400, second.status) == (True, 200)


async def test_a_body_that_grows_too_large_is_refused_before_its_end(port: Port) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    async with port.connection() as connection:
        await connection.send(ASK.split(b"content-length")[0] + b"transfer-encoding: chunked\r\n\r\n")
        for _ in range(3):
            await connection.send(chunk)

        reply = await connection.reply()

    assert (reply.status, reply.code()) == (413, "payload_too_large")


async def test_a_client_can_send_a_refused_body_to_its_end_and_go_on(port: Port) -> None:
    size = 4 * 1024 * 1024
    head = ASK.split(b"content-length")[0] + f"content-length: {size}\r\n\r\n".encode()
    async with port.connection() as connection:
        await connection.send(head + b" " * size)
        first = await connection.reply()
        await connection.send(ASK)
        second = await connection.reply()

    assert (first.status, first.code(), second.status) == (413, "payload_too_large", 200)


@pytest.mark.parametrize(
    "head",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\xff HTTP/1.1\r\nhost: a\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: a\r\nx: " + b"a" * 40_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"x: a\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\n" + b"x: a\r\n" * 129 + b"\r\n",
        b"POST /v1/ask HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST /v1/ask HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
    ],
)
async def test_refuses_what_is_not_a_request_as_a_problem(port: Port, head: bytes) -> None:
    async with port.connection() as connection:
        await connection.send(head)
        reply = await connection.reply()

        assert (reply.status, reply.code()) == (400, "invalid_request")
        assert await connection.is_closed()


@pytest.mark.parametrize("sent", [b"", b"POST /v1/ask HTTP/1.1\r\nhost: a\r\nx: "])
async def test_does_not_wait_for_ever_for_a_head(port: Port, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HEAD_SECONDS", 0.1)

    async with port.connection() as connection:
        await connection.send(sent)

        assert await connection.is_closed()


async def test_waits_for_the_head_of_a_second_request_no_longer(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HEAD_SECONDS", 0.1)

    async with port.connection() as connection:
        await connection.send(ASK)
        assert (await connection.reply()).status == 200
        await connection.send(b"POST ")

        assert await connection.is_closed()


async def test_a_body_that_nobody_waits_for_keeps_no_connection(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HEAD_SECONDS", 0.3)

    async with port.connection() as connection:
        await connection.send(b"GET /healthz HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n")
        assert (await connection.reply()).status == 200
        await connection.send(b"x")

        assert await connection.is_closed()


async def test_a_client_that_leaves_gives_its_place_back() -> None:
    async with open_raw_port(max_asks=1, max_requests=1) as port:
        for part in (ASK, ASK[:-4], ASK[: -len(BODY)]):
            async with port.connection() as connection:
                await connection.send(part)
        statuses = [0]
        while statuses[-1] != 200:
            async with port.connection() as connection:
                await connection.send(ASK)
                statuses.append((await connection.reply()).status)

    assert set(statuses[1:]) <= {200, 429}


def test_says_which_variable_to_change_when_the_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]

        with pytest.raises(ConfigurationError, match=f"RAGSPINE_HTTP_PORT: port {number} is already in use"):
            open_port("127.0.0.1", number)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_says_which_variable_to_change_when_the_address_is_not_ours(host: str) -> None:
    with pytest.raises(ConfigurationError, match="RAGSPINE_HTTP_HOST"):
        open_port(host, 0)
