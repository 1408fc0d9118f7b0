"""`ragspine load`: fills the stack with files, all or nothing, with every bad row named."""

import asyncio
import time
from pathlib import Path
from typing import Annotated

import typer

from cli import loading
from cli.console import CliError, ExitCode, err, note, out
from cli.load_passages import PASSAGES_HELP, load_passages
from cli.settings import DataDirOption
from services.facts.loader import LoadReport, load_files

app = typer.Typer(help="Load files of facts or passages.", no_args_is_help=True, rich_markup_mode=None)
app.command("passages", help=PASSAGES_HELP, no_args_is_help=True)(load_passages)

_OR_ANY_CODE = ", or accept every code with --allow-unknown"

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


@app.command("facts", help=FACTS_HELP, no_args_is_help=True)
def load_facts(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="CSV or JSONL files.")],
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Also load codes that the profile does not know.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Load the good rows although others are bad.")] = False,
    strict_units: Annotated[
        bool, typer.Option("--strict-units", help="Refuse figures in another unit than the profile's.")
    ] = False,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of files that are not UTF-8: gb18030, big5, cp1252 …")
    ] = None,
    as_json: Annotated[bool, loading.JsonOption] = False,
    postgres_url: Annotated[str | None, loading.PostgresUrlOption] = None,
    profile: Annotated[Path | None, loading.ProfileOption] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Load, print what changed, and end with the fitting exit code."""
    if strict_units and allow_unknown:
        raise CliError(
            "--strict-units needs the profile, which --allow-unknown leaves aside",
            hint="give one of them",
            code=ExitCode.USAGE,
        )
    url, path = loading.find_database(postgres_url, profile, data_dir)
    known = None if allow_unknown else loading.read_profile(path, _OR_ANY_CODE)
    start = time.monotonic()
    with loading.faults(), loading.progress(files, is_shown=err.is_terminal and not as_json) as on_progress:
        work = load_files(
            url,
            files,
            profile=known,
            skip_bad=skip_bad,
            strict_units=strict_units,
            encoding=encoding,
            on_progress=on_progress,
        )
        report = asyncio.run(work)
    if as_json:
        out.print(loading.as_json(report, report.loaded, other_units=_units_as_json(report)), markup=False)
    else:
        _show(report, time.monotonic() - start)
    if report.loaded is None or report.rows == 0:
        raise typer.Exit(ExitCode.USAGE)


def _show(report: LoadReport, seconds: float) -> None:
    loading.show_bad(report)
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
    _warn_of_units(report)
    note(f"{seconds:.1f} s, {report.rows / max(seconds, 0.001):,.0f} rows/s", style="dim")


def _warn_of_units(report: LoadReport) -> None:
    for other, count in report.other_units.most_common(loading.SHOWN):
        what = f"{other.metric_code}: {count:,} {'fact' if count == 1 else 'facts'} in {other.unit}"
        note(f"warning: {what}, where the profile has {other.profile_unit}", style="yellow")
    if len(report.other_units) > loading.SHOWN:
        note(f"… and {len(report.other_units) - loading.SHOWN} more such metrics and units", style="yellow")
    if report.other_units:
        note("they are shown in their own unit and never converted; --strict-units refuses them", style="dim")


def _units_as_json(report: LoadReport) -> list[dict[str, object]]:
    return [{**other._asdict(), "facts": count} for other, count in report.other_units.most_common()]


def _codes_hint(report: LoadReport) -> str:
    has_unknown = any("of the profile" in bad.reason for bad in report.bad)
    return "; codes that the profile does not know are accepted with --allow-unknown" if has_unknown else ""
