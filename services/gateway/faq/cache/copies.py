"""The serving copy in Redis: one read a look-up, and whole copies in place of earlier ones.

Nothing here is the only copy of anything. A read ends within its time; after one that failed, Redis is left alone for a
moment, so that a frozen server costs a few asks its time and not every ask. A copy takes the place of another at once,
and never the place of a newer one.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Self, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError, WatchError

from runtime.logging import describe, get_log
from services.gateway.faq.cache.client import FAILED, WRITE_SECONDS, connect, unavailable
from services.gateway.faq.serving import CHANGE_FIELD, Space

REST_SECONDS: Final = 1.0
"""How long Redis is left alone after a read that failed; then one read tries again."""
KEPT_SECONDS: Final = 24 * 3600
"""A copy that no gateway looks after any more goes by itself."""

FILLING_SECONDS: Final = 60
"""A copy that is not put in its place by then is given up."""
BATCH_BYTES: Final = 128 * 1024
"""What one command carries, unless a single value is larger: well below what the server takes."""

MAX_VALUE_BYTES: Final = 512 * 1024
"""A wording whose value is larger is left out of the copy: it takes the normal path."""
SWAPS: Final = 20

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
            await self._write(fresh, {CHANGE_FIELD: str(change)}, FILLING_SECONDS)
            for part in batches(fields):
                await self._write(fresh, part, FILLING_SECONDS)
            return await self._put_in_place(fresh, space.key, change, even_newer=even_newer)

    async def _write(self, key: str, fields: Mapping[str, str], seconds: int) -> None:
        """Fields and their time to live come together: a key that stays for ever is never made."""
        async with self._writing.pipeline(transaction=True) as pipe:
            pipe.hset(key, mapping=cast("Any", fields))
            pipe.expire(key, seconds)
            await pipe.execute()

    async def _put_in_place(self, fresh: str, key: str, change: int, *, even_newer: bool) -> bool:
        """Rename, unless somebody has put a newer copy there; looked at again when that changed meanwhile."""
        for _ in range(SWAPS):
            try:
                return await self._swap(fresh, key, change, even_newer=even_newer)
            except WatchError:
                continue
        raise RedisError("the copy in place changed again and again")

    async def _swap(self, fresh: str, key: str, change: int, *, even_newer: bool) -> bool:
        async with self._writing.pipeline(transaction=True) as pipe:
            await pipe.watch(key, fresh)
            ours, there = await self._number_at(pipe, fresh), await self._number_at(pipe, key)
            if ours != change:  # Redis made room while it was filled: it is not whole
                raise RedisError("a copy was lost while it was written")
            cast("Any", pipe).multi()
            is_newer = there is not None and there > change and not even_newer
            if is_newer:
                pipe.unlink(fresh)
            else:
                pipe.rename(fresh, key)
                pipe.expire(key, KEPT_SECONDS)
            await pipe.execute()
        return not is_newer

    async def _number_at(self, client: Redis, key: str) -> int | None:
        return _number(cast("bytes | None", await cast("Any", client.hget(key, CHANGE_FIELD))))

    async def _hmget(self, client: Redis, key: str, fields: list[str]) -> list[bytes | None]:
        return cast("list[bytes | None]", await cast("Any", client.hmget(key, fields)))

    def _leave_alone(self, error: Exception) -> None:
        if not self._blind_until:
            _log.warning("faq_copy_unreadable", **describe(error))
        self._blind_until = asyncio.get_running_loop().time() + REST_SECONDS


def batches(fields: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The fields in parts of a bounded size."""
    part: dict[str, str] = {}
    size = 0
    for name, value in fields.items():
        weight = len(name) + len(value.encode())
        if weight > MAX_VALUE_BYTES:
            _log.warning("faq_wording_too_large")
            continue
        if part and size + weight > BATCH_BYTES:
            yield part
            part, size = {}, 0
        part[name] = value
        size += weight
    if part:
        yield part


def _number(value: bytes | None) -> int | None:
    return int(value) if value is not None and value.isdigit() else None
