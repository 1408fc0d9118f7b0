"""The one-shot job before a deployment: `python -m runtime.migrate` brings Postgres and the streams up to date.

Where it is given a superuser of a server of our own, the logins of all workers come first (`runtime.granting`).

Files `services/*/migrations/NNNN_pre|post_name.sql` are applied once each, in order, every one in its own transaction
and under one advisory lock, so two jobs at a time do no harm. An applied file that has changed since is an error. Old
code must run on the new schema: `pre` files only add, `post` files remove what the new code no longer needs. What
groups may do is said once more in `services/*/migrations/rights.sql`, which run each time, where there are groups: a
group may have been made later than the tables.

Exit codes: 0 done · 1 failed, with a line on stderr · 2 a setting is wrong.
"""

import asyncio
import hashlib
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final, TypeVar

import asyncpg
from pydantic import AfterValidator, Field

from runtime.events import EventStreamError, StreamSettings, provision_streams
from runtime.granting import RolesError, grant, read_passwords
from runtime.logging import get_log, setup_logging
from runtime.postgres import PostgresUrl
from runtime.roles import DEFAULT_REPLICAS, GROUPS
from runtime.settings import ConfigurationError, Seconds, is_file, load_settings

ROOT: Final = Path(__file__).resolve().parent.parent

_FILE_NAME: Final = re.compile(r"[0-9]{4}_(pre|post)_[a-z0-9_]+\.sql")
_LOCK: Final = 0x5241_4753  # "RAGS"; any number that nobody else uses
_LOCK_TIMEOUT: Final = "60s"
_RIGHTS: Final = "rights.sql"
_NOT_PERMITTED: Final = "42501"
_PAGE: Final = "docs/operations/upgrade.md says how a database of before gets its groups and owner"
# A change of a large table takes as long as it takes.
_UNLIMITED: Final = {"statement_timeout": "0", "transaction_timeout": "0", "idle_in_transaction_session_timeout": "0"}
_RETRY_SECONDS: Final = 0.25
_DEFINITION_ERROR: Final = "42"  # SQLSTATE class: syntax or access rule, so the text names schema objects, never data

_log = get_log("runtime.migrate")  # its own name is __main__ when it runs

T = TypeVar("T")


class MigrationError(Exception):
    """The database was not brought up to date; the message names the file and the reason."""


class MigrateSettings(StreamSettings):
    """What the job needs; without `nats_url` the streams are left alone."""

    postgres_url: PostgresUrl = Field(repr=False)
    postgres_owner_url: PostgresUrl | None = Field(default=None, repr=False)
    """A role that may create tables, where the workers' role may not."""
    postgres_admin_url: PostgresUrl | None = Field(default=None, repr=False)
    """A superuser of a server that is RAGSpine's own: the job first brings the logins of all workers up to date."""
    postgres_roles_file: Annotated[Path, AfterValidator(is_file)] | None = None
    """Their passwords, `login password` in each line. Without it they have none: then the folder of the server's
    socket must keep others away."""
    postgres_replicas: Annotated[int, Field(ge=1, le=100)] = DEFAULT_REPLICAS
    """For how many processes of each worker the logins get connections."""
    migrate_wait_seconds: Seconds = 30
    """How long servers that are still starting are waited for."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One SQL file; its name is `service/file`."""

    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def find_migrations(root: Path) -> tuple[Migration, ...]:
    """All SQL files below `root`, in the order in which they run; raises `MigrationError` for a wrong file name."""
    found: list[Migration] = []
    for folder in sorted(root.glob("services/*/migrations")):
        numbers: dict[str, Path] = {}
        for path in sorted(p for p in folder.glob("*.sql") if p.name != _RIGHTS):
            name = f"{folder.parent.name}/{path.name}"
            if _FILE_NAME.fullmatch(path.name) is None:
                raise MigrationError(f"{name}: must be named NNNN_pre_name.sql or NNNN_post_name.sql")
            if other := numbers.get(path.name[:4]):
                raise MigrationError(f"{name}: has the same number as {other.name}")
            numbers[path.name[:4]] = path
            found.append(Migration(name, path.read_text(encoding="utf-8")))
    return tuple(found)


def find_rights(root: Path) -> tuple[Migration, ...]:
    """What the groups may do, one file of each service that keeps something."""
    paths = sorted(root.glob(f"services/*/migrations/{_RIGHTS}"))
    return tuple(Migration(f"{p.parent.parent.name}/{p.name}", p.read_text(encoding="utf-8")) for p in paths)


async def migrate(dsn: str, root: Path = ROOT) -> tuple[str, ...]:
    """Apply what is missing and return the names of the applied files; raises `MigrationError` or `OSError`."""
    migrations, rights = find_migrations(root), find_rights(root)
    connection = await asyncpg.connect(dsn, server_settings=_UNLIMITED)
    try:
        await connection.execute(f"SET lock_timeout = '{_LOCK_TIMEOUT}'")
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)  # released with the connection
        return await _apply_missing(connection, migrations, rights)
    except asyncpg.LockNotAvailableError:
        raise MigrationError(f"another migration has been running for {_LOCK_TIMEOUT}") from None
    finally:
        await connection.close()


