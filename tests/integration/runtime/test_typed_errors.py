"""On a real server, too, every failure comes back at once and typed."""

import asyncio
import time

import pytest
from faststream.nats import NatsRouter

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.errors import ErrorReply
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.errors import DeadlineExceededError, InternalError, PayloadTooLargeError, UnavailableError
from runtime.observer import Observer
from runtime.serving import rpc
from tests.integration.runtime.clients import connected
from tests.unit.runtime.messages import QUEUE, Said, Say

pytestmark = pytest.mark.connected


def misbehaving_router(ran: list[str] | None = None) -> NatsRouter:
    router = NatsRouter()

    @rpc(router, "test.misbehave", queue=QUEUE)
    async def on_say(message: Say) -> Said:
        if ran is not None:
            ran.append(message.text)
        match message.text:
            case "fail":
                raise RuntimeError("SENTINEL")
            case "shout":
                return Said(text="x" * 2_000_000)
            case "dawdle":
                await asyncio.Event().wait()
        return Said(text=message.text)

    return router


async def ask(bus: Bus, text: str, seconds: float = 5.0) -> Said:
    return await bus.request("test.misbehave", Say(text=text), Said, deadline=Deadline.after(seconds))


@pytest.mark.parametrize(
    ("text", "error"),
    [("fail", InternalError), ("shout", PayloadTooLargeError), ("x" * 1_100_000, PayloadTooLargeError)],
)
async def test_a_failure_comes_back_typed_and_at_once(nats_url: str, text: str, error: type[Exception]) -> None:
    async with connected(nats_url, misbehaving_router()) as (bus, _):
        start = time.monotonic()

        with pytest.raises(error) as caught:
            await ask(bus, text)

    assert time.monotonic() - start < 2
    assert "SENTINEL" not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"{", b'{"text": 5}', b'{"text": "a", "more": 1}', b"\x00\xff"])
async def test_bytes_that_are_no_request_get_an_error_reply_with_service_headers(nats_url: str, body: bytes) -> None:
    async with connected(nats_url, misbehaving_router()) as (_, broker):
        reply = await broker.connection.request("test.misbehave", body, timeout=5)

    assert ErrorReply.model_validate_json(reply.data).code is ErrorCode.INVALID_REQUEST
    assert reply.headers is not None
    assert reply.headers[subjects.HEADER_ERROR] == "invalid_request"
    assert reply.headers[subjects.HEADER_ERROR_CODE] == "422"


async def test_a_subject_that_nobody_serves_is_unavailable_at_once(nats_url: str) -> None:
    async with connected(nats_url) as (bus, _):
        start = time.monotonic()

        with pytest.raises(UnavailableError):
            await bus.request("test.nobody", Say(text="a"), Said, deadline=Deadline.after(10))

    assert time.monotonic() - start < 2


async def test_a_handler_that_takes_too_long_is_cut_and_says_so_before_the_deadline(nats_url: str) -> None:
    async with connected(nats_url, misbehaving_router()) as (bus, _):
        deadline = Deadline.after(0.3)

        with pytest.raises(DeadlineExceededError):
            await bus.request("test.misbehave", Say(text="dawdle"), Said, deadline=deadline)

    assert deadline.left() > 0


async def test_an_expired_request_is_answered_without_being_run(nats_url: str) -> None:
    ran: list[str] = []
    observer = Observer()
    async with connected(nats_url, misbehaving_router(ran), observer=observer) as (_, broker):
        headers = {subjects.HEADER_DEADLINE: Deadline.after(-1).to_header()}
        reply = await broker.connection.request("test.misbehave", b'{"text": "a"}', timeout=5, headers=headers)

    assert ErrorReply.model_validate_json(reply.data).code is ErrorCode.DEADLINE_EXCEEDED
    assert ran == []
    dropped = observer.metrics.registry.get_sample_value("ragspine_deadline_drops_total", {"subject": "test.misbehave"})
    assert dropped == 1


async def test_no_metric_carries_the_name_of_an_inbox(nats_url: str) -> None:
    observer = Observer()
    async with connected(nats_url, misbehaving_router(), observer=observer) as (bus, _):
        for _ in range(20):
            await ask(bus, "a")

    assert b"_INBOX" not in observer.metrics.render()
