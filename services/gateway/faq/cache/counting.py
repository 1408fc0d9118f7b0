"""Counting questions in bounded space: a sketch of counters that many questions share, and a short list of texts.

A question's count is the smallest of its counters, so it may be too high by others that share them all, never too low.
A text is kept only from the threshold on. Everything is forgotten after a month.
"""

import hashlib
from typing import Any, Final, cast

from redis.asyncio import Redis

from runtime.logging import describe, get_log
from services.gateway.faq.cache.client import FAILED, unavailable
from services.gateway.faq.serving import Space

ROWS: Final = 4
COUNTERS: Final = 16_384
"""Counters in a row, of four bytes each: 256 KB in all."""
KEPT_TEXTS: Final = 200
KEPT_SECONDS: Final = 30 * 24 * 3600

_log = get_log(__name__)


class CountingSketch:
    """The counters of one space of callers."""

    def __init__(self, client: Redis, space: Space) -> None:
        self._client = client
        self._counters, self._texts = f"{space.key}:asked", f"{space.key}:often"

    async def count(self, text: str, threshold: int) -> None:
        """Count a text; keep it once it was counted `threshold` times. A count that Redis does not take is lost."""
        try:
            least = await self._count(places(text))
            if least >= threshold:
                await self._keep(text, least)
        except FAILED as error:
            _log.debug("faq_not_counted", **describe(error))

    async def _count(self, counters: list[int]) -> int:
        """Add one to each counter; the smallest of them."""
        async with self._client.pipeline(transaction=True) as pipe:
            for counter in counters:
                cast("Any", pipe).bitfield(self._counters, default_overflow="SAT").incrby(
                    "u32", f"#{counter}", 1
                ).execute()
            pipe.expire(self._counters, KEPT_SECONDS, nx=True)
            counted: list[Any] = await pipe.execute()
        return min(int(found[0]) for found in counted[:-1])

    async def _keep(self, text: str, times: int) -> None:
        """Put a text on the list, which stays short. It is counted already: the list names nothing that is not."""
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.zadd(self._texts, {text: times})
            pipe.zremrangebyrank(self._texts, 0, -1 - KEPT_TEXTS)
            pipe.expire(self._texts, KEPT_SECONDS, nx=True)
            await pipe.execute()

    async def top(self) -> list[tuple[str, int]]:
        """The kept texts, most counted first; raises `UnavailableError`."""
        with unavailable():
            found = await cast("Any", self._client).zrevrange(self._texts, 0, -1, withscores=True)
        return [(text.decode(), int(times)) for text, times in cast("list[tuple[bytes, Any]]", found)]


def places(text: str) -> list[int]:
    """The counters of a text, one of each row."""
    digest = hashlib.sha256(text.encode()).digest()
    return [row * COUNTERS + int.from_bytes(digest[4 * row : 4 * row + 4]) % COUNTERS for row in range(ROWS)]
