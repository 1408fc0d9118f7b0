"""Keeps ledger, queue and letter box in step: nothing stays open without a message, nothing answered unpublished.

Everything here may be done twice: a message that is there already is refused by its subject.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from contracts import subjects
from runtime.deadline import Deadline
from runtime.errors import AskError, UnavailableError
from runtime.logging import get_log
from runtime.subject_stream import SubjectStream
from runtime.work_queue import WorkQueue
from services.gateway.asks.letters import Letters
from services.gateway.asks.observing import AskMetrics
from services.gateway.asks.store.accepting import DeskLedger
from services.gateway.asks.store.upkeep import UpkeepLedger

EVERY_SECONDS: Final = 5.0
QUIET_SECONDS: Final = 60.0
"""An open ask of which nothing was heard for so long is looked for in the queue; longer than any pause of an ask."""
BATCH: Final = 100
REMOVED_AT_ONCE: Final = 500
SEND_SECONDS: Final = 5.0

_log = get_log(__name__)


@dataclass
class Upkeep:
    """Runs beside the queue, in every gateway."""

    ledger: UpkeepLedger
    desk: DeskLedger
    stream: SubjectStream
    letters: Letters
    queue: WorkQueue
    metrics: AskMetrics
    kept_seconds: float
    every_seconds: float = EVERY_SECONDS
    quiet_seconds: float = QUIET_SECONDS
    _is_failing: bool = False

    async def run(self) -> None:
        """Look after everything until cancelled."""
        while True:
            try:
                await self.look()
                self._is_failing = False
            except AskError as error:
                if not self._is_failing:
                    _log.warning("asks_not_looked_after", code=error.code.value)
                self._is_failing = True
            await asyncio.sleep(self.every_seconds)

    async def look(self) -> None:
        """One round; raises `AskError` while a part is away."""
        standing = await self.ledger.standing()
        self.metrics.show(standing, await self.queue.backlog(), is_ready=self.queue.is_bound)
        if not self.queue.is_bound:
            raise UnavailableError
        await self._send_lost()
        await self._publish_missing()
        while await self.ledger.remove(self.kept_seconds, REMOVED_AT_ONCE) == REMOVED_AT_ONCE:
            continue

    async def _send_lost(self) -> None:
        for name, body in await self.ledger.lost(self.quiet_seconds, BATCH):
            subject = subjects.asks(name.app, name.ask_id)
            if await self.stream.put(subject, body, Deadline.after(SEND_SECONDS)):
                self.metrics.requeued("lost")
            await self.desk.sent(name)

    async def _publish_missing(self) -> None:
        for name, final in await self.ledger.unpublished(self.quiet_seconds, BATCH):
            await self.letters.deliver(name, final)
