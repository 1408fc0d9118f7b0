"""`ragspine down`: stops the stack of a data directory in order."""

import os
import signal
import time
from pathlib import Path
from typing import Annotated, Final

import typer

from cli.console import CliError, note
from cli.finding import settle_directory
from cli.settings import DataDirOption
from cli.stack.state import StackState, is_locked, read_state

POLL_SECONDS: Final = 0.05
EXIT_SECONDS: Final = 3.0

HELP = """Stop the stack: running questions are finished, then the servers close their files.

\b
Examples:
  ragspine down
  ragspine down --data-dir /srv/b

Without a stack in the usual directory it stops a demo that was kept running.
"""


def down(
    data_dir: Annotated[Path | None, DataDirOption] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait before everything is killed.")] = 120.0,
) -> None:
    """Stop the stack that runs in a data directory; it is no error when none does."""
    directory = settle_directory(data_dir)
    if stop_stack(directory, timeout):
        note("stopped")
    else:
        note(f"nothing runs in {directory}")


def stop_stack(data_dir: Path, timeout_seconds: float = 120.0) -> bool:
    """Stop the stack of a directory; False when none runs. Kills it when it takes too long."""
    if not is_locked(data_dir):
        return False
    state = read_state(data_dir)
    if state is None:
        raise CliError(f"{data_dir} is locked, but does not say by which process", hint="wait a moment and try again")
    for how, seconds in ((signal.SIGTERM, timeout_seconds), (signal.SIGKILL, 10.0)):
        if _end(data_dir, state, how, seconds):
            return True
    raise CliError(f"process {state.pid} could not be stopped", hint=f"see {data_dir / 'logs'}")


def _end(data_dir: Path, state: StackState, how: signal.Signals, seconds: float) -> bool:
    try:
        os.kill(state.pid, how)
    except ProcessLookupError:
        return True
    except PermissionError:
        raise CliError(f"process {state.pid} belongs to another user", hint="stop it as that user") from None
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not is_locked(data_dir):
            _wait_for_exit(state.pid)
            return True
        time.sleep(POLL_SECONDS)
    return False


def _wait_for_exit(pid: int) -> None:
    """Wait a moment for a process whose work is done; nothing depends on it any more."""
    until = time.monotonic() + EXIT_SECONDS
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(POLL_SECONDS)
