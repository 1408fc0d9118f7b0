"""`ragspine up`: starts the stack here, or in the background with `--detach`."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.status import Status
from rich.text import Text

from cli.console import CliError, ExitCode, err, note, out
from cli.settings import (
    DEFAULT_PORT,
    ROOT,
    SAMPLE,
    DataDirOption,
    check_writable,
    command_in,
    environment_copy,
    environment_path,
    resolve_data_dir,
)
from cli.stack.logs import last_lines
from cli.stack.memory import Memory, changes, recall, remember
from cli.stack.plan import Options, check_port, make_plan, parse_replicas
from cli.stack.state import DirectoryLock, StackPhase, StackState, read_state, remove_state, running_stack
from cli.stack.supervisor import Supervisor
from domain.profile import ProfileError, load_profile

HELP = """Start the stack: servers, five workers, HTTP. Prints its URL when everything is ready; Ctrl-C stops it.

NATS, Postgres and a Redis server come with the package and keep their data in the data directory. Each is replaced by
your own when RAGSPINE_NATS_URL, RAGSPINE_POSTGRES_URL or RAGSPINE_REDIS_URL is set.

\b
Examples:
  ragspine up                                    here, on port 8321
  ragspine up --detach --profile acme.toml       in the background, with your company
  ragspine up --data-dir /srv/b --port 8322      a second stack beside the first
