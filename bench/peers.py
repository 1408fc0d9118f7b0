"""Small processes beside the stack: `python -m bench.peers echo URL` and `python -m bench.peers sink PORT`.

`echo` is the far side of a bare nats-py request/reply: the floor that everything on this bus stands on. `sink` takes
what an OTLP exporter sends, so that exporting meets a collector that answers at once.
"""

import asyncio
import sys
from typing import Any, Final

import nats
from nats.aio.msg import Msg

ECHO: Final = "bench.echo"
_ACCEPTED: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"


async def echo(url: str) -> None:
    """Send every message back until the process is stopped."""
    client = await nats.connect(url, allow_reconnect=False)

    async def send_back(message: Msg) -> None:
        await message.respond(message.data)

    await client.subscribe(ECHO, cb=send_back)
    await asyncio.Event().wait()


async def sink(port: str) -> None:
    """Accept every HTTP request until the process is stopped."""
    server = await asyncio.start_server(_take, "127.0.0.1", int(port))
    await server.serve_forever()


async def _take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            _, _, behind = head.partition(b"\r\ncontent-length:")
            await reader.readexactly(int(behind.partition(b"\r\n")[0]))
            writer.write(_ACCEPTED)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


PEERS: Final[dict[str, Any]] = {"echo": echo, "sink": sink}


if __name__ == "__main__":
    asyncio.run(PEERS[sys.argv[1]](sys.argv[2]))
