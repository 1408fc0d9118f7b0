"""The short way: a request reaches its endpoint and is counted, without FastStream's pipeline."""

from types import SimpleNamespace
from typing import Any

import pytest
from faststream.nats import NatsBroker, NatsRouter
from faststream.nats.subscriber.usecases import CoreSubscriber
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError

from contracts import subjects
from contracts.v1.errors import ErrorReply
from runtime.direct import ReplyRule, any_reply, serve_directly
from runtime.observer import Observer
from tests.unit.runtime.messages import QUEUE, Said, say_router

SENT = list[tuple[str, bytes, dict[str, str]]]


class Connection:
    """Keeps what is published."""

    def __init__(self, *, is_closed: bool = False) -> None:
        self.sent: SENT = []
        self._is_closed = is_closed

    async def publish(self, subject: str, body: bytes, headers: dict[str, str]) -> None:
        if self._is_closed:
            raise ConnectionClosedError
        self.sent.append((subject, body, headers))


async def deliver(
    body: bytes,
    *,
    reply: str = "inbox",
    unobserved: str = "none.",
    connection: Connection | None = None,
    replies: ReplyRule = any_reply,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[SENT, Observer]:
    observer, connection = Observer(), connection or Connection()
    broker = NatsBroker(logger=None)
    broker.include_router(say_router())
    monkeypatch.setattr(CoreSubscriber, "connection", connection)
    serve_directly(broker.subscribers, observer, unobserved, replies)
    for subscriber in broker.subscribers:
        consume: Any = subscriber.consume
        await consume(Msg(_client=SimpleNamespace(), subject="test.say", reply=reply, data=body, headers=None))
        while pending := [task for task in _tasks_of(subscriber) if not task.done()]:
            await pending[0]
    return connection.sent, observer


def _tasks_of(subscriber: object) -> list[Any]:
    owner = getattr(getattr(subscriber, "consume", None), "__self__", None)
    return list(getattr(owner, "_running", ()))


def counted(observer: Observer, outcome: str) -> float:
    return observer.metrics.served.labels("test.say", outcome)._value.get()


def foreign(observer: Observer) -> float:
    return observer.metrics.foreign_replies.labels("test.say")._value.get()


async def test_a_request_is_answered_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, observer = await deliver(b'{"text": "a"}', monkeypatch=monkeypatch)

    [(inbox, body, headers)] = sent
    assert inbox == "inbox"
    assert Said.model_validate_json(body) == Said(text="a")
    assert subjects.HEADER_ERROR not in headers
    assert counted(observer, "ok") == 1


async def test_what_is_not_valid_gets_a_typed_error_and_is_counted_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, observer = await deliver(b'{"text": 1}', monkeypatch=monkeypatch)

    [(_, body, headers)] = sent
    assert ErrorReply.model_validate_json(body).code == headers[subjects.HEADER_ERROR] == "invalid_request"
    assert counted(observer, "invalid_request") == 1


async def test_a_message_that_wants_no_reply_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, _ = await deliver(b'{"text": "a"}', reply="", monkeypatch=monkeypatch)

    assert sent == []


async def test_an_unobserved_subject_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, observer = await deliver(b'{"text": "a"}', unobserved="test.", monkeypatch=monkeypatch)

    assert len(sent) == 1
    assert counted(observer, "ok") == 0


@pytest.mark.parametrize("reply", ["_INBOX_gateway.x", "_INBOX_cli.a.b"])
async def test_a_reply_to_a_caller_is_sent(monkeypatch: pytest.MonkeyPatch, reply: str) -> None:
    allowed = ("_INBOX_gateway.", "_INBOX_cli.")

    sent, observer = await deliver(b'{"text": "a"}', reply=reply, replies=lambda _: allowed, monkeypatch=monkeypatch)

    assert [subject for subject, _, _ in sent] == [reply]
    assert foreign(observer) == 0


@pytest.mark.parametrize("reply", ["", "_INBOX_facts.x", "_INBOX_gateway", "ragspine.v1.answers.app2.x", "_INBOX.x"])
async def test_a_request_whose_reply_would_go_elsewhere_is_not_run(monkeypatch: pytest.MonkeyPatch, reply: str) -> None:
    sent, observer = await deliver(
        b'{"text": "a"}', reply=reply, replies=lambda _: ("_INBOX_gateway.",), monkeypatch=monkeypatch
    )

    assert sent == []
    assert counted(observer, "ok") == 0
    assert foreign(observer) == 1


async def test_a_reply_that_cannot_be_sent_does_not_end_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, observer = await deliver(b'{"text": "a"}', connection=Connection(is_closed=True), monkeypatch=monkeypatch)

    assert sent == []
    assert counted(observer, "ok") == 1


async def test_subscribers_of_others_keep_their_way() -> None:
    router = NatsRouter()

    @router.subscriber("test.other", QUEUE)
    async def on_other(body: bytes) -> None: ...

    broker = NatsBroker(logger=None)
    broker.include_router(router)
    before = [type(subscriber.consume.__self__) for subscriber in broker.subscribers]

    serve_directly(broker.subscribers, Observer(), "none.")

    assert [type(subscriber.consume.__self__) for subscriber in broker.subscribers] == before
