"""A gateway process with durable asks on a broker that syncs, and apps in front of it."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import asyncpg
import nats
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError

from contracts import subjects
from contracts.v1.asks import DurableAnswer
from runtime.events import StreamSettings, provision_streams
from tests.component.gateway.doors import QUESTION
from tests.integration.gateway.processes import Gateway, running_gateway
from tests.integration.runtime.worker_process import until
from tests.support.servers import Nats, running_nats

ACK_WAIT_SECONDS = 1.0
WAIT_SECONDS = 15.0


@dataclass
class Stand:
    """Broker and database of some gateways."""

    nats: Nats
    dsn: str

    @contextmanager
    def gateway(self, folder: Path, **variables: str) -> Generator[Gateway]:
        """One more gateway; started once it uses the queue."""
        more = {"RAGSPINE_NATS_MONITOR_URL": self.nats.monitor_url, "RAGSPINE_POSTGRES_URL": self.dsn, **variables}
        with running_gateway(self.nats.url, folder, **more) as gateway:
            until(
                lambda: gateway.listens() and '"durable_asks":"ready"' in gateway.process.get("/readyz")[1], seconds=40
            )
            yield gateway

    async def rows(self, statement: str, *values: object) -> list[asyncpg.Record]:
        """What the ledger has."""
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetch(statement, *values)
        finally:
            await connection.close()


@contextmanager
def standing(dsn: str) -> Generator[Stand]:
    """A broker of one's own with the streams of durable asks, beside a migrated database."""
    with running_nats(syncing=True) as server:
        asyncio.run(provide(server))
        yield Stand(server, dsn)


async def provide(server: Nats) -> None:
    await provision_streams(
        StreamSettings(nats_url=server.url, nats_monitor_url=server.monitor_url, asks_ack_wait_seconds=ACK_WAIT_SECONDS)
    )


@dataclass
class App:
    """An app on the bus."""

    stream: JetStreamContext
    name: str

    async def publish(
        self, ask_id: str | None = None, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> str:
        """Publish an ask and have it acknowledged; returns its id."""
        ask_id = ask_id or uuid4().hex
        body = body if body is not None else json.dumps({"question": QUESTION}).encode()
        await self.stream.publish(subjects.asks(self.name, ask_id), body, headers=headers, timeout=5)
        return ask_id

    async def answer(self, ask_id: str, seconds: float = WAIT_SECONDS) -> DurableAnswer:
        """The final word; waits for it."""
        deadline = time.monotonic() + seconds
        while (body := await self.stored(ask_id)) is None:
            assert time.monotonic() < deadline, "no final word"
            await asyncio.sleep(0.05)
        return DurableAnswer.model_validate_json(body)

    async def stored(self, ask_id: str) -> bytes | None:
        """What the stream of answers holds for an ask."""
        subject = subjects.answers(self.name, ask_id)
        try:
            return (await self.stream.get_last_msg(subjects.ANSWER_STREAM, subject, direct=True)).data
        except (NotFoundError, TimeoutError):
            return None


@asynccontextmanager
async def app_on(server: Nats, name: str = "crm") -> AsyncGenerator[App]:
    """An app with a connection of its own."""
    client = await nats.connect(server.url, reconnect_time_wait=0.1, max_reconnect_attempts=-1)
    try:
        yield App(client.jetstream(timeout=5), name)
    finally:
        await client.close()


async def eventually(condition: Callable[[], Awaitable[object]], seconds: float = WAIT_SECONDS) -> None:
    """Wait until an async function without arguments returns something true."""
    deadline = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
