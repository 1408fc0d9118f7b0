"""So many calls of the model at once. Whoever would not get a turn in time is told so, instead of waiting for nothing.

Without that, an overload spends every turn on a caller who has waited so long that its time ends during the call.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

from runtime.deadline import Deadline
from services.orchestrator.conversation import ProviderError

_WEIGHT: Final = 0.1  # of the newest turn in the mean


class Turns:
    """Places that are taken in the order of asking."""

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._places = places
        self._clock = clock
        self._free = asyncio.Semaphore(places)
        self._wanted = 0
        self._mean_seconds = 0.0

    @property
    def wait_seconds(self) -> float:
        """How long a call would wait now, if turns go on taking as long as the last ones did."""
        ahead = max(0, self._wanted - self._places + 1)
        return ahead / self._places * self._mean_seconds

    @asynccontextmanager
    async def taken(self, deadline: Deadline) -> AsyncGenerator[None]:
        """Wait for a turn and hold it; raises `ProviderError` at once where it would come after `deadline`."""
        if self.wait_seconds > deadline.left():
            raise ProviderError("busy")
        self._wanted += 1
        try:
            async with self._free:
                begin = self._clock()
                try:
                    yield
                finally:
                    self._mean_seconds += _WEIGHT * (self._clock() - begin - self._mean_seconds)
        finally:
            self._wanted -= 1
