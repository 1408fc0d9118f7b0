"""Loads files of facts straight into Postgres, for the command line: many rows in one transaction, all or nothing.

Everything is checked before anything is kept, every bad row is named, and loading the same file again changes nothing.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

import asyncpg

from contracts.v1.facts import FactsLoaded
from domain.profile import CompanyProfile
from services.facts import staging
from services.facts.files import FactFile, FileError, Numbered, open_facts
from services.facts.rows import Problem, Row, RowChecker
from services.facts.vocabulary import Vocabulary

__all__ = ["AddressError", "BadRow", "DatabaseAwayError", "FileError", "LoadReport", "OnProgress", "load_files"]

CONNECT_SECONDS: Final = 10.0
MERGE_SECONDS: Final = 1_800.0
LOCK_SECONDS: Final = 60
"""How long another load of the same facts is waited for."""

MAX_LISTED: Final = 100
"""Bad rows that a report lists; all of them are counted."""

_ROWS_PER_CHUNK: Final = 2_000
_ROWS_WORTH_STATISTICS: Final = 10_000
_SETTINGS: Final = {
    "application_name": "ragspine-load",
    "lock_timeout": f"{LOCK_SECONDS}s",
    # A server may limit these for the workers; a large file takes as long as it takes.
    "statement_timeout": "0",
    "transaction_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "work_mem": "64MB",
}


class AddressError(Exception):
    """The address of the database cannot be read."""


class DatabaseAwayError(Exception):
    """Postgres cannot be reached or is not ready for facts; the message says which, nothing was changed."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """Why a row of a file was refused. `line` is the physical line on which it begins."""

    file: str
    line: int
    column: str
    reason: str


@dataclass
class LoadReport:
    """What a load did."""

    loaded: FactsLoaded | None = None
    """What changed; None when nothing was loaded because of bad rows."""
    rows: int = 0
    """Rows that were read, good and bad."""
    bad_rows: int = 0
    bad: list[BadRow] = field(default_factory=list["BadRow"])
    """Reasons of up to `MAX_LISTED`, by file and line."""

    def refuse(self, file: Path, line: int, problems: Sequence[Problem]) -> None:
        """Count a bad row, and list its reasons while there is room."""
        self.bad_rows += 1
        for problem in problems:
            if len(self.bad) < MAX_LISTED:
                self.bad.append(BadRow(str(file), line, problem.column, problem.reason))


OnProgress = Callable[[int], None]
"""Called with the bytes read so far, over all files."""


async def load_files(
    dsn: str,
    files: Sequence[Path],
    *,
    profile: CompanyProfile | None,
    skip_bad: bool = False,
    on_progress: OnProgress | None = None,
) -> LoadReport:
    """Load CSV and JSONL files in one transaction; without a profile any code may be loaded.

    With a bad row nothing is loaded, or with `skip_bad` everything but the bad rows; the report says which. Raises
    `FileError` for a file that cannot be read, `AddressError` for a wrong `dsn`, `DatabaseAwayError` for a database
    that does not answer.
    """
    checker = RowChecker(Vocabulary.of(profile) if profile else None)
    report = LoadReport()
    with ExitStack() as stack:
        opened = [stack.enter_context(open_facts(path, checker)) for path in files]
        source = _Source(files, opened, report, on_progress or (lambda _: None))
        connection = await _connect(dsn)
        try:
            await _load(connection, source, skip_bad=skip_bad)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
            raise DatabaseAwayError(_reason(error)) from error
        finally:
            connection.terminate()
    report.bad.sort(key=lambda bad: (bad.file, bad.line))
    return report


@dataclass(frozen=True)
class _Source:
    """The rows of all files as COPY wants them; what is bad goes into the report."""

    files: Sequence[Path]
    opened: Sequence[FactFile]
    report: LoadReport
    on_progress: OnProgress

    async def chunks(self) -> AsyncIterator[bytes]:
        """The good rows, read while the database takes in the ones before."""
        done = 0
        for number, file in enumerate(self.opened):
            for batch in _batches(file.rows):
                yield "".join(self._copy_lines(number, batch)).encode()
                self.on_progress(done + file.position())
            done += file.position()

    def refuse(self, found: Sequence[staging.Contradiction]) -> None:
        """Report rows that contradict each other: every one of them, since none is the right one."""
        named: set[tuple[int, int]] = set()
        for contradiction in found:
            for place, other in (
                (contradiction.first, contradiction.place),
                (contradiction.place, contradiction.first),
            ):
                if place not in named:
                    named.add(place)
                    reason = f"{self._at(other)} states something else for the same scope and document"
                    self.report.refuse(self.files[place[0]], place[1], (Problem("", reason),))

    def _copy_lines(self, number: int, batch: Sequence[Numbered]) -> Iterator[str]:
        self.report.rows += len(batch)
        for line, checked in batch:
            if isinstance(checked, Row):
                yield staging.copy_line(number, line, checked)
            else:
                self.report.refuse(self.files[number], line, checked)

    def _at(self, place: tuple[int, int]) -> str:
        return f"line {place[1]}" if len(self.files) == 1 else f"{self.files[place[0]]}:{place[1]}"


def _batches(rows: Iterator[Numbered]) -> Iterator[list[Numbered]]:
    while batch := list(islice(rows, _ROWS_PER_CHUNK)):
        yield batch


async def _connect(dsn: str) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(
            dsn, timeout=CONNECT_SECONDS, command_timeout=MERGE_SECONDS, server_settings=dict(_SETTINGS)
        )
    except (ValueError, asyncpg.ClientConfigurationError) as error:
        raise AddressError("the address of the database cannot be read") from error
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DatabaseAwayError(_reason(error)) from error


async def _load(connection: asyncpg.Connection, source: _Source, *, skip_bad: bool) -> None:
    report = source.report
    async with connection.transaction():
        await connection.execute("SELECT FROM facts.fact LIMIT 0")
        await staging.stage(connection, source.chunks())
        contradictory = await staging.contradictions(connection)
        source.refuse(contradictory)
        if report.bad_rows and not skip_bad:
            return  # nothing but the staging table was touched
        if contradictory:
            await staging.drop_contradictions(connection)
        report.loaded = await staging.merge(connection)
    if report.loaded.inserted + report.loaded.updated >= _ROWS_WORTH_STATISTICS:
        await connection.execute("ANALYZE facts.fact")


def _reason(error: Exception) -> str:
    match error:
        case asyncpg.UndefinedTableError() | asyncpg.InvalidSchemaNameError():
            return "the tables for facts do not exist there yet; run the migrations (python -m runtime.migrate)"
        case asyncpg.InsufficientPrivilegeError():
            return "this user may not load facts; it needs the role ragspine_facts_load"
        case asyncpg.InvalidAuthorizationSpecificationError():
            return "Postgres refused the user or the password"
        case asyncpg.InvalidCatalogNameError():
            return "there is no such database"
        case asyncpg.LockNotAvailableError():
            return f"another load of the same facts has been running for {LOCK_SECONDS} s"
        case asyncpg.PostgresError():
            return f"Postgres stopped the load: {type(error).__name__}, SQLSTATE {error.sqlstate}"
        case _:
            return f"Postgres does not answer ({type(error).__name__})"