"""
POLL_SECONDS = 0.1
DETACH_SECONDS = 480.0


def up(
    data_dir: Annotated[Path | None, DataDirOption] = None,
    port: Annotated[
        int, typer.Option("--port", envvar="RAGSPINE_HTTP_PORT", min=0, max=65535, help="HTTP port; 0: a free one.")
    ] = DEFAULT_PORT,
    profile: Annotated[
        Path | None,
        typer.Option(
            "--profile",
            help="Company profile (TOML). Default: RAGSPINE_PROFILE, else that of the last start in this directory,"
            " else the fictional sample.",
        ),
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Start in the background and return.")] = False,
    scale: Annotated[
        list[str] | None, typer.Option("--scale", metavar="SERVICE=N", help="Processes of a service; repeatable.")
    ] = None,
) -> None:
    """Start a stack, or say what already runs in this directory."""
    directory = resolve_data_dir(data_dir)
    check_writable(directory)
    replicas = parse_replicas(scale or [])
    memory = choose_profile(profile, recall(directory))
    options = Options(directory, "127.0.0.1", port, Path(memory.profile), memory.profile_digest, replicas)
    if detach:
        out.print(start_detached(options, scale or []).http_url)
    else:
        run_here(options, memory)


def choose_profile(chosen: Path | None, before: Memory | None) -> Memory:
    """The profile in force, checked: the named one, else that of the last start in this directory, else the sample.

    Says which one it is unless it was named, and what another one changes. Raises `CliError` when it cannot be used.
    """
    path = chosen or environment_path("RAGSPINE_PROFILE")
    if path is None:
        path = Path(before.profile) if before else SAMPLE / "profile.toml"
        is_sample = path == SAMPLE / "profile.toml"
        what = "the fictional ACME sample (your own: --profile FILE)" if is_sample else f"{path}, as at the last start"
        note(f"profile: {what}", style="dim")
    path = path.expanduser().absolute()
    try:
        now = Memory.of(path, load_profile(path))
    except ProfileError as error:
        raise CliError(
            f"the profile cannot be used\n       {error}",
            hint="correct the file, or name another with --profile",
            code=ExitCode.USAGE,
        ) from None
    for line in changes(before, now) if before else ():
        note(line, style="yellow")
    return now


def run_here(options: Options, memory: Memory) -> None:
    """Run the stack in this process until a signal stops it; raises `StoppedEarlyError` for one before it was ready."""
    lock = DirectoryLock(options.data_dir)
    if not lock.acquire():
        raise taken(options.data_dir)
    try:
        check_port(options.host, options.port)
        remove_state(options.data_dir)
        plan = make_plan(options)
        note(f"data: {options.data_dir}", style="dim")
        supervisor = Supervisor(plan, report=lambda line: note(f"[{time.strftime('%H:%M:%S')}] {line}"))
        asyncio.run(supervisor.run(lambda: _announce(options.data_dir, plan.http_url, memory)))
    finally:
        lock.release()


def _announce(data_dir: Path, url: str, memory: Memory) -> None:
    try:
        remember(data_dir, memory)
    except OSError as error:
        note(f"the next start will not know this profile by itself: {error.strerror}", style="red")
    out.print(url)
    note(f'ready. Ask:  {command_in(data_dir, "ask")} "…"   Stop:  Ctrl-C, or {command_in(data_dir, "down")}')


def taken(data_dir: Path) -> CliError:
    """The error for a directory in which a stack already runs: says what runs there."""
    state = read_state(data_dir)
    what = f"{state.http_url} (process {state.pid}, {state.phase.value})" if state else "another process holds its lock"
    return CliError(
        f"a stack already runs in {data_dir}: {what}",
        hint=f"use it, stop it with `{command_in(data_dir, 'down')}`, or choose another --data-dir",
    )


def start_detached(options: Options, scale: list[str]) -> StackState:
    """Start the stack in the background and wait until it is ready. Raises `CliError` when it fails."""
    return wait_until_ready(launch(options, scale, environment_copy()))


@dataclass(frozen=True, slots=True)
class Launched:
    """A stack that starts in the background."""

    process: subprocess.Popen[bytes]
    data_dir: Path
    log: Path


def launch(options: Options, scale: list[str], environment: Mapping[str, str]) -> Launched:
    """Start the stack in the background, with this environment. Raises `CliError` when one runs there already."""
    if running_stack(options.data_dir) is not None:
        raise taken(options.data_dir)
    check_port(options.host, options.port)
    log = options.data_dir / "logs" / "supervisor.log"
    log.parent.mkdir(mode=0o700, exist_ok=True)
    log.write_bytes(b"")
    command = [sys.executable, "-P", "-m", "cli", "up", "--data-dir", str(options.data_dir)]
    command += ["--port", str(options.port), "--profile", str(options.profile)]
    command += [part for value in scale for part in ("--scale", value)]
    with log.open("ab") as output:  # appending, so that it can be rotated like the others
        process = subprocess.Popen(  # noqa: S603 -- ourselves
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env={**environment, "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
    return Launched(process, options.data_dir, log)


def wait_until_ready(launched: Launched) -> StackState:
    """Wait for a stack that starts; ends it when the wait is interrupted. Raises `CliError` when it fails."""
    try:
        with _interrupted_by_any_signal(), err.status("starting") as status:
            return _wait_until_ready(launched.process, launched.data_dir, launched.log, status)
    except KeyboardInterrupt:
        launched.process.terminate()
        launched.process.wait()
        raise


@contextmanager
def _interrupted_by_any_signal() -> Generator[None]:
    """A signal that would end this process ends the start in the background with it, as Ctrl-C does."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _wait_until_ready(process: subprocess.Popen[bytes], data_dir: Path, log: Path, status: Status) -> StackState:
    until = time.monotonic() + DETACH_SECONDS
    while time.monotonic() < until:
        state = read_state(data_dir)
        if state is not None and state.phase is StackPhase.READY and state.pid == process.pid:
            return state
        if process.poll() is not None:
            raise CliError(f"the stack did not start\n{_indented(log)}", hint=f"its logs: {data_dir / 'logs'}")
        status.update(Text(_without_time("".join(last_lines(log, 1))) or "starting"))
        time.sleep(POLL_SECONDS)
    process.terminate()
    raise CliError(f"the stack was not ready within {DETACH_SECONDS:.0f} s", hint=f"its logs: {data_dir / 'logs'}")


def _without_time(line: str) -> str:
    return line.partition("] ")[2] if line.startswith("[") else line


def _indented(log: Path) -> str:
    return "\n".join(f"       {line}" for line in last_lines(log, 25))
