"""Small processes beside the stack: `python -m bench.peers echo URL`, `… sink PORT` and `… health URL`.

`echo` is the far side of a bare nats-py request/reply: the floor that everything on this bus stands on. `sink` takes
what an OTLP exporter sends, so that exporting meets a collector that answers at once. `health` asks `/healthz` again
and again, as a supervisor does, and prints how long each reply took when it is stopped.
"""

import asyncio
import http.client
import json
import signal
import sys
import time
from typing import Any, Final
from urllib.parse import urlsplit

import nats
from nats.aio.msg import Msg

ECHO: Final = "bench.echo"
HEALTH_SECONDS: Final = 0.05
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


async def health(url: str) -> None:
    """Ask every twentieth of a second until the process is told to stop; prints a JSON list of milliseconds."""
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    taken: list[float] = []
    while not stopped.is_set():
        begin = time.perf_counter()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        taken.append((time.perf_counter() - begin) * 1e3)
        await asyncio.sleep(HEALTH_SECONDS)
    print(json.dumps(taken))


PEERS: Final[dict[str, Any]] = {"echo": echo, "sink": sink, "health": health}


if __name__ == "__main__":
    asyncio.run(PEERS[sys.argv[1]](sys.argv[2]))
