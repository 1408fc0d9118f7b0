"""The folders of a data directory."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from cli.console import CliError
from cli.stack.owner import Owner

MAX_SOCKET_CHARS: Final = 100
"""The kernel's limit is 108 with the terminating zero, and macOS has 104."""
LONGEST_SOCKET: Final = ".s.PGSQL.5432.lock"


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
        """Make the folders; sockets move to a short path when the data directory's is too long."""
        layout = cls(data_dir, data_dir / "logs", _run_folder(data_dir), data_dir / "nats", data_dir / "valkey")
        for folder in (layout.logs, layout.nats, layout.valkey):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(layout.run)
        for folder in (layout.run / "pg",):
            folder.mkdir(mode=0o700, exist_ok=True)
            if owner is not None:
                os.chown(folder, owner.uid, owner.gid)
        return layout

    def log(self, name: str) -> Path:
        """The log file of one process."""
        return self.logs / f"{name}.log"


def _run_folder(data_dir: Path) -> Path:
    inside = data_dir / "run"
    if len(str(inside / "pg" / LONGEST_SOCKET)) < MAX_SOCKET_CHARS:
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
