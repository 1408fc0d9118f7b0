# pyright: reportUnknownMemberType=false
# (nats-py leaves the types of its arguments open)
"""Taking work from a JetStream queue so that nothing accepted is lost: a message leaves it only when its work is done.

Several messages are worked on at once, each with a sign of life while it takes its time. Whatever goes wrong, a message
comes again after a pause. Its reply subject and headers are never followed: whoever published it chose them. The queue
is looked for again for ever; a process that stops hands back what it has not finished.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from nats.aio.msg import Msg
from nats.errors import Error
from nats.js.api import ConsumerInfo

from contracts import subjects
from runtime.bus import Bus
from runtime.errors import AskError
from runtime.logging import describe, get_log
from runtime.monitor import NotSyncingError
from runtime.pulling import Puller
from runtime.tasks import end

POLL_SECONDS: Final = 1.0
"""One request for a message lasts so long, and so does the stop of an idle queue."""
ACK_SECONDS: Final = 2.0
FIRST_PAUSE_SECONDS: Final = 0.2
LONGEST_PAUSE_SECONDS: Final = 5.0
LONGEST_BACK_OFF_SECONDS: Final = 15.0

_POLLS_BETWEEN_LOOKS: Final = 5
_DOUBLINGS: Final = 8
_SIGNS_PER_WAIT: Final = 3

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message as it is given to whoever works on it."""

    subject: str
    body: bytes
    traceparent: str | None
    """As the publisher wrote it: good for a link between traces, for nothing else."""
    stored_at: datetime
    is_repeated: bool
    """It was delivered before, to us or to somebody who has not finished."""


@dataclass(frozen=True, slots=True)
class Done:
    """The message may leave the queue."""


@dataclass(frozen=True, slots=True)
class Later:
    """The message is to come again after a pause."""

    seconds: float


