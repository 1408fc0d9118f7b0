"""`stack.json`: what runs in a data directory, for every other command and for tests.

Written by the supervisor alone, atomically and readable by its owner only (it holds bus passwords). The lock file
tells whether that supervisor still lives.
"""

import fcntl
import os
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from cli.console import CliError, ExitCode

STATE_FILE: Final = "stack.json"
LOCK_FILE: Final = "lock"


class StackPhase(StrEnum):
    """Where a stack is in its life."""

    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"


class UnitPhase(StrEnum):
    """Where one process is in its life."""

    WAITING = "waiting"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    FAILED = "failed"  # gave up after repeated crashes
    STOPPED = "stopped"


class UnitState(BaseModel):
    """One process of the stack."""

    model_config = ConfigDict(frozen=True)

    phase: UnitPhase
    pid: int | None = None
    restarts: int = 0
    is_ready: bool = False
    """Whether it has been ready since its last start."""
    ops_url: str | None = None
    """Where its health and metrics are; None for the servers."""
    since: datetime | None = None


class StackState(BaseModel):
    """What runs in a data directory."""

    model_config = ConfigDict(frozen=True)

    phase: StackPhase
    reason: str = ""
    """Why it failed."""
    http_url: str
    nats_url: str | None = None
    """For apps: as the app `local`, where the bus is embedded."""
    nats_cli_url: str | None = None
    """For the command line itself; None where the bus is not embedded."""
    postgres_url: str | None = None
    """Of an embedded Postgres: as its superuser, for backups."""
    postgres_loader_url: str | None = None
    """Of an embedded Postgres: for loads."""
    redis_url: str | None = None
    profile: str
    """The file that the user named."""
    profile_in_force: str = ""
    """Its copy, from which every process answers, also when the file is edited meanwhile."""
    profile_digest: str
    data_dir: str
    logs: str
    pid: int
    """The supervisor."""
    started_at: datetime
    embedded: tuple[str, ...] = ()
    """The servers that this stack started itself."""
    processes: dict[str, UnitState] = {}

    @property
    def loading_url(self) -> str | None:
        """Where loads of the command line go."""
        return self.postgres_loader_url or self.postgres_url


def write_state(data_dir: Path, state: StackState) -> None:
    """Replace the state file in one step."""
    target = data_dir / STATE_FILE
    fresh = target.with_suffix(".json.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(state.model_dump_json(indent=2) + "\n")
    fresh.replace(target)


def read_state(data_dir: Path) -> StackState | None:
    """The last written state, running or not; None when there is none that can be read."""
    try:
        text = (data_dir / STATE_FILE).read_text(encoding="utf-8")
    except OSError:
        return None
    try:
        return StackState.model_validate_json(text)
    except ValidationError:
        return None


def remove_state(data_dir: Path) -> None:
    """Forget a stack that has stopped in order."""
    (data_dir / STATE_FILE).unlink(missing_ok=True)


def running_stack(data_dir: Path) -> StackState | None:
    """The state of the stack that runs in this directory; None when none does."""
    return read_state(data_dir) if is_locked(data_dir) else None


def owner_name(path: Path) -> str:
    """To whom a file or folder belongs; `another user` where even that cannot be seen."""
    try:
        return path.owner()
    except (OSError, KeyError):
        return "another user"


class DirectoryLock:
    """Held by the supervisor for as long as it lives; the kernel frees it even after kill -9."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / LOCK_FILE
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock; False when another stack holds it."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except PermissionError:
            owner = owner_name(self._path)
            raise CliError(
                f"{self._path.parent} belongs to {owner}",
                hint="choose a directory of yours with --data-dir",
                code=ExitCode.DENIED,
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Give the lock back."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def is_locked(data_dir: Path) -> bool:
    """Whether a supervisor lives in this directory; raises `CliError` where that is for another user to know."""
    try:
        descriptor = os.open(data_dir / LOCK_FILE, os.O_RDWR)
    except PermissionError:
        raise CliError(
            f"the stack in {data_dir} belongs to {owner_name(data_dir)}, and this user may not look at it",
            hint="run the command as that user, or name another directory with --data-dir",
            code=ExitCode.DENIED,
        ) from None
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
