"""The network that can be cut: it carries, loses in silence, and heals for who connects again."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from tests.support.partitions import Line, line_to

QUIET_SECONDS = 0.2
SECONDS = 5.0
END = b"<end>"


@dataclass
class Caller:
    """One end of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def gets(self, text: bytes) -> bytes | None:
        """What comes back; None where nothing does."""
        self.writer.write(text)
        try:
            async with asyncio.timeout(QUIET_SECONDS):
                return await self.reader.read(100)
        except TimeoutError:
            return None


@dataclass
class Echo:
    """A server behind a line that sends back what it gets."""

    line: Line
    heard: list[bytes]
    callers: list[Caller] = field(default_factory=list[Caller])

    async def caller(self) -> Caller:
        self.callers.append(Caller(*await asyncio.open_connection("127.0.0.1", self.line.port)))
        return self.callers[-1]

    async def has_heard(self, *wanted: bytes) -> bool:
        """Whether that, and nothing else, reaches the server."""
        async with asyncio.timeout(SECONDS):
            while len(self.heard) < len(wanted):
                await asyncio.sleep(0.01)
        return sorted(self.heard) == sorted(wanted)


@pytest.fixture
async def echo() -> AsyncGenerator[Echo]:
    heard: list[bytes] = []
    served: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(writer)
        with closing(writer):
            while chunk := await reader.read(100):
                heard.append(chunk)
                writer.write(chunk)
        heard.append(END)

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        with line_to(server.sockets[0].getsockname()[1]) as line:
            yield (opened := Echo(line, heard))
            for caller in opened.callers:
                caller.writer.close()
        async with asyncio.timeout(SECONDS):
            while heard.count(END) < len(served):
                await asyncio.sleep(0.01)


async def test_a_line_carries_both_ways_and_tells_the_server_of_an_end(echo: Echo) -> None:
    caller = await echo.caller()

    assert await caller.gets(b"a") == b"a"
    caller.writer.close()

    assert await echo.has_heard(b"a", END)


async def test_what_is_sent_over_a_cut_line_is_gone_and_nobody_is_told(echo: Echo) -> None:
    before = await echo.caller()
    assert await before.gets(b"a") == b"a"

    with echo.line.partition():
        during = await echo.caller()
        assert await before.gets(b"b") is None
        assert await during.gets(b"c") is None
        assert echo.heard == [b"a"]

    assert await before.gets(b"d") is None
    assert await during.gets(b"e") is None
    assert await (await echo.caller()).gets(b"f") == b"f"
    assert echo.heard == [b"a", b"f"]


async def test_not_even_an_end_gets_through(echo: Echo) -> None:
    before = await echo.caller()
    assert await before.gets(b"a") == b"a"

    with echo.line.partition():
        before.writer.close()

    assert await (await echo.caller()).gets(b"b") == b"b"
    assert echo.heard == [b"a", b"b"]
