"""Keeps the index in step with Postgres: what was accepted is found by the next search, on every replica.

Each search compares revisions in one cheap read, and waits for the changes that are missing. They are taken in by one
task that outlives the search that began it: a deadline that passes meanwhile leaves nothing half done.
"""

import asyncio
import contextvars
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Final

from runtime.errors import AskError
from runtime.tasks import end
from services.narrative.computing import CHANGING
from services.narrative.index import PassageIndex
from services.narrative.ports import ReadPort

BATCH: Final = 1_000
"""Changes that are read and cut into tokens at once."""
POLL_SECONDS: Final = 1.0
"""How often an idle worker looks for changes, so that the first search after a large load waits less."""

_NOTHING_SEEN: Final = -1


class Follower:
    """The only writer of an index."""

    def __init__(self, reader: ReadPort, index: PassageIndex) -> None:
        self._reader = reader
        self._index = index
        self._place = (0, 0)
        self._revision = _NOTHING_SEEN
        self._has_unseen = False
        self._running: asyncio.Task[None] | None = None

    @property
    def revision(self) -> int:
        """The revision up to which everything is found; below 0 before the first."""
        return self._revision

    async def check(self) -> str | None:
        """A readiness check: `building` until the index holds what the database held at the start."""
        return "building" if self._revision == _NOTHING_SEEN else None

    async def catch_up(self) -> None:
        """Return once everything is found that was committed before the call; raises what the database raises."""
        wanted = await self._reader.revision()
        if wanted == self._revision:
            return
        joined = self._running
        await asyncio.shield(joined or self._start())
        if joined and self._revision < wanted:  # it had begun before the change
            await asyncio.shield(self._running or self._start())

    @asynccontextmanager
    async def following(self) -> AsyncGenerator[None]:
        """Follow changes for as long as the block lasts, whether or not anybody searches."""
        polling = asyncio.create_task(self._poll(), name="follow")
        try:
            yield
        finally:
            await end(polling, *([self._running] if self._running else []))

    async def _poll(self) -> None:
        while True:
            with suppress(AskError):  # said by the pool already, and by the readiness check of the database
                await self.catch_up()
            await asyncio.sleep(POLL_SECONDS)

    def _start(self) -> asyncio.Task[None]:
        # A context of its own: the deadline of the search that starts it is not that of the others that wait for it.
        task = asyncio.create_task(self._follow(), name="catch-up", context=contextvars.Context())
        self._running = task
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running = None
        if not task.cancelled():
            task.exception()  # seen here as well, where no search waits for it any more

    async def _follow(self) -> None:
        current = await self._reader.revision()
        if current < self._revision:  # another database than before: a backup was restored
            await CHANGING.run(self._index.clear)
            self._place, self._revision = (0, 0), _NOTHING_SEEN
        while True:
            changes = await self._reader.changes(self._place, BATCH)
            if changes:
                self._has_unseen = True
                await CHANGING.run(self._index.write, changes)
                self._place = (changes[-1].revision, changes[-1].id)
            if len(changes) < BATCH:
                break
        if self._has_unseen:
            await CHANGING.run(self._index.commit)
            self._has_unseen = False
        self._revision = max(current, self._place[0])
