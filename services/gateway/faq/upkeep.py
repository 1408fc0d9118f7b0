"""Keeps the serving copy what Postgres says, and knows whether it is.

A look-up may trust the copy when it is complete up to the last change that this gateway has made or heard of; Postgres
tells every gateway of every change as it is committed. While it cannot be heard nothing is trusted. So a copy that was
lost, evicted, restored from an old file, or not written because Redis was away is a miss until it is made anew.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Final, Protocol

from runtime.errors import AskError
from runtime.logging import get_log
from services.gateway.faq.admission import Screening
from services.gateway.faq.cache.copies import ServingCopy
from services.gateway.faq.changes import Verdicts
from services.gateway.faq.items import Item
from services.gateway.faq.observing import FaqMetrics
from services.gateway.faq.serving import Space, copy_of
from services.gateway.faq.store.reading import ItemReader, Snapshot
from services.gateway.faq.store.watching import Watch, watching
from services.gateway.faq.store.writing import ItemWriter

LOOK_SECONDS: Final = 5.0
"""How often the copy is compared with Postgres although nothing was heard, as after a restore of the database."""
SETTLE_SECONDS: Final = 0.05
"""Whoever made a change renews the copy; others look after this time whether that was done."""
FIRST_PAUSE_SECONDS: Final = 0.2
LONGEST_PAUSE_SECONDS: Final = 5.0

_DOUBLINGS: Final = 6

_log = get_log(__name__)


class Trust(Protocol):
    """Whether the copy may be trusted."""

    @property
    def is_ready(self) -> bool:
        """Whether the items were screened, and changes are heard."""
        ...

    @property
    def needed(self) -> int:
        """The change up to which a copy must be complete."""
        ...

    def look(self) -> None:
        """Compare the copy with Postgres soon: somebody found less than there should be."""
        ...


@dataclass
class Upkeep:
    """The copy of one vocabulary, looked after by this gateway. Several may do that at once."""

    dsn: str
    space: Space
    reader: ItemReader
    writer: ItemWriter
    copy: ServingCopy
    screening: Screening
    metrics: FaqMetrics
    needed: int = 0
    is_ready: bool = False
    _copied: int = -1
    _screened: dict[str, int] = field(default_factory=dict[str, int])
    """The revision of each item whose wordings this process has screened."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _awake: asyncio.Event = field(default_factory=asyncio.Event)

    def look(self) -> None:
        """Compare the copy with Postgres soon."""
        self._awake.set()

    def screened(self, item: Item) -> None:
        """The wordings of an item were just screened by this process, and their verdicts stored."""
        self._screened[item.id] = item.revision

    async def catch_up(self, change: int) -> bool:
        """Bring the copy up to a change that was just made; whether that was possible.

        If not, nothing is served until it was: the loop goes on trying.
        """
        self.needed = max(self.needed, change)
        try:
            await self._renew(change)
        except AskError as error:
            _log.warning("faq_copy_behind", code=error.code.value)
            self.look()
            return False
        return True

    async def run(self) -> None:
        """Look after the copy until cancelled."""
        failures = 0
        while True:
            try:
                async with watching(self.dsn, self._told, self._silenced) as watch:
                    failures = 0
                    await self._look_after(watch)
            except AskError as error:
                if not failures:
                    _log.warning("faq_waiting", code=error.code.value)
                failures += 1
            finally:
                self.is_ready = False
            await self._rest(_pause(failures))

    async def _look_after(self, watch: Watch) -> None:
        """Keep the copy complete for as long as Postgres is heard; raises `UnavailableError` when it is not."""
        failures = 0
        while watch.is_open:
            await self._read_needed(watch)
            try:
                await self._compare()
            except AskError as error:
                if not failures:
                    _log.warning("faq_copy_behind", code=error.code.value)
                failures += 1
            else:
                failures = 0
                self.is_ready = watch.is_open
            is_complete = self._copied >= self.needed
            await self._rest(LOOK_SECONDS if is_complete else _pause(failures))

    async def _read_needed(self, watch: Watch) -> None:
        """What Postgres says; less than before only if nobody has made or heard of a change meanwhile: a restore."""
        before = self.needed
        found = await watch.read()
        self.needed = found if self.needed == before else max(self.needed, found)

    def _told(self, change: int) -> None:
        if change > self.needed:
            self.needed = change
            self._awake.set()

    def _silenced(self) -> None:
        self.is_ready = False
        self._awake.set()

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._awake.wait()
            await asyncio.sleep(SETTLE_SECONDS)
        except TimeoutError:
            return
        finally:
            self._awake.clear()

    async def _compare(self) -> None:
        held = await self.copy.change(self.space)
        if held != self.needed:
            self._copied = -1
        await self._renew(self.needed)

    async def _renew(self, change: int) -> None:
        """Make the copy anew unless that has been done since the change; raises `AskError`."""
        async with self._lock:  # whoever waits here is served by the one copy that is made next
            if self._copied >= change:
                return
            snapshot = await self.reader.snapshot()
            known = await self._screen(snapshot)
            await self._put(snapshot, copy_of(snapshot.items, known, self.space))
            unknown = len(snapshot.items) - len(known)
            if unknown:
                _log.warning("faq_unscreened", count=unknown)
            # What could not be screened is not served; it is tried again soon.
            self._copied = -1 if unknown else snapshot.change
            self.metrics.copied(snapshot, known)

    async def _put(self, snapshot: Snapshot, fields: dict[str, str]) -> None:
        if await self.copy.replace(self.space, fields, snapshot.change):
            return
        # A newer copy: of another gateway that was faster, or of a database that was since restored from a backup.
        held = await self.copy.change(self.space)
        if held is not None and held > await self.reader.change():
            await self.copy.replace(self.space, fields, snapshot.change, even_newer=True)

    async def _screen(self, snapshot: Snapshot) -> dict[str, Verdicts]:
        """The verdicts of all items, screened by this process; those that could not be screened are missing."""
        found = await asyncio.gather(*(self._verdicts(item, snapshot.verdicts.get(item.id)) for item in snapshot.items))
        return {item.id: verdicts for item, verdicts in zip(snapshot.items, found, strict=True) if verdicts is not None}

    async def _verdicts(self, item: Item, known: Verdicts | None) -> Verdicts | None:
        if known is not None and self._screened.get(item.id) == item.revision:
            return known
        try:
            found = await self.screening.verdicts(item.surfaces)
            if found != known:
                await self.writer.store_verdicts(item, found)
        except AskError:
            return None
        self._screened[item.id] = item.revision
        return found


def _pause(failures: int) -> float:
    return min(FIRST_PAUSE_SECONDS * 2.0 ** min(failures, _DOUBLINGS), LONGEST_PAUSE_SECONDS)
