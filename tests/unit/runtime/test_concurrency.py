"""So many messages run, so many wait, and what comes beyond is refused at once."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from faststream.nats import NatsBroker
from faststream.nats.subscriber.usecases import CoreSubscriber
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from runtime.concurrency import MAX_SERIAL_WAITING, MIN_WAITING, concurrent, consume_by

LIMIT = 2


class Handler:
    """Notes what it is given; runs until it is let go."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.refused: list[str] = []
        self.may_end = asyncio.Event()

    async def consume(self, message: Msg) -> None:
        self.started.append(message.subject)
        await self.may_end.wait()

    async def refuse(self, message: Msg) -> None:
        self.refused.append(message.subject)


def message(number: int) -> Msg:
    return Msg(_client=cast(Any, SimpleNamespace()), subject=str(number))


def subscriber_of(handler: Handler, *, limit: int) -> CoreSubscriber:
    subscriber = NatsBroker(logger=None).subscriber("test.any", "queue")
    assert isinstance(subscriber, CoreSubscriber)
    if limit > 1:
        concurrent(subscriber, limit)
    consume_by(subscriber, handler.consume, refuse=handler.refuse)
    return subscriber


async def test_what_is_more_than_may_wait_is_refused_without_waiting() -> None:
    handler = Handler()
    subscriber = subscriber_of(handler, limit=LIMIT)

    for number in range(LIMIT + MIN_WAITING + 3):
        await subscriber.consume(message(number))
    await asyncio.sleep(0)

    assert handler.started == ["0", "1"]
    assert handler.refused == [str(LIMIT + MIN_WAITING + extra) for extra in range(3)]


async def test_what_waits_runs_in_its_order_when_a_place_is_free() -> None:
    handler = Handler()
    subscriber = subscriber_of(handler, limit=LIMIT)
    for number in range(LIMIT + MIN_WAITING):
        await subscriber.consume(message(number))

    handler.may_end.set()
    async with asyncio.timeout(5):
        while len(handler.started) < LIMIT + MIN_WAITING:
            await asyncio.sleep(0)

    assert handler.started == [str(number) for number in range(LIMIT + MIN_WAITING)]
    assert handler.refused == []


@pytest.mark.parametrize(("waiting", "is_refused"), [(MAX_SERIAL_WAITING, False), (MAX_SERIAL_WAITING + 1, True)])
async def test_a_handler_that_takes_one_at_a_time_refuses_while_its_queue_is_too_long(
    waiting: int, is_refused: bool
) -> None:
    handler = Handler()
    handler.may_end.set()
    subscriber = subscriber_of(handler, limit=1)
    subscription = Subscription(cast(Any, SimpleNamespace()))
    for number in range(waiting):
        subscription._pending_queue.put_nowait(message(number))
    subscriber.subscription = subscription

    await subscriber.consume(message(0))

    assert (handler.refused == ["0"]) is is_refused
    assert (handler.started == ["0"]) is not is_refused
