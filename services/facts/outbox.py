"""Announces committed changes: from the outbox into the event stream, in order, each at least once.

A change is never announced before it is committed, and never forgotten: while the bus or Postgres is away the events
wait. Several workers may run this; each event is published by one of them at a time.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from runtime.errors import AskError
from runtime.logging import get_log
from services.facts.ports import OutboxEvent, OutboxPort, Publish

BATCH: Final = 50
IDLE_SECONDS: Final = 1.0
"""How often the outbox is looked at: loads of other processes do not wake this one."""
MAX_BACKOFF_SECONDS: Final = 5.0
PRUNE_SECONDS: Final = 3_600.0

_DOUBLINGS: Final = 10

_log = get_log(__name__)


def _nobody(_: int) -> None:
    """Nobody wants to know how many events wait."""


class Relay:
    """Moves events from the outbox to the stream until it is cancelled."""

    def __init__(self, outbox: OutboxPort, publish: Publish, on_backlog: Callable[[int], None] = _nobody) -> None:
        """`on_backlog` is told how many events wait, whenever that is known."""
        self._outbox = outbox
        self._publish = publish
        self._on_backlog = on_backlog
        self._awake = asyncio.Event()
        self._next_prune = 0.0

    def wake(self) -> None:
        """Look at the outbox now: something was just committed."""
        self._awake.set()

    async def run(self) -> None:
        """Publish whatever waits, again and again."""
        failures = 0
        while True:
            self._awake.clear()
            try:
                await self._catch_up()
            except AskError as error:
                failures += 1
                if failures == 1:
                    _log.warning("events_waiting", code=error.code.value)
            else:
                if failures:
                    _log.info("events_flowing", attempts=failures)
                failures = 0
            pause = MAX_BACKOFF_SECONDS if failures > _DOUBLINGS else IDLE_SECONDS * 2**failures
            await self._rest(min(pause, MAX_BACKOFF_SECONDS))

    async def _catch_up(self) -> None:
        try:
            while await self.publish_some():
                pass
        except AskError:
            self._on_backlog(await self._outbox.waiting())
            raise
        self._on_backlog(0)
        now = asyncio.get_running_loop().time()
        if now >= self._next_prune:
            await self._outbox.prune()
            self._next_prune = now + PRUNE_SECONDS

    async def publish_some(self) -> int:
        """Publish a batch of waiting events; returns how many. Raises an `AskError` at the first that fails."""
        async with self._outbox.claim(BATCH) as claim:
            published: list[int] = []
            failure = await self._publish_in_order(claim.events, published)
            if published:
                await claim.published(published)
        if failure is not None:
            raise failure
        return len(published)

    async def _publish_in_order(self, events: Sequence[OutboxEvent], published: list[int]) -> AskError | None:
        for waiting in events:
            try:
                await self._publish(waiting)
            except AskError as error:
                return error
            published.append(waiting.event.event_id)
        return None

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._awake.wait()
        except TimeoutError:
            return
