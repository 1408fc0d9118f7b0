"""An HTTP server inside the event loop of a worker: own port, no signal handlers, no access log, clean stop."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

BACKLOG: Final = 512
ACCEPTORS: Final = 32
"""New connections taken in one turn of the event loop. uvloop takes one per listening socket; while turns are long, all
the others would wait in the kernel, unseen by whatever bounds the work, until their callers give up."""
START_SECONDS: Final = 10.0


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to `runtime.app`."""
        yield


def listen(host: str, port: int) -> socket.socket:
    """A bound TCP socket; port 0 takes a free one. Raises `OSError` when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


@asynccontextmanager
async def serve_http(
    app: ASGIApp,
    sock: socket.socket,
    *,
    stop_grace_seconds: int = 1,
    keep_alive_seconds: int = 5,
    protocol: type[asyncio.Protocol] = HttpToolsProtocol,
) -> AsyncGenerator[int]:
    """Serve `app` on a bound socket and yield the port.

    On exit no new connection is taken, and running requests get `stop_grace_seconds` to end.
    """
    config = uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        http=protocol,
        ws="none",
        timeout_keep_alive=keep_alive_seconds,
        timeout_graceful_shutdown=stop_grace_seconds,
        backlog=BACKLOG,
    )
    server = _Server(config)
    doors = [sock, *(sock.dup() for _ in range(ACCEPTORS - 1))]
    task = asyncio.create_task(server.serve(sockets=doors), name="http")
    try:
        await _until_started(server, task)
        yield int(sock.getsockname()[1])
    finally:
        server.should_exit = True
        await task
        for door in doors:
            door.close()


async def _until_started(server: uvicorn.Server, task: asyncio.Task[None]) -> None:
    async with asyncio.timeout(START_SECONDS):
        while not server.started:
            if task.done():
                await task
                raise RuntimeError("the HTTP server ended at its start")
            await asyncio.sleep(0.005)
