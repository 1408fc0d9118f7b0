"""The folders of a data directory."""

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from cli.bus.home import APPS_FILE, BusHome
from cli.console import CliError
from cli.stack.owner import Owner, can_reach

MAX_SOCKET_CHARS: Final = 100
"""The kernel's limit is 108 with the terminating zero, and macOS has 104."""
LONGEST_SOCKET: Final = ".s.PGSQL.5432.lock"


def keys_file(data_dir: Path) -> Path:
    """Where a stack keeps its API keys, once there are any."""
    return data_dir / "keys.json"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of one stack keep their files."""

    data_dir: Path
    logs: Path
    run: Path
    """Sockets, configuration and port files of this start."""
    nats: Path
    valkey: Path

    @classmethod
    def prepare(cls, data_dir: Path, owner: Owner | None) -> Self:
        """Make the folders; sockets go to a short, reachable path when the data directory's is not one."""
        run = _run_folder(data_dir, owner)
        layout = cls(data_dir, data_dir / "logs", run, data_dir / "nats", data_dir / "valkey")
        for folder in (layout.logs, layout.nats, layout.valkey):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(layout.run)
        sockets = layout.run / "pg"
        sockets.mkdir(mode=0o700, exist_ok=True)
        if owner is not None:
            os.chown(sockets, owner.uid, owner.gid)
        return layout

    @property
    def profile(self) -> Path:
        """The copy of the profile from which every process of this start answers."""
        return self.run / "profile.toml"

    @property
    def bus(self) -> BusHome:
        """Secrets of the bus: those of this start go with it, its apps stay."""
        return BusHome(self.run / "bus", self.data_dir / "bus" / APPS_FILE)

    def forget_run(self) -> None:
        """Remove sockets, port files and the bus passwords of a start that is over."""
        shutil.rmtree(self.run, ignore_errors=True)

    def log(self, name: str) -> Path:
        """The log file of one process."""
        return self.logs / f"{name}.log"


def _run_folder(data_dir: Path, owner: Owner | None) -> Path:
    inside = data_dir / "run"
    is_short = len(str(inside / "pg" / LONGEST_SOCKET)) < MAX_SOCKET_CHARS
    if is_short and (owner is None or can_reach(data_dir)):
        return inside
    name = hashlib.sha256(str(data_dir).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"ragspine-{os.getuid()}-{name}"


def _make_private(folder: Path) -> None:
    """A folder of ours; refuses one that somebody else has put there."""
    folder.mkdir(mode=0o711, exist_ok=True)
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid != os.getuid():
        raise CliError(f"{folder} belongs to somebody else", hint="remove it, or choose a shorter --data-dir")
    folder.chmod(0o711)  # passing through is allowed: Postgres of root runs under another user
