"""The order in which a process starts and stops.

Start: operations port, resources, bus, ready. Stop: not ready, take no new request, finish the running ones, close
resources (the bus still works while they close), leave the bus. A stop that comes during the start cancels the start.
"""

import asyncio
import gc
import os
import signal
import socket
from contextlib import suppress
from typing import Final, Generic

from nats.errors import Error

from contracts import subjects
from runtime.broker import make_broker
from runtime.bus import Bus
from runtime.bus_users import PRODUCT_USERS, reply_prefixes
from runtime.concurrency import drain
from runtime.direct import ReplyRule, any_reply, serve_directly
from runtime.endpoint import BUS_BYTES
from runtime.health import Health, Phase
from runtime.http_server import serve_http
from runtime.logging import describe, get_log
from runtime.nats_internals import read_any_subject
from runtime.observer import Observer
from runtime.ops import ops_app, write_port
from runtime.ping import add_ping
from runtime.probe import add_probe
from runtime.settings import ConfigurationError
from runtime.worker import Build, S, Worker

EXIT_STOPPED: Final = 0
EXIT_FAULT: Final = 1

_RETRY_SECONDS: Final = 1.0
_LEAVE_SECONDS: Final = 5.0
_SIGNAL_EXIT: Final = 128  # plus the number of the signal, as shells report it

_log = get_log(__name__)


class Lifecycle(Generic[S]):
    """One run of one process."""

    def __init__(self, service: str, instance: str, settings: S, observer: Observer) -> None:
        self._stop = asyncio.Event()
        self._exit_code = EXIT_STOPPED
        self._instance = instance
        self._observer = observer
        broker = make_broker(settings, service, observer, on_fault=self._on_fault)
        self._worker = Worker(
            service=service,
            settings=settings,
            broker=broker,
            bus=Bus(broker, observer),
            health=Health(),
            metrics=observer.metrics,
            telemetry=observer.telemetry,
        )

    async def run(self, build: Build[S], ops_socket: socket.socket) -> int:
        """Run until a signal or a fault; returns the exit code. Raises `ConfigurationError`."""
        worker = self._worker
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_signal, number)
        async with serve_http(ops_app(worker.health, worker.metrics), ops_socket) as port:
            if worker.settings.ops_port_file is not None:
                write_port(worker.settings.ops_port_file, port)
            _log.info("started", port=port, instance=self._instance)
            await self._until_stopped(build)
        _log.info("stopped", code=self._exit_code)
        return self._exit_code

    async def _until_stopped(self, build: Build[S]) -> None:
        service = asyncio.create_task(self._serve(build), name="service")
        stop = asyncio.create_task(self._stop.wait(), name="stop")
        await asyncio.wait({service, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if self._worker.health.phase is Phase.STARTING:
            service.cancel()
        await self._wait_for_the_end(service)
        try:
            with suppress(asyncio.CancelledError):
                await service
        except Exception as error:
            if (wrong_setting := _wrong_setting(error)) is not None:
                raise wrong_setting from error
            _log.error("service_failed", **describe(error))
            self._exit_code = EXIT_FAULT

    async def _wait_for_the_end(self, service: asyncio.Task[None]) -> None:
        """Running requests and resources get the grace period each; what hangs longer is cancelled."""
        limit = 2 * self._worker.settings.stop_grace_seconds + _LEAVE_SECONDS
        _, hanging = await asyncio.wait({service}, timeout=limit)
        if hanging:
            _log.error("closing_given_up", seconds=limit)
            self._exit_code = EXIT_FAULT
            service.cancel()

    async def _serve(self, build: Build[S]) -> None:
        worker = self._worker
        try:
            async with build(worker):
                add_probe(worker.broker, worker.health, worker.service, self._instance)
                add_ping(worker.broker, worker.health, worker.service)
                await self._join_bus()
                gc.collect()
                gc.freeze()  # what exists now lives as long as the process: the collector need not look at it again
                worker.health.phase = Phase.SERVING
                _log.info("serving")
                await self._stop.wait()
                worker.health.phase = Phase.STOPPING
                await self._drain()
        finally:
            worker.health.phase = Phase.STOPPING
            await self._leave_bus()

    async def _join_bus(self) -> None:
        attempt = 1
        while True:
            try:
                await self._worker.broker.connect()
            except (Error, OSError, TimeoutError) as error:
                _log.warning("nats_not_reachable", attempt=attempt, **describe(error))
                attempt += 1
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                break
        read_any_subject(self._worker.broker.connection)
        carried = self._worker.broker.connection.max_payload
        if carried < BUS_BYTES:  # a larger reply would fail to be sent, and its caller would wait in vain
            raise ConfigurationError(f"RAGSPINE_NATS_URL: max_payload of that server is {carried}, needed: {BUS_BYTES}")
        unobserved = subjects.probe(self._worker.service, "")
        serve_directly(self._worker.broker.subscribers, self._observer, unobserved, self._reply_rule())
        await self._worker.broker.start()

    def _reply_rule(self) -> ReplyRule:
        """By the table of the bus where there are users; a bus without them enforces nothing that could be checked."""
        is_known = any(user.name == self._worker.service for user in PRODUCT_USERS)
        return reply_prefixes if is_known and self._worker.settings.has_identity else any_reply

    async def _drain(self) -> None:
        given_up = await drain(self._worker.broker.subscribers, self._worker.settings.stop_grace_seconds)
        if given_up:
            _log.error("requests_given_up", count=given_up)

    async def _leave_bus(self) -> None:
        broker = self._worker.broker
        if not broker.config.connection_state:
            return
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                if broker.connection.is_connected:
                    await broker.stop()
                else:  # draining without a server would wait for it
                    await broker.connection.close()
        except (Error, OSError, TimeoutError) as error:
            _log.warning("bus_left_without_farewell", **describe(error))

    def _on_fault(self, reason: str) -> None:
        if not self._stop.is_set():
            _log.error("fault", reason=reason)
            self._exit_code = EXIT_FAULT
            self._stop.set()

    def _on_signal(self, number: signal.Signals) -> None:
        if self._stop.is_set():
            os._exit(_SIGNAL_EXIT + number)
        _log.info("stopping", signal=number.name)
        self._stop.set()


def _wrong_setting(error: Exception) -> ConfigurationError | None:
    """The wrong setting that stopped the start, also out of a task group, which wraps what it lets through."""
    match error:
        case ConfigurationError():
            return error
        case ExceptionGroup(exceptions=within):
            return next((found for one in within if (found := _wrong_setting(one)) is not None), None)
        case _:
            return None
