"""The public port as bytes: what a client sends and gets over one connection."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from runtime.http_server import serve_http
from services.gateway.http.listener import open_port
from tests.component.gateway.doors import Doors, open_doors

BODY = b'{"question":"x"}'
ASK = b"POST /v1/ask HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n" + BODY


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def code(self) -> str:
        assert self.headers["content-type"] == "application/problem+json"
        return json.loads(self.body)["code"]


@dataclass
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self) -> Reply:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await self.reader.readexactly(int(headers["content-length"]))
        return Reply(int(head[0].split()[1]), headers, body)

    async def is_closed(self) -> bool:
        return await self.reader.read(1) == b""


@dataclass
class Port:
    doors: Doors
    number: int

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.number)
        try:
            yield Connection(reader, writer)
        finally:
            writer.close()


@asynccontextmanager
async def open_raw_port(**settings: object) -> AsyncGenerator[Port]:
    """A gateway with these settings on a free port."""
    async with (
        open_doors(**settings) as doors,
        serve_http(doors.app, open_port("127.0.0.1", 0), protocol=doors.protocol) as number,
    ):
        yield Port(doors, number)
