"""The NATS connection of a process, built in one place: names, reconnecting, callbacks and the one middleware.

It never gives up reconnecting. When the connection is lost, requests that wait for a reply fail at once instead of
burning their time-out. When it is closed for good, or a subscription is denied (only a new connection can ask again),
`on_fault` is told, so that the process ends instead of staying alive and deaf.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from faststream import BaseMiddleware
from faststream.message import StreamMessage
from faststream.nats import NatsBroker
from nats.aio.client import ErrorCallback

from contracts import subjects
from runtime.bus_login import broker_security
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


class _PatientBroker(NatsBroker):
    """Keeps reconnecting whatever the server says.

    FastStream ends nats-py's reconnecting for good when the server refuses a connection (credentials not yet known,
    too many connections), and the process stays alive and deaf.
    """

    def _log_connection_broken(self, error_cb: ErrorCallback | None = None) -> ErrorCallback:
        return error_cb or super()._log_connection_broken(error_cb)


def make_broker(
    settings: RuntimeSettings, service: str, observer: Observer, on_fault: Callable[[str], None]
) -> NatsBroker:
    """The broker of a process, not yet connected; raises `ConfigurationError`."""
    log_error = _throttled_errors()

    async def lost() -> None:
        failed_requests = fail_waiting_requests(broker.connection) if broker.config.connection_state else 0
        _log.warning("nats_disconnected", count=failed_requests)

    async def found() -> None:
        _log.info("nats_reconnected")

    async def closed() -> None:
        on_fault("nats_closed_for_good")

    async def failed(error: Exception) -> None:
        reason = _reason(error)
        log_error(error, reason)
        if reason == "subscription_denied":
            on_fault(reason)

    broker = _PatientBroker(
        [url.strip() for url in settings.nats_url.split(",")],
        name=f"ragspine-{service}",
        inbox_prefix=f"_INBOX_{service}",
        security=broker_security(settings),
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


_REASONS: Final = {
    "permissions violation for subscription": "subscription_denied",
    "permissions violation": "publishing_denied",
    "authorization violation": "credentials_refused",
    "authorization failed": "credentials_refused",
    "maximum connections exceeded": "too_many_connections",
    "slow consumer": "too_slow",
    "stale connection": "no_answer_to_pings",
}
"""What nats-server says, as codes: its texts hold subjects of other processes."""


def _reason(error: Exception) -> str:
    text = str(error).lower().removeprefix("nats: ").strip("'")
    return next((code for start, code in _REASONS.items() if text.startswith(start)), "other")


def _throttled_errors() -> Callable[[Exception, str], None]:
    """Log connection errors, each kind at most every `ERROR_LOG_SECONDS`: a server that is away fails many times."""
    last: dict[str, float] = {}

    def log_error(error: Exception, reason: str) -> None:
        kind, now = f"{type(error).__qualname__} {reason}", time.monotonic()
        if kind not in last or now >= last[kind] + ERROR_LOG_SECONDS:
            last[kind] = now
            _log.warning("nats_error", reason=reason, **describe(error))

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
            with observer.serving(subject, msg.headers.get(subjects.HEADER_TRACE)) as served:
                response = await call_next(msg)
                if isinstance(response, RpcResponse):
                    served.outcome, served.was_dropped = response.reply.outcome, response.reply.was_dropped
                return response

    return Observing
