"""Announces committed changes: from the outbox into the event stream, in order, each at least once.

A change is never announced before it is committed, and never forgotten: while the bus or Postgres is away the events
wait. Several workers may run this; each event is published by one of them at a time.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from runtime.errors import AskError
from runtime.logging import get_log
from services.facts.ports import OutboxEvent, OutboxPort, Publish

BATCH: Final = 50
IDLE_SECONDS: Final = 1.0
"""How often the outbox is looked at: loads of other processes do not wake this one."""
MAX_BACKOFF_SECONDS: Final = 5.0
PRUNE_SECONDS: Final = 3_600.0

_log = get_log(__name__)


class Relay:
    """Moves events from the outbox to the stream until it is cancelled."""

    def __init__(self, outbox: OutboxPort, publish: Publish) -> None:
        self._outbox = outbox
        self._publish = publish
        self._awake = asyncio.Event()

    def wake(self) -> None:
        """Look at the outbox now: something was just committed."""
        self._awake.set()

    async def run(self) -> None:
        """Publish whatever waits, again and again."""
        failures, next_prune = 0, 0.0
        clock = asyncio.get_running_loop().time
        while True:
            self._awake.clear()
            try:
                while await self.publish_some():
                    pass
                if clock() >= next_prune:
                    await self._outbox.prune()
                    next_prune = clock() + PRUNE_SECONDS
            except AskError as error:
                failures += 1
                if failures == 1:
                    _log.warning("events_waiting", code=error.code.value)
            else:
                if failures:
                    _log.info("events_flowing", attempts=failures)
                failures = 0
            await self._rest(min(IDLE_SECONDS * 2**failures, MAX_BACKOFF_SECONDS))

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
