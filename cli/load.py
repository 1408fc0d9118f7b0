"""`ragspine load`: fills the stack with files of facts, all or nothing, with every bad row named."""

import asyncio
import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from cli.console import CliError, ExitCode, command_name, err, note, out
from cli.finding import find_stack
from cli.settings import DataDirOption, environment_path, environment_text
from domain.profile import CompanyProfile, ProfileError, load_profile
from services.facts.loader import (
    AddressError,
    DatabaseAwayError,
    FileError,
    LoadReport,
    OnProgress,
    load_files,
)

SHOWN: Final = 20
"""Bad rows that are printed; with --json up to 100 are."""

app = typer.Typer(help="Load files of facts.", no_args_is_help=True, rich_markup_mode=None)

FACTS_HELP = """Load facts from CSV or JSONL files, in one transaction: all rows or none.

\b
Columns: metric_code, entity (or entity_code), period_type (FY, HY, QUARTER, MONTH, YTD), period (2024, 2024H1,
2024Q3, 2024M10, 2024Q3YTD), value (plain digits: -1320.50), unit, source_doc_id, source_locator; where needed
channel (default TOTAL), valid_as_of (2024-03-31), review_status (approved, pending, blocked, rejected).

Loading a file again changes nothing. Another value for the same scope and document replaces the old one, which
stays in the history. Exit codes: 0 loaded, 2 bad rows or wrong use, 7 the database does not answer.

\b
Examples:
  ragspine load facts annual.csv
  ragspine load facts 2024.csv 2025.jsonl --skip-bad
  ragspine load facts everything.csv --allow-unknown --json
"""


@app.callback()
def _group() -> None:
    """Room for further kinds of files."""


@app.command("facts", help=FACTS_HELP, no_args_is_help=True)
def load_facts(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="CSV or JSONL files.")],
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Also load codes that the profile does not know.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Load the good rows although others are bad.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    postgres_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Default: RAGSPINE_POSTGRES_LOADER_URL, else the running stack."),
    ] = None,
    profile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Default: RAGSPINE_PROFILE, else that of the running stack.")
    ] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Load, print what changed, and end with the fitting exit code."""
    url, known = _target(postgres_url, profile, data_dir, needs_profile=not allow_unknown)
    start = time.monotonic()
    try:
        with _progress(files, is_shown=err.is_terminal and not as_json) as on_progress:
            report = asyncio.run(load_files(url, files, profile=known, skip_bad=skip_bad, on_progress=on_progress))
    except (AddressError, FileError) as error:
        raise CliError(str(error), hint="nothing was loaded", code=ExitCode.USAGE) from None
    except DatabaseAwayError as error:
        raise CliError(
            f"nothing was loaded: {error}", hint=f"see `{command_name()} doctor`", code=ExitCode.DEGRADED
        ) from None
    except KeyboardInterrupt:
        raise CliError("interrupted, so nothing was loaded", code=ExitCode.INTERRUPTED) from None
    if as_json:
        out.print(json.dumps(_as_json(report), ensure_ascii=False), markup=False)
    else:
        _show(report, time.monotonic() - start)
    if report.loaded is None or report.rows == 0:
        raise typer.Exit(ExitCode.USAGE)


def _target(
    url: str | None, profile: Path | None, data_dir: Path | None, *, needs_profile: bool
) -> tuple[str, CompanyProfile | None]:
    """Where to load to, and the profile whose codes are known; None when all codes are welcome."""
    address = url or environment_text("RAGSPINE_POSTGRES_LOADER_URL") or environment_text("RAGSPINE_POSTGRES_URL")
    path = profile or environment_path("RAGSPINE_PROFILE")
    if address is None:
        state = find_stack(data_dir, "--postgres-url or RAGSPINE_POSTGRES_URL", may_be_demo=False)
        if state.postgres_url is None:
            raise CliError("the running stack does not say where its database is", code=ExitCode.DEGRADED)
        address, path = state.postgres_url, path or Path(state.profile_in_force)
    if not address.startswith(("postgresql://", "postgres://")):
        raise CliError(
            "the address of the database must start with postgresql://",
            hint="for example --postgres-url postgresql://user@127.0.0.1/ragspine",
            code=ExitCode.USAGE,
        )
    return address, _read_profile(path) if needs_profile else None


def _read_profile(path: Path | None) -> CompanyProfile:
    if path is None:
        raise CliError(
            "without a profile it is not known which codes are right",
            hint="name it with --profile or RAGSPINE_PROFILE, or accept every code with --allow-unknown",
            code=ExitCode.USAGE,
        )
    try:
        return load_profile(path)
    except ProfileError as error:
        raise CliError(str(error), hint=f"see `{command_name()} profile`", code=ExitCode.USAGE) from None


@contextmanager
def _progress(files: list[Path], *, is_shown: bool) -> Generator[OnProgress]:
    columns = (TextColumn("loading"), BarColumn(), TaskProgressColumn(), DownloadColumn(), TimeRemainingColumn())
    total = sum(file.stat().st_size for file in files if file.is_file())
    with Progress(*columns, console=err, transient=True, disable=not is_shown) as progress:
        task = progress.add_task("loading", total=total)
        yield lambda position: progress.update(task, completed=position)


def _show(report: LoadReport, seconds: float) -> None:
    for bad in report.bad[:SHOWN]:
        err.print(f"{bad.file}:{bad.line}: {f'{bad.column}: ' if bad.column else ''}{bad.reason}", markup=False)
    if len(report.bad) > SHOWN or report.bad_rows > len({(bad.file, bad.line) for bad in report.bad[:SHOWN]}):
        note(f"… {report.bad_rows:,} bad rows in all", style="dim")
    if report.rows == 0:
        raise CliError("the files hold no rows", hint="nothing was loaded", code=ExitCode.USAGE)
    loaded = report.loaded
    if loaded is None:
        raise CliError(
            f"{report.bad_rows:,} of {report.rows:,} rows cannot be loaded, so nothing was",
            hint=f"mend them and run the same command again, or load the others with --skip-bad{_codes_hint(report)}",
            code=ExitCode.USAGE,
        )
    skipped = f", {report.bad_rows:,} bad rows left out" if report.bad_rows else ""
    out.print(
        f"{loaded.received:,} facts: {loaded.inserted:,} new, {loaded.updated:,} replaced, "
        f"{loaded.revived:,} revived, {loaded.unchanged:,} unchanged{skipped}"
    )
    note(f"{seconds:.1f} s, {report.rows / max(seconds, 0.001):,.0f} rows/s", style="dim")


def _codes_hint(report: LoadReport) -> str:
    has_unknown = any("of the profile" in bad.reason for bad in report.bad)
    return "; codes that the profile does not know are accepted with --allow-unknown" if has_unknown else ""


def _as_json(report: LoadReport) -> dict[str, object]:
    return {
        "rows": report.rows,
        "loaded": report.loaded.model_dump() if report.loaded else None,
        "bad_rows": report.bad_rows,
        "bad": [asdict(bad) for bad in report.bad],
    }
