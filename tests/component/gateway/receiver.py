"""A receiver of webhooks on loopback: what it was sent, and what it says, byte for byte."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Received:
    """One request."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Says these, one a connection, then that all is well; an empty one closes, None never says anything."""

    port: int = 0
    says: list[bytes | None] = field(default_factory=list[bytes | None])
    received: list[Received] = field(default_factory=list[Received])
    connections: int = 0
    hangs: bool = False
    """Whether it keeps the connection open after what it has said."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.received.append(Received(head[0], headers, body))
            said = self.says.pop(0) if self.says else reply(204)
            if said is not None:
                writer.write(said)
                await writer.drain()
            if said is None or self.hangs:
                await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()


def reply(status: int, headers: str = "", body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {status} X\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


@asynccontextmanager
async def receiving(tls: ssl.SSLContext | None = None, *, port: int = 0) -> AsyncGenerator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", port, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
