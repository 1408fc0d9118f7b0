"""The processes of a whole stack as victims: its supervisor starts each of them again by itself."""

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.stack.state import STATE_FILE
from tests.chaos.killing import Kind
from tests.support.stacks import Stack

BROKER = "nats"
DATABASE = "postgres"
CACHE = "redis"


@dataclass(frozen=True)
class StackVictim:
    """One process of a stack."""

    data_dir: Path
    name: str

    @property
    def kind(self) -> Kind:
        """What it is."""
        return {BROKER: Kind.BROKER, DATABASE: Kind.DATABASE}.get(self.name, Kind.WORKER)

    def is_up(self) -> bool:
        """Whether it has been ready since its last start."""
        state = self._state()
        return bool(state["pid"] and state["is_ready"])

    async def kill(self) -> None:
        """`kill -9`; Postgres, whose sessions are processes of their own, gets the signal for "immediate"."""
        pid = self._state()["pid"]
        if pid is not None:
            os.kill(pid, signal.SIGQUIT if self.kind is Kind.DATABASE else signal.SIGKILL)

    def _state(self) -> dict[str, Any]:
        content = json.loads((self.data_dir / STATE_FILE).read_text(encoding="utf-8"))
        state: dict[str, Any] = content["processes"][self.name]
        return state


def victims_of(stack: Stack) -> Sequence[StackVictim]:
    """Every process that asks need: workers, the broker, the database."""
    return [StackVictim(stack.data_dir, name) for name in sorted(stack.state["processes"]) if name != CACHE]
