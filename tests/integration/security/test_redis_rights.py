"""Every user of Redis can do what its table says and nothing else, and nobody gets in without a password."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.exceptions import AuthenticationError, RedisError

from runtime.redis_rights import FAQ_KEYS, GATEWAY, HEALTH, LIMITS, RATE_KEYS, acl
from services.gateway.faq.cache.client import connect
from services.gateway.faq.cache.copies import MAX_VALUE_BYTES, ServingCopy
from services.gateway.faq.cache.counting import CountingSketch
from services.gateway.faq.changes import Condition
from services.gateway.faq.serving import CHANGE_FIELD, Space
from tests.support.servers import Valkey, running_valkey
from tests.support.vetting import vetting

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

PASSWORD, HEALTHS = "Vf8-gateway-q2", "Vf8-health-q2"
REFUSED = "(?i)no permissions|DEBUG command not allowed"
"""By the rights of the user, or for everybody."""
ALLOWED: list[list[Any]] = [
    ["PING"],
    ["HSET", f"{FAQ_KEYS}k", "f", "v"],
    ["HGET", f"{FAQ_KEYS}k", "f"],
    ["HMGET", f"{FAQ_KEYS}k", "f", "g"],
    ["EXPIRE", f"{FAQ_KEYS}k", 60],
    ["RENAME", f"{FAQ_KEYS}k", f"{FAQ_KEYS}other"],
    ["UNLINK", f"{FAQ_KEYS}other"],
    ["INCRBY", f"{RATE_KEYS}k", 1],
    ["PEXPIRE", f"{RATE_KEYS}k", 1_000],
    ["GET", f"{RATE_KEYS}k"],
]
FORBIDDEN: list[list[Any]] = [
    ["EVAL", "return 1", 0],
    ["EVALSHA", "0" * 40, 0],
    ["EVAL_RO", "return 1", 0],
    ["SCRIPT", "FLUSH"],
    ["FUNCTION", "LIST"],
    ["FCALL", "f", 0],
    ["KEYS", "*"],
    ["SCAN", 0],
    ["RANDOMKEY"],
    ["DBSIZE"],
    ["FLUSHALL"],
    ["FLUSHDB"],
    ["CONFIG", "GET", "*"],
    ["CONFIG", "SET", "maxmemory", "0"],
    ["ACL", "LIST"],
    ["ACL", "SETUSER", "probe", "on"],
    ["MONITOR"],
    ["CLIENT", "LIST"],
    ["CLIENT", "KILL", "TYPE", "normal"],
    ["SAVE"],
    ["BGSAVE"],
    ["SHUTDOWN", "NOSAVE"],
    ["DEBUG", "SLEEP", "0"],
    ["MODULE", "LIST"],
    ["REPLICAOF", "127.0.0.1", "1"],
    ["MIGRATE", "127.0.0.1", "1", f"{FAQ_KEYS}k", "0", "1"],
    ["BLPOP", f"{FAQ_KEYS}k", 1],
    ["SUBSCRIBE", "channel"],
    ["PUBLISH", "channel", "x"],
    ["INFO"],
    ["SWAPDB", 0, 1],
    ["HGETALL", f"{FAQ_KEYS}k"],
    ["SET", f"{FAQ_KEYS}k", "v"],
    ["HSET", f"{RATE_KEYS}k", "f", "v"],
    ["SET", f"{RATE_KEYS}k", "0"],
    ["DEL", f"{RATE_KEYS}k"],
    ["HSET", "foreign", "f", "v"],
    ["HGET", "ragspine:faq:2:k", "f"],
    ["RENAME", f"{FAQ_KEYS}k", "foreign"],
    ["RENAME", "foreign", f"{FAQ_KEYS}k"],
    ["INCRBY", "foreign", 1],
    ["WATCH", "foreign"],
]


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Generator[Valkey]:
    users = Path(tmp_path_factory.mktemp("redis")) / "users.acl"
    users.write_text(acl(PASSWORD, HEALTHS))
    limits = [part for name, value in LIMITS.items() for part in (f"--{name}", *(value.split() or [""]))]
    with running_valkey(arguments=("--aclfile", str(users), *limits)) as server:
        yield server


def address(valkey: Valkey, user: str = GATEWAY) -> str:
    return valkey.url.replace("//", f"//{user}@")


@pytest.fixture
async def gateway(valkey: Valkey) -> AsyncGenerator[Redis]:
    async with connect(address(valkey), PASSWORD, 2.0) as client:
        yield client


async def test_the_gateway_may_do_what_it_does(gateway: Redis) -> None:
    for command in ALLOWED:
        await gateway.execute_command(*command)


@pytest.mark.parametrize("command", FORBIDDEN, ids=lambda command: "-".join(map(str, command[:2])).replace(":", "_"))
async def test_the_gateway_may_do_nothing_else(gateway: Redis, command: list[Any]) -> None:
    with pytest.raises(RedisError, match=REFUSED):
        await gateway.execute_command(*command)


async def test_whoever_asks_for_health_may_do_nothing_but_that(valkey: Valkey) -> None:
    async with connect(address(valkey, HEALTH), HEALTHS, 2.0) as client:
        assert await client.execute_command("PING")

        for command in (*ALLOWED[1:], *FORBIDDEN):
            with pytest.raises(RedisError, match=REFUSED):
                await client.execute_command(*command)


@pytest.mark.parametrize(
    ("user", "password"), [("", None), ("default", "x"), (GATEWAY, "wrong"), (GATEWAY, HEALTHS), ("stranger", PASSWORD)]
)
async def test_nobody_else_gets_in(valkey: Valkey, user: str, password: str | None) -> None:
    url = address(valkey, user) if user else valkey.url
    async with connect(url, password, 2.0) as client:
        with pytest.raises((AuthenticationError, RedisError)) as refused:
            await client.execute_command("PING")

    assert any(word in str(refused.value) for word in ("Authentication required", "invalid username-password"))


async def test_a_value_of_two_megabytes_is_refused_and_the_server_lives(valkey: Valkey, gateway: Redis) -> None:
    async with connect(address(valkey), PASSWORD, 2.0) as client:
        with pytest.raises((RedisError, OSError)):
            await client.execute_command("HSET", f"{FAQ_KEYS}big", "f", "x" * 2_000_000)

    assert await gateway.execute_command("HGET", f"{FAQ_KEYS}big", "f") is None


async def test_vetted_answers_and_their_counters_need_no_further_right(database: str, valkey: Valkey) -> None:
    url = address(valkey).replace("@", f":{PASSWORD}@")
    async with vetting(database, url) as vetted:
        await vetted.put("canteen", Condition.UNSAID)
        assert await vetted.answer() == "三楼。"
        await vetted.catalogue.disable("canteen", Condition.UNSAID, who="t")
        assert await vetted.answer() is None

    async with connect(address(valkey), PASSWORD, 2.0) as client:
        sketch = CountingSketch(client, Space("digest"))
        for _ in range(3):
            await sketch.count("食堂在哪", 2)
        assert await sketch.top() == [("食堂在哪", 3)]


async def test_every_key_has_a_time_to_live(valkey: Valkey) -> None:
    async with ServingCopy.open(address(valkey), PASSWORD, read_seconds=2.0) as copy:
        await copy.replace(Space("kept"), {"f": "v"}, 1)
    async with connect(address(valkey), PASSWORD, 2.0) as client:
        await CountingSketch(client, Space("kept")).count("a", 1)

    found = [
        await _time_to_live(valkey, key) for key in ("kept:everybody", "kept:everybody:asked", "kept:everybody:often")
    ]
    assert all(seconds > 0 for seconds in found)


async def test_a_copy_that_redis_put_out_while_it_was_written_is_not_put_in_place(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = Space("lost")
    async with ServingCopy.open(address(valkey), PASSWORD, read_seconds=2.0) as copy:
        write = copy._write

        async def lose_first(key: str, fields: Any, seconds: int) -> None:
            await write(key, fields, seconds)
            if CHANGE_FIELD in fields:
                async with connect(address(valkey), PASSWORD, 2.0) as client:
                    await client.unlink(key)

        monkeypatch.setattr(copy, "_write", lose_first)
        with pytest.raises(Exception, match="does not answer"):
            await copy.replace(space, {"f": "v"}, 7)

        assert await copy.change(space) is None


async def test_a_wording_too_large_for_redis_is_left_out_and_the_others_are_served(valkey: Valkey) -> None:
    space = Space("large")
    fields = {"big": "x" * (MAX_VALUE_BYTES + 1), **{f"f{i}": "y" * 20_000 for i in range(100)}}
    async with ServingCopy.open(address(valkey), PASSWORD, read_seconds=2.0) as copy:
        assert await copy.replace(space, fields, 3)
        read = await copy.read(space, ["big", "f0", "f99"])

    assert read is not None
    assert (read.change, len(read.values)) == (3, 2)


async def test_a_connection_that_redis_closed_for_its_silence_costs_no_answer() -> None:
    with running_valkey(arguments=("--timeout", "1")) as impatient:
        async with connect(impatient.url, None, 2.0) as client:
            assert await client.execute_command("PING")
            connections = client.connection_pool
            async with asyncio.timeout(20):
                while not await _has_ended(connections):
                    await asyncio.sleep(0.1)

            assert await client.execute_command("PING")


async def test_two_gateways_that_write_at_once_leave_the_newer_copy(valkey: Valkey) -> None:
    space = Space("race")
    async with ServingCopy.open(address(valkey), PASSWORD, read_seconds=2.0) as copy:
        await asyncio.gather(*(copy.replace(space, {"f": str(n)}, n) for n in range(1, 9)))
        read = await copy.read(space, ["f"])

    assert read is not None
    assert (read.change, read.values) == (8, [b"8"])


async def _has_ended(pool: Any) -> bool:
    """Whether the server has closed the connection that waits in the pool."""
    reader = pool._available_connections[0]._reader
    return reader is None or reader.at_eof()


async def _time_to_live(valkey: Valkey, key: str) -> int:
    """1 where a key has a time to live already, else 0."""
    async with connect(address(valkey), PASSWORD, 2.0) as client:
        # NX sets one only where there is none, and says so.
        return 1 - int(await client.execute_command("EXPIRE", f"{FAQ_KEYS}{key}", 5, "NX"))
