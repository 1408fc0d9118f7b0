"""What `rpc` registers is what is served, and what AsyncAPI can be generated from."""

import pytest
from faststream.nats import NatsRouter, TestNatsBroker

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.errors import ErrorReply
from runtime.observer import Observer
from runtime.serving import operations, rpc
from runtime.testing import memory_broker, recorded_spans
from tests.unit.runtime.messages import QUEUE, Said, Say, say_router


def test_a_router_knows_its_operations_in_order() -> None:
    router = NatsRouter()
    for subject in ("test.b", "test.a"):

        @rpc(router, subject, queue=QUEUE)
        async def on_say(message: Say) -> Said:
            """Repeat."""
            return Said(text=message.text)

    assert [operation.subject for operation in operations(router)] == ["test.b", "test.a"]
    assert {(o.request, o.reply, o.queue, o.summary) for o in operations(router)} == {(Say, Said, QUEUE, "Repeat.")}


def test_a_router_that_offers_nothing_has_no_operations() -> None:
    assert operations(NatsRouter()) == ()


async def test_the_handler_stays_an_ordinary_function() -> None:
    router = NatsRouter()

    @rpc(router, "test.say", queue=QUEUE)
    async def on_say(message: Say) -> Said:
        return Said(text=message.text)

    assert await on_say(Say(text="a")) == Said(text="a")


@pytest.mark.parametrize("limit", [1, 2])
async def test_a_request_through_the_broker_gets_a_typed_reply(limit: int) -> None:
    router = NatsRouter()

    @rpc(router, "test.say", queue=QUEUE, limit=limit)
    async def on_say(message: Say) -> Said:
        return Said(text=message.text)

    broker = memory_broker()
    broker.include_router(router)

    async with TestNatsBroker(broker, connect_only=False):
        good = await broker.request(b'{"text": "a"}', "test.say")
        bad = await broker.request(b'{"text": 1}', "test.say")

    assert Said.model_validate_json(good.body) == Said(text="a")
    assert ErrorReply.model_validate_json(bad.body).code is ErrorCode.INVALID_REQUEST
    assert bad.headers[subjects.HEADER_ERROR] == "invalid_request"
    assert bad.headers[subjects.HEADER_ERROR_CODE] == "422"


async def test_the_broker_counts_and_traces_by_declared_subject() -> None:
    with recorded_spans() as (telemetry, spans):
        observer = Observer(telemetry=telemetry)
        broker = memory_broker(observer)
        broker.include_router(say_router(subjects.ASK_ANY_APP))

        async with TestNatsBroker(broker, connect_only=False):
            await broker.request(b'{"text": "a"}', subjects.ask("some-app"))

        assert [span.name for span in spans()] == [subjects.ASK_ANY_APP]
        labels = {"subject": subjects.ASK_ANY_APP, "outcome": "ok"}
        assert observer.metrics.registry.get_sample_value("ragspine_requests_served_total", labels) == 1


async def test_a_router_can_be_served_by_several_brokers_in_turn() -> None:
    router = say_router()
    for _ in range(2):
        broker = memory_broker()
        broker.include_router(router)
        async with TestNatsBroker(broker, connect_only=False):
            reply = await broker.request(b'{"text": "a"}', "test.say")
        assert Said.model_validate_json(reply.body) == Said(text="a")
