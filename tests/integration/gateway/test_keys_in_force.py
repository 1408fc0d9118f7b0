"""A keys file beside a running gateway, and rates that are counted in a real Redis."""

import time
from pathlib import Path

import pytest

from contracts.codes import Scope
from services.gateway.access.key_file import KeyRate
from services.gateway.access.shared_rates import PREFIX, RedisCounts
from services.gateway.faq.cache.client import connect
from tests.component.gateway.doors import QUESTION
from tests.integration.gateway.processes import behind, orchestrator, running_gateway, usual_answer
from tests.integration.runtime.worker_process import until
from tests.support.keys import bearer, new_key, store
from tests.support.servers import free_port

pytestmark = [pytest.mark.connected, pytest.mark.timeout(120)]

FOLLOWED_SECONDS = 5.0
"""Within about one on a machine that does nothing else."""


async def test_keys_come_into_force_and_out_of_it_while_the_gateway_runs(nats_url: str, tmp_path: Path) -> None:
    path, key, other = tmp_path / "keys.json", new_key(), new_key("ops", Scope.ADMIN)
    with running_gateway(nats_url, tmp_path, RAGSPINE_HTTP_KEYS_FILE=str(path)) as gateway:
        until(gateway.listens, gateway.process, seconds=60)
        async with behind(nats_url, orchestrator(usual_answer)), gateway.client() as client:

            async def status(headers: dict[str, str]) -> int:
                return (await client.post("/v1/ask", json={"question": QUESTION}, headers=headers)).status_code

            async def becomes(wanted: int, headers: dict[str, str]) -> float:
                start = time.monotonic()
                while await status(headers) != wanted:
                    assert time.monotonic() < start + FOLLOWED_SECONDS
                return time.monotonic() - start

            assert await status({}) == 200
            store(path, key, other)
            await becomes(401, {})
            assert await status(bearer(key)) == 200
            store(path, new_key(revoked=key.stored.created), other)
            await becomes(401, bearer(key))
            path.unlink()
            assert (await client.get("/metrics", headers=bearer(other))).status_code == 200
            assert await status({}) in {401, 429}
            log = gateway.process.log.read_text()
    for secret in (key, other):
        assert secret.key not in log
        assert secret.key.partition(".")[2] not in log


async def test_two_gateways_count_together_in_redis(valkey_url: str) -> None:
    rate, name = KeyRate(asks_per_minute=60, burst=3), f"k{time.time_ns()}"
    now = 1_000_000.0
    async with (
        RedisCounts.open(valkey_url, None, seconds=1, clock=lambda: now) as here,
        RedisCounts.open(valkey_url, None, seconds=1, clock=lambda: now) as there,
        connect(valkey_url, None, 1) as redis,
    ):
        got = [await (here, there)[i % 2].take(name, rate) for i in range(5)]
        kept = [await redis.pttl(key) async for key in redis.scan_iter(match=f"{PREFIX}{name}*")]

        assert got[:3] == [0, 0, 0]
        assert all(wait is not None and 0 < wait < 6 for wait in got[3:])
        assert len(kept) == 1
        assert 0 < kept[0] <= 6_001
        now += got[4] or 0
        assert await there.take(name, rate) == 0


async def test_a_redis_that_is_away_is_said_once_and_left_alone_for_a_moment() -> None:
    rate = KeyRate(asks_per_minute=60, burst=1)
    address = f"redis://127.0.0.1:{free_port()}/0"
    async with RedisCounts.open(address, None, seconds=0.05, clock=lambda: 0.0) as counts:
        start = time.monotonic()
        waits = [await counts.take("k", rate) for _ in range(200)]

    assert waits == [None] * 200
    assert time.monotonic() - start < 1
