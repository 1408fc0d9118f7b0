"""What all gateways have counted of each key, in Redis, with the few commands that its account allows.

One round trip an ask, within a time. After a failure Redis is left alone for a moment, and each gateway counts for
itself.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, Self

from redis.asyncio import Redis

from runtime.logging import describe, get_log
from runtime.redis_rights import RATE_KEYS
from services.gateway.access.key_file import KeyRate
from services.gateway.access.rates import Counted, wait_seconds, window_seconds
from services.gateway.faq.cache.client import FAILED, connect

PREFIX: Final = RATE_KEYS
"""Of every key that is written here."""
REDIS_COMMANDS: Final = ("INCRBY", "PEXPIRE", "GET")
"""All that is sent here, beside what a connection needs to begin."""
REST_SECONDS: Final = 1.0

_log = get_log(__name__)


class RedisCounts:
    """`SharedCounts` in Redis."""

    def __init__(self, redis: Redis, seconds: float, clock: Callable[[], float]) -> None:
        self._redis = redis
        self._seconds = seconds
        self._clock = clock
        self._rests_until = 0.0

    @classmethod
    @asynccontextmanager
    async def open(
        cls, url: str, password: str | None, *, seconds: float, clock: Callable[[], float]
    ) -> AsyncGenerator[Self]:
        """Counts that connect when they are used. `clock` gives seconds since the epoch, alike on all gateways."""
        async with connect(url, password, seconds) as redis:
            yield cls(redis, seconds, clock)

    async def take(self, name: str, rate: KeyRate) -> float | None:
        """Count an ask and return 0, or how long until one fits; None when Redis does not say in time."""
        if asyncio.get_running_loop().time() < self._rests_until:
            return None
        try:
            async with asyncio.timeout(self._seconds):
                return await self._count(name, rate)
        except FAILED as error:
            self._rests_until = asyncio.get_running_loop().time() + REST_SECONDS
            _log.warning("rates_not_shared", **describe(error))
            return None

    async def _count(self, name: str, rate: KeyRate) -> float:
        window = window_seconds(rate)
        number, age = divmod(self._clock(), window)
        running, before = (f"{PREFIX}{name}:{window:g}:{int(number) - back}" for back in (0, 1))
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.incrby(running, 1)
            pipe.pexpire(running, int(2 * window * 1_000) + 1)
            pipe.get(before)
            found: list[Any] = await pipe.execute()
        counted = Counted(before=int(found[2] or 0), running=int(found[0]) - 1, age_seconds=age)
        wait = wait_seconds(counted, rate)
        if wait:  # what was refused does not count: who keeps asking must not wait for ever
            await self._redis.incrby(running, -1)
        return wait
