"""A bound on what runs at the same time: beyond it, callers are told at once instead of queueing without end."""

from collections.abc import Generator
from contextlib import contextmanager

from runtime.errors import OverloadedError


class Admission:
    """Lets at most `limit` pieces of work in at the same time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._running = 0

    @property
    def running(self) -> int:
        """How many are in."""
        return self._running

    @contextmanager
    def admit(self) -> Generator[None]:
        """Enter for the duration of the block, or raise `OverloadedError` without waiting."""
        if self._running >= self.limit:
            raise OverloadedError("Too many requests are being answered. Try again in a moment.")
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
