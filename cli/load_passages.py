"""`ragspine load passages`: texts with lineage from JSONL, Markdown and plain text, all or nothing."""

import asyncio
import time
from pathlib import Path
from typing import Annotated

import typer

from cli import loading
from cli.console import CliError, ExitCode, err, note, out
from cli.settings import DataDirOption
from services.narrative.loader import PassageReport, load_files

PASSAGES_HELP = """Load passages from JSONL, Markdown and plain text, in one transaction: all or none.

\b
JSONL (.jsonl, .ndjson): one passage a line: doc_id, locator, text; where needed title, sensitivity, entity, period.
Markdown (.md) and text (.txt): cut by paragraph. The document is called like the file, below a folder by its path;
each paragraph is found at its headings and number: Results > Hong Kong ¶2. Lines such as `entity: ACME_HK` between
two `---` at the start of a Markdown file, or the options below, say what a whole document is about.

Loading a file again changes nothing. What a changed document no longer holds is withdrawn. Exit codes: 0 loaded,
2 bad rows or wrong use, 7 the database does not answer.

\b
Examples:
  ragspine load passages reports/
  ragspine load passages review.md --entity ACME_HK --period 2024
  ragspine load passages passages.jsonl --json
"""


def load_passages(
    files: Annotated[list[Path], typer.Argument(metavar="FILE|DIR", help="Files, and folders of them.")],
    entity: Annotated[str | None, typer.Option(metavar="CODE", help="What they are about, unless they say.")] = None,
    period: Annotated[str | None, typer.Option(help="Likewise: 2024, 2024H1, 2024Q3.")] = None,
    sensitivity: Annotated[str | None, typer.Option(metavar="LABEL", help="Likewise: PUBLIC, INTERNAL, …")] = None,
    as_json: Annotated[bool, loading.JsonOption] = False,
    postgres_url: Annotated[str | None, loading.PostgresUrlOption] = None,
    profile: Annotated[Path | None, loading.ProfileOption] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Load, print what changed, and end with the fitting exit code."""
    url, known = loading.target(postgres_url, profile, data_dir)
    given = {"entity": entity, "period": period, "sensitivity": sensitivity}
    said = {name: value for name, value in given.items() if value is not None}
    start = time.monotonic()
    with loading.faults(), loading.progress(files, is_shown=err.is_terminal and not as_json) as on_progress:
        report = asyncio.run(load_files(url, files, profile=known, said=said, on_progress=on_progress))
    if as_json:
        more = {"files": report.files, "other_files": report.other_files, "removed": report.removed}
        out.print(loading.as_json(report, report.loaded, **more), markup=False)
    else:
        _show(report, time.monotonic() - start)
    if report.loaded is None or report.rows == 0:
        raise typer.Exit(ExitCode.USAGE)


def _show(report: PassageReport, seconds: float) -> None:
    loading.show_bad(report)
    if report.other_files:
        note(f"{report.other_files:,} files of other kinds left out", style="dim")
    if report.rows == 0:
        raise CliError("the files hold no passages", hint="nothing was loaded", code=ExitCode.USAGE)
    loaded = report.loaded
    if loaded is None:
        raise CliError(
            f"{report.bad_rows:,} of {report.rows:,} passages cannot be loaded, so nothing was",
            hint="mend them and run the same command again",
            code=ExitCode.USAGE,
        )
    out.print(
        f"{loaded.received:,} passages: {loaded.inserted:,} new, {loaded.updated:,} replaced, "
        f"{loaded.revived:,} revived, {loaded.unchanged:,} unchanged, {report.removed:,} withdrawn"
    )
    if loaded.closed:
        note(f"{loaded.closed:,} of them carry a label under which they are never shown", style="dim")
    note(f"{seconds:.1f} s, {report.rows / max(seconds, 0.001):,.0f} passages/s", style="dim")
