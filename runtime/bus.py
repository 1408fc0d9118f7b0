"""Typed requests and events to other workers.

A request ends within its deadline with the reply or with the `AskError` that says why there is none. Nothing is sent
while there is no connection: nats-py would keep it and deliver it late. A server that restarts is waited for, but only
in the first second that it is away.
"""

import asyncio
from typing import Final, TypeVar

from faststream.exceptions import IncorrectState
from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.errors import Error, MaxPayloadError, NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from pydantic import BaseModel, ValidationError

from contracts import subjects
from contracts.v1.errors import ErrorReply
from runtime.deadline import Deadline
from runtime.endpoint import MAX_MESSAGE_BYTES
from runtime.errors import (
    AskError,
    DeadlineExceededError,
    InternalError,
    PayloadTooLargeError,
    UnavailableError,
    from_error_reply,
)
from runtime.logging import get_log
from runtime.observer import Observer
from runtime.telemetry import traceparent
from runtime.turns import Turns

HOP_MARGIN_SECONDS: Final = 0.025
"""What each side of a hop keeps back: the callee ends that much before the caller stops waiting, and the caller stops
waiting that much before its own deadline, so that both can still say what happened."""
RETURN_SECONDS: Final = 1.0
"""From the first request that finds no connection: a server that restarts is back by then."""
_LOOK_SECONDS: Final = 0.02

_log = get_log(__name__)

M = TypeVar("M", bound=BaseModel)


class Bus:
    """The sending side of a process."""

    def __init__(self, broker: NatsBroker, observer: Observer | None = None) -> None:
        self._broker = broker
        self._observer = observer or Observer()
        self._away_since: float | None = None
        self._turns = Turns()

    async def request(self, subject: str, message: BaseModel, reply_type: type[M], *, deadline: Deadline) -> M:
        """Send a request and wait for its reply; raises `AskError`.

        `UnavailableError`: no connection, or nobody serves the subject. `DeadlineExceededError`: no reply in time.
        """
        payload = _encode(message)
        with self._observer.sending(subject):
            until = deadline.earlier_by(HOP_MARGIN_SECONDS)
            if until.left() <= 0:
                raise DeadlineExceededError
            await self._until_connected(until)
            body, headers = await self._exchange(subject, payload, _headers(until), until)
            await self._turns.mine()  # many replies arrive together
            if subjects.HEADER_ERROR in headers:
                raise _read_error(subject, body)
            return _read(subject, body, reply_type)

    async def publish(self, subject: str, event: BaseModel, *, event_id: str, deadline: Deadline) -> None:
        """Store an event in its stream; a second one with the same id changes nothing. Raises `AskError`."""
        payload = _encode(event)
        with self._observer.sending(subject):
            if deadline.left() <= 0:
                raise DeadlineExceededError
            await self._store(subject, payload, {"Nats-Msg-Id": event_id, **_trace_headers()}, deadline)

    @property
    def is_connected(self) -> bool:
        """Whether the connection stands at this moment."""
        try:
            return bool(self._broker.connection.is_connected)
        except IncorrectState:
            return False

    @property
    def connection_number(self) -> int | None:
        """Which connection this is, counted from the first; None while there is none."""
        return self._broker.connection.stats["reconnects"] if self.is_connected else None

    def stream(self) -> JetStreamContext:
        """The event stream's side of the connection; raises `UnavailableError`."""
        stream: JetStreamContext = self._client().jetstream()  # pyright: ignore[reportUnknownMemberType]
        return stream

    def client(self) -> Client:
        """The connection itself, for the rest of `runtime`; raises `UnavailableError` while there is none."""
        return self._client()

    async def _exchange(
        self, subject: str, payload: bytes, headers: dict[str, str], until: Deadline
    ) -> tuple[bytes, dict[str, str]]:
        client = self._client()
        try:
            reply = await client.request(subject, payload, timeout=until.left(), headers=headers)
        except NatsTimeoutError:
            raise DeadlineExceededError from None
        except NoRespondersError:
            raise UnavailableError("Nobody serves this request at the moment.") from None
        except MaxPayloadError:
            raise PayloadTooLargeError from None
        except Error as error:
            raise UnavailableError from error
        return reply.data, reply.headers or {}

    async def _store(self, subject: str, payload: bytes, headers: dict[str, str], until: Deadline) -> None:
        stream = self.stream()
        try:
            await stream.publish(subject, payload, timeout=until.left(), headers=headers)
        except NatsTimeoutError:
            raise DeadlineExceededError from None
        except Error as error:
            raise UnavailableError from error

    async def _until_connected(self, until: Deadline) -> None:
        now = asyncio.get_running_loop().time
        if not self.is_connected and self._away_since is None:
            self._away_since = now()
        while self._away_since is not None and now() < self._away_since + RETURN_SECONDS and until.left() > 0:
            if self.is_connected:
                break
            await asyncio.sleep(_LOOK_SECONDS)
        if self.is_connected:
            self._away_since = None

    def _client(self) -> Client:
        if not self.is_connected:
            raise UnavailableError("The message bus is not connected at the moment.")
        return self._broker.connection


def _encode(message: BaseModel) -> bytes:
    payload = message.model_dump_json().encode()
    if len(payload) > MAX_MESSAGE_BYTES:
        raise PayloadTooLargeError
    return payload


def _headers(until: Deadline) -> dict[str, str]:
    return {subjects.HEADER_DEADLINE: until.earlier_by(HOP_MARGIN_SECONDS).to_header(), **_trace_headers()}


def _trace_headers() -> dict[str, str]:
    header = traceparent()
    return {subjects.HEADER_TRACE: header} if header else {}


def _read(subject: str, body: bytes, kind: type[M]) -> M:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        _log.error("unreadable_reply", subject=subject, kind=kind.__name__, count=error.error_count())
        raise InternalError from None


def _read_error(subject: str, body: bytes) -> AskError:
    try:
        return from_error_reply(ErrorReply.model_validate_json(body))
    except ValidationError:
        _log.error("unreadable_reply", subject=subject, kind=ErrorReply.__name__)
        return InternalError()
