"""Open loops: requests are sent at their times, whatever has become of those before; nobody waits for a reply to go on.

That is how many callers who do not know of each other behave, and the only load that can be more than a service takes.
A request's time runs from the moment at which it was due, so that a late sender hides nothing.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, cast
from urllib.parse import urlsplit

import uvloop

from bench.clients import HTTP_PORT, whole_length

MAX_CONNECTIONS: Final = 2_000
LAST_REPLIES_SECONDS: Final = 15.0
TICK_SECONDS: Final = 0.002
"""What becomes due within it is sent together: waking up for each one would take the cores from what is measured."""
_REFUSED: Final = frozenset({429, 503})


@dataclass
class Outcomes:
    """What became of the requests of one open loop; times are in seconds, from when a request was due."""

    offered: int = 0
    good: list[float] = field(default_factory=list[float])
    good_in_time: int = 0
    """Right answers that came while asks were still offered: their rate is what the service can do under this load."""
    refused: list[float] = field(default_factory=list[float])
    """429 and 503 with a code and a `Retry-After`."""
    wrong: int = 0
    """Any other reply, or none at all."""
    first_wrong: bytes = b""
    retry_after: set[int] = field(default_factory=set[int])
    """The values that were seen, in seconds."""


@dataclass
class OpenLoop:
    """Offers `rate` requests a second for `seconds`."""

    url: str
    bodies: Iterator[bytes]
    mark: bytes
    rate: float
    seconds: float
    outcomes: Outcomes = field(default_factory=Outcomes)
    _idle: "deque[_Connection]" = field(default_factory=lambda: deque["_Connection"]())
    _open: int = 0
    _waiting: int = 0
    _ends: float = 0.0
    _all_are_sent: bool = False
    _is_over: asyncio.Event = field(default_factory=asyncio.Event)

    def run(self) -> Outcomes:
        """Run it in an event loop of its own."""
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._run())
        return self.outcomes

    async def _run(self) -> None:
        begin = time.perf_counter() + 0.2
        self._ends = begin + self.seconds
        for number in range(round(self.rate * self.seconds)):
            due = begin + number / self.rate
            if (early := due - time.perf_counter()) > 0:
                await asyncio.sleep(max(early, TICK_SECONDS))
            elif number % 16 == 0:
                await asyncio.sleep(0)  # behind its times: replies must still be read
            self.outcomes.offered += 1
            self._send(due)
        self._all_are_sent = True
        if self._waiting:
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_REPLIES_SECONDS):
                    await self._is_over.wait()
        self.outcomes.wrong += self._waiting

    def _send(self, due: float) -> None:
        self._waiting += 1
        while self._idle and not self._idle[-1].is_open:  # the server ends those that nobody has used for a while
            self._idle.pop()
            self._open -= 1
        if self._idle:
            self._idle.pop().send(next(self.bodies), due)
        elif self._open < MAX_CONNECTIONS:
            self._open += 1
            asyncio.get_running_loop().create_task(self._connect_and_send(due))
        else:
            self._end_one()
            self._went_wrong(b"too many connections wait for a reply")

    async def _connect_and_send(self, due: float) -> None:
        parts = urlsplit(self.url)
        head = f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n".encode()
        connection = _Connection(head, self._replied)
        try:
            await asyncio.get_running_loop().create_connection(
                partial(_itself, connection), str(parts.hostname), parts.port or HTTP_PORT
            )
        except OSError as error:
            self._end_one()
            self._open -= 1
            self._went_wrong(type(error).__name__.encode())
        else:
            connection.send(next(self.bodies), due)

    def _replied(self, connection: "_Connection", reply: bytes, due: float) -> None:
        taken = time.perf_counter() - due
        self._end_one()
        if connection.is_open:
            self._idle.append(connection)
        else:
            self._open -= 1
        status = int(reply[9:12]) if reply.startswith(b"HTTP/1.1 ") else 0
        if status == 200 and self.mark in reply:
            self.outcomes.good.append(taken)
            self.outcomes.good_in_time += time.perf_counter() < self._ends
        elif status in _REFUSED and b'"code":"' in reply and (seconds := _retry_after(reply)):
            self.outcomes.refused.append(taken)
            self.outcomes.retry_after.add(seconds)
        else:
            self._went_wrong(reply)

    def _end_one(self) -> None:
        self._waiting -= 1
        if self._all_are_sent and not self._waiting:
            self._is_over.set()

    def _went_wrong(self, what: bytes) -> None:
        self.outcomes.wrong += 1
        self.outcomes.first_wrong = self.outcomes.first_wrong or what[:300]


def _itself(connection: "_Connection") -> "_Connection":
    return connection


def _retry_after(reply: bytes) -> int:
    _, found, behind = reply.lower().partition(b"\r\nretry-after:")
    return int(behind.partition(b"\r\n")[0]) if found else 0


class _Connection(asyncio.Protocol):
    """One kept-alive connection with at most one request on its way."""

    def __init__(self, head: bytes, replied: Callable[["_Connection", bytes, float], None]) -> None:
        self._head = head
        self._replied = replied
        self._transport: asyncio.WriteTransport
        self._received = b""
        self._due: float | None = None
        self.is_open = False

    def send(self, body: bytes, due: float) -> None:
        """Send one request."""
        self._received, self._due = b"", due
        if self.is_open:
            self._transport.write(b"%bContent-Length: %d\r\n\r\n%b" % (self._head, len(body), body))
        else:
            self._done(b"the connection was closed")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)  # uvloop's own, not derived from asyncio's
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        self._received += data
        whole = whole_length(self._received)
        if whole and len(self._received) >= whole:
            self._done(self._received)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        self._done(b"the connection was lost")

    def _done(self, reply: bytes) -> None:
        due, self._due = self._due, None
        if due is not None:
            self._replied(self, reply, due)
