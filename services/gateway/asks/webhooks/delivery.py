"""Sends what is due, for as long as the gateway runs. At least once: what was sent and not noted is sent again.

A receiver that hangs holds few of the places, so it delays its own app and no other.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, assert_never

from contracts.subjects import HEADER_ASK_ID
from runtime.errors import AskError, InvalidRequestError
from runtime.logging import get_log
from services.gateway.asks.webhooks.observing import WebhookMetrics
from services.gateway.asks.webhooks.pauses import pause_seconds
from services.gateway.asks.webhooks.ports import Due, NotTaken, Outcome, Sender, Taken, Unwanted, WebhookLedger
from services.gateway.asks.webhooks.signing import Secrets, signed_headers
from services.gateway.asks.webhooks.targets import HostList

PLACES: Final = 16
"""Webhooks on their way at the same time."""
PLACES_OF_ONE_APP: Final = 4
POLL_SECONDS: Final = 1.0
"""How late a webhook may be that another gateway, or one before a restart, has left."""
NOTE_SECONDS: Final = 30.0
"""For noting what came of an attempt, beyond the attempt itself; then somebody else may send it again."""

_log = get_log(__name__)


@dataclass
class Delivery:
    """Sends webhooks."""

    ledger: WebhookLedger
    sender: Sender
    hosts: HostList
    secrets: Secrets
    metrics: WebhookMetrics
    now: Callable[[], float]
    """Seconds since the epoch."""
    spread: Callable[[], float]
    """Anything of 0…1, another each time."""
    max_attempts: int
    attempt_seconds: float
    _running: dict[asyncio.Task[None], str] = field(default_factory=dict[asyncio.Task[None], str], init=False)
    _woken: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def wake(self) -> None:
        """Something has become due."""
        self._woken.set()

    async def run(self) -> None:
        """Send until cancelled."""
        try:
            while True:
                self._woken.clear()
                try:
                    await self._start_due()
                except AskError as error:
                    _log.warning("webhooks_wait", code=error.code.value)
                await self._pause()
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(POLL_SECONDS):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _start_due(self) -> None:
        free = PLACES - len(self._running)
        if free <= 0:
            return
        counts = Counter(self._running.values())
        busy = [app for app, count in counts.items() if count >= PLACES_OF_ONE_APP]
        claimed = await self.ledger.claim(free, lease_seconds=self.attempt_seconds + NOTE_SECONDS, without=busy)
        for due in claimed:
            task = asyncio.create_task(self._deliver(due), name="webhook")
            self._running[task] = due.app
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._woken.set()  # a place is free
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("webhook_fault", error=type(error).__name__)

    async def _deliver(self, due: Due) -> None:
        is_over = due.attempt > self.max_attempts  # each of them was interrupted before it was noted
        outcome = NotTaken("interrupted") if is_over else await self._attempt(due)
        try:
            await self._note(due, outcome)
        except AskError as error:  # its lease runs out, and it is sent once more
            _log.warning("webhook_not_noted", code=error.code.value)

    async def _attempt(self, due: Due) -> Outcome:
        """What the operator has taken off the list since it was accepted is not told any more."""
        secrets = self.secrets.of(due.app)
        if not secrets:
            return Unwanted("no_secret")
        try:
            target = self.hosts.target(due.url)
        except InvalidRequestError:
            return Unwanted("not_listed")
        headers = signed_headers(secrets, due.body, now=int(self.now()))
        return await self.sender.send(target, {**headers, HEADER_ASK_ID: due.ask_id}, due.body)

    async def _note(self, due: Due, outcome: Outcome) -> None:
        match outcome:
            case Taken():
                self.metrics.count("taken")
                await self.ledger.delivered(due)
            case Unwanted(code):
                await self._give_up(due, code)
            case NotTaken(code) if due.attempt >= self.max_attempts:
                await self._give_up(due, code)
            case NotTaken(code, wanted):
                self.metrics.count("postponed")
                seconds = pause_seconds(due.attempt, spread=self.spread(), wanted=wanted)
                await self.ledger.postpone(due, seconds, code)
            case _:
                assert_never(outcome)

    async def _give_up(self, due: Due, code: str) -> None:
        self.metrics.count("given_up")
        _log.warning("webhook_given_up", code=code, attempts=due.attempt)
        await self.ledger.give_up(due, code)
