"""What a worker does when the server denies it something: it stays, unless it would be deaf."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from faststream.nats import NatsBroker, NatsRouter
from nats.aio.msg import Msg

from contracts import subjects
from runtime.broker import make_broker
from runtime.bus_users import PRODUCT_ACCOUNT, reply_prefixes
from runtime.direct import serve_directly
from runtime.observer import Observer
from runtime.serving import rpc
from runtime.settings import RuntimeSettings
from tests.integration.runtime.worker_process import PROFILE
from tests.integration.security.bus_server import PASSWORD, all_is_delivered, connection, guarded_nats, observer_of
from tests.support.servers import Nats
from tests.unit.runtime.messages import Said

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

INBOX = "_INBOX_orchestrator.x"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Nats]:
    with guarded_nats(tmp_path_factory.mktemp("bus")) as running:
        yield running


@dataclass
class Worker:
    """A worker inside the test, as its lifecycle makes it."""

    broker: NatsBroker
    observer: Observer
    faults: list[str] = field(default_factory=list[str])

    @property
    def foreign_replies(self) -> float:
        return self.observer.metrics.foreign_replies.labels(subjects.INTENT_PARSE)._value.get()


@asynccontextmanager
async def worker(server: Nats, *, queue: str = "intent") -> AsyncGenerator[Worker]:
    settings = RuntimeSettings.model_validate(
        {"nats_url": server.url, "nats_user": "intent", "nats_password": PASSWORD, "profile": PROFILE}
    )
    observer, faults = Observer(), list[str]()
    broker = make_broker(settings, "intent", observer, on_fault=faults.append)
    router = NatsRouter()

    @rpc(router, subjects.INTENT_PARSE, queue=queue)
    async def on_parse(message: Said) -> Said:
        """The same again."""
        return message

    broker.include_router(router)
    await broker.connect()
    serve_directly(broker.subscribers, observer, "none.", reply_prefixes)
    await broker.start()
    try:
        await all_is_delivered(broker.connection)
        yield Worker(broker, observer, faults)
    finally:
        await broker.stop()


async def said(server: Nats, running: Worker, *, reply: str = INBOX) -> list[bytes]:
    """What the worker replies to one request, sent as somebody without limits."""
    heard: list[bytes] = []
    async with connection(server, observer_of(PRODUCT_ACCOUNT)) as observer:

        async def keep(message: Msg) -> None:
            heard.append(message.data)

        await observer.subscribe(reply, cb=keep)
        await all_is_delivered(observer)
        await observer.publish(subjects.INTENT_PARSE, b'{"text": "a"}', reply=reply)
        for _ in range(3):  # there, to its task, and back
            await all_is_delivered(observer, running.broker.connection)
    return heard


async def test_a_denied_publish_neither_ends_nor_deafens_a_worker(server: Nats) -> None:
    async with worker(server) as running:
        await running.broker.connection.publish(subjects.answers("app1", "x"), b"forged")
        await all_is_delivered(running.broker.connection)

        assert running.faults == []
        assert len(await said(server, running)) == 1


async def test_a_denied_subscription_is_a_fault(server: Nats) -> None:
    async with worker(server, queue="spies") as running:
        assert running.faults == ["subscription_denied"]


@pytest.mark.parametrize("reply", ["_INBOX_facts.x", "ragspine.v1.answers.app2.x", "_INBOX.x"])
async def test_a_request_is_not_run_for_somebody_who_may_not_ask(server: Nats, reply: str) -> None:
    async with worker(server) as running:
        assert await said(server, running, reply=reply) == []
        assert running.foreign_replies == 1
        assert len(await said(server, running)) == 1
