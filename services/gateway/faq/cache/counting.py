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

# Counters and list are changed at once, so that the list never names what the counters do not know.
_COUNT: Final = """
local least = nil
for row = 1, #ARGV - 4 do
    local counted = redis.call('BITFIELD', KEYS[1], 'OVERFLOW', 'SAT', 'INCRBY', 'u32', '#' .. ARGV[row + 4], 1)[1]
    if not least or counted < least then least = counted end
end
redis.call('EXPIRE', KEYS[1], ARGV[4], 'NX')
if least >= tonumber(ARGV[2]) then
    redis.call('ZADD', KEYS[2], least, ARGV[1])
    redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[3]))
    redis.call('EXPIRE', KEYS[2], ARGV[4], 'NX')
end
return least
"""


class CountingSketch:
    """The counters of one space of callers."""

    def __init__(self, client: Redis, space: Space) -> None:
        self._client = client
        self._counters, self._texts = f"{space.key}:asked", f"{space.key}:often"

    async def count(self, text: str, threshold: int) -> None:
        """Count a text; keep it once it was counted `threshold` times. A count that Redis does not take is lost."""
        arguments = [text, str(threshold), str(KEPT_TEXTS), str(KEPT_SECONDS), *map(str, places(text))]
        try:
            await cast("Any", self._client.eval(_COUNT, 2, self._counters, self._texts, *arguments))
        except FAILED as error:
            _log.debug("faq_not_counted", **describe(error))

    async def top(self) -> list[tuple[str, int]]:
        """The kept texts, most counted first; raises `UnavailableError`."""
        with unavailable():
            found = await cast("Any", self._client).zrevrange(self._texts, 0, -1, withscores=True)
        return [(text.decode(), int(times)) for text, times in cast("list[tuple[bytes, Any]]", found)]


def places(text: str) -> list[int]:
    """The counters of a text, one of each row."""
    digest = hashlib.sha256(text.encode()).digest()
    return [row * COUNTERS + int.from_bytes(digest[4 * row : 4 * row + 4]) % COUNTERS for row in range(ROWS)]
