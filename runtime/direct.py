"""The short way of a request: from the connection to its endpoint and back, without FastStream's pipeline in between.

FastStream declares, subscribes and connects; what it does around each message (context scopes, parsing, a stack of
middlewares, a publisher per reply) costs more processor time than most handlers, and no `rpc` endpoint needs it. What
stays the same: counting, timing, tracing, typed replies, limits and draining. Other subscribers keep the long way.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from faststream.nats.subscriber.usecases import CoreSubscriber
from nats.aio.msg import Msg
from nats.errors import Error

from contracts import subjects
from runtime.concurrency import consume_by
from runtime.endpoint import Endpoint, Reply
from runtime.logging import describe, get_log
from runtime.observer import Observer
from runtime.serving import endpoint_of

_log = get_log(__name__)


ReplyRule = Callable[[str], tuple[str, ...]]
"""Subject to what the reply subject of its requests must start with, one of these."""


def any_reply(_: str) -> tuple[str, ...]:
    """The rule of a bus without users: a reply goes wherever the request says."""
    return ("",)


def serve_directly(
    subscribers: Iterable[object], observer: Observer, unobserved: str, replies: ReplyRule = any_reply
) -> None:
    """Take the short way for every `rpc` endpoint; call it before the broker starts.

    Subjects that start with `unobserved` leave nothing behind in metrics and traces. A request whose reply would go
    elsewhere than `replies` allows is counted and not run: whoever may ask would not have written it.
    """
    for subscriber in subscribers:
        endpoint = endpoint_of(subscriber)
        if endpoint is not None and isinstance(subscriber, CoreSubscriber):
            watch = None if endpoint.operation.subject.startswith(unobserved) else observer
            direct = _Direct(subscriber, endpoint, watch, replies(endpoint.operation.subject))
            consume_by(subscriber, direct.consume, refuse=direct.refuse)


@dataclass(frozen=True, slots=True)
class _Direct:
    subscriber: CoreSubscriber
    endpoint: Endpoint[Any, Any]
    observer: Observer | None
    replies: tuple[str, ...]

    async def consume(self, message: Msg) -> None:
        """Answer one request."""
        if not message.reply.startswith(self.replies):
            self._drop()
            return
        headers = message.headers or {}
        if self.observer is None:
            reply = await self.endpoint.respond(message.data, headers)
        else:
            subject = self.endpoint.operation.subject
            with self.observer.serving(subject, headers.get(subjects.HEADER_TRACE)) as served:
                reply = await self.endpoint.respond(message.data, headers)
                served.outcome, served.was_dropped = reply.outcome, reply.was_dropped
        if message.reply:
            await self._send(message.reply, reply)

    async def refuse(self, message: Msg) -> None:
        """Say that there is no room for one request."""
        if not message.reply.startswith(self.replies):
            self._drop()
            return
        reply = self.endpoint.refuse()
        if self.observer is not None:
            with self.observer.serving(self.endpoint.operation.subject, None) as served:
                served.outcome, served.was_dropped = reply.outcome, reply.was_dropped
        if message.reply:
            await self._send(message.reply, reply)

    def _drop(self) -> None:
        if self.observer is not None:
            self.observer.metrics.foreign_replies.labels(self.endpoint.operation.subject).inc()

    async def _send(self, inbox: str, reply: Reply) -> None:
        try:
            await self.subscriber.connection.publish(inbox, reply.body, headers=reply.headers)
        except (Error, OSError) as error:  # the caller's deadline ends its wait
            _log.warning("reply_not_sent", subject=self.endpoint.operation.subject, **describe(error))
