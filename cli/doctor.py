"""`ragspine doctor`: what could keep a stack from starting or answering, and what to do about it."""

import asyncio
import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from cli.console import CliError, ExitCode, out
from cli.finding import settle_directory
from cli.settings import (
    DEFAULT_PORT,
    SAMPLE,
    DataDirOption,
    command_in,
    environment_path,
    environment_text,
)
from cli.stack import binaries
from cli.stack.memory import recall
from cli.stack.net import http_get, is_free
from cli.stack.owner import can_reach, postgres_owner
from cli.stack.state import StackPhase, StackState, UnitPhase, is_locked, read_state
from domain.profile import ProfileError, load_profile

HELP = """Check this machine, the data directory, the profile and the running stack. Exit code 1 when something fails.

\b
Example:
  ragspine doctor --profile acme.toml
"""
MIN_FREE_BYTES: Final = 500_000_000


class Verdict(StrEnum):
    """The outcome of one check."""

    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


STYLES: Final = {Verdict.OK: "green", Verdict.NOTE: "yellow", Verdict.FAIL: "bold red"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check saw, and the next step when it is not well."""

    name: str
    verdict: Verdict
    detail: str
    next_step: str = ""


def doctor(
    data_dir: Annotated[Path | None, DataDirOption] = None,
    port: Annotated[int, typer.Option("--port", envvar="RAGSPINE_HTTP_PORT", min=0, max=65535)] = DEFAULT_PORT,
    profile: Annotated[Path | None, typer.Option("--profile", help="The profile to check.")] = None,
) -> None:
    """Run every check and print the findings."""
    directory = settle_directory(data_dir)
    findings = examine(directory, port, profile)
    for finding in findings:
        show(finding)
    if any(finding.verdict is Verdict.FAIL for finding in findings):
        raise typer.Exit(ExitCode.FAILED)


def examine(directory: Path, port: int, profile: Path | None) -> list[Finding]:
    """Every finding, in the order in which they would bite."""
    state = read_state(directory) if is_locked(directory) else None
    findings = [check_python(), *check_servers(), check_directory(directory), check_space(directory)]
    findings += [check_postgres_user(directory), check_profile(profile, directory, state)]
    findings += [check_stack(directory, state), *([] if state else [check_port(port)])]
    return findings


def show(finding: Finding) -> None:
    """One line per finding; the next step below it."""
    out.print(Text.assemble((f"{finding.verdict:5}", STYLES[finding.verdict]), f"{finding.name:16} {finding.detail}"))
    if finding.next_step:
        out.print(Text(f"     → {finding.next_step}"))


def check_python() -> Finding:
    """The interpreter; the launcher has already refused one that is too old."""
    return Finding("python", Verdict.OK, f"{platform.python_version()} at {sys.executable}")


def check_servers() -> list[Finding]:
    """The embedded servers, as far as they are not replaced by URLs."""
    kinds: tuple[tuple[str, str, Callable[[], Path]], ...] = (
        ("nats", "RAGSPINE_NATS_URL", binaries.nats_server),
        ("postgres", "RAGSPINE_POSTGRES_URL", binaries.postgres_package),
        ("redis", "RAGSPINE_REDIS_URL", binaries.valkey_server),
    )
    return [_check_server(*kind) for kind in kinds]


def _check_server(name: str, variable: str, find: Callable[[], Path]) -> Finding:
    if environment_text(variable) is not None:
        return Finding(name, Verdict.OK, f"your own ({variable} is set)")
    try:
        return Finding(name, Verdict.OK, str(find()))
    except CliError as error:
        return Finding(name, Verdict.FAIL, error.message, error.hint)


def check_directory(directory: Path) -> Finding:
    """Whether the data directory can be written."""
    nearest = next(folder for folder in (directory, *directory.parents) if folder.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return Finding("data directory", Verdict.OK, str(directory))
    detail = f"{nearest} cannot be written" if nearest.is_dir() else f"{nearest} is a file"
    return Finding("data directory", Verdict.FAIL, detail, "choose another with --data-dir or RAGSPINE_DATA_DIR")


def check_space(directory: Path) -> Finding:
    """Free space for data and logs."""
    nearest = next(folder for folder in (directory, *directory.parents) if folder.exists())
    free = shutil.disk_usage(nearest).free
    detail = f"{free / 1e9:.1f} GB free"
    if free >= MIN_FREE_BYTES:
        return Finding("disk", Verdict.OK, detail)
    return Finding("disk", Verdict.FAIL, detail, "free some space, or choose another --data-dir")


def check_postgres_user(directory: Path) -> Finding:
    """Postgres refuses to run as root: under whom does it run, and where are its files?"""
    if environment_text("RAGSPINE_POSTGRES_URL") is not None:
        return Finding("postgres user", Verdict.OK, "your own server")
    try:
        owner = postgres_owner()
    except CliError as error:
        return Finding("postgres user", Verdict.FAIL, error.message, error.hint)
    if owner is None:
        return Finding("postgres user", Verdict.OK, "this user")
    if can_reach(directory):
        return Finding("postgres user", Verdict.OK, f"started by root, so it runs as {owner.name}")
    return Finding(
        "postgres user",
        Verdict.NOTE,
        f"started by root it runs as {owner.name}, which cannot reach {directory}; its files go to /var/lib/ragspine",
        "to keep them in the data directory choose one below a world-readable folder, or start as an ordinary user",
    )


def check_profile(chosen: Path | None, directory: Path, state: StackState | None) -> Finding:
    """Whether the company profile can be used: the named one, else that of the stack, else that of its next start."""
    named = chosen or environment_path("RAGSPINE_PROFILE")
    before = recall(directory)
    remembered = Path(state.profile) if state else Path(before.profile) if before else None
    path = named or remembered or SAMPLE / "profile.toml"
    try:
        company = load_profile(path)
    except ProfileError as error:
        step = "correct the file, or name another with --profile"
        step += "; the running stack keeps what it has read" if state and not named else ""
        return Finding("profile", Verdict.FAIL, str(error), step)
    detail = f"{path}: {company.company.name}, {len(company.entities)} entities, {len(company.metrics)} metrics"
    if state is not None and company.digest() != state.profile_digest:
        restart = f"{command_in(directory, 'down')} && {command_in(directory, 'up')}"
        restart += f" --profile {path}" if named else ""
        return Finding("profile", Verdict.NOTE, f"{detail}; not what the running stack uses", f"to use it: {restart}")
    is_sample = path == SAMPLE / "profile.toml"
    step = "this is the fictional sample; your own: --profile FILE or RAGSPINE_PROFILE" if is_sample else ""
    return Finding("profile", Verdict.NOTE if is_sample else Verdict.OK, detail, step)


def check_port(port: int) -> Finding:
    """Whether the HTTP port is free; only asked while no stack runs here."""
    if port == 0 or is_free("127.0.0.1", port):
        return Finding("port", Verdict.OK, f"{port} is free" if port else "any free one")
    step = "choose another with --port or RAGSPINE_HTTP_PORT (0: a free one)"
    return Finding("port", Verdict.FAIL, f"{port} is taken by another program", step)


def check_stack(directory: Path, state: StackState | None) -> Finding:
    """Whether the stack of this directory runs and every process is well."""
    if state is None:
        last = read_state(directory)
        if last is not None and last.phase is StackPhase.FAILED:
            return Finding("stack", Verdict.FAIL, f"the last start failed: {last.reason}", f"see {last.logs}")
        return Finding("stack", Verdict.NOTE, "does not run", f"start it with {command_in(directory, 'up')}")
    ill = [name for name, unit in state.processes.items() if unit.phase is not UnitPhase.RUNNING]
    if state.phase is not StackPhase.READY or ill:
        detail = f"{state.phase.value}; not running: {', '.join(ill) or 'none'}"
        return Finding("stack", Verdict.FAIL, detail, f"see {command_in(directory, 'logs')}")
    host, _, port = state.http_url.removeprefix("http://").rpartition(":")
    reply = asyncio.run(http_get(host, int(port), "/readyz"))
    if reply is None or reply.body.get("status") != "ready":
        detail = f"{state.http_url}/readyz says {reply.body if reply else 'nothing'}"
        return Finding(
            "stack", Verdict.FAIL, detail, f"see {command_in(directory, 'status')} and {command_in(directory, 'logs')}"
        )
    return Finding("stack", Verdict.OK, f"ready at {state.http_url}")
