"""How often a key may ask. Nothing queues: what comes too early is told when it may come again.

`burst` asks fit into the time in which the rate earns as many, so the long run keeps to `asks_per_minute`. All gateways
count together in Redis; where it does not answer in time, each counts for itself.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from runtime.errors import RateLimitedError
from services.gateway.access.callers import Caller
from services.gateway.access.key_file import KeyRate

SECONDS_PER_MINUTE: Final = 60.0
_TICK: Final = 1e-6
"""A moment: longer than what is lost to rounding."""
MAX_BUCKETS: Final = 10_000
"""More than there are keys; of addresses the ones heard of longest ago are forgotten."""


def window_seconds(rate: KeyRate) -> float:
    """The time in which a rate earns its burst."""
    return rate.burst * SECONDS_PER_MINUTE / rate.asks_per_minute


@dataclass(frozen=True, slots=True)
class Counted:
    """What was asked in the running window, this ask aside, and in the one before; and how old the running one is."""

    before: int
    running: int
    age_seconds: float


def wait_seconds(counted: Counted, rate: KeyRate) -> float:
    """How long until one more ask fits, if nobody else asks; 0 when it fits now.

    The window before counts by the part of it that lies within one window's length from now, in whole asks: so a rate
    is reached also with a small burst, and at most one ask more than the burst falls within the length of a window.
    """
    window = window_seconds(rate)
    room = rate.burst - 1
    if counted.running <= room:
        return max(0.0, _fades_to(counted.before, room - counted.running, window) - counted.age_seconds)
    return window - counted.age_seconds + _fades_to(counted.running, room, window)


def _fades_to(count: int, most: int, window: float) -> float:
    """How far into the next window what was counted in a whole one weighs no more than `most`."""
    return 0.0 if count <= most else window * max(0.0, 1 - (most + 1) / count) + _TICK


class Buckets:
    """Token buckets by name, in this process: `burst` at once, then as the rate earns them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()
        """When each bucket that is not full will be."""

    def wait_seconds(self, name: str, rate: KeyRate) -> float:
        """How long until there is a token; 0 when there is one."""
        now, step = self._clock(), SECONDS_PER_MINUTE / rate.asks_per_minute
        wait = self._full_at.get(name, now) - now - (rate.burst - 1) * step
        return wait if wait > _TICK else 0.0

    def take(self, name: str, rate: KeyRate) -> None:
        """Take a token, also one that is not there yet."""
        now, step = self._clock(), SECONDS_PER_MINUTE / rate.asks_per_minute
        self._full_at[name] = max(self._full_at.get(name, now), now) + step
        self._full_at.move_to_end(name)
        if len(self._full_at) > MAX_BUCKETS:
            self._full_at.popitem(last=False)


class SharedCounts(Protocol):
    """Counts that all gateways share."""

    async def take(self, name: str, rate: KeyRate) -> float | None:
        """Count an ask and return 0, or how long until one fits; None when the counts cannot be reached in time."""
        ...


class Rates:
    """Keeps callers to their rates."""

    def __init__(self, own: Buckets, shared: SharedCounts | None) -> None:
        self._own = own
        self._shared = shared

    async def take(self, caller: Caller) -> None:
        """Count an ask of a caller; raises `RateLimitedError` with the time after which one fits."""
        if caller.rate is None or caller.key_id is None:
            return
        wait = self._own.wait_seconds(caller.key_id, caller.rate)
        if not wait and self._shared is not None:
            wait = await self._shared.take(caller.key_id, caller.rate) or 0.0
        if wait:
            raise too_often(wait)
        self._own.take(caller.key_id, caller.rate)


def too_often(wait: float, message: str | None = None) -> RateLimitedError:
    """The refusal of what came `wait` seconds too early."""
    return RateLimitedError(message, retry_after_seconds=wait)
