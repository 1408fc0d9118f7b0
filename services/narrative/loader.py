"""Loads files of passages straight into Postgres, for the command line: all files in one transaction, or nothing.

Everything is checked before anything is kept, every bad row is named, and loading the same files again changes nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

import asyncpg

from contracts.v1.narrative import PassagesLoaded
from domain.profile import CompanyProfile
from runtime.bulk import AddressError, BadRow, DatabaseAwayError, OnProgress, RowReport, bulk_connection
from runtime.text_files import FileError
from services.narrative import staging
from services.narrative.files import Said, Source, find_sources, open_passages, read_passages
from services.narrative.rows import Row, RowMaker

__all__ = ["AddressError", "BadRow", "DatabaseAwayError", "FileError", "OnProgress", "PassageReport", "load_files"]

_ROWS_PER_BATCH: Final = 1_000
_ROWS_WORTH_STATISTICS: Final = 10_000


@dataclass
class PassageReport(RowReport):
    """What a load did."""

    loaded: PassagesLoaded | None = None
    """What changed; None when nothing was loaded because of bad rows."""
    files: int = 0
    other_files: int = 0
    """Files of other kinds in the folders, which were left alone."""
    removed: int = 0
    """Passages that a document no longer holds, and that were withdrawn."""
    _seen: dict[tuple[str, str], tuple[Path, int, bytes]] = field(
        default_factory=dict[tuple[str, str], tuple[Path, int, bytes]], repr=False
    )

    def is_first(self, file: Path, line: int, row: Row) -> bool:
        """Whether a row is the first of its key; a later one that says something else is refused."""
        known = self._seen.setdefault(row.key, (file, line, row.content_hash))
        if known[:2] != (file, line) and known[2] != row.content_hash:
            where = f"line {known[1]}" if known[0] == file else f"{known[0]}:{known[1]}"
            self.refuse(file, line, [("", f"{where} says something else for the same document and locator")])
        return known[:2] == (file, line)


async def load_files(
    dsn: str,
    paths: Sequence[Path],
    *,
    profile: CompanyProfile,
    said: dict[str, str] | None = None,
    on_progress: OnProgress | None = None,
) -> PassageReport:
    """Load JSONL, Markdown and text files, and folders of them, in one transaction.

    `said` holds entity, period or sensitivity where rows and documents state none. Raises `FileError` for a file that
    cannot be read, `AddressError` for a wrong `dsn`, `DatabaseAwayError` for a database that does not answer.
    """
    sources, others = find_sources(paths)
    report = PassageReport(files=len(sources), other_files=others)
    rows = _rows(sources, RowMaker.of(profile), Said(said or {}), report, on_progress)
    async with bulk_connection(dsn, what="passages", role="ragspine_narrative_load") as connection:
        await _load(connection, rows, [source.doc_id for source in sources if source.is_document], report)
    return report


async def _load(
    connection: asyncpg.Connection, rows: Iterator[Row], documents: Sequence[str], report: PassageReport
) -> None:
    async with connection.transaction():
        await connection.execute("SELECT FROM narrative.passage LIMIT 0")
        await staging.stage(connection, ())
        while batch := list(islice(rows, _ROWS_PER_BATCH)):
            if not report.bad_rows:
                await staging.stage(connection, batch)
        if report.bad_rows:
            return  # nothing but the staging table was touched
        report.removed = await staging.withdraw_missing(connection, documents)
        report.loaded = await staging.merge(connection)
    if report.loaded.inserted + report.loaded.updated >= _ROWS_WORTH_STATISTICS:
        await connection.execute("ANALYZE narrative.passage")


def _rows(
    sources: Sequence[Source], maker: RowMaker, said: Said, report: PassageReport, on_progress: OnProgress | None
) -> Iterator[Row]:
    done = 0
    for source in sources:
        with open_passages(source) as file:
            for line, checked in read_passages(source, file, maker, said):
                report.rows += 1
                if not isinstance(checked, Row):
                    report.refuse(source.path, line, checked)
                elif report.is_first(source.path, line, checked):
                    yield checked
                if on_progress and report.rows % 100 == 0:
                    on_progress(done + file.position())
            done += file.position()
            if on_progress:
                on_progress(done)
