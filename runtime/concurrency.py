"""Running and stopping core subscribers without losing a request.

`concurrent` gives each message a task of its own (FastStream alone handles one at a time, and its `max_workers` costs
three event-loop turns per message); so many run, so many wait, and what comes beyond is refused at once. `drain` ends
subscribers in an order in which nothing that the server has already handed over is dropped. Both reach into nats-py and
FastStream below their public surface; the versions are pinned and tests with a real server cover it.
"""

import asyncio
from collections import deque
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
"""Requests of one subject that run at once."""
MIN_WAITING: Final = 64
WAITING_PER_RUNNING: Final = 4
"""Requests that may wait, within their deadlines, for each that runs; but never fewer than `MIN_WAITING` in all."""
MAX_SERIAL_WAITING: Final = 1024
"""Requests that may wait for a handler that takes one at a time; such handlers take well below a millisecond."""

_log = get_log(__name__)

Consume = Callable[[Msg], Awaitable[Any]]


class _Tasks:
    """The messages of one subscriber: at most `limit` run, and those behind them wait for a place."""

    def __init__(self, consume: Consume, limit: int) -> None:
        self._consume = consume
        self._refuse: Consume | None = None
        self._limit = limit
        self._may_wait = max(MIN_WAITING, WAITING_PER_RUNNING * limit)
        self._running: set[asyncio.Task[None]] = set()
        self._waiting: deque[Msg] = deque()

    async def consume(self, message: Msg) -> None:
        """Start a message, let it wait for a place, or refuse it; never waits itself, so that refusing is immediate."""
        if len(self._running) < self._limit:
            self._start(message)
        elif self._refuse is None or len(self._waiting) < self._may_wait:
            self._waiting.append(message)
        else:
            await self._refuse(message)

    def take_by(self, consume: Consume, refuse: Consume) -> None:
        """Let `consume` take each message from now on, and `refuse` those for which there is no room."""
        self._consume, self._refuse = consume, refuse

    async def join(self) -> None:
        """Wait until nothing runs."""
        while self._running:
            await asyncio.wait(self._running)

    def cancel(self) -> int:
        """Give up what still runs and waits; returns how many that were."""
        given_up = len(self._running) + len(self._waiting)
        self._waiting.clear()
        for task in self._running:
            task.cancel()
        return given_up

    def _start(self, message: Msg) -> None:
        task = asyncio.create_task(self._run(message))
        self._running.add(task)
        task.add_done_callback(self._done)

    async def _run(self, message: Msg) -> None:
        await self._consume(message)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if self._waiting:
            self._start(self._waiting.popleft())


_tasks: "WeakKeyDictionary[CoreSubscriber, _Tasks]" = WeakKeyDictionary()


def concurrent(subscriber: CoreSubscriber, limit: int) -> None:
    """Let a subscriber run up to `limit` messages at once."""
    tasks = _Tasks(subscriber.consume, limit)
    _tasks[subscriber] = tasks
    object.__setattr__(subscriber, "consume", tasks.consume)


def consume_by(subscriber: CoreSubscriber, consume: Consume, *, refuse: Consume) -> None:
    """Let `consume` take the messages of a subscriber that is not yet started, and `refuse` what is too many."""
    if subscriber in _tasks:
        _tasks[subscriber].take_by(consume, refuse)
    else:
        object.__setattr__(subscriber, "consume", _one_by_one(subscriber, consume, refuse))


def _one_by_one(subscriber: CoreSubscriber, consume: Consume, refuse: Consume) -> Consume:
    """For handlers that only compute: the client's queue holds what waits, and while it is too long its head goes."""

    async def take(message: Msg) -> None:
        subscription = subscriber.subscription
        waiting = subscription.pending_msgs if isinstance(subscription, Subscription) else 0
        await (refuse if waiting > MAX_SERIAL_WAITING else consume)(message)

    return take


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
