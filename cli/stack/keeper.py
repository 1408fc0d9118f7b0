"""Keeps one unit running: starts it, starts it again after a crash, kills it when it hangs, gives up after too many.

A crash is any end that nobody asked for. What a keeper does it says through `report`; nothing is dropped in silence.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from cli.stack.process import describe_exit, kill, spawn, stop
from cli.stack.state import UnitPhase, UnitState
from cli.stack.units import Unit
from cli.stack.workers import LOOPBACK, read_port

POLL_SECONDS: Final = 0.05
FIRST_DELAY_SECONDS: Final = 0.2
MAX_DELAY_SECONDS: Final = 10.0
LIVENESS_SECONDS: Final = 5.0
"""How often a running process is asked how it is."""
EXIT_CONFIGURATION: Final = 2
"""A worker's word for a wrong setting or profile: starting it again would not help."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How many crashes within how many seconds are borne."""

    crashes: int = 8
    seconds: float = 60.0
    silences: int = 4
    """Unanswered liveness questions in a row before a process is killed."""


class Keeper:
    """Runs one unit until it is told to stop."""

    def __init__(
        self, unit: Unit, *, report: Callable[[str], None], changed: Callable[[], None], patience: Patience
    ) -> None:
        self.unit = unit
        self._report = report
        self._changed = changed
        self._patience = patience
        self._process: asyncio.subprocess.Process | None = None
        self._phase = UnitPhase.WAITING
        self._restarts = 0
        self._missing: str | None = "did not start"
        self._is_ready = False
        self._since: datetime | None = None
        self._crashes: deque[float] = deque()
        self._stop_asked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def state(self) -> UnitState:
        """For `stack.json`."""
        alive = self._process is not None and self._process.returncode is None
        port = read_port(self.unit.ops_port_file) if self.unit.ops_port_file else None
        return UnitState(
            phase=self._phase,
            pid=self._process.pid if self._process and alive else None,
            restarts=self._restarts,
            is_ready=self._is_ready and alive,
            ops_url=f"http://{LOOPBACK}:{port}" if port and alive else None,
            since=self._since,
        )

    @property
    def has_failed(self) -> bool:
        """Whether it has given up."""
        return self._phase is UnitPhase.FAILED

    def be_patient(self, patience: Patience) -> None:
        """Bear more, or fewer, crashes from now on; earlier ones are forgotten."""
        self._patience = patience
        self._crashes.clear()

    def start(self) -> None:
        """Begin to keep the unit running."""
        self._task = asyncio.create_task(self._keep(), name=f"keeper-{self.unit.name}")

    async def wait_ready(self, seconds: float) -> str | None:
        """None once the unit is ready; else what is missing after `seconds`, or after it gave up."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.has_failed and not self._task_failed():
            if self._is_ready:
                return None
            await asyncio.sleep(POLL_SECONDS)
        if self._task_failed() and self._task is not None:
            await self._task  # a user's mistake, such as a database of another version
        return "it ended again and again" if self.has_failed else self._missing

    async def stop(self) -> None:
        """End the unit in order; kills it when it takes too long."""
        self._stop_asked.set()
        process = self._process
        if process is not None and process.returncode is None:
            in_order = await stop(process, self.unit.stop_signal, self.unit.stop_seconds)
            if not in_order:
                self._report(f"{self.unit.name} did not stop within {self.unit.stop_seconds:.0f} s and was killed")
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._process is not None and self._process.returncode is None:  # started in that very moment
            await kill(self._process)
        self._become(UnitPhase.STOPPED)

    async def kill(self) -> None:
        """End the unit at once."""
        self._stop_asked.set()
        if self._process is not None and self._process.returncode is None:
            await kill(self._process)

    def _task_failed(self) -> bool:
        return self._task is not None and self._task.done() and not self.has_failed

    def _become(self, phase: UnitPhase) -> None:
        self._phase = phase
        self._since = datetime.now(UTC)
        self._changed()

    async def _keep(self) -> None:
        while not self._stop_asked.is_set():
            self._become(UnitPhase.STARTING)
            self._process = await spawn(self.unit)
            self._become(UnitPhase.RUNNING)
            code = await self._until_end(self._process)
            if self._stop_asked.is_set():
                return
            delay = self._delay_after_crash()
            if delay is None or code == EXIT_CONFIGURATION:
                self._give_up(code)
                return
            self._restarts += 1
            self._report(f"{self.unit.name} {describe_exit(code)}; starting it again")
            self._become(UnitPhase.RESTARTING)
            await asyncio.sleep(delay)

    def _give_up(self, code: int) -> None:
        times = len(self._crashes)
        often = "" if code == EXIT_CONFIGURATION else f", {times} times within {self._patience.seconds:.0f} s"
        self._report(f"GIVING UP on {self.unit.name}: it {describe_exit(code)}{often}. See {self.unit.log}")
        self._become(UnitPhase.FAILED)

    def _delay_after_crash(self) -> float | None:
        now = time.monotonic()
        self._crashes.append(now)
        while self._crashes[0] < now - self._patience.seconds:
            self._crashes.popleft()
        if len(self._crashes) >= self._patience.crashes:
            return None
        return min(FIRST_DELAY_SECONDS * 2.0 ** (len(self._crashes) - 1), MAX_DELAY_SECONDS)

    async def _until_end(self, process: asyncio.subprocess.Process) -> int:
        watches = [asyncio.create_task(self._watch_readiness()), asyncio.create_task(self._watch_liveness(process))]
        try:
            return await process.wait()
        finally:
            self._is_ready = False
            for watch in watches:
                watch.cancel()
            await asyncio.gather(*watches, return_exceptions=True)

    async def _watch_readiness(self) -> None:
        """See when the process becomes ready for the first time; what it lacks later is its own `/readyz` to say."""
        while not self._is_ready:
            self._missing = await self.unit.is_ready()
            self._is_ready = self._missing is None
            await asyncio.sleep(POLL_SECONDS)
        self._changed()

    async def _watch_liveness(self, process: asyncio.subprocess.Process) -> None:
        silences = 0
        while self.unit.is_alive is not None:
            await asyncio.sleep(LIVENESS_SECONDS)
            silences = 0 if await self.unit.is_alive() is None else silences + 1
            if silences >= self._patience.silences:
                self._report(f"{self.unit.name} does not answer any more; killing it")
                await kill(process)
                return
