"""The one process that owns a stack: starts it in order, keeps it running, stops it in order.

Order: servers, migration, workers; ready when every worker is. Stopping: the gateway takes no more work, the other
workers finish theirs, then the servers. Whatever happens, no process is left behind.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from cli.console import CliError, ExitCode
from cli.stack.keeper import Keeper, Patience
from cli.stack.logs import last_lines, rotate, size_of
from cli.stack.plan import Plan
from cli.stack.process import describe_exit, spawn, stop
from cli.stack.state import StackPhase, StackState, remove_state, write_state
from cli.stack.units import Unit
from cli.stack.workers import GATEWAY

START_SECONDS: Final = 90.0
"""For servers and for workers each; generous, since a first start on a loaded machine is slow."""
MIGRATE_SECONDS: Final = 300.0
ROTATE_SECONDS: Final = 60.0
SHOWN_LOG_LINES: Final = 12
START_PATIENCE: Final = Patience(crashes=3)


class StoppedEarlyError(CliError):
    """Somebody asked to stop before the stack was ready; by then nothing runs any more."""

    def __init__(self, by: signal.Signals) -> None:
        code = ExitCode.INTERRUPTED if by is signal.SIGINT else ExitCode.TERMINATED
        super().__init__("stopped before it was ready; nothing is left running", code=code)


class Supervisor:
    """Runs one stack until a signal or `stop`."""

    def __init__(self, plan: Plan, *, report: Callable[[str], None]) -> None:
        self._plan = plan
        self._report = report
        self._phase = StackPhase.STARTING
        self._reason = ""
        self._started_at = datetime.now(UTC)
        self._log_starts = {unit.name: size_of(unit.log) for unit in (*plan.servers, plan.migration, *plan.workers)}
        self._keepers = {unit.name: self._keeper(unit) for unit in (*plan.servers, *plan.workers)}
        self._stop_asked = asyncio.Event()
        self._stopped_by = signal.SIGTERM
        self._must_kill = False

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Start everything, call `on_ready`, stay until asked to stop.

        Raises `CliError` when the start fails, `StoppedEarlyError` after a signal. The caller holds the lock of
        the data directory.
        """
        self._listen_to_signals()
        try:
            if await self._start_unless_stopped():
                self._become(StackPhase.READY)
                on_ready()
                await self._stay()
                return
        except CliError as error:
            self._reason = error.message
            raise
        finally:
            await self._shut_down()
        raise StoppedEarlyError(self._stopped_by)

    def _keeper(self, unit: Unit) -> Keeper:
        return Keeper(unit, report=self._report, changed=self._publish, patience=START_PATIENCE)

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: signal.Signals) -> None:
        if not self._stop_asked.is_set():
            self._stopped_by = number
            self._stop_asked.set()
        elif not self._must_kill:
            self._must_kill = True
            self._report("killing what still runs")

    async def _start_unless_stopped(self) -> bool:
        """Whether the start came to its end; False when somebody asked to stop meanwhile."""
        start = asyncio.create_task(self._start())
        stopped = asyncio.create_task(self._stop_asked.wait())
        await asyncio.wait((start, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if start.done():
            await start
            return True
        start.cancel()
        await asyncio.gather(start, return_exceptions=True)
        return False

    async def _start(self) -> None:
        self._publish()
        await self._start_all(self._plan.servers)
        await self._migrate()
        await self._start_all(self._plan.workers)
        for keeper in self._keepers.values():
            keeper.be_patient(Patience())

    async def _start_all(self, units: Sequence[Unit]) -> None:
        if not units:
            return
        self._report(f"starting {', '.join(unit.name for unit in units)}")
        keepers = [self._keepers[unit.name] for unit in units]
        for keeper in keepers:
            keeper.start()
        waiting = {asyncio.create_task(self._until_ready(keeper)) for keeper in keepers}
        try:
            for first in asyncio.as_completed(waiting):
                await first  # the first that cannot start ends the start
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _until_ready(self, keeper: Keeper) -> None:
        missing = await keeper.wait_ready(START_SECONDS)
        if missing is not None:
            raise self._start_error(keeper.unit, missing)

    async def _migrate(self) -> None:
        unit = self._plan.migration
        self._report("bringing the database up to date")
        process = await spawn(unit)
        try:
            async with asyncio.timeout(MIGRATE_SECONDS):
                code = await process.wait()
        except TimeoutError:
            raise self._start_error(unit, f"took longer than {MIGRATE_SECONDS:.0f} s") from None
        finally:
            await stop(process, signal.SIGTERM, unit.stop_seconds)
        if code != 0:
            raise self._start_error(unit, describe_exit(code))

    def _start_error(self, unit: Unit, what: str) -> CliError:
        lines = last_lines(unit.log, SHOWN_LOG_LINES, start=self._log_starts[unit.name])
        shown = "\n".join(f"       {line}" for line in lines)
        return CliError(f"{unit.name} did not start: {what}\n{shown}".rstrip(), hint=f"its whole log: {unit.log}")

    async def _stay(self) -> None:
        while not self._stop_asked.is_set():
            try:
                async with asyncio.timeout(ROTATE_SECONDS):
                    await self._stop_asked.wait()
            except TimeoutError:
                await asyncio.to_thread(rotate, self._plan.layout.logs)

    async def _shut_down(self) -> None:
        if self._phase is StackPhase.READY:
            self._report("stopping")
        self._become(StackPhase.STOPPING)
        workers = [k for k in self._keepers.values() if k.unit in self._plan.workers]
        front = [k for k in workers if k.unit.name.startswith(GATEWAY)]
        for group in (front, [k for k in workers if k not in front], self._servers_in_stop_order()):
            await self._stop_group(group)
        self._plan.layout.forget_run()
        if self._reason:
            self._become(StackPhase.FAILED)
        else:
            remove_state(self._plan.options.data_dir)

    def _servers_in_stop_order(self) -> list[Keeper]:
        return [self._keepers[unit.name] for unit in self._plan.servers]

    async def _stop_group(self, keepers: Sequence[Keeper]) -> None:
        stopping = asyncio.gather(*(keeper.stop() for keeper in keepers))
        while not stopping.done():
            await asyncio.wait((stopping,), timeout=0.1)
            if self._must_kill:
                await asyncio.gather(*(keeper.kill() for keeper in self._keepers.values()))
        await stopping

    def _become(self, phase: StackPhase) -> None:
        self._phase = phase
        self._publish()

    def _publish(self) -> None:
        plan = self._plan
        state = StackState(
            phase=self._phase,
            reason=self._reason,
            http_url=plan.http_url,
            nats_url=plan.urls.get("nats_url"),
            nats_cli_url=plan.urls.get("nats_cli_url"),
            postgres_url=plan.urls.get("postgres_url"),
            postgres_loader_url=plan.urls.get("postgres_loader_url"),
            redis_url=plan.urls.get("redis_url"),
            profile=str(plan.options.profile),
            profile_in_force=str(plan.layout.profile),
            profile_digest=plan.options.profile_digest,
            data_dir=str(plan.options.data_dir),
            logs=str(plan.layout.logs),
            pid=os.getpid(),
            started_at=self._started_at,
            embedded=tuple(unit.name for unit in plan.servers),
            processes={name: keeper.state for name, keeper in self._keepers.items()},
        )
        write_state(plan.options.data_dir, state)
