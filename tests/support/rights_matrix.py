"""Tries a login of Postgres on every table and on everything else that it could try, against the table of rights."""

from collections.abc import Iterable
from dataclasses import dataclass

import asyncpg

from runtime.roles import OWNER, SCHEMAS
from tests.support.store_rights import ACTIONS, NOT_IN_A_TRANSACTION, tables_allowed

REFUSED = {"42501", "55000"}
"""Not permitted; and, for a view, not something that can be done to it at all."""
_RELATIONS = """
SELECT c.oid::regclass::text, c.relkind = 'v', (SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = c.oid
    AND attnum > 0 AND attidentity = '' AND attgenerated = '' AND attname <> 'id' AND NOT attisdropped
    ORDER BY attnum LIMIT 1)
FROM pg_class AS c WHERE relkind IN ('r', 'v') AND relnamespace::regnamespace::text = ANY($1::text[]) ORDER BY 1
"""


@dataclass(frozen=True)
class Relation:
    """A table or view, and a column that may be updated."""

    name: str
    is_view: bool
    column: str

    def statements(self) -> dict[str, str]:
        """One statement for each kind of access; none of them changes a row."""
        found = {
            "select": f"SELECT 1 FROM {self.name} LIMIT 0",
            "insert": f"INSERT INTO {self.name} DEFAULT VALUES",
            "update": f"UPDATE {self.name} SET {self.column} = NULL WHERE false",
            "delete": f"DELETE FROM {self.name} WHERE false",
        }
        return found if self.is_view else {**found, "truncate": f"TRUNCATE {self.name} CASCADE"}


async def relations_of(root_dsn: str) -> list[Relation]:
    """Every table and view of the product, as a superuser sees them."""
    root = await asyncpg.connect(root_dsn)
    try:
        return [Relation(*row) for row in await root.fetch(_RELATIONS, list(SCHEMAS))]
    finally:
        await root.close()


async def verdict(connection: asyncpg.Connection, statement: str) -> str | None:
    """The SQLSTATE of a statement, None when it succeeds; nothing of it stays."""
    if statement.startswith(NOT_IN_A_TRANSACTION):
        try:
            await connection.execute(statement)
        except asyncpg.PostgresError as error:
            return error.sqlstate
        return None
    transaction = connection.transaction()
    await transaction.start()
    try:
        await connection.execute(statement)
    except asyncpg.PostgresError as error:
        return error.sqlstate
    finally:
        await transaction.rollback()
    return None


async def unexpected(dsn: str, login: str, relations: Iterable[Relation], *, tables_only: bool = False) -> list[str]:
    """What `login` may do and should not, or may not and should, connected by `dsn`: one line for each."""
    connection = await asyncpg.connect(dsn)
    await connection.execute("SET default_transaction_read_only = off")  # reading only is no right, but a default
    try:
        wrong = [line for relation in relations for line in await _on_table(connection, login, relation)]
        return wrong if tables_only else wrong + await _on_everything_else(connection, login)
    finally:
        await connection.close()


async def _on_table(connection: asyncpg.Connection, login: str, relation: Relation) -> list[str]:
    wrong: list[str] = []
    allowed = tables_allowed(login, relation.name)
    for verb, statement in relation.statements().items():
        state = await verdict(connection, statement)
        if (state not in REFUSED) != (verb in allowed) and not (relation.is_view and login == OWNER):
            wrong.append(f"{login}: {statement} → {state}")
    return wrong


async def _on_everything_else(connection: asyncpg.Connection, login: str) -> list[str]:
    wrong: list[str] = []
    database = str(await connection.fetchval("SELECT quote_ident(current_database())"))
    for action, who in ACTIONS.items():
        state = await verdict(connection, action.format(database=database))
        if (state is None) != (login in who) or (state is not None and state != "42501" and login not in who):
            wrong.append(f"{login}: {action} → {state}")
    return wrong