Verdict = Done | Later


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much there is in the queue."""

    waiting: int
    being_worked_on: int


class WorkQueue:
    """One consumer of a stream, shared by all processes that bind to it."""

    def __init__(
        self,
        bus: Bus,
        *,
        stream: str,
        consumer: str,
        handle: Callable[[Delivery], Awaitable[Verdict]],
        check: Callable[[], Awaitable[None]],
        at_once: int,
    ) -> None:
        """`check` runs before the queue is used on a new connection, and raises where it must not be."""
        self._bus = bus
        self._stream, self._consumer = stream, consumer
        self._handle, self._check = handle, check
        self._at_once = at_once
        self._running: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._is_stopping = False
        self._bound_to: int | None = None
        self._failures = 0
        self._beat_seconds = ACK_SECONDS

    @property
    def is_bound(self) -> bool:
        """Whether the queue is there and in use, on this connection."""
        return self._bound_to is not None and self._bound_to == self._bus.connection_number

    @property
    def running(self) -> int:
        """Messages that are worked on here at the moment."""
        return len(self._running)

    async def run(self) -> None:
        """Take and work until `stop`, however often the connection is lost or the queue is missing."""
        while not self._is_stopping:
            try:
                await self._use()
            except (AskError, NotSyncingError, Error, OSError, TimeoutError) as error:
                self._note_failure(error)
            finally:
                self._bound_to = None
            await self._pause()

    async def stop(self, grace_seconds: float) -> None:
        """Take nothing more, finish what runs, and hand back at once what does not finish in time."""
        self._is_stopping = True
        self._changed.set()
        if self._running:
            await asyncio.wait(self._running, timeout=grace_seconds)
        if self._running:
            _log.warning("work_handed_back", count=len(self._running))
            await end(*self._running)

    async def backlog(self) -> Backlog | None:
        """How much is in the queue; None where it cannot be asked."""
        try:
            info = await self._info()
        except (AskError, Error, OSError, TimeoutError):
            return None
        return Backlog(waiting=info.num_pending or 0, being_worked_on=info.num_ack_pending or 0)

    async def _info(self) -> ConsumerInfo:
        info: ConsumerInfo = await self._bus.stream().consumer_info(self._stream, self._consumer)
        return info

    async def _use(self) -> None:
        number = self._bus.connection_number
        if number is None:
            return
        await self._check()
        info = await self._info()
        puller = await Puller.bind(self._bus.client(), self._stream, self._consumer)
        try:
            self._beat_seconds = (info.config.ack_wait or ACK_SECONDS) / _SIGNS_PER_WAIT
            self._bound_to = number
            if self._failures:
                _log.info("queue_found", name=self._stream, attempts=self._failures)
            self._failures = 0
            await self._take_all(puller)
        finally:
            await self._leave(puller)

    async def _take_all(self, puller: Puller) -> None:
        empty = 0
        while not self._is_stopping and self.is_bound:
            if len(self._running) >= self._at_once:
                await self._wait_for_change()
                continue
            message = await puller.take(POLL_SECONDS)
            if message is not None:
                self._start(message)
                continue
            empty += 1
            if empty % _POLLS_BETWEEN_LOOKS == 0:
                await self._info()  # an error where the queue is gone

    def _start(self, message: Msg) -> None:
        task = asyncio.create_task(self._work(message))
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._changed.set()

    async def _work(self, message: Msg) -> None:
        beating = asyncio.create_task(self._show_life(message))
        try:
            verdict = await self._verdict(message)
        except asyncio.CancelledError:
            await _tell(message, Later(0))
            raise
        finally:
            await end(beating)
        await _tell(message, verdict)

    async def _verdict(self, message: Msg) -> Verdict:
        times = message.metadata.num_delivered
        try:
            return await self._handle(_delivery(message))
        except AskError as error:
            _log.warning("work_put_back", name=self._stream, code=error.code.value)
        except Exception as error:
            _log.error("work_failed", name=self._stream, **describe(error))
        return Later(min(FIRST_PAUSE_SECONDS * 2 ** min(times, _DOUBLINGS), LONGEST_BACK_OFF_SECONDS))

    async def _show_life(self, message: Msg) -> None:
        while True:
            await asyncio.sleep(self._beat_seconds)
            with suppress(Error, OSError):  # without a connection somebody else gets it, and finds out that we finish
                await message.in_progress()

    async def _leave(self, puller: Puller) -> None:
        """Hand back what was delivered and not taken; without a connection the server does that itself."""
        try:
            while puller.has_more and (message := await puller.take(ACK_SECONDS)):
                await message.nak()
            await puller.leave()
        except (Error, OSError, TimeoutError):
            return

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _pause(self) -> None:
        seconds = min(FIRST_PAUSE_SECONDS * 2 ** min(self._failures, _DOUBLINGS), LONGEST_PAUSE_SECONDS)
        deadline = asyncio.get_running_loop().time() + seconds
        while not self._is_stopping and (left := deadline - asyncio.get_running_loop().time()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._wait_for_change()

    def _note_failure(self, error: Exception) -> None:
        if not self._failures:
            _log.warning("queue_not_used", name=self._stream, **describe(error))
        self._failures += 1


async def _tell(message: Msg, verdict: Verdict) -> None:
    """Tell the server; where that fails, the message comes again, and its work is found done."""
    try:
        match verdict:
            case Done():
                await message.ack_sync(timeout=ACK_SECONDS)
            case Later(seconds):
                await message.nak(delay=seconds or None)
    except (Error, OSError, TimeoutError) as error:
        _log.info("verdict_not_told", **describe(error))


def _delivery(message: Msg) -> Delivery:
    metadata = message.metadata
    return Delivery(
        subject=message.subject,
        body=message.data,
        traceparent=(message.headers or {}).get(subjects.HEADER_TRACE),
        stored_at=metadata.timestamp,
        is_repeated=metadata.num_delivered > 1,
    )
