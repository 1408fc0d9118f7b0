"""The one way to a model: limited in number, bounded in time, retried within a budget, given up while it is down.

Retries happen here and nowhere else, and only where the server did nothing (429, 503, no connection): whatever may have
been processed and billed is not sent twice.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from runtime.deadline import Deadline
from services.orchestrator.conversation import Message, ProviderError, Tool, Turn
from services.orchestrator.providers.observing import ModelObserver
from services.orchestrator.providers.ports import Completed, Provider
from services.orchestrator.providers.turns import Turns

MAX_ATTEMPTS: Final = 3
FIRST_PAUSE_SECONDS: Final = 0.2
RETRY_SHARE: Final = 0.1
"""Retries may add a tenth to the calls; in an outage they would otherwise multiply it."""
MAX_SAVED_RETRIES: Final = 10.0


@dataclass
class Breaker:
    """Opens after several failures in a row, and lets one call try again after a pause."""

    clock: Callable[[], float]
    failures_to_open: int = 5
    pause_seconds: float = 5.0
    _failures: int = 0
    _closed_from: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls are refused at the moment."""
        return self._failures >= self.failures_to_open and self.clock() < self._closed_from

    def enter(self) -> None:
        """Ask for a call; raises `ProviderError` while the breaker is open. The first one after a pause is a trial."""
        if self.is_open:
            raise ProviderError("circuit_open")
        if self._failures >= self.failures_to_open:
            self._closed_from = self.clock() + self.pause_seconds

    def record(self, *, failed: bool) -> None:
        """What a call came to."""
        self._failures = self._failures + 1 if failed else 0
        if self._failures >= self.failures_to_open:
            self._closed_from = self.clock() + self.pause_seconds


@dataclass
class RetryBudget:
    """A share of the calls may be retries; what is not used is saved up to a limit."""

    saved: float = MAX_SAVED_RETRIES

    def earn(self) -> None:
        """A first attempt was made."""
        self.saved = min(MAX_SAVED_RETRIES, self.saved + RETRY_SHARE)

    def spend(self) -> bool:
        """Whether one more retry is allowed; if so, it is taken."""
        if self.saved < 1:
            return False
        self.saved -= 1
        return True


@dataclass
class ModelGate:
    """One for the process. `bound` gives an ask its `Model`."""

    provider: Provider
    observer: ModelObserver
    breaker: Breaker
    turns: Turns
    timeout_seconds: float
    """The longest that one attempt may take."""
    budget: RetryBudget = field(default_factory=RetryBudget)
    jitter: Callable[[], float] = random.random

    def bound(self, deadline: Deadline) -> "BoundModel":
        """A `Model` whose every call is over by `deadline`."""
        return BoundModel(self, deadline)

    async def complete(self, messages: Sequence[Message], tools: Sequence[Tool], deadline: Deadline) -> Turn:
        """One turn by the deadline, waiting for a turn included. Raises `ProviderError`."""
        try:
            async with asyncio.timeout(max(deadline.left(), 0.0)), self.turns.taken(deadline):
                return await self._persist(messages, tools, deadline)
        except TimeoutError:
            raise ProviderError("deadline") from None

    async def _persist(self, messages: Sequence[Message], tools: Sequence[Tool], deadline: Deadline) -> Turn:
        self.budget.earn()
        attempt = 1
        while True:
            try:
                return (await self._attempt(messages, tools, deadline)).turn
            except ProviderError as error:
                pause = self._pause(error, attempt)
                if not error.is_unprocessed or attempt == MAX_ATTEMPTS or pause >= deadline.left():
                    raise
                if not self.budget.spend():
                    raise
            await asyncio.sleep(pause)
            attempt += 1

    async def _attempt(self, messages: Sequence[Message], tools: Sequence[Tool], deadline: Deadline) -> Completed:
        self.breaker.enter()
        seconds = min(self.timeout_seconds, deadline.left())
        failed = True
        try:
            with self.observer.calling(self.provider) as call:
                try:
                    async with asyncio.timeout(seconds):
                        completed = await self.provider.complete(messages, tools, timeout_seconds=seconds)
                except TimeoutError:
                    raise ProviderError("timeout") from None
                call.completed(completed)
            failed = False
        finally:
            self.breaker.record(failed=failed)
        return completed

    def _pause(self, error: ProviderError, attempt: int) -> float:
        """Full jitter, doubled with every attempt; at least what the server asked for."""
        backoff = FIRST_PAUSE_SECONDS * 2.0 ** (attempt - 1) * self.jitter()
        return max(backoff, error.retry_after_seconds or 0.0)


@dataclass(frozen=True, slots=True)
class BoundModel:
    """The `Model` of one ask."""

    gate: ModelGate
    deadline: Deadline

    async def complete(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Turn:
        """The model's next turn. Raises `ProviderError`."""
        return await self.gate.complete(messages, tools, self.deadline)
