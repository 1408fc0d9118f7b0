"""The yardstick: workers of the same hops and messages as those of an ask, whose handlers are empty.

`python -m bench.chain ROLE` runs one: `gateway` (HTTP and NATS) → `orchestrator` → `intent`, then `facts`. Each replies
with a fixed message of the contract, by plain FastStream subscribers with the leanest settings we know: no logging, no
injection, a task per message where a handler waits. They trace and count as the product's workers do. Everything that a
question costs beyond them is the product's own: the edge, reading, deciding, looking up in Postgres, rendering.
"""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any, Final, TypeVar

from faststream.nats import NatsRouter
from pydantic import BaseModel
from starlette.types import ASGIApp, Receive, Scope, Send

from contracts.v1.ask import AnswerQuestion, AnswerResult, AskRequest
from contracts.v1.facts import FactOutcomes, QueryFacts
from contracts.v1.intent import ParsedIntent, ParseIntent
from runtime.app import launch
from runtime.concurrency import DEFAULT_LIMIT, concurrent
from runtime.deadline import Deadline
from runtime.http_server import listen, serve_http
from runtime.settings import Port, RuntimeSettings, load_settings
from runtime.worker import Worker

PREFIX: Final = "bench.chain"
DOOR: Final = f"{PREFIX}.ask"
MARK: Final = b'"value":"1320"'
EXAMPLES: Final = Path(__file__).resolve().parents[1] / "contracts/examples/v1"
DEADLINE_SECONDS: Final = 10.0
DAY: Final = date(2025, 6, 30)


class ChainSettings(RuntimeSettings):
    """Where the gateway of the chain listens."""

    http_port: Port = 0


ChainWorker = Worker[ChainSettings]
M = TypeVar("M", bound=BaseModel)


def example(kind: type[M], name: str) -> M:
    """A message as the contract shows it."""
    return kind.model_validate_json((EXAMPLES / kind.__name__ / f"{name}.json").read_bytes())


PARSED: Final = example(ParsedIntent, "structured")
SCOPES: Final = example(QueryFacts, "one")
OUTCOMES: Final = example(FactOutcomes, "found")
ANSWER: Final = example(AnswerResult, "structured_found")


async def _pass_on(worker: ChainWorker, role: str, message: BaseModel, reply: type[M]) -> M:
    return await worker.bus.request(f"{PREFIX}.{role}", message, reply, deadline=Deadline.after(DEADLINE_SECONDS))


def serve(
    router: NatsRouter, subject: str, queue: str, limit: int = DEFAULT_LIMIT
) -> Callable[[Callable[[Any], Awaitable[BaseModel]]], None]:
    """Subscribe a handler that takes the body as JSON read it."""

    def register(handler: Callable[[Any], Awaitable[BaseModel]]) -> None:
        subscriber = router.subscriber(subject, queue)
        subscriber(handler)
        if limit > 1:
            concurrent(subscriber, limit)

    return register


@asynccontextmanager
async def intent(worker: ChainWorker) -> AsyncGenerator[None]:
    """Answers at once, one message at a time, as a worker that only computes."""
    router = NatsRouter()

    @serve(router, f"{PREFIX}.intent", "intent", limit=1)
    async def on_parse(body: Any) -> ParsedIntent:
        ParseIntent.model_validate(body)
        return PARSED

    worker.broker.include_router(router)
    yield


@asynccontextmanager
async def facts(worker: ChainWorker) -> AsyncGenerator[None]:
    """Answers at once, many messages at a time, as a worker that waits for a store."""
    router = NatsRouter()

    @serve(router, f"{PREFIX}.facts", "facts")
    async def on_query(body: Any) -> FactOutcomes:
        QueryFacts.model_validate(body)
        return OUTCOMES

    worker.broker.include_router(router)
    yield


@asynccontextmanager
async def orchestrator(worker: ChainWorker) -> AsyncGenerator[None]:
    """Asks one leaf, then the other."""
    router = NatsRouter()

    @serve(router, f"{PREFIX}.orchestrator", "orchestrator")
    async def on_question(body: Any) -> AnswerResult:
        request = AnswerQuestion.model_validate(body)
        parse = ParseIntent(question=request.question, reference_date=request.reference_date)
        await _pass_on(worker, "intent", parse, ParsedIntent)
        await _pass_on(worker, "facts", SCOPES, FactOutcomes)
        return ANSWER

    worker.broker.include_router(router)
    yield


@asynccontextmanager
async def gateway(worker: ChainWorker) -> AsyncGenerator[None]:
    """Takes asks over NATS and HTTP and passes them on."""
    router = NatsRouter()

    @serve(router, DOOR, "gateway")
    async def on_ask(body: Any) -> AnswerResult:
        return await _answer(worker, AskRequest.model_validate(body))

    worker.broker.include_router(router)
    async with serve_http(_http_door(worker), listen("127.0.0.1", worker.settings.http_port)):
        yield


async def _answer(worker: ChainWorker, ask: AskRequest) -> AnswerResult:
    question = AnswerQuestion(
        question=ask.question,
        reference_date=ask.reference_date or DAY,
        request_id="bench",
        profile_digest="bench",
    )
    return await _pass_on(worker, "orchestrator", question, AnswerResult)


def _http_door(worker: ChainWorker) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message.get("more_body", False)
        with worker.telemetry.serving("http", None):
            reply = await _answer(worker, AskRequest.model_validate_json(body))
        content = reply.model_dump_json().encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    return answer


ROLES: Final[dict[str, Callable[[ChainWorker], AbstractAsyncContextManager[None]]]] = {
    "intent": intent,
    "facts": facts,
    "orchestrator": orchestrator,
    "gateway": gateway,
}


if __name__ == "__main__":
    role = sys.argv.pop(1)
    sys.exit(launch(role, lambda: (load_settings(ChainSettings), ROLES[role])))
