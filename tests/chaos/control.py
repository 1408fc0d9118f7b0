"""What the naive worker loses under the same kills: the proof that this harness can see a loss."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass

import nats
from nats.aio.client import Client
from nats.errors import Error
from nats.js import JetStreamContext

from tests.chaos.killing import Killing, Kind, all_are_up
from tests.chaos.naive import ANSWERS, ASKS, DURABLE, STREAM
from tests.support.servers import Nats, Postgres, running_nats, running_postgres
from tests.support.stacks import ROOT

WORKERS = 2
SENDERS = 8
QUIET_SECONDS = 1.5
"""Nothing more is to come once nothing has changed for so long and nothing waits."""
SETTLE_SECONDS = 90.0


@dataclass(frozen=True)
class Loss:
    """What became of the acknowledged asks of the control."""

    accepted: int
    answered: int
    kills: Mapping[str, int]

    @property
    def lost(self) -> int:
        """Asks that the broker had acknowledged and that nobody answered."""
        return self.accepted - self.answered


@dataclass
class _Naive:
    """One naive worker; killed ones are started again at once."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    kind: Kind = Kind.WORKER

    def start(self) -> None:
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def is_up(self) -> bool:
        return self.process is not None and self.process.poll() is None

    async def kill(self) -> None:
        self.stop()
        self.start()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@dataclass(frozen=True)
class _Broker:
    nats: Nats
    name: str = "nats"
    kind: Kind = Kind.BROKER

    def is_up(self) -> bool:
        return True

    async def kill(self) -> None:
        await asyncio.to_thread(self.nats.server.kill)
        await asyncio.to_thread(self.nats.server.start)


@dataclass(frozen=True)
class _Database:
    postgres: Postgres
    name: str = "postgres"
    kind: Kind = Kind.DATABASE

    def is_up(self) -> bool:
        return True

    async def kill(self) -> None:
        process = self.postgres.server.process
        assert process is not None
        process.send_signal(signal.SIGQUIT)  # "immediate": no checkpoint, sessions end where they are
        await asyncio.to_thread(process.wait)
        await asyncio.to_thread(self.postgres.server.start)


async def run_control(asks: int, wanted: Mapping[Kind, int], seed: int) -> Loss:
    """Send `asks` to naive workers while they, their broker and their database are killed."""
    with ExitStack() as stack:
        broker = stack.enter_context(running_nats(arguments=()))
        database = stack.enter_context(running_postgres())
        async with _connected(broker.url) as client:
            await _provide_stream(client)
            workers = stack.enter_context(_naive_workers(broker.url, database.dsn()))
            await _until_consumed(client.jetstream())
            permits = asyncio.Semaphore(asks // (sum(wanted.values()) + 1))
            killing = Killing(
                [*workers, _Broker(broker), _Database(database)],
                wanted,
                random.Random(seed),
                before_kill=lambda: _release(permits, -(-asks // (sum(wanted.values()) + 1))),
                per_minute=60,
            )
            sending = asyncio.create_task(_send_all(client.jetstream(), asks, permits))
            await killing.run()
            accepted = await sending
            assert all_are_up(workers)
            answered = await _settled(client.jetstream())
    return Loss(accepted, answered, dict(killing.done))


def _release(permits: asyncio.Semaphore, number: int) -> None:
    for _ in range(number):
        permits.release()


@asynccontextmanager
async def _connected(url: str) -> AsyncGenerator[Client]:
    async def ignore(_: Exception) -> None:
        """What fails is seen where it is used."""

    client = await nats.connect(url, max_reconnect_attempts=-1, reconnect_time_wait=0.1, error_cb=ignore)
    try:
        yield client
    finally:
        await client.close()


@contextmanager
def _naive_workers(nats_url: str, dsn: str) -> Generator[list[_Naive]]:
    command = [sys.executable, "-m", "tests.chaos.naive", nats_url, dsn]
    workers = [_Naive(f"naive-{number}", command) for number in range(1, WORKERS + 1)]
    try:
        for worker in workers:
            worker.start()
        yield workers
    finally:
        for worker in workers:
            worker.stop()


async def _provide_stream(client: Client) -> None:
    await client.jetstream().add_stream(name=STREAM, subjects=[f"{ASKS}.*", f"{ANSWERS}.*"])


async def _until_consumed(stream: JetStreamContext) -> None:
    """Wait until a first ask is answered: from there on, what is not answered is lost."""
    async with asyncio.timeout(30):
        await stream.publish(f"{ASKS}.first", b"first")
        while await _count(stream, ANSWERS) < 1:
            await asyncio.sleep(0.1)


async def _send_all(stream: JetStreamContext, asks: int, permits: asyncio.Semaphore) -> int:
    numbers = iter(range(asks))

    async def send() -> None:
        for number in numbers:
            await permits.acquire()
            while not await _accepted(stream, number):
                await asyncio.sleep(0.1)

    await asyncio.gather(*(send() for _ in range(SENDERS)))
    return asks + 1  # and the first one


async def _accepted(stream: JetStreamContext, number: int) -> bool:
    try:
        await stream.publish(f"{ASKS}.{number}", b"ask", timeout=1, headers={"Nats-Msg-Id": str(number)})
    except (Error, OSError, TimeoutError):
        return False
    return True


async def _settled(stream: JetStreamContext) -> int:
    """How many asks have an answer once nothing happens any more."""
    loop = asyncio.get_running_loop()
    seen, since, until = -1, loop.time(), loop.time() + SETTLE_SECONDS
    while loop.time() < until:
        answered, waiting = await _count(stream, ANSWERS), await _waiting(stream)
        if answered != seen or waiting:
            seen, since = answered, loop.time()
        elif loop.time() > since + QUIET_SECONDS:
            return answered
        await asyncio.sleep(0.2)
    return seen


async def _waiting(stream: JetStreamContext) -> int:
    try:
        found = await stream.consumer_info(STREAM, DURABLE)
    except (Error, TimeoutError):
        return 1
    return (found.num_pending or 0) + (found.num_ack_pending or 0)


async def _count(stream: JetStreamContext, prefix: str) -> int:
    """Subjects below a prefix that hold a message."""
    try:
        found = await stream.stream_info(STREAM, subjects_filter=f"{prefix}.*")
    except (Error, TimeoutError):
        return 0
    return len(found.state.subjects or {})
