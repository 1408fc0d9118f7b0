"""Closed loops: so many requests are in flight, and each reply is followed by the next request at once.

Lean on purpose, so that the loop is not what is measured: prepared requests, no HTTP library, no JSON. Every reply is
checked for a mark that only the right one carries; a wrong one ends the measurement.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast
from urllib.parse import urlsplit

import nats
import uvloop

WARM_UP_SECONDS: Final = 0.3
HTTP_PORT: Final = 80
GRACE_SECONDS: Final = 15.0
"""For connecting, warming up and the last replies, beside the measured time."""


class WrongReplyError(Exception):
    """A reply was not the expected one; the message is its beginning."""


@dataclass
class Tally:
    """What one closed loop saw, without its warm-up."""

    seconds: float
    """How long is measured."""
    begins: float = 0.0
    taken: list[float] = field(default_factory=list)
    """Seconds from request to reply, of each reply that came within the time."""
    client_cpu: float = 0.0
    """Seconds of processor time that the loop itself took."""

    def start(self) -> None:
        """Begin to count after the warm-up."""
        self.begins = time.perf_counter() + WARM_UP_SECONDS

    def goes_on(self, sent: float) -> bool:
        """Count the reply to a request that was sent then, and say whether another one is to follow."""
        now = time.perf_counter()
        if self.begins <= now < self.begins + self.seconds:
            self.taken.append(now - sent)
        return now < self.begins + self.seconds


@dataclass(frozen=True)
class Expected:
    """What to send, request by request, and what each reply must contain."""

    bodies: Iterator[bytes]
    mark: bytes

    def check(self, reply: bytes) -> None:
        """Raise `WrongReplyError` for any other reply."""
        if self.mark not in reply:
            raise WrongReplyError(reply[:300].decode(errors="replace"))


def over_http(url: str, expected: Expected, *, in_flight: int, tally: Tally, on_start: Callable[[], None]) -> None:
    """One connection per request in flight, kept alive."""
    parts = urlsplit(url)
    head = f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n".encode()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        callers = [_HttpCaller(head, expected, tally, loop.create_future()) for _ in range(in_flight)]
        for caller in callers:
            await loop.create_connection(partial(_itself, caller), str(parts.hostname), parts.port or HTTP_PORT)
        await _measured(tally, on_start, [caller.begin() for caller in callers])

    _run(run, tally, uvloop.new_event_loop)


def over_nats(
    url: str, subject: str, expected: Expected, *, in_flight: int, tally: Tally, on_start: Callable[[], None]
) -> None:
    """One connection with that many requests in flight, as nats-py makes them."""

    async def call(client: Any) -> None:
        goes_on = True
        while goes_on:
            sent = time.perf_counter()
            reply = await client.request(subject, next(expected.bodies), timeout=GRACE_SECONDS)
            expected.check(reply.data)
            goes_on = tally.goes_on(sent)

    async def run() -> None:
        client = await nats.connect(url, allow_reconnect=False)
        await client.request(subject, next(expected.bodies), timeout=GRACE_SECONDS)  # makes its inbox
        await _measured(tally, on_start, [call(client) for _ in range(in_flight)])
        await client.close()

    _run(run, tally, asyncio.new_event_loop)


async def _measured(tally: Tally, on_start: Callable[[], None], calls: list[Coroutine[Any, Any, None]]) -> None:
    tally.start()

    async def note_start() -> None:
        await asyncio.sleep(max(0.0, tally.begins - time.perf_counter()))
        on_start()
        tally.client_cpu = -time.process_time()

    async with asyncio.TaskGroup() as group:
        for call in (note_start(), *calls):
            group.create_task(call)
    tally.client_cpu += time.process_time()


def _run(
    main: Callable[[], Coroutine[Any, Any, None]], tally: Tally, loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(WARM_UP_SECONDS + tally.seconds + GRACE_SECONDS):
            await main()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(bounded())


def _itself(caller: "_HttpCaller") -> "_HttpCaller":
    return caller


class _HttpCaller(asyncio.Protocol):
    """One connection: sends a request, waits for the whole reply, sends the next."""

    def __init__(self, head: bytes, expected: Expected, tally: Tally, done: "asyncio.Future[None]") -> None:
        self._head = head
        self._expected = expected
        self._tally = tally
        self._done = done
        self._transport: asyncio.WriteTransport
        self._received = b""
        self._whole = 0
        self._sent = 0.0

    async def begin(self) -> None:
        """Send the first request; ends with the last reply."""
        self._send()
        await self._done
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)  # uvloop's own, not derived from asyncio's

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._whole:
            self._whole = whole_length(self._received)
        if not self._whole or len(self._received) < self._whole:
            return
        try:
            self._expected.check(self._received)
        except WrongReplyError as error:
            self._done.set_exception(error)
            return
        if self._tally.goes_on(self._sent):
            self._send()
        elif not self._done.done():
            self._done.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(exc or ConnectionError("the connection was closed"))

    def _send(self) -> None:
        self._received, self._whole = b"", 0
        self._sent = time.perf_counter()
        body = next(self._expected.bodies)
        self._transport.write(b"%bContent-Length: %d\r\n\r\n%b" % (self._head, len(body), body))


def whole_length(received: bytes) -> int:
    """Bytes of the whole reply; 0 while its head has not arrived."""
    head, end, _ = received.partition(b"\r\n\r\n")
    if not end:
        return 0
    _, _, behind = head.lower().partition(b"\r\ncontent-length:")
    return len(head) + len(end) + int(behind.partition(b"\r\n")[0])
