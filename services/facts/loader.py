"""Loads files of facts straight into Postgres, for the command line: many rows in one transaction, all or nothing.

Everything is checked before anything is kept, every bad row is named, and loading the same file again changes nothing.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import asyncpg

from contracts.v1.facts import FactsLoaded
from domain.profile import CompanyProfile
from runtime.bulk import AddressError, BadRow, DatabaseAwayError, OnProgress, RowReport, bulk_connection
from runtime.text_files import FileError
from services.facts import staging
from services.facts.files import FactFile, Numbered, open_facts
from services.facts.rows import Problem, Row, RowChecker
from services.facts.vocabulary import Vocabulary

__all__ = [
    "AddressError",
    "BadRow",
    "DatabaseAwayError",
    "FileError",
    "LoadReport",
    "OnProgress",
    "OtherUnit",
    "load_files",
]

_ROWS_PER_CHUNK: Final = 2_000
_ROWS_WORTH_STATISTICS: Final = 10_000


class OtherUnit(NamedTuple):
    """A unit that the profile does not give the metric. Such figures are shown in their own unit, as stored."""

    metric_code: str
    unit: str
    profile_unit: str


@dataclass
class LoadReport(RowReport):
    """What a load did."""

    loaded: FactsLoaded | None = None
    """What changed; None when nothing was loaded because of bad rows."""
    other_units: Counter["OtherUnit"] = field(default_factory=Counter["OtherUnit"])
    """Good rows whose unit is not the one that the profile gives their metric, counted."""


async def load_files(
    dsn: str,
    files: Sequence[Path],
    *,
    profile: CompanyProfile | None,
    skip_bad: bool = False,
    strict_units: bool = False,
    encoding: str | None = None,
    on_progress: OnProgress | None = None,
) -> LoadReport:
    """Load CSV and JSONL files in one transaction; without a profile any code may be loaded, and in any unit.

    `strict_units` makes a row bad whose unit is not that of the profile; else such rows are counted in the report.
    Files must be in UTF-8, unless `encoding` names another one.

    With a bad row nothing is loaded, or with `skip_bad` everything but the bad rows; the report says which. Raises
    `FileError` for a file that cannot be read, `AddressError` for a wrong `dsn`, `DatabaseAwayError` for a database
    that does not answer.
    """
    checker = RowChecker(Vocabulary.of(profile) if profile else None, strict_units=strict_units)
    report = LoadReport()
    with ExitStack() as stack:
        opened = [stack.enter_context(open_facts(path, checker, encoding=encoding)) for path in files]
        source = _Source(files, opened, checker, report, on_progress or (lambda _: None))
        async with bulk_connection(dsn, what="facts", role="ragspine_facts_load") as connection:
            await _load(connection, source, skip_bad=skip_bad)
    report.bad.sort(key=lambda bad: (bad.file, bad.line))
    return report


@dataclass(frozen=True)
class _Source:
    """The rows of all files as COPY wants them; what is bad goes into the report."""

    files: Sequence[Path]
    opened: Sequence[FactFile]
    checker: RowChecker
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
                if wanted := self.checker.other_unit(checked):
                    self.report.other_units[OtherUnit(checked.metric_code, checked.unit, wanted)] += 1
                yield staging.copy_line(number, line, checked)
            else:
                self.report.refuse(self.files[number], line, checked)

    def _at(self, place: tuple[int, int]) -> str:
        return f"line {place[1]}" if len(self.files) == 1 else f"{self.files[place[0]]}:{place[1]}"


def _batches(rows: Iterator[Numbered]) -> Iterator[list[Numbered]]:
    while batch := list(islice(rows, _ROWS_PER_CHUNK)):
        yield batch


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
