"""The serving copy in Redis: one read a look-up, and whole copies in place of earlier ones.

Nothing here is the only copy of anything. A read ends within its time; after one that failed, Redis is left alone for a
moment, so that a frozen server costs a few asks its time and not every ask. A copy takes the place of another at once,
and never the place of a newer one.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Self, cast

from redis.asyncio import Redis

from runtime.logging import describe, get_log
from services.gateway.faq.cache.client import FAILED, WRITE_SECONDS, connect, unavailable
from services.gateway.faq.serving import CHANGE_FIELD, Space

REST_SECONDS: Final = 1.0
"""How long Redis is left alone after a read that failed; then one read tries again."""
KEPT_SECONDS: Final = 24 * 3600
"""A copy that no gateway looks after any more goes by itself."""

_BATCH: Final = 200

# A copy takes the place of an older one, or of any one where it must.
_SWAP: Final = """
local have = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '-1') or -1
if ARGV[4] ~= '1' and have > tonumber(ARGV[2]) then
    redis.call('DEL', KEYS[2])
    return 0
end
redis.call('RENAME', KEYS[2], KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class Read:
    """What a read found: up to which change the copy is complete (None: there is no copy), and the values."""

    change: int | None
    values: Sequence[bytes]


class ServingCopy:
    """The copies of this gateway's items."""

    def __init__(self, reading: Redis, writing: Redis, read_seconds: float) -> None:
        self._reading = reading
        self._writing = writing
        self._read_seconds = read_seconds
        self._blind_until = 0.0

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, password: str | None, *, read_seconds: float) -> AsyncGenerator[Self]:
        """A copy that connects when it is used; nothing is asked again by itself."""
        async with (
            connect(url, password, read_seconds) as reading,
            connect(url, password, WRITE_SECONDS) as writing,
        ):
            yield cls(reading, writing, read_seconds)

    async def read(self, space: Space, fields: Sequence[str]) -> Read | None:
        """The values of these fields, in one round trip; None when Redis does not say."""
        now = asyncio.get_running_loop().time()
        if now < self._blind_until:
            return None
        if self._blind_until:
            self._blind_until = now + REST_SECONDS  # one read tries; the others go on without
        try:
            async with asyncio.timeout(self._read_seconds):
                found = await self._hmget(self._reading, space.key, [CHANGE_FIELD, *fields])
        except FAILED as error:
            self._leave_alone(error)
            return None
        if self._blind_until:
            self._blind_until = 0.0
            _log.info("faq_copy_readable")
        return Read(_number(found[0]), [value for value in found[1:] if value is not None])

    async def change(self, space: Space) -> int | None:
        """Up to which change the copy is complete, None where there is none; keeps it alive.

        Raises `UnavailableError`.
        """
        with unavailable():
            async with self._writing.pipeline(transaction=False) as pipe:
                pipe.hget(space.key, CHANGE_FIELD)
                pipe.expire(space.key, KEPT_SECONDS)
                found: list[Any] = await pipe.execute()
        return _number(found[0])

    async def replace(self, space: Space, fields: Mapping[str, str], change: int, *, even_newer: bool = False) -> bool:
        """Put a copy in place of the earlier one, at once; False when that one is newer. Raises `UnavailableError`."""
        fresh = f"{space.key}:{secrets.token_hex(8)}"
        with unavailable():
            await cast("Any", self._writing.hset(fresh, mapping={CHANGE_FIELD: str(change)}))
            await self._writing.expire(fresh, 60)
            waiting = list(fields.items())
            for start in range(0, len(waiting), _BATCH):
                await cast("Any", self._writing.hset(fresh, mapping=dict(waiting[start : start + _BATCH])))
            arguments = (CHANGE_FIELD, str(change), str(KEPT_SECONDS), "1" if even_newer else "0")
            swapped = await cast("Any", self._writing.eval(_SWAP, 2, space.key, fresh, *arguments))
        return bool(swapped)

    async def _hmget(self, client: Redis, key: str, fields: list[str]) -> list[bytes | None]:
        return cast("list[bytes | None]", await cast("Any", client.hmget(key, fields)))

    def _leave_alone(self, error: Exception) -> None:
        if not self._blind_until:
            _log.warning("faq_copy_unreadable", **describe(error))
        self._blind_until = asyncio.get_running_loop().time() + REST_SECONDS


def _number(value: bytes | None) -> int | None:
    return int(value) if value is not None and value.isdigit() else None
