"""What all kinds of `ragspine load` have in common: where to load to, progress, bad rows, faults."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer
from pydantic import BaseModel
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from cli.console import CliError, ExitCode, command_name, err, note
from cli.finding import find_stack
from cli.settings import environment_path, environment_text
from domain.profile import CompanyProfile, ProfileError, load_profile
from runtime.bulk import AddressError, DatabaseAwayError, OnProgress, RowReport
from runtime.text_files import FileError

SHOWN: Final = 20
"""Bad rows that are printed; with --json up to 100 are."""

PostgresUrlOption = typer.Option(
    "--postgres-url", metavar="URL", help="Default: RAGSPINE_POSTGRES_LOADER_URL, else the running stack."
)
ProfileOption = typer.Option(
    "--profile", metavar="FILE", help="Default: RAGSPINE_PROFILE, else that of the running stack."
)
JsonOption = typer.Option("--json", help="Print the result as one JSON object.")


def target(url: str | None, profile: Path | None, data_dir: Path | None) -> tuple[str, CompanyProfile]:
    """Where to load to, and the profile whose codes are known there."""
    address, path = find_database(url, profile, data_dir)
    return address, read_profile(path)


def find_database(url: str | None, profile: Path | None, data_dir: Path | None) -> tuple[str, Path | None]:
    """Where to load to, and the profile's file; None where nothing says which that is."""
    address = url or environment_text("RAGSPINE_POSTGRES_LOADER_URL") or environment_text("RAGSPINE_POSTGRES_URL")
    path = profile or environment_path("RAGSPINE_PROFILE")
    if address is None:
        state = find_stack(data_dir, "--postgres-url or RAGSPINE_POSTGRES_URL", may_be_demo=False)
        if state.loading_url is None:
            raise CliError("the running stack does not say where its database is", code=ExitCode.DEGRADED)
        address, path = state.loading_url, path or Path(state.profile_in_force)
    if not address.startswith(("postgresql://", "postgres://")):
        raise CliError(
            "the address of the database must start with postgresql://",
            hint="for example --postgres-url postgresql://user@127.0.0.1/ragspine",
            code=ExitCode.USAGE,
        )
    return address, path


def read_profile(path: Path | None, instead: str = "") -> CompanyProfile:
    """The profile of a load; `instead` says what else could be done where there is none."""
    if path is None:
        raise CliError(
            "without a profile it is not known which codes are right",
            hint=f"name it with --profile or RAGSPINE_PROFILE{instead}",
            code=ExitCode.USAGE,
        )
    try:
        return load_profile(path)
    except ProfileError as error:
        raise CliError(str(error), hint=f"see `{command_name()} profile`", code=ExitCode.USAGE) from None


@contextmanager
def faults() -> Generator[None]:
    """What ends a load, in the words of the command line; nothing was loaded then."""
    try:
        yield
    except (AddressError, FileError) as error:
        raise CliError(str(error), hint="nothing was loaded", code=ExitCode.USAGE) from None
    except DatabaseAwayError as error:
        raise CliError(
            f"nothing was loaded: {error}", hint=f"see `{command_name()} doctor`", code=ExitCode.DEGRADED
        ) from None
    except KeyboardInterrupt:
        raise CliError("interrupted, so nothing was loaded", code=ExitCode.INTERRUPTED) from None


def show_bad(report: RowReport) -> None:
    """The first reasons, by file and line."""
    for bad in report.bad[:SHOWN]:
        err.print(f"{bad.file}:{bad.line}: {f'{bad.column}: ' if bad.column else ''}{bad.reason}", markup=False)
    if len(report.bad) > SHOWN or report.bad_rows > len({(bad.file, bad.line) for bad in report.bad[:SHOWN]}):
        note(f"… {report.bad_rows:,} bad rows in all", style="dim")


def as_json(report: RowReport, loaded: BaseModel | None, **more: object) -> str:
    """The report as one JSON object."""
    return json.dumps(
        {
            "rows": report.rows,
            "loaded": loaded.model_dump() if loaded else None,
            "bad_rows": report.bad_rows,
            "bad": [asdict(bad) for bad in report.bad],
            **more,
        },
        ensure_ascii=False,
    )


@contextmanager
def progress(files: list[Path], *, is_shown: bool) -> Generator[OnProgress]:
    """A bar over the bytes of these files and folders."""
    columns = (TextColumn("loading"), BarColumn(), TaskProgressColumn(), DownloadColumn(), TimeRemainingColumn())
    total = sum(file.stat().st_size for named in files for file in _files(named))
    with Progress(*columns, console=err, transient=True, disable=not is_shown) as bar:
        task = bar.add_task("loading", total=total)
        yield lambda position: bar.update(task, completed=position)


def _files(named: Path) -> Iterator[Path]:
    return (file for file in (named.rglob("*") if named.is_dir() else (named,)) if file.is_file())
