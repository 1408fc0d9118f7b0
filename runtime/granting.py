"""Brings the logins of a database up to date, as a superuser: at every start, so that old databases get new limits too.

Whatever the table of `runtime.roles` does not say is taken away from its logins. What others have been given, and their
databases, are left alone. A password is set where one is given, and never sent: Postgres gets what it would keep.
"""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import asyncpg

from runtime.roles import GROUPS, LOGINS, OWNER, SCHEMAS, Login, scram_verifier
from runtime.secrecy import weakness

_LOCK: Final = 0x5241_4754  # any number that nobody else uses
_SALT_BYTES: Final = 16

_MEMBERSHIPS: Final = """
SELECT member.rolname AS login, granted.rolname AS role, NOT m.admin_option AND NOT m.set_option AS is_plain,
    format('REVOKE %I FROM %I GRANTED BY %I CASCADE', granted.rolname, member.rolname, grantor.rolname) AS revocation
FROM pg_auth_members AS m
    JOIN pg_roles AS member ON member.oid = m.member
    JOIN pg_roles AS granted ON granted.oid = m.roleid
    JOIN pg_roles AS grantor ON grantor.oid = m.grantor
WHERE member.rolname = ANY($1::text[])
"""

# By name: an object that came with an extension, or belongs to another one, follows it.
_STRANGERS: Final = """
SELECT format('ALTER SCHEMA %I OWNER TO ragspine_owner', nspname) FROM pg_namespace
WHERE nspname = ANY($1::text[]) AND nspowner <> 'ragspine_owner'::regrole
UNION ALL
SELECT format('ALTER %s %s OWNER TO ragspine_owner',
    CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
    c.oid::regclass)
FROM pg_class AS c
WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND relowner <> 'ragspine_owner'::regrole
    AND (relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname = ANY($1::text[]))
        OR c.oid = to_regclass('public.ragspine_migrations'))
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid
        AND deptype IN ('e', 'i', 'a') AND (deptype = 'e' OR relkind = 'S'))
UNION ALL
SELECT format('ALTER ROUTINE %s OWNER TO ragspine_owner', p.oid::regprocedure)
FROM pg_proc AS p
WHERE proowner <> 'ragspine_owner'::regrole
    AND pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname = ANY($1::text[]))
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
"""

# Databases beside ours that every server has: nothing of ours is there, so nobody of ours has to get in.
_DATABASES: Final = """
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', datname) FROM pg_database
WHERE datname = ANY(ARRAY[current_database(), 'postgres', 'template1'])
"""


class RolesError(Exception):
    """The logins were not brought up to date; the message says why, and never a password."""


def read_passwords(path: Path) -> dict[str, str]:
    """The passwords of all logins from lines `login password`; raises `RolesError` where one is missing or weak."""
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    found = {words[0]: words[1] for words in lines if len(words) == 2}
    for login in LOGINS:
        if reason := weakness(found.get(login.name, "")):
            raise RolesError(f"{path}: the password of {login.name} {reason}")
    return found


async def grant(dsn: str, *, replicas: int, passwords: Mapping[str, str] | None) -> None:
    """Bring groups, logins, limits and owners up to date, all of it or nothing; raises `OSError` or of asyncpg.

    `dsn` is a superuser's. Without `passwords` those of existing logins stay, and new ones have none.
    """
    connection = await asyncpg.connect(dsn, server_settings={"lock_timeout": "60s", "statement_timeout": "0"})
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
            await _make_roles(connection)
            for login in LOGINS:
                await _bring_up_to_date(connection, login, replicas, (passwords or {}).get(login.name))
            await _members(connection)
            await _database(connection)
            await _run(connection, await connection.fetch(_STRANGERS, list(SCHEMAS)))
    finally:
        await connection.close()


async def _make_roles(connection: asyncpg.Connection) -> None:
    there = {str(row[0]) for row in await connection.fetch("SELECT rolname FROM pg_roles")}
    for role in (*GROUPS, *(login.name for login in LOGINS)):
        if role not in there:
            await connection.execute(f"CREATE ROLE {role} NOLOGIN")


async def _bring_up_to_date(connection: asyncpg.Connection, login: Login, replicas: int, password: str | None) -> None:
    kept = "" if password is None else f" PASSWORD '{scram_verifier(password, secrets.token_bytes(_SALT_BYTES))}'"
    await connection.execute(
        f"ALTER ROLE {login.name} WITH LOGIN INHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
        f" CONNECTION LIMIT {login.limit(replicas)}{kept}"
    )
    await connection.execute(f"ALTER ROLE {login.name} RESET ALL")
    for name, value in login.settings.items():
        await connection.execute(f"ALTER ROLE {login.name} SET {name} = '{value}'")


async def _members(connection: asyncpg.Connection) -> None:
    declared = {(login.name, group) for login in LOGINS for group in login.groups}
    rows = await connection.fetch(_MEMBERSHIPS, [login.name for login in LOGINS])
    for row in rows:
        if (row["login"], row["role"]) not in declared or not row["is_plain"]:
            await connection.execute(str(row["revocation"]))
    for login, group in sorted(declared):
        await connection.execute(f"GRANT {group} TO {login} WITH ADMIN FALSE, INHERIT TRUE, SET FALSE")


async def _database(connection: asyncpg.Connection) -> None:
    await _run(connection, await connection.fetch(_DATABASES))
    database = await connection.fetchval("SELECT quote_ident(current_database())")
    stagers = ", ".join(login.name for login in LOGINS if login.may_stage)
    everybody = ", ".join(login.name for login in LOGINS)
    for statement in (
        f"REVOKE ALL ON DATABASE {database} FROM {everybody}",
        f"GRANT CONNECT ON DATABASE {database} TO {everybody}",
        f"GRANT TEMPORARY ON DATABASE {database} TO {stagers}",
        f"GRANT CREATE ON DATABASE {database} TO {OWNER}",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
        f"GRANT USAGE, CREATE ON SCHEMA public TO {OWNER}",
        "GRANT USAGE ON SCHEMA public TO ragspine_narrative_read, ragspine_narrative_load",
        # Large objects have no tables, so no right on a table would keep anybody from filling the disk with them.
        "REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC",
    ):
        await connection.execute(statement)
    if await connection.fetchval("SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')"):
        await connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")  # only a superuser may


async def _run(connection: asyncpg.Connection, statements: Sequence[asyncpg.Record]) -> None:
    for row in statements:
        await connection.execute(str(row[0]))
