"""Whole stacks for tests, started by the command that users type, each in a directory and on ports of its own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
START_SECONDS = 120.0
STOP_SECONDS = 90.0


class StackError(Exception):
    """A stack did not start or stop; the message carries what it printed."""


@dataclass
class Stack:
    """A running stack."""

    data_dir: Path

    @property
    def state(self) -> dict[str, Any]:
        """What `ragspine status --json` prints: addresses, process ids, restarts."""
        done = ragspine("status", "--json", "--data-dir", str(self.data_dir))
        state: dict[str, Any] = json.loads(done.stdout)
        return state

    @cached_property
    def http_url(self) -> str:
        """Where the gateway listens."""
        return str(self.state["http_url"])

    def bus_url(self, user: str) -> str:
        """Where a user of the product's account connects; its inbox prefix is `_INBOX_<user>`."""
        server = urlsplit(str(self.state["nats_url"]))
        run = Path(str(self.state["profile_in_force"])).parent
        password = (run / "bus" / "users" / f"{user}.password").read_text()
        return f"nats://{user}:{password}@{server.hostname}:{server.port}"

    def pid(self, name: str) -> int:
        """The process id of one part."""
        return int(self.state["processes"][name]["pid"])


def ragspine(
    *arguments: str, timeout: float = START_SECONDS, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line as `./ragspine` does, in this Python environment."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "cli", *arguments],
        cwd="/",
        env={**_clean_environment(), **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@contextmanager
def running_stack(
    *, profile: Path | None = None, scale: Sequence[str] = (), environment: dict[str, str] | None = None
) -> Generator[Stack]:
    """Start a stack with an empty database; it is stopped, and its directory removed, at the end."""
    with data_directory() as directory:
        arguments = ["up", "--detach", "--data-dir", str(directory), "--port", "0"]
        arguments += ["--profile", str(profile)] if profile else []
        arguments += [part for value in scale for part in ("--scale", value)]
        done = ragspine(*arguments, environment=environment)
        if done.returncode != 0:
            raise StackError(done.stderr)
        try:
            yield Stack(directory)
        finally:
            stopped = ragspine("down", "--data-dir", str(directory), timeout=STOP_SECONDS)
            if stopped.returncode != 0:
                raise StackError(stopped.stderr)


@contextmanager
def data_directory() -> Generator[Path]:
    """A data directory that the user of the embedded Postgres can reach, also when the tests run as root."""
    directory = Path(tempfile.mkdtemp(prefix="ragspine-test-", dir="/tmp"))
    directory.chmod(0o755)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _clean_environment() -> dict[str, str]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("RAGSPINE_", "OTEL_", "PYTHON"))}
    return {**ours, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
