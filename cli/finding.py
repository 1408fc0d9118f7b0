"""Which stack a command means, when its address is not given.

A program never gets figures of the fictional demo without having named it: only a command that is typed on a terminal
and only reads may fall back to a demo that was kept running, and says so.
"""

from pathlib import Path

from cli.console import CliError, ExitCode, command_name, note
from cli.settings import command_in, demo_data_dir, environment_text, resolve_data_dir
from cli.stack.state import StackState, is_locked, running_stack


def find_gateway(url: str | None, data_dir: Path | None, *, may_be_demo: bool) -> str:
    """Where the stack is: `url`, else RAGSPINE_URL, else what runs in the data directory, else a running demo."""
    given = url or environment_text("RAGSPINE_URL")
    return given or find_stack(data_dir, "--url or RAGSPINE_URL", may_be_demo=may_be_demo).http_url


def find_bus(url: str | None, data_dir: Path | None, *, may_be_demo: bool) -> str:
    """Where the bus of the stack is: `url`, else RAGSPINE_NATS_URL, else that of a running stack as for the gateway."""
    given = url or environment_text("RAGSPINE_NATS_URL")
    if given:
        return given
    state = find_stack(data_dir, "--nats-url or RAGSPINE_NATS_URL", may_be_demo=may_be_demo)
    found = state.nats_cli_url or state.nats_url
    if found is None:
        raise CliError("the running stack does not say where its bus is", code=ExitCode.DEGRADED)
    return found


def find_stack(data_dir: Path | None, instead: str, *, may_be_demo: bool) -> StackState:
    """What runs in the data directory, else a running demo where that is allowed; `instead` names another stack."""
    directory = resolve_data_dir(data_dir)
    state = running_stack(directory)
    if state is not None:
        return state
    demo = running_demo(data_dir)
    if demo is None:
        hint = f"start one with `{command_in(directory, 'up')}`"
        hint += f" (or `{command_name()} demo --keep`)" if may_be_demo else ""
        hint += f", or name another with --data-dir, {instead}"
        raise CliError(f"no stack runs in {directory}", hint=hint, code=ExitCode.DEGRADED, reason="no_stack")
    if not may_be_demo:
        raise CliError(
            f"no stack runs in {directory}, and the demo at {demo.http_url} is not used unless it is named: "
            "its company and its numbers are fictional",
            hint=f"start one with `{command_in(directory, 'up')}`, or name the demo with --data-dir {demo.data_dir}",
            code=ExitCode.DEGRADED,
            reason="no_stack",
        )
    note(f"no stack runs in {directory}; the demo at {demo.http_url} is used", style="dim")
    note("its company and its numbers are fictional", style="dim")
    return demo


def running_demo(data_dir: Path | None) -> StackState | None:
    """The demo that was kept running; None where a directory was named."""
    return running_stack(demo_data_dir()) if data_dir is None else None


def settle_directory(data_dir: Path | None) -> Path:
    """The directory that a command about processes means: the demo's, said so, when only the demo runs."""
    directory = resolve_data_dir(data_dir)
    if not is_locked(directory) and (demo := running_demo(data_dir)) is not None:
        note(f"nothing runs in {directory}; this is the demo stack in {demo.data_dir}", style="dim")
        return Path(demo.data_dir)
    return directory