async def _apply_missing(
    connection: asyncpg.Connection, migrations: tuple[Migration, ...], rights: tuple[Migration, ...]
) -> tuple[str, ...]:
    await connection.execute(
        """
        CREATE TABLE IF NOT EXISTS public.ragspine_migrations (
            name text PRIMARY KEY,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """
    )
    rows = await connection.fetch("SELECT name, checksum FROM public.ragspine_migrations")
    applied = {str(row["name"]): str(row["checksum"]) for row in rows}
    for changed in (m.name for m in migrations if applied.get(m.name, m.checksum) != m.checksum):
        raise MigrationError(f"{changed}: the file has changed since it was applied; write a new one instead")
    missing = [m for m in migrations if m.name not in applied]
    for migration in missing:
        await _apply(connection, migration)
    await _give_rights(connection, rights)
    return tuple(m.name for m in missing)


async def _apply(connection: asyncpg.Connection, migration: Migration) -> None:
    async with _naming(migration), connection.transaction():
        await connection.execute(migration.sql)
        await connection.execute(
            "INSERT INTO public.ragspine_migrations (name, checksum) VALUES ($1, $2)",
            migration.name,
            migration.checksum,
        )
    _log.info("migrated", name=migration.name)


async def _give_rights(connection: asyncpg.Connection, rights: tuple[Migration, ...]) -> None:
    """Nothing where one login does everything; an error where some groups are there and others are not."""
    rows = await connection.fetch("SELECT rolname FROM pg_roles WHERE rolname = ANY($1::text[])", list(GROUPS))
    missing = set(GROUPS) - {str(row[0]) for row in rows}
    if not rights or missing == set(GROUPS):
        return
    if missing:
        raise MigrationError(f"there is no group {', '.join(sorted(missing))}; {_PAGE}")
    for migration in rights:
        async with _naming(migration), connection.transaction():
            await connection.execute(migration.sql)


@asynccontextmanager
async def _naming(migration: Migration) -> AsyncGenerator[None]:
    try:
        yield
    except asyncpg.PostgresError as error:
        raise MigrationError(f"{migration.name}{_line(migration.sql, error)}: {_reason(error)}") from error


def _line(sql: str, error: asyncpg.PostgresError) -> str:
    position: str | None = getattr(error, "position", None)
    return f":{sql[: int(position)].count(chr(10)) + 1}" if position else ""


def _reason(error: asyncpg.PostgresError) -> str:
    state = str(error.sqlstate)
    if state == _NOT_PERMITTED:
        return f"{error} (SQLSTATE {state}); {_PAGE}"
    return f"{error} (SQLSTATE {state})" if state.startswith(_DEFINITION_ERROR) else f"SQLSTATE {state}"


async def _when_up(what: str, seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    """Do `work`, again and again while its server is still starting, for at most `seconds`."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            return await work()
        except (OSError, asyncpg.CannotConnectNowError, asyncpg.ConnectionDoesNotExistError) as error:
            if asyncio.get_running_loop().time() >= deadline:
                raise MigrationError(f"{what} cannot be reached: {type(error).__name__}") from error
            await asyncio.sleep(_RETRY_SECONDS)


async def bring_up_to_date(settings: MigrateSettings, root: Path = ROOT) -> tuple[str, ...]:
    """Logins where we may, then the schemas of Postgres, then the streams where a NATS address is given."""
    dsn = settings.postgres_owner_url or settings.postgres_url
    wait = settings.migrate_wait_seconds
    if settings.postgres_admin_url is not None:
        await _when_up("Postgres", wait, partial(_grant, settings.postgres_admin_url, settings))
    names = await _when_up("Postgres", wait, lambda: migrate(dsn, root))
    if settings.nats_url is not None:
        await _when_up("NATS", wait, lambda: provision_streams(settings))
    return names


async def _grant(dsn: str, settings: MigrateSettings) -> None:
    path = settings.postgres_roles_file
    await grant(dsn, replicas=settings.postgres_replicas, passwords=None if path is None else read_passwords(path))
    _log.info("roles_up_to_date")


def main() -> int:
    """Run the job; returns the exit code of the process."""
    setup_logging("info", "migrate")
    try:
        names = asyncio.run(bring_up_to_date(load_settings(MigrateSettings)))
    except ConfigurationError as error:
        return _fail(str(error), 2)
    except (MigrationError, RolesError, EventStreamError) as error:
        return _fail(str(error), 1)
    except asyncpg.PostgresError as error:
        page = f"; {_PAGE}" if error.sqlstate == _NOT_PERMITTED else ""
        return _fail(f"Postgres refused: SQLSTATE {error.sqlstate}{page}", 1)
    _log.info("up_to_date", count=len(names))
    return 0


def _fail(reason: str, code: int) -> int:
    sys.stderr.write(f"ragspine migrate: {' '.join(reason.split())}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
