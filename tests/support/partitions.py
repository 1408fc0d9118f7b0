"""A loopback port that leads to a server, over a network that can lose everything in silence.

While a line is cut nothing arrives in either direction and nobody is told: no connection ends, what is sent is gone,
and whoever connects is accepted here and hears nothing. Once the line is healed new connections get through. Those that
have lost something stay silent for ever, as behind a firewall that has forgotten them: the parts must find out.
"""

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

CHUNK_BYTES = 64 * 1024
SECONDS = 10.0
"""For what this side does, on a busy machine."""


@dataclass(eq=False)
class _Connection:
    """One connection, with a socket at each end."""

    is_lost: bool
    ends: list[asyncio.StreamWriter] = field(default_factory=list[asyncio.StreamWriter])

    def end(self) -> None:
        for end in self.ends:
            end.transport.abort()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one direction; what is lost is still taken from whoever sends it."""
        while chunk := await reader.read(CHUNK_BYTES):
            if not self.is_lost:
                writer.write(chunk)
                await writer.drain()
        if not self.is_lost:  # that one side has left is lost like everything else
            writer.close()


class Line:
    """The way to one server: a loopback port, or the path of a socket."""

    def __init__(self, target: int | Path) -> None:
        self._target = target
        self._is_cut = False
        self._open: set[_Connection] = set()
        self._stopped = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self.port = 0
        """Where clients connect."""

    @contextmanager
    def partition(self) -> Generator[None]:
        """Lose everything while the block runs."""
        self._do(self._cut)
        try:
            yield
        finally:
            self._do(self._heal)

    def run(self, listens: threading.Event) -> None:
        """Serve the port, in a thread of its own: tests block theirs."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._carry_all(listens))

    def stop(self) -> None:
        """End every connection and the port."""
        self._do(self._stopped.set)

    def _do(self, change: Callable[[], None]) -> None:
        async def done() -> None:
            change()

        asyncio.run_coroutine_threadsafe(done(), self._loop).result(SECONDS)

    def _cut(self) -> None:
        self._is_cut = True
        for connection in self._open:
            connection.is_lost = True

    def _heal(self) -> None:
        self._is_cut = False

    async def _carry_all(self, listens: threading.Event) -> None:
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            self.port = server.sockets[0].getsockname()[1]
            listens.set()
            await self._stopped.wait()
            server.close()
            while self._open:
                for connection in self._open:
                    connection.end()
                await asyncio.sleep(0.001)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = _Connection(self._is_cut, [writer])
        self._open.add(connection)
        with suppress(OSError):  # one side broke, or the server is away: the connection ends
            if connection.is_lost:
                await connection.pump(reader, writer)
            else:
                await self._carry(connection, reader, writer)
        self._open.discard(connection)
        connection.end()

    async def _carry(self, connection: _Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await self._connected()
        connection.ends.append(to_server)
        ways = (connection.pump(reader, to_server), connection.pump(from_server, writer))
        await asyncio.gather(*ways, return_exceptions=True)

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, Path):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection("127.0.0.1", self._target)


@contextmanager
def line_to(target: int | Path) -> Generator[Line]:
    """A line that carries, until it is cut."""
    line, listens = Line(target), threading.Event()
    thread = threading.Thread(target=line.run, args=(listens,), daemon=True)
    thread.start()
    assert listens.wait(SECONDS), "the line does not listen"
    try:
        yield line
    finally:
        line.stop()
        thread.join(SECONDS)
