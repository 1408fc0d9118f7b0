"""Every login can do in Postgres what its table says and nothing else, in a new database and in one from before."""

import asyncio
from collections.abc import Generator

import asyncpg
import pytest

from runtime.granting import grant
from runtime.migrate import migrate
from runtime.roles import LOGINS, OWNER, SCHEMAS
from tests.support.rights_matrix import Relation, relations_of, unexpected
from tests.support.servers import Postgres, running_postgres

pytestmark = [pytest.mark.connected, pytest.mark.timeout(90)]

_NAMES = {login.name for login in LOGINS}
# Logins as the first versions made them: too many connections, settings and memberships of their own, some missing.
EARLIER = """
CREATE ROLE ragspine_owner LOGIN CONNECTION LIMIT 40;
CREATE ROLE facts_read LOGIN CONNECTION LIMIT 40; CREATE ROLE facts_load LOGIN CONNECTION LIMIT 40;
CREATE ROLE cli_load LOGIN CREATEDB CONNECTION LIMIT 40;
CREATE ROLE ragspine_facts_read NOLOGIN; CREATE ROLE ragspine_facts_load NOLOGIN;
GRANT ragspine_facts_read TO facts_read; GRANT ragspine_facts_read, ragspine_facts_load TO facts_load, cli_load;
GRANT pg_read_all_data TO facts_read WITH ADMIN OPTION;
ALTER ROLE facts_read SET statement_timeout = '1h';
"""


@pytest.fixture(scope="module")
def server() -> Generator[Postgres]:
    with running_postgres(settings=("max_connections=160",)) as postgres:
        postgres.sql("CREATE DATABASE earlier TEMPLATE template0")
        postgres.sql(EARLIER)
        asyncio.run(migrate(postgres.dsn("earlier")))  # as the superuser, who owns everything then
        postgres.sql("CREATE DATABASE fresh TEMPLATE template0")
        for database in ("earlier", "fresh"):
            asyncio.run(grant(postgres.dsn(database), replicas=3, passwords=None))
            asyncio.run(migrate(dsn(postgres, OWNER, database)))
        yield postgres


def dsn(server: Postgres, login: str, database: str) -> str:
    return server.dsn(database).replace("//postgres@", f"//{login}@")


@pytest.mark.parametrize("database", ["fresh", "earlier"])
async def test_every_login_may_do_what_its_table_says_and_nothing_else(server: Postgres, database: str) -> None:
    relations = await relations_of(server.dsn(database))

    found = [
        line for login in LOGINS for line in await unexpected(dsn(server, login.name, database), login.name, relations)
    ]

    assert len(relations) >= 14
    assert found == []


async def test_the_matrix_notices_a_right_too_many(server: Postgres) -> None:
    server.sql("GRANT DELETE ON facts.fact TO facts_read", "fresh")
    try:
        found = await unexpected(
            dsn(server, "facts_read", "fresh"), "facts_read", [Relation("facts.fact", False, "value")]
        )
    finally:
        server.sql("REVOKE DELETE ON facts.fact FROM facts_read", "fresh")

    assert found == ["facts_read: DELETE FROM facts.fact WHERE false → None"]


async def test_a_reader_reads_only_without_being_told_to(server: Postgres) -> None:
    connection = await asyncpg.connect(dsn(server, "facts_read", "fresh"))

    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        await connection.execute("INSERT INTO facts.fact DEFAULT VALUES")

    await connection.close()


async def test_a_sort_of_a_reader_never_spills_to_the_disk(server: Postgres) -> None:
    connection = await asyncpg.connect(dsn(server, "facts_read", "fresh"))
    await connection.execute("SET work_mem = '64kB'")

    with pytest.raises(asyncpg.ConfigurationLimitExceededError):
        await connection.fetch("SELECT n FROM generate_series(1, 100000) AS n ORDER BY md5(n::text)")

    await connection.close()


async def test_one_connection_more_than_a_login_may_have_is_refused(server: Postgres) -> None:
    limit = next(login for login in LOGINS if login.name == "narrative_load").limit(3)
    held = [await asyncpg.connect(dsn(server, "narrative_load", "fresh")) for _ in range(limit)]

    with pytest.raises(asyncpg.TooManyConnectionsError):
        await asyncpg.connect(dsn(server, "narrative_load", "fresh"))

    for connection in held:
        await connection.close()


@pytest.mark.parametrize("database", ["postgres", "template1"])
async def test_a_login_gets_into_no_other_database(server: Postgres, database: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(dsn(server, "faq_keep", database))


async def test_a_stranger_does_not_get_in(server: Postgres) -> None:
    server.sql("CREATE ROLE stranger LOGIN")

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(dsn(server, "stranger", "fresh"))


async def test_a_database_from_before_gets_the_new_limits_and_its_owner(server: Postgres) -> None:
    root = await asyncpg.connect(server.dsn("earlier"))
    limits = dict(await root.fetch("SELECT rolname, rolconnlimit FROM pg_roles WHERE rolcanlogin"))
    flags = await root.fetchval("SELECT rolcreatedb FROM pg_roles WHERE rolname = 'cli_load'")
    timeout = await root.fetchval("SELECT array_to_string(rolconfig, ' ') FROM pg_roles WHERE rolname = 'facts_read'")
    owners = await root.fetch(
        "SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relnamespace::regnamespace::text = ANY($1::text[])"
        " AND relkind <> 'i'",
        list(SCHEMAS),
    )
    await root.close()

    assert {login.name: login.limit(3) for login in LOGINS} == {n: limits[n] for n in limits if n in _NAMES}
    assert flags is False
    assert "statement_timeout=5s" in timeout
    assert [row[0] for row in owners] == [OWNER]


async def test_doing_it_again_changes_nothing(server: Postgres) -> None:
    query = "SELECT rolname, rolconnlimit, rolconfig FROM pg_roles ORDER BY 1"
    root = await asyncpg.connect(server.dsn("fresh"))
    before = await root.fetch(query)

    await grant(server.dsn("fresh"), replicas=3, passwords=None)

    assert await root.fetch(query) == before
    await root.close()


async def test_a_password_is_kept_as_a_verifier_that_was_made_here(server: Postgres) -> None:
    await grant(server.dsn("fresh"), replicas=3, passwords={"facts_read": "SENTINEL-Vf8-good"})

    kept = server.sql("SELECT rolpassword FROM pg_authid WHERE rolname = 'facts_read'", "fresh")
    assert kept.startswith("SCRAM-SHA-256$4096:")
    assert "SENTINEL" not in server.server.log.read_text()


async def test_a_login_with_its_password_gets_in_and_with_another_does_not(server: Postgres) -> None:
    password = "SENTINEL-Vf8-good"
    await grant(server.dsn("fresh"), replicas=3, passwords={"facts_read": password})
    hba = server.socket_folder / "pg_hba.conf"
    before = hba.read_text()
    hba.write_text(f"local all facts_read scram-sha-256\n{before}")
    server.sql("SELECT pg_reload_conf()")
    try:
        async with asyncio.timeout(10):
            while await _gets_in(dsn(server, "facts_read", "fresh"), "SENTINEL-another-one"):
                await asyncio.sleep(0.05)  # the server reads its file a moment later
        assert await _gets_in(dsn(server, "facts_read", "fresh"), password)
    finally:
        hba.write_text(before)
        server.sql("SELECT pg_reload_conf()")


async def _gets_in(address: str, password: str) -> bool:
    try:
        connection = await asyncpg.connect(address, password=password)
    except asyncpg.InvalidPasswordError:
        return False
    await connection.close()
    return True
