"""What tests of every service need: a bus in memory, a broker without a server, and the spans that were made.

`InMemoryBus` goes through the same endpoints, encoding, deadlines and errors as the real one; only NATS is missing. It
does not queue, balance, reconnect or lose anything: what depends on that is tested against a real server.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any

from faststream.nats import NatsBroker, NatsRouter
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel

from contracts import subjects
from runtime.broker import observing
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.endpoint import Endpoint, Reply
from runtime.errors import DeadlineExceededError, UnavailableError
from runtime.observer import Observer
from runtime.serving import endpoints, rpc
from runtime.span_export import AllowListProcessor
from runtime.telemetry import Telemetry

Fake = Callable[[Any], Awaitable[BaseModel]]


def memory_broker(observer: Observer | None = None) -> NatsBroker:
    """A broker set up as in production, for `TestNatsBroker(broker, connect_only=False)`."""
    return NatsBroker(
        middlewares=[observing(observer or Observer(), unobserved=subjects.probe("", ""))],
        logger=None,
        apply_types=False,
    )


class InMemoryBus(Bus):
    """Delivers requests to routers and fakes of this process, and keeps events in `events`."""

    def __init__(self, *routers: NatsRouter, observer: Observer | None = None) -> None:
        super().__init__(NatsBroker(logger=None), observer)
        self._endpoints: dict[str, Endpoint[Any, Any]] = {}
        self.events: list[tuple[str, bytes, str]] = []
        """Subject, body and event id of what was published; the same id only once."""
        self.requests: list[str] = []
        """Subjects of the requests that were sent, in order."""
        self.is_up = True
        for router in routers:
            self.include_router(router)

    @property
    def is_connected(self) -> bool:
        """What a test says it is."""
        return self.is_up

    def include_router(self, router: NatsRouter) -> None:
        """Serve everything that `router` offers."""
        for endpoint in endpoints(router):
            self._endpoints[endpoint.operation.subject] = endpoint

    def serve(self, subject: str, fake: Fake) -> None:
        """Serve `subject` with an annotated handler, in place of what served it before."""
        router = NatsRouter()
        rpc(router, subject, queue="fake")(fake)
        self.include_router(router)

    async def _exchange(
        self, subject: str, payload: bytes, headers: dict[str, str], until: Deadline
    ) -> tuple[bytes, dict[str, str]]:
        if not self.is_up:
            raise UnavailableError("The message bus is not connected at the moment.")
        self.requests.append(subject)
        endpoint = self._find(subject)
        if endpoint is None:
            raise UnavailableError("Nobody serves this request at the moment.")
        # A task of its own, as in another process: what the handler sets in its context stays there.
        try:
            async with asyncio.timeout(until.left()):
                reply = await asyncio.create_task(self._serve(endpoint, payload, headers))
        except TimeoutError:
            raise DeadlineExceededError from None
        return reply.body, reply.headers

    async def _serve(self, endpoint: Endpoint[Any, Any], payload: bytes, headers: dict[str, str]) -> Reply:
        with self._observer.serving(endpoint.operation.subject, headers.get(subjects.HEADER_TRACE)) as served:
            reply = await endpoint.respond(payload, headers)
            served.outcome, served.was_dropped = reply.outcome, reply.was_dropped
            return reply

    async def _store(self, subject: str, payload: bytes, headers: dict[str, str], until: Deadline) -> None:
        if not self.is_up:
            raise UnavailableError("The message bus is not connected at the moment.")
        event_id = headers["Nats-Msg-Id"]
        if all(event_id != known for _, _, known in self.events):
            self.events.append((subject, payload, event_id))

    def _find(self, subject: str) -> Endpoint[Any, Any] | None:
        if subject in self._endpoints:
            return self._endpoints[subject]
        return next((e for pattern, e in self._endpoints.items() if _matches(pattern, subject)), None)


def _matches(pattern: str, subject: str) -> bool:
    wanted, given = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        return len(given) >= len(wanted) and _matches(".".join(wanted[:-1]), ".".join(given[: len(wanted) - 1]))
    return len(wanted) == len(given) and all(w in ("*", g) for w, g in zip(wanted, given, strict=True))


@contextmanager
def recorded_spans() -> Generator[tuple[Telemetry, Callable[[], tuple[ReadableSpan, ...]]]]:
    """Telemetry that records everything, and a function that returns what would have been exported so far."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(AllowListProcessor(SimpleSpanProcessor(exporter), strict=True))
    telemetry = Telemetry(provider)
    try:
        yield telemetry, exporter.get_finished_spans
    finally:
        telemetry.shutdown()
