"""`ragspine status`: what runs in a data directory, process by process."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.console import ExitCode, note, out, print_table, speaks_to_people
from cli.finding import running_demo, settle_directory
from cli.settings import DataDirOption, command_in, resolve_data_dir
from cli.stack.agreement import agree, ask_health
from cli.stack.net import HttpReply
from cli.stack.state import StackPhase, StackState, UnitPhase, UnitState, is_locked, read_state
from cli.stack.workers import failed_checks

HELP = """Show what runs: URL, processes, restarts, profile. Exit code 0 when everything is well, 1 otherwise.

A demo that was kept running is shown when nothing else runs; for scripts (no terminal) it ends with 1 all the same.

\b
Examples:
  ragspine status
  ragspine status --json      addresses (with the bus password) and process ids, for scripts
"""


def status(
    data_dir: Annotated[Path | None, DataDirOption] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Print the state of a stack."""
    directory = resolve_data_dir(data_dir) if as_json else settle_directory(data_dir)
    state = read_state(directory)
    if not is_locked(directory) or state is None:
        if as_json:
            out.print('{"phase": "stopped"}', markup=False)
        _explain_absence(directory, state)
        if demo := running_demo(data_dir):
            note(f"a demo stack runs:  {command_in(Path(demo.data_dir), 'status')}")
        raise typer.Exit(ExitCode.FAILED)
    health = asyncio.run(ask_health(state))
    agreement = agree(state, health)
    if as_json:
        out.print(json.dumps(state.model_dump(mode="json") | agreement.as_json(), indent=2), markup=False)
    else:
        show(state, health)
    for line in agreement.complaints(directory):
        note(line, style="yellow")
    # A program that asks without naming a stack must not take a demo for its own.
    counts = speaks_to_people() or directory == resolve_data_dir(data_dir)
    is_good = is_well(state) and agreement.workers_agree and counts
    raise typer.Exit(ExitCode.OK if is_good else ExitCode.FAILED)


def is_well(state: StackState) -> bool:
    """Whether every process of a stack runs."""
    return state.phase is StackPhase.READY and all(p.phase is UnitPhase.RUNNING for p in state.processes.values())


def show(state: StackState, health: Mapping[str, HttpReply | None]) -> None:
    """Print a stack for people."""
    out.print(f"{state.http_url}   {state.phase.value}", markup=False)
    for label, value in (("data", state.data_dir), ("profile", state.profile), ("digest", state.profile_digest)):
        out.print(f"{label:8} {value}", markup=False)
    rows = [
        (name, unit.phase.value, str(unit.pid or "-"), _age(unit), str(unit.restarts), _in_words(unit, health[name]))
        for name, unit in state.processes.items()
    ]
    print_table(out, ("process", "state", "pid", "up", "restarts", "health"), rows)


def _explain_absence(directory: Path, state: StackState | None) -> None:
    if state is not None and state.phase is StackPhase.FAILED:
        note(f"the last start in {directory} failed: {state.reason}", style="red")
    elif state is not None:
        note(f"the stack in {directory} was killed; its processes went with it", style="yellow")
    else:
        note(f"nothing runs in {directory}")
    note(f"start it with:  {command_in(directory, 'up')}")


def _in_words(unit: UnitState, reply: HttpReply | None) -> str:
    if unit.ops_url is None:
        return ""
    if reply is None:
        return "no answer"
    status = str(reply.body.get("status", reply.status))
    return status if status == "ready" else f"{status} ({failed_checks(reply)})"


def _age(unit: UnitState) -> str:
    if unit.since is None:
        return "-"
    seconds = int((datetime.now(UTC) - unit.since).total_seconds())
    minutes, hours = seconds // 60, seconds // 3600
    return f"{hours} h" if hours else f"{minutes} min" if minutes else f"{seconds} s"
