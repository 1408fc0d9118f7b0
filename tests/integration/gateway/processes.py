"""A gateway process on a real server, with workers behind it that the test scripts."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from faststream.nats import NatsBroker, NatsRouter

from contracts import subjects
from contracts.v1.ask import AnswerQuestion, AnswerResult
from runtime.bus import Bus
from runtime.health import Health, Phase
from runtime.ping import add_ping
from runtime.serving import rpc
from tests.component.gateway.doors import ANSWER
from tests.integration.runtime.clients import connected
from tests.integration.runtime.worker_process import PROFILE, ROOT, Process
from tests.support.servers import free_port

Answer = Callable[[AnswerQuestion], Awaitable[AnswerResult]]


@dataclass
class Gateway:
    """A started gateway."""

    process: Process
    url: str

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.url, timeout=20)

    def listens(self) -> bool:
        """Whether the public port answers."""
        try:
            return httpx.get(f"{self.url}/healthz").status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def running_service(service: str, nats_url: str, folder: Path, **variables: str) -> Generator[Process]:
    """`python -m services.<service>`; killed at the end if it still runs."""
    port_file, log = folder / f"{service}.port", folder / f"{service}.log"
    environment = {
        "RAGSPINE_NATS_URL": nats_url,
        "RAGSPINE_PROFILE": str(PROFILE),
        "RAGSPINE_OPS_PORT_FILE": str(port_file),
        "RAGSPINE_STRICT_TELEMETRY": "1",
        **variables,
    }
    with log.open("w") as output:
        command = [sys.executable, "-m", f"services.{service}"]
        popen = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output, text=True)
    try:
        yield Process(popen, port_file, log, environment)
    finally:
        popen.kill()
        popen.wait()


@contextmanager
def running_gateway(nats_url: str, folder: Path, **variables: str) -> Generator[Gateway]:
    """A gateway on a free port; its start is not waited for."""
    port = variables.pop("RAGSPINE_HTTP_PORT", "") or str(free_port())
    with running_service("gateway", nats_url, folder, RAGSPINE_HTTP_PORT=port, **variables) as process:
        yield Gateway(process, f"http://127.0.0.1:{port}")


def orchestrator(answer: Answer) -> NatsRouter:
    """An orchestrator that answers so."""
    router = NatsRouter()

    @rpc(router, subjects.ORCHESTRATOR_ANSWER, queue=subjects.QUEUE_ORCHESTRATOR)
    async def on_answer(question: AnswerQuestion) -> AnswerResult:
        return await answer(question)

    return router


async def usual_answer(question: AnswerQuestion) -> AnswerResult:
    return ANSWER.model_copy(update={"request_id": question.request_id})


@asynccontextmanager
async def behind(nats_url: str, *routers: NatsRouter) -> AsyncGenerator[Bus]:
    """Workers behind the gateway, inside the test process; yields a bus of an app in front of it."""
    async with connected(nats_url, *routers) as (bus, _):
        yield bus


@asynccontextmanager
async def ready_workers(nats_url: str, *services: str) -> AsyncGenerator[dict[str, Health]]:
    """Workers that answer pings; a test may change how they are."""
    healths = {service: Health() for service in services}

    async with connected(nats_url) as (_, broker):
        for service, health in healths.items():
            health.phase = Phase.SERVING
            await _add_ping(broker, health, service)
        yield healths


async def _add_ping(broker: NatsBroker, health: Health, service: str) -> None:
    known = set(broker.subscribers)
    add_ping(broker, health, service)
    for subscriber in set(broker.subscribers) - known:
        await subscriber.start()
