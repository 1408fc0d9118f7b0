"""A request ends with the reply or with the error that says why there is none."""

import asyncio

import pytest
from faststream.nats import NatsRouter
from pydantic import BaseModel

from contracts import subjects
from runtime.broker import make_broker
from runtime.bus import HOP_MARGIN_SECONDS, Bus
from runtime.deadline import Deadline, current_deadline
from runtime.endpoint import MAX_MESSAGE_BYTES
from runtime.errors import (
    ConflictError,
    DeadlineExceededError,
    InternalError,
    InvalidRequestError,
    PayloadTooLargeError,
    UnavailableError,
)
from runtime.observer import Observer
from runtime.serving import rpc
from runtime.settings import RuntimeSettings
from runtime.testing import InMemoryBus
from tests.unit.runtime.messages import QUEUE, Said, Say, say_router


class Other(BaseModel):
    number: int


async def test_a_request_gets_its_typed_reply() -> None:
    bus = InMemoryBus(say_router())

    said = await bus.request("test.say", Say(text="ab", times=2), Said, deadline=Deadline.after(1))

    assert said == Said(text="abab")


async def test_an_error_reply_becomes_the_error_it_names() -> None:
    async def refuse(message: Say) -> Said:
        raise ConflictError("Taken.")

    bus = InMemoryBus()
    bus.serve("test.say", refuse)

    with pytest.raises(ConflictError, match="Taken"):
        await bus.request("test.say", Say(text="a"), Said, deadline=Deadline.after(1))


async def test_a_request_that_the_worker_cannot_read_is_invalid() -> None:
    bus = InMemoryBus(say_router())

    with pytest.raises(InvalidRequestError) as caught:
        await bus.request("test.say", Other(number=5), Said, deadline=Deadline.after(1))

    assert {problem.field for problem in caught.value.problems} == {"text", "number"}


async def test_a_reply_that_cannot_be_read_is_an_internal_error() -> None:
    bus = InMemoryBus(say_router())

    with pytest.raises(InternalError):
        await bus.request("test.say", Say(text="a"), Other, deadline=Deadline.after(1))


async def test_nobody_there_is_unavailable() -> None:
    with pytest.raises(UnavailableError):
        await InMemoryBus().request("test.nobody", Say(text="a"), Said, deadline=Deadline.after(1))


async def test_a_broker_that_never_connected_is_unavailable_at_once() -> None:
    settings = RuntimeSettings.model_construct(nats_url="nats://127.0.0.1:1", nats_user=None)
    bus = Bus(make_broker(settings, "test", Observer(), lambda _: None))

    with pytest.raises(UnavailableError):
        await bus.request("test.say", Say(text="a"), Said, deadline=Deadline.after(1))
    assert not bus.is_connected


async def test_a_request_that_the_bus_cannot_carry_is_not_sent() -> None:
    bus = InMemoryBus(say_router())

    with pytest.raises(PayloadTooLargeError):
        await bus.request("test.say", Say(text="x" * MAX_MESSAGE_BYTES), Said, deadline=Deadline.after(1))

    assert bus.requests == []


async def test_each_side_of_a_hop_keeps_a_margin() -> None:
    seen: list[Deadline | None] = []

    async def look(message: Say) -> Said:
        seen.append(current_deadline())
        return Said(text="")

    bus = InMemoryBus()
    bus.serve("test.say", look)
    deadline = Deadline.after(2)
    await bus.request("test.say", Say(text="a"), Said, deadline=deadline)

    assert seen[0] is not None
    assert seen[0].at == pytest.approx(deadline.at - 2 * HOP_MARGIN_SECONDS, abs=0.002)


async def test_a_worker_that_never_answers_costs_no_more_than_the_deadline() -> None:
    class Frozen(InMemoryBus):
        async def _serve(self, *args: object) -> None:
            await asyncio.Event().wait()

    deadline = Deadline.after(0.1)

    with pytest.raises(DeadlineExceededError):
        await Frozen(say_router()).request("test.say", Say(text="a"), Said, deadline=deadline)
    assert deadline.left() > 0


async def test_an_event_with_the_same_id_is_kept_once() -> None:
    bus = InMemoryBus()

    for _ in range(2):
        await bus.publish(subjects.EVENT_FACTS_CHANGED, Other(number=1), event_id="7", deadline=Deadline.after(1))

    assert bus.events == [(subjects.EVENT_FACTS_CHANGED, b'{"number":1}', "7")]


@pytest.mark.parametrize(
    ("pattern", "subject", "is_served"),
    [
        ("a.*", "a.b", True),
        ("a.*", "a.b.c", False),
        ("a.>", "a.b.c", True),
        ("a.>", "a", False),
        ("*.b", "a.b", True),
        ("a.b", "a.c", False),
    ],
)
async def test_the_bus_in_memory_knows_wildcards(pattern: str, subject: str, *, is_served: bool) -> None:
    bus = InMemoryBus(say_router(pattern))

    if is_served:
        await bus.request(subject, Say(text="a"), Said, deadline=Deadline.after(1))
    else:
        with pytest.raises(UnavailableError):
            await bus.request(subject, Say(text="a"), Said, deadline=Deadline.after(1))


async def test_a_later_fake_takes_the_place_of_an_earlier_one() -> None:
    router = NatsRouter()

    @rpc(router, "test.say", queue=QUEUE)
    async def on_say(message: Say) -> Said:
        return Said(text="later")

    bus = InMemoryBus(say_router(), router)

    assert await bus.request("test.say", Say(text="a"), Said, deadline=Deadline.after(1)) == Said(text="later")
