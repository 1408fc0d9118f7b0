"""The yardstick: workers of the same number and on the same runtime as those of an ask, whose handlers are empty.

`python -m bench.chain ROLE` runs one: `gateway` (HTTP and NATS) → `orchestrator` → `intent`, then `facts`. Everything
that a question costs beyond them is the product's own: reading, validating, deciding, looking up, rendering.
"""

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Final

from faststream.nats import NatsRouter
from starlette.types import ASGIApp, Receive, Scope, Send

from contracts.v1.base import InternalMessage
from runtime.app import launch
from runtime.deadline import Deadline, current_deadline
from runtime.http_server import listen, serve_http
from runtime.serving import rpc
from runtime.settings import Port, RuntimeSettings, load_settings
from runtime.worker import Worker

PREFIX: Final = "bench.chain"
DOOR: Final = f"{PREFIX}.ask"
MARK: Final = b'"answer":'
DEADLINE_SECONDS: Final = 10.0


class ChainSettings(RuntimeSettings):
    """Where the gateway of the chain listens."""

    http_port: Port = 0


class Question(InternalMessage):
    question: str


class Answer(InternalMessage):
    answer: str


ChainWorker = Worker[ChainSettings]


async def _pass_on(worker: ChainWorker, role: str, question: Question) -> Answer:
    deadline = current_deadline() or Deadline.after(DEADLINE_SECONDS)
    return await worker.bus.request(f"{PREFIX}.{role}", question, Answer, deadline=deadline)


@asynccontextmanager
async def leaf(role: str, worker: ChainWorker) -> AsyncGenerator[None]:
    """Answers at once; like the product's, the one that would compute is serial and the one that would wait is not."""
    router = NatsRouter()

    @rpc(router, f"{PREFIX}.{role}", queue=role, limit=1 if role == "intent" else 256)
    async def on_question(question: Question) -> Answer:
        return Answer(answer=question.question)

    worker.broker.include_router(router)
    yield


@asynccontextmanager
async def orchestrator(worker: ChainWorker) -> AsyncGenerator[None]:
    """Asks one leaf, then the other."""
    router = NatsRouter()

    @rpc(router, f"{PREFIX}.orchestrator", queue="orchestrator")
    async def on_question(question: Question) -> Answer:
        await _pass_on(worker, "intent", question)
        return await _pass_on(worker, "facts", question)

    worker.broker.include_router(router)
    yield


@asynccontextmanager
async def gateway(worker: ChainWorker) -> AsyncGenerator[None]:
    """Takes asks over NATS and HTTP and passes them on."""
    router = NatsRouter()

    @rpc(router, DOOR, queue="gateway")
    async def on_question(question: Question) -> Answer:
        return await _pass_on(worker, "orchestrator", question)

    worker.broker.include_router(router)
    async with serve_http(_http_door(worker), listen("127.0.0.1", worker.settings.http_port)):
        yield


def _http_door(worker: ChainWorker) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message.get("more_body", False)
        with worker.telemetry.serving("http", None):
            reply = await _pass_on(worker, "orchestrator", Question.model_validate_json(body))
        content = reply.model_dump_json().encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    return answer


ROLES: Final[dict[str, Callable[[ChainWorker], AbstractAsyncContextManager[None]]]] = {
    "intent": partial(leaf, "intent"),
    "facts": partial(leaf, "facts"),
    "orchestrator": orchestrator,
    "gateway": gateway,
}


if __name__ == "__main__":
    role = sys.argv.pop(1)
    sys.exit(launch(role, lambda: (load_settings(ChainSettings), ROLES[role])))
