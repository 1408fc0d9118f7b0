"""A database connection for one large load from the command line: slow is fine, silent is not.

Whatever ends the load becomes an error whose message says what to do; the transaction inside leaves nothing half done.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncpg

CONNECT_SECONDS: Final = 10.0
MERGE_SECONDS: Final = 1_800.0
LOCK_SECONDS: Final = 60
"""How long another load of the same kind is waited for."""

_SETTINGS: Final = {
    "application_name": "ragspine-load",
    "lock_timeout": f"{LOCK_SECONDS}s",
    # A server may limit these for the workers; a large file takes as long as it takes.
    "statement_timeout": "0",
    "transaction_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "work_mem": "64MB",
}


MAX_LISTED: Final = 100
"""Bad rows that a report lists; all of them are counted."""

OnProgress = Callable[[int], None]
"""Called with the bytes read so far, over all files."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """Why a row of a file was refused. `line` is the physical line on which it begins."""

    file: str
    line: int
    column: str
    reason: str


@dataclass
class RowReport:
    """What was read."""

    rows: int = 0
    """Rows that were read, good and bad."""
    bad_rows: int = 0
    bad: list[BadRow] = field(default_factory=list[BadRow])
    """Reasons of up to `MAX_LISTED`, by file and line."""

    def refuse(self, file: Path, line: int, problems: Sequence[tuple[str, str]]) -> None:
        """Count a bad row, and list its reasons, `(column, reason)` each, while there is room."""
        self.bad_rows += 1
        for column, reason in problems:
            if len(self.bad) < MAX_LISTED:
                self.bad.append(BadRow(str(file), line, column, reason))


class AddressError(Exception):
    """The address of the database cannot be read."""


class DatabaseAwayError(Exception):
    """Postgres cannot be reached or is not ready; the message says which, nothing was changed."""


@asynccontextmanager
async def bulk_connection(dsn: str, *, what: str, role: str) -> AsyncGenerator[asyncpg.Connection]:
    """A connection for loading `what`, which needs `role`; raises `AddressError` or `DatabaseAwayError`."""
    connection = await _connect(dsn, what, role)
    try:
        yield connection
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise DatabaseAwayError(_reason(error, what, role)) from error
    finally:
        connection.terminate()


async def _connect(dsn: str, what: str, role: str) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(
            dsn, timeout=CONNECT_SECONDS, command_timeout=MERGE_SECONDS, server_settings=dict(_SETTINGS)
        )
    except (ValueError, asyncpg.ClientConfigurationError) as error:
        raise AddressError("the address of the database cannot be read") from error
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DatabaseAwayError(_reason(error, what, role)) from error


def _reason(error: Exception, what: str, role: str) -> str:
    match error:
        case asyncpg.UndefinedTableError() | asyncpg.InvalidSchemaNameError():
            return f"the tables for {what} do not exist there yet; run the migrations (python -m runtime.migrate)"
        case asyncpg.InsufficientPrivilegeError():
            return f"this user may not load {what}; it needs the role {role}"
        case asyncpg.InvalidAuthorizationSpecificationError():
            return "Postgres refused the user or the password"
        case asyncpg.InvalidCatalogNameError():
            return "there is no such database"
        case asyncpg.LockNotAvailableError():
            return f"another load of {what} has been running for {LOCK_SECONDS} s"
        case asyncpg.PostgresError():
            return f"Postgres stopped the load: {type(error).__name__}, SQLSTATE {error.sqlstate}"
        case _:
            return f"Postgres does not answer ({type(error).__name__})"
