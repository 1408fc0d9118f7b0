"""`ragspine status`: what runs in a data directory, process by process."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.console import ExitCode, command_name, note, out, print_table
from cli.settings import DataDirOption, resolve_data_dir
from cli.stack.net import http_get
from cli.stack.state import StackPhase, StackState, UnitPhase, UnitState, is_locked, read_state

HELP = """Show what runs: URL, processes, restarts. Exit code 0 when everything is ready, 1 otherwise.

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
    directory = resolve_data_dir(data_dir)
    state = read_state(directory)
    if not is_locked(directory) or state is None:
        if as_json:
            out.print('{"phase": "stopped"}', markup=False)
        _explain_absence(directory, state)
        raise typer.Exit(ExitCode.FAILED)
    if as_json:
        out.print(state.model_dump_json(indent=2), markup=False)
    else:
        show(state)
    raise typer.Exit(ExitCode.OK if is_well(state) else ExitCode.FAILED)


def is_well(state: StackState) -> bool:
    """Whether every process of a stack runs."""
    return state.phase is StackPhase.READY and all(p.phase is UnitPhase.RUNNING for p in state.processes.values())


def show(state: StackState) -> None:
    """Print a stack for people."""
    out.print(f"{state.http_url}   {state.phase.value}", markup=False)
    for label, value in (("data", state.data_dir), ("profile", state.profile), ("digest", state.profile_digest)):
        out.print(f"{label:8} {value}", markup=False)
    health = asyncio.run(_health(state))
    rows = [
        (name, unit.phase.value, str(unit.pid or "-"), _age(unit), str(unit.restarts), health[name])
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
    note(f"start it with:  {command_name()} up")


async def _health(state: StackState) -> dict[str, str]:
    answers = await asyncio.gather(*(_health_of(unit) for unit in state.processes.values()))
    return dict(zip(state.processes, answers, strict=True))


async def _health_of(unit: UnitState) -> str:
    if unit.ops_url is None:
        return ""
    reply = await http_get("127.0.0.1", int(unit.ops_url.rsplit(":", 1)[1]), "/readyz")
    if reply is None:
        return "no answer"
    return str(reply.body.get("status", reply.status))


def _age(unit: UnitState) -> str:
    if unit.since is None:
        return "-"
    seconds = int((datetime.now(UTC) - unit.since).total_seconds())
    minutes, hours = seconds // 60, seconds // 3600
    return f"{hours} h" if hours else f"{minutes} min" if minutes else f"{seconds} s"
