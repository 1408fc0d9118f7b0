"""What the database itself refuses and keeps, whatever a program does."""

from collections.abc import AsyncGenerator

import asyncpg
import pytest

from contracts.v1.facts import WithdrawFacts
from services.facts.outbox import Relay
from services.facts.ports import OutboxEvent
from tests.support.databases import migrate
from tests.support.facts import facts_on, row
from tests.support.servers import Postgres

pytestmark = pytest.mark.connected

GOOD = {
    "metric_code": "REVENUE",
    "entity": "ACME_HK",
    "period_type": "FY",
    "period": "2024",
    "channel": "TOTAL",
    "value": "1320.10",
    "unit": "USD_M",
    "source_doc_id": "review.pptx",
    "source_locator": "slide=2",
    "review_status": "approved",
}
INSERT = """
INSERT INTO facts.fact (metric_code, entity, period_type, period, channel, value, unit, source_doc_id, source_locator,
    review_status)
VALUES ($1, $2, $3, $4, $5, $6::text::numeric, $7, $8, $9, $10)
"""


@pytest.fixture
async def connection(database: str) -> AsyncGenerator[asyncpg.Connection]:
    session = await asyncpg.connect(database)
    yield session
    await session.close()


async def _insert(connection: asyncpg.Connection, **changes: str | None) -> None:
    await connection.execute(INSERT, *(GOOD | changes).values())


@pytest.mark.parametrize(
    "changes",
    [
        {"source_doc_id": None},
        {"source_doc_id": " "},
        {"source_locator": None},
        {"source_locator": "\t\n"},
        {"source_locator": "\u3000"},
        {"value": None},
        {"value": "NaN"},
        {"value": "Infinity"},
        {"metric_code": ""},
        {"period_type": "DECADE"},
        {"review_status": "maybe"},
        {"source_doc_id": "长" * 1_000},
    ],
)
async def test_a_fact_without_lineage_or_number_cannot_exist(
    connection: asyncpg.Connection, changes: dict[str, str | None]
) -> None:
    with pytest.raises(asyncpg.IntegrityConstraintViolationError):
        await _insert(connection, **changes)


async def test_a_key_exists_once_and_keeps_the_scale_of_its_value(connection: asyncpg.Connection) -> None:
    await _insert(connection)

    with pytest.raises(asyncpg.UniqueViolationError):
        await _insert(connection, value="1")

    assert await connection.fetchval("SELECT value::text FROM facts.fact") == "1320.10"


async def test_migrations_can_be_applied_again(database: str) -> None:
    migrate(database)

    connection = await asyncpg.connect(database)
    assert await connection.fetchval("SELECT count(*) FROM facts.fact") == 0
    await connection.close()


@pytest.fixture
def members(postgres: Postgres, database: str) -> tuple[str, str]:
    """Two users with nothing but membership in the roles of the migration, as DSNs: reader and loader."""
    users = {"reader_of_test": "ragspine_facts_read", "loader_of_test": "ragspine_facts_load"}
    for user, role in users.items():
        if not postgres.sql(f"SELECT 1 FROM pg_roles WHERE rolname = '{user}'"):
            postgres.sql(f"CREATE USER {user} IN ROLE {role}")
    reader, loader = (database.replace("postgres@", f"{user}@") for user in users)
    return reader, loader


async def test_the_worker_needs_no_more_than_the_two_roles(members: tuple[str, str]) -> None:
    reader, loader = members
    published: list[OutboxEvent] = []

    async def publish(waiting: OutboxEvent) -> None:
        published.append(waiting)

    async with facts_on(reader) as reading, facts_on(loader) as loading:
        await loading.load(row(value="1"))
        await loading.load(row(value="2"))
        await loading.service.withdraw(WithdrawFacts(source_doc_id="review.pptx"))
        await loading.load(row(value="2"))
        await Relay(loading.outbox, publish).publish_some()
        await loading.outbox.prune()

        assert (await reading.ask()).status == "found"
        await reading.service.reader.counts()
        assert len(published) == 4


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM facts.fact",
        "TRUNCATE facts.fact",
        "DELETE FROM facts.fact_history",
        "UPDATE facts.fact_history SET value = 0",
        "DROP TABLE facts.fact",
        "ALTER TABLE facts.fact DISABLE TRIGGER ALL",
    ],
)
async def test_the_loader_cannot_erase(members: tuple[str, str], statement: str) -> None:
    connection = await asyncpg.connect(members[1])
    with pytest.raises(asyncpg.PostgresError, match=r"permission denied|must be owner"):
        await connection.execute(statement)
    await connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO facts.outbox (kind, payload) VALUES ('x', '{}')",
        "UPDATE facts.fact SET value = 0",
        "SELECT * FROM facts.outbox",
        "CREATE TABLE facts.mine ()",
    ],
)
async def test_the_reader_cannot_change_anything(members: tuple[str, str], statement: str) -> None:
    connection = await asyncpg.connect(members[0])
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)
    await connection.close()


async def test_the_reading_pool_is_read_only_even_for_an_owner(database: str) -> None:
    async with facts_on(database) as facts, facts.reading.connection() as connection:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await connection.execute("UPDATE facts.fact SET value = 0")
