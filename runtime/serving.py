"""`rpc`: how a worker offers a typed request/reply operation on the bus.

The router keeps a registry of what is offered (`operations`), from which AsyncAPI is generated and which the in-memory
bus of the tests reads; there is no second list to keep in step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from faststream import AckPolicy
from faststream.nats import NatsMessage, NatsResponse, NatsRouter

from runtime.concurrency import DEFAULT_LIMIT, concurrent
from runtime.endpoint import Answer, Endpoint, Handler, Operation, Reply, Request, make_endpoint

DEFAULT_DEADLINE_SECONDS: Final = 10.0
"""For a request that carries no deadline."""

_endpoints: "WeakKeyDictionary[NatsRouter, list[Endpoint[Any, Any]]]" = WeakKeyDictionary()


_served_by: "WeakKeyDictionary[object, Endpoint[Any, Any]]" = WeakKeyDictionary()


class RpcResponse(NatsResponse):
    """A FastStream response that remembers what it was, for metrics and traces."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.body, headers=reply.headers)
        self.reply = reply


@dataclass(frozen=True, slots=True)
class _Received:
    body: bytes
    headers: dict[str, str]


def rpc(
    router: NatsRouter,
    subject: str,
    *,
    queue: str,
    limit: int = DEFAULT_LIMIT,
    default_deadline_seconds: float = DEFAULT_DEADLINE_SECONDS,
) -> Callable[[Handler[Request, Answer]], Handler[Request, Answer]]:
    """Serve `subject` with an `async def handler(message: Request) -> Answer`, which is returned unchanged.

    `limit` requests run at once; 1 means one after the other, right for handlers that only compute. The handler runs
    within the caller's deadline (`runtime.deadline.current_deadline()`), or `default_deadline_seconds` without one.
    """

    def register(handler: Handler[Request, Answer]) -> Handler[Request, Answer]:
        endpoint = make_endpoint(
            handler, subject=subject, queue=queue, default_deadline_seconds=default_deadline_seconds
        )
        _endpoints.setdefault(router, []).append(endpoint)
        _subscribe(router, endpoint, limit)
        return handler

    return register


def operations(router: NatsRouter) -> tuple[Operation, ...]:
    """What a router offers, in the order of registration."""
    return tuple(endpoint.operation for endpoint in _endpoints.get(router, ()))


def endpoints(router: NatsRouter) -> tuple[Endpoint[Any, Any], ...]:
    """The endpoints of a router; for buses that deliver without NATS."""
    return tuple(_endpoints.get(router, ()))


def endpoint_of(subscriber: object) -> Endpoint[Any, Any] | None:
    """The endpoint behind a subscriber; None for one that `rpc` did not make."""
    return _served_by.get(subscriber)


def _subscribe(router: NatsRouter, endpoint: Endpoint[Any, Any], limit: int) -> None:
    operation = endpoint.operation
    subscriber = router.subscriber(
        operation.subject,
        operation.queue,
        decoder=_receive,
        title=operation.subject,
        ack_policy=AckPolicy.MANUAL,  # a core message has nothing to acknowledge: no layer for it around each one
    )
    object.__setattr__(subscriber, "get_log_context", _no_log_context)  # made for each message, and nobody logs it

    # No annotations that FastStream would validate against: the endpoint does that, and always with a reply.
    async def serve(received: object) -> object:
        if not isinstance(received, _Received):
            raise TypeError("the subscriber's decoder was replaced")
        return RpcResponse(await endpoint.respond(received.body, received.headers))

    subscriber(serve)
    _served_by[subscriber] = endpoint
    if limit > 1:
        concurrent(subscriber, limit)


def _no_log_context(_: object) -> dict[str, str]:
    return {}


async def _receive(message: NatsMessage) -> _Received:
    return _Received(message.body, message.headers)
