"""Running and stopping core subscribers without losing a request.

`concurrent` gives each message a task of its own (FastStream alone handles one at a time, and its `max_workers` costs
three event-loop turns per message). `drain` ends subscribers in an order in which nothing that the server has already
handed over is dropped. Both reach into nats-py and FastStream below their public surface; the versions are pinned and
tests with a real server cover it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final
from weakref import WeakKeyDictionary

from faststream.nats.subscriber.usecases import CoreSubscriber
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error

from runtime.logging import describe, get_log
from runtime.nats_internals import finish_delivered, stop_delivery

DEFAULT_LIMIT: Final = 256
"""Requests of one subject that run at once; more wait in the client's queue until their deadline."""

_log = get_log(__name__)

Consume = Callable[[Msg], Awaitable[Any]]


class _Tasks:
    """The running messages of one subscriber, at most `limit` of them."""

    def __init__(self, consume: Consume, limit: int) -> None:
        self._consume = consume
        self._limit = limit
        self._running: set[asyncio.Task[None]] = set()
        self._has_room = asyncio.Event()

    async def consume(self, message: Msg) -> None:
        """Start a message; waits while the limit is reached, which leaves the rest in the client's queue."""
        while len(self._running) >= self._limit:
            self._has_room.clear()
            await self._has_room.wait()
        task = asyncio.create_task(self._run(message))
        self._running.add(task)
        task.add_done_callback(self._done)

    def take_by(self, consume: Consume) -> None:
        """Let `consume` take each message from now on."""
        self._consume = consume

    async def join(self) -> None:
        """Wait until nothing runs."""
        while self._running:
            await asyncio.wait(self._running)

    def cancel(self) -> int:
        """Give up what still runs; returns how many that were."""
        for task in self._running:
            task.cancel()
        return len(self._running)

    async def _run(self, message: Msg) -> None:
        await self._consume(message)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._has_room.set()


_tasks: "WeakKeyDictionary[CoreSubscriber, _Tasks]" = WeakKeyDictionary()


def concurrent(subscriber: CoreSubscriber, limit: int) -> None:
    """Let a subscriber run up to `limit` messages at once."""
    tasks = _Tasks(subscriber.consume, limit)
    _tasks[subscriber] = tasks
    object.__setattr__(subscriber, "consume", tasks.consume)


def consume_by(subscriber: CoreSubscriber, consume: Consume) -> None:
    """Let `consume` take the messages of a subscriber that is not yet started, within its limit."""
    if subscriber in _tasks:
        _tasks[subscriber].take_by(consume)
    else:
        object.__setattr__(subscriber, "consume", consume)


async def drain(subscribers: Iterable[object], grace_seconds: float) -> int:
    """Stop receiving, then finish what was received; returns how many requests were given up after `grace_seconds`."""
    core = [s for s in subscribers if isinstance(s, CoreSubscriber)]
    try:
        async with asyncio.timeout(grace_seconds):
            await asyncio.gather(*(_drain_one(s) for s in core))
    except TimeoutError:
        return sum(_tasks[s].cancel() for s in core if s in _tasks)
    return 0


async def _drain_one(subscriber: CoreSubscriber) -> None:
    subscription = subscriber.subscription
    if subscription is not None:
        await _stop_receiving(subscriber.connection, subscription)
        subscriber.subscription = None
    if subscriber in _tasks:
        await _tasks[subscriber].join()


async def _stop_receiving(client: Client, subscription: Subscription) -> None:
    if client.is_connected:
        try:
            await stop_delivery(client, subscription)
        except (Error, OSError) as error:  # the server has gone: it delivers nothing any more either
            _log.debug("drain_without_server", **describe(error))
    await finish_delivered(subscription)
    if client.is_connected:
        await subscription.unsubscribe()
