"""A clock that the test sets."""

from dataclasses import dataclass


@dataclass
class Clock:
    """Seconds, as `time.monotonic` counts them."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now
