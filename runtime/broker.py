"""The NATS connection of a process, built in one place: names, reconnecting, callbacks and the one middleware.

It never gives up reconnecting. When the connection is lost, requests that wait for a reply fail at once instead of
burning their time-out; when it is closed for good, `on_closed` is told so that the process can end.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from faststream import BaseMiddleware
from faststream.message import StreamMessage
from faststream.nats import NatsBroker
from faststream.security import SASLPlaintext

from contracts import subjects
from runtime.logging import describe, get_log
from runtime.nats_internals import fail_waiting_requests
from runtime.observer import Observer
from runtime.serving import RpcResponse
from runtime.settings import RuntimeSettings

CONNECT_TIMEOUT_SECONDS: Final = 2
RECONNECT_WAIT_SECONDS: Final = 0.2
PING_SECONDS: Final = 5
MAX_OUTSTANDING_PINGS: Final = 2
"""A frozen server is noticed after PING_SECONDS times this."""

ERROR_LOG_SECONDS: Final = 5.0

_log = get_log(__name__)


def make_broker(
    settings: RuntimeSettings, service: str, observer: Observer, on_closed: Callable[[], None]
) -> NatsBroker:
    """The broker of a process, not yet connected."""
    log_error = _throttled_errors()

    async def lost() -> None:
        failed_requests = fail_waiting_requests(broker.connection) if broker.config.connection_state else 0
        _log.warning("nats_disconnected", count=failed_requests)

    async def found() -> None:
        _log.info("nats_reconnected")

    async def closed() -> None:
        on_closed()

    async def failed(error: Exception) -> None:
        log_error(error)

    broker = NatsBroker(
        [url.strip() for url in settings.nats_url.split(",")],
        name=f"ragspine-{service}",
        inbox_prefix=f"_INBOX_{service}",
        security=_security(settings),
        max_reconnect_attempts=-1,
        reconnect_time_wait=RECONNECT_WAIT_SECONDS,  # type: ignore[arg-type]  # FastStream says int, nats-py float
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        ping_interval=PING_SECONDS,
        max_outstanding_pings=MAX_OUTSTANDING_PINGS,
        error_cb=failed,
        disconnected_cb=lost,
        reconnected_cb=found,
        closed_cb=closed,
        middlewares=[observing(observer, unobserved=subjects.probe(service, ""))],
        graceful_timeout=0,  # `concurrency.drain` has waited already
        logger=None,
        apply_types=False,  # the endpoint validates, once
    )
    return broker


def _security(settings: RuntimeSettings) -> SASLPlaintext | None:
    if settings.nats_user is None:
        return None
    return SASLPlaintext(username=settings.nats_user, password=settings.nats_secret() or "")


def _throttled_errors() -> Callable[[Exception], None]:
    """Log connection errors, each kind at most every `ERROR_LOG_SECONDS`: a server that is away fails many times."""
    last: dict[str, float] = {}

    def log_error(error: Exception) -> None:
        kind, now = type(error).__qualname__, time.monotonic()
        if now >= last.get(kind, 0.0) + ERROR_LOG_SECONDS:
            last[kind] = now
            _log.warning("nats_error", **describe(error))

    return log_error


def observing(observer: Observer, unobserved: str) -> type[BaseMiddleware[Any, Any]]:
    """The middleware that counts, times and traces; subjects that start with `unobserved` leave nothing behind."""
    subject_of: WeakKeyDictionary[Any, str] = WeakKeyDictionary()

    class Observing(BaseMiddleware[Any, Any]):
        """Counts, times and traces each served request under its subject as declared."""

        async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: StreamMessage[Any]) -> object:
            subscriber = self.context.get_local("handler_")
            if subscriber is None:  # the reply to a request of ours
                return await call_next(msg)
            subject = subject_of.get(subscriber)
            if subject is None:
                subject = subject_of[subscriber] = subscriber.subject.template
            if subject.startswith(unobserved):
                return await call_next(msg)
            with observer.serving(subject, msg.headers.get(subjects.HEADER_TRACE)) as outcome:
                response = await call_next(msg)
                if isinstance(response, RpcResponse):
                    outcome.code, outcome.was_dropped = response.reply.outcome, response.reply.was_dropped
                return response

    return Observing
