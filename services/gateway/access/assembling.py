"""Puts the gate together from the gateway's settings, and runs what looks after its keys."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from runtime.settings import ConfigurationError
from runtime.tasks import end
from services.gateway.access.failures import FailedAttempts
from services.gateway.access.gate import Gate
from services.gateway.access.key_file import KeyFileError
from services.gateway.access.rates import Buckets, Rates
from services.gateway.access.shared_rates import RedisCounts
from services.gateway.access.watching import KeysWatch
from services.gateway.settings import GatewaySettings, is_loopback

_FIRST_KEY = (
    "RAGSPINE_HTTP_HOST: beyond loopback every caller needs an API key, and there is none: make one with "
    "`ragspine keys add --app NAME --scope ask` and name its file with RAGSPINE_HTTP_KEYS_FILE; inside a private "
    "network that nobody else reaches, RAGSPINE_HTTP_ALLOW_REMOTE=1 goes without"
)


@dataclass(frozen=True)
class Access:
    """Who may call, and what has become of the keys file."""

    gate: Gate
    watch: KeysWatch


def closed_where_needed(settings: GatewaySettings, now: Callable[[], datetime]) -> Access:
    """The gate with the keys of now, for one process by itself.

    Raises `ConfigurationError` when the file cannot be used, or when there is no key where one is needed.
    """
    return _make(settings, Rates(Buckets(time.monotonic), None), now)


@asynccontextmanager
async def open_access(settings: GatewaySettings, now: Callable[[], datetime]) -> AsyncGenerator[Access]:
    """The gate, kept up to date beside the block; rates are counted together where Redis is named. Raises the same."""
    async with AsyncExitStack() as stack:
        shared = None
        if settings.redis_url is not None:
            counts = RedisCounts.open(
                settings.redis_url,
                settings.redis_secret(),
                seconds=settings.redis_timeout_seconds,
                clock=lambda: now().timestamp(),
            )
            shared = await stack.enter_async_context(counts)
        access = _make(settings, Rates(Buckets(time.monotonic), shared), now)
        group = await stack.enter_async_context(asyncio.TaskGroup())
        task = group.create_task(access.watch.run(), name="keys-file")
        try:
            yield access
        finally:
            await end(task)


def _make(settings: GatewaySettings, rates: Rates, now: Callable[[], datetime]) -> Access:
    gate = Gate(rates, FailedAttempts(time.monotonic), now)
    watch = KeysWatch(gate, settings.http_keys_file)
    try:
        watch.start()
    except KeyFileError as error:
        raise ConfigurationError(f"RAGSPINE_HTTP_KEYS_FILE: {error}") from error
    if gate.ring is None and not settings.http_allow_remote and not is_loopback(settings.http_host):
        raise ConfigurationError(_FIRST_KEY)
    return Access(gate, watch)
