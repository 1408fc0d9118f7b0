"""Server-sent events: bounded in number and time, alive while nothing happens, and over as soon as anybody leaves.

A stream ends when its events do, when its client goes away, when the gateway stops, when its key is no longer in force,
or when its time is up; whichever it is, nothing of it stays behind.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from runtime.errors import AskError, OverloadedError
from runtime.tasks import end
from services.gateway.admission import Admission
from services.gateway.http.problems import problem_response

IS_HEAD: Final = "is_head"
"""In the state of a request: only the head of the reply is wanted."""
HEARTBEAT_SECONDS: Final = 10.0
"""Shorter than the idle time of common proxies."""
LONGEST_SECONDS: Final = 600.0
"""Then the client comes again, with the id of the last event: a connection of somebody who has left is not kept."""
RECONNECT_MILLISECONDS: Final = 1_000
"""What a browser waits before it does."""

SHARE_OF_ONE_APP: Final = 0.75
"""Of all streams."""

_TOO_MANY: Final = "Too many streams are open. Ask for the state instead, or try again in a moment."
_HEARTBEAT: Final = b": alive\n\n"


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `data` holds no line break."""

    id: str
    name: str
    data: bytes

    def encoded(self) -> bytes:
        """As it goes over the wire."""
        return f"id: {self.id}\nevent: {self.name}\ndata: ".encode() + self.data + b"\n\n"


@dataclass
class Streams:
    """All streams of a gateway."""

    admission: Admission
    heartbeat_seconds: float = HEARTBEAT_SECONDS
    _of_app: Counter[str] = field(default_factory=Counter[str], init=False)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    @contextmanager
    def admit(self, app: str) -> Generator[None]:
        """Enter for the duration of the block, or raise `OverloadedError`. One app leaves the others some room."""
        if self._of_app[app] >= max(1, self.admission.limit * SHARE_OF_ONE_APP):
            raise OverloadedError(_TOO_MANY)
        with self.admission.admit():
            self._of_app[app] += 1
            try:
                yield
            finally:
                self._of_app[app] -= 1
                self._of_app += Counter()  # apps without a stream are forgotten

    def stop(self) -> None:
        """End all streams, and every later one after what it has to say at once."""
        self._stopped.set()

    async def stopped(self) -> None:
        """Return when streams are to end."""
        await self._stopped.wait()


class EventStream(Response):
    """A reply that is a stream of events for an app, for at most `seconds`, as long as `may_stay` says so."""

    media_type = "text/event-stream"

    def __init__(
        self,
        streams: Streams,
        app: str,
        events: AsyncGenerator[Event],
        *,
        seconds: float,
        may_stay: Callable[[], bool],
    ) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})  # nginx would keep events back
        del self.headers["content-length"]
        self._streams, self._app, self._events = streams, app, events
        self._seconds = min(seconds, LONGEST_SECONDS)
        self._may_stay = may_stay
        self._has_spoken = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until one of the reasons to end."""
        try:
            with self._streams.admit(self._app):
                if scope["state"].get(IS_HEAD):
                    self._seconds = 0.0
                await self._serve(receive, send)
        except AskError as error:  # too many: nothing was sent yet
            await problem_response(error, scope["state"]["request_id"])(scope, receive, send)

    async def _serve(self, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send(_body(f"retry: {RECONNECT_MILLISECONDS}\n\n".encode()))
        gone = asyncio.create_task(_gone(receive), name="stream-gone")
        pump = asyncio.create_task(self._pump(send), name="stream-events")
        stopped = asyncio.create_task(self._stopped(), name="stream-stopped")
        try:
            await asyncio.wait({gone, pump, stopped}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_gone = gone.done()
            await end(gone, pump, stopped)
        if not is_gone:
            await send(_body(b"", more=False))
        if not pump.cancelled() and (fault := pump.exception()) is not None:
            raise fault

    async def _stopped(self) -> None:
        """Return when streams are to end, and the state at its begin was told."""
        await self._has_spoken.wait()
        await self._streams.stopped()

    async def _pump(self, send: Send) -> None:
        """Send what comes, and a sign of life where nothing does."""
        coming = asyncio.ensure_future(anext(self._events, None))
        try:
            while True:
                await asyncio.wait({coming}, timeout=self._streams.heartbeat_seconds)
                if not self._may_stay():  # the client comes again, and is told why
                    return
                if not coming.done():
                    await send(_body(_HEARTBEAT))
                    self._has_spoken.set()
                    continue
                event = coming.result()
                if event is None:
                    return
                await send(_body(event.encoded()))
                self._has_spoken.set()
                coming = asyncio.ensure_future(anext(self._events, None))
        except AskError:  # the ledger is away: the client comes again, and is told then
            return
        finally:
            await end(coming)
            await self._events.aclose()


def _body(data: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def _gone(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
