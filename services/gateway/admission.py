"""A bound on what runs at the same time: beyond it, callers are told at once when to come back, instead of queueing."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from math import ceil
from typing import Final

from runtime.errors import OverloadedError

_WEIGHT: Final = 0.05  # of the newest piece of work in the mean: the last few dozens decide


class Admission:
    """Lets at most `limit` pieces of work in at the same time."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self._clock = clock
        self._running = 0
        self._mean_seconds = 0.0

    @property
    def running(self) -> int:
        """How many are in."""
        return self._running

    @property
    def is_full(self) -> bool:
        """Whether `admit` would refuse."""
        return self._running >= self.limit

    def refusal(self) -> OverloadedError:
        """What is said to whoever finds no place: in whole seconds, how long the last pieces of work stayed in.

        By then, those that are in now will have left on average.
        """
        return OverloadedError(
            "Too many requests are being answered. Try again in a moment.",
            retry_after_seconds=ceil(self._mean_seconds),
        )

    def refuse_if_full(self) -> None:
        """Raise `OverloadedError` where `admit` would; for callers that can spare themselves work by asking early."""
        if self.is_full:
            raise self.refusal()

    @contextmanager
    def admit(self) -> Generator[None]:
        """Enter for the duration of the block, or raise `OverloadedError` without waiting."""
        self.refuse_if_full()
        self._running += 1
        begin = self._clock()
        try:
            yield
        finally:
            self._running -= 1
            self._mean_seconds += _WEIGHT * (self._clock() - begin - self._mean_seconds)
