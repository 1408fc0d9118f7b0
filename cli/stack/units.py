"""What the supervisor starts: one `Unit` per process, described as data."""

import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cli.stack.owner import Owner

Probe = Callable[[], Awaitable[str | None]]
"""Asks a process how it is: None when all is well, else what is missing, in a few words."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One process of the stack: how to start it, how to see that it is well, how to stop it."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    is_ready: Probe
    is_alive: Probe | None = None
    """Asked again and again while it runs; a process that stays silent is killed and started again."""
    owner: Owner | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 20.0
    """How long it may take to stop before it is killed."""
    death_signal: signal.Signals = signal.SIGKILL
    """What the kernel sends when the supervisor dies."""
    ops_port_file: Path | None = None
    niceness: int = 0
    """How far it stands back for the others when processors are short, as `nice` counts."""
    before_start: Callable[[], None] = field(default=lambda: None)
