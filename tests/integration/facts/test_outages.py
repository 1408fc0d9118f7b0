"""Postgres away, frozen or slow: a typed error within the time, never "not found", and work again once it is back."""

import asyncio
import time
from collections.abc import Generator

import asyncpg
import pytest

from contracts.codes import FactStatus
from runtime.deadline import Deadline, serving_until
from runtime.errors import DeadlineExceededError, FactSourceUnavailableError
from tests.support.databases import migrate
from tests.support.facts import facts_on, row
from tests.support.servers import Postgres, running_postgres

pytestmark = pytest.mark.connected

QUERY_SECONDS = 0.5
PATIENCE_SECONDS = 1.5  # for QUERY_SECONDS on a busy machine


@pytest.fixture(scope="module")
def own_postgres() -> Generator[Postgres]:
    with running_postgres() as server:
        migrate(server.dsn())
        yield server


@pytest.fixture(autouse=True)
def _running_again(own_postgres: Postgres) -> Generator[None]:
    yield
    own_postgres.server.resume()
    if own_postgres.server.process is None or own_postgres.server.process.poll() is not None:
        own_postgres.server.start()


async def test_a_worker_starts_without_postgres_and_answers_once_it_is_there(own_postgres: Postgres) -> None:
    own_postgres.server.kill()

    async with facts_on(own_postgres.dsn(), query_seconds=QUERY_SECONDS) as facts:
        with pytest.raises(FactSourceUnavailableError):
            await facts.ask()
        own_postgres.server.start()

        assert (await facts.ask()).status is FactStatus.NOT_FOUND


async def test_a_killed_postgres_is_unavailable_and_its_return_is_noticed(own_postgres: Postgres) -> None:
    async with facts_on(own_postgres.dsn(), query_seconds=QUERY_SECONDS) as facts:
        await facts.load(row("2021"))
        assert (await facts.ask("2021")).status is FactStatus.FOUND

        own_postgres.server.kill()
        with pytest.raises(FactSourceUnavailableError):
            await facts.ask("2021")

        own_postgres.server.start()
        assert (await facts.ask("2021")).status is FactStatus.FOUND


async def test_a_frozen_postgres_never_takes_longer_than_the_limit(own_postgres: Postgres) -> None:
    async with facts_on(own_postgres.dsn(), query_seconds=QUERY_SECONDS) as facts:
        await facts.ask()  # a connection stands, and will be found dead in use
        own_postgres.server.pause()
        start = time.monotonic()

        outcomes = await asyncio.gather(*(facts.ask() for _ in range(20)), return_exceptions=True)

        assert time.monotonic() - start < PATIENCE_SECONDS
        assert {type(outcome) for outcome in outcomes} == {FactSourceUnavailableError}
        own_postgres.server.resume()
        assert (await facts.ask()).status is FactStatus.NOT_FOUND


async def test_a_pool_closes_at_once_while_postgres_is_frozen(own_postgres: Postgres) -> None:
    async with facts_on(own_postgres.dsn(), query_seconds=QUERY_SECONDS) as facts:
        await facts.ask()
        own_postgres.server.pause()
        start = time.monotonic()

    assert time.monotonic() - start < PATIENCE_SECONDS


async def test_the_callers_deadline_counts_when_it_is_earlier_than_the_limit(own_postgres: Postgres) -> None:
    async with facts_on(own_postgres.dsn(), query_seconds=30) as facts:
        await facts.ask()
        own_postgres.server.pause()
        start = time.monotonic()

        with serving_until(Deadline.after(0.3)), pytest.raises(FactSourceUnavailableError):
            await facts.ask()

        assert time.monotonic() - start < PATIENCE_SECONDS


async def test_nothing_is_tried_when_the_deadline_has_passed(own_postgres: Postgres) -> None:
    async with facts_on(own_postgres.dsn()) as facts:
        with serving_until(Deadline.after(0)), pytest.raises(DeadlineExceededError):
            await facts.ask()


async def test_a_locked_table_is_unavailable_within_the_limit(own_postgres: Postgres) -> None:
    blocker = await asyncpg.connect(own_postgres.dsn())
    await blocker.execute("BEGIN; LOCK TABLE facts.fact")

    async with facts_on(own_postgres.dsn(), query_seconds=QUERY_SECONDS) as facts:
        start = time.monotonic()
        with pytest.raises(FactSourceUnavailableError):
            await facts.ask()
        assert time.monotonic() - start < PATIENCE_SECONDS

        await blocker.close()
        assert (await facts.ask()).status is FactStatus.NOT_FOUND


async def test_a_database_without_tables_is_unavailable_not_empty(empty_database: str) -> None:
    async with facts_on(empty_database) as facts:
        with pytest.raises(FactSourceUnavailableError):
            await facts.ask()


async def test_connections_that_the_server_closed_are_replaced(own_postgres: Postgres) -> None:
    async with facts_on(own_postgres.dsn()) as facts:
        await facts.ask()
        own_postgres.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

        assert (await facts.ask()).status is FactStatus.NOT_FOUND


async def test_a_load_that_is_cut_off_changes_nothing(own_postgres: Postgres) -> None:
    async with facts_on(own_postgres.dsn(), load_seconds=QUERY_SECONDS) as facts:
        await facts.load(row("2019"))
        own_postgres.server.pause()
        with pytest.raises(FactSourceUnavailableError):
            await facts.load(row("2018"))
        own_postgres.server.resume()

        assert (await facts.ask("2018")).status is FactStatus.NOT_FOUND
        assert (await facts.load(row("2018"))).inserted == 1
