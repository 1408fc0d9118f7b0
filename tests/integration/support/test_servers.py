"""The servers that the connected tests lean on behave as their helpers promise."""

import asyncio

import asyncpg
import nats
import pytest
import redis.asyncio

from tests.support.servers import Nats, Postgres, Valkey, running_nats, running_postgres

pytestmark = pytest.mark.connected


async def test_nats_serves_jetstream() -> None:
    with running_nats() as server:
        client = await nats.connect(server.url)
        info = await client.jetstream().account_info()
        await client.close()

    assert info.streams == 0


async def test_each_database_is_empty_and_of_its_own(postgres: Postgres, empty_database: str) -> None:
    connection = await asyncpg.connect(empty_database)

    tables = await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")

    assert tables == 0
    assert empty_database != postgres.dsn()
    await connection.close()


async def test_valkey_speaks_the_redis_protocol(valkey: Valkey) -> None:
    async with redis.asyncio.from_url(valkey.url) as client:
        assert await client.ping()


async def test_a_paused_postgres_answers_nobody_until_it_resumes() -> None:
    with running_postgres() as postgres:
        connection = await asyncpg.connect(postgres.dsn())
        postgres.server.pause()

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connection.fetchval("SELECT 1"), 0.2)

        postgres.server.resume()
        connection.terminate()
        assert postgres.sql("SELECT 1") == "1"


def test_a_killed_postgres_starts_again_on_its_data() -> None:
    with running_postgres() as postgres:
        postgres.sql("CREATE TABLE kept AS SELECT 1 AS one")

        postgres.server.kill()
        postgres.server.start()

        assert postgres.sql("SELECT one FROM kept") == "1"


def test_a_killed_nats_comes_back_on_its_port() -> None:
    with running_nats() as server:
        before = server.url

        server.server.kill()
        server.server.start()

        assert isinstance(server, Nats)
        assert server.url == before
