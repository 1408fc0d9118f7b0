"""Handing in durable asks over both doors until each is accepted, as apps do; and reading what they ended in."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import httpx
from nats.aio.client import Client
from nats.errors import Error
from nats.js.errors import APIError, NotFoundError

from contracts import subjects
from contracts.v1.ask import AnswerResult
from contracts.v1.asks import AskStatus, DurableAnswer

APP = subjects.LOCAL_APP
ACCEPT_SECONDS = 5.0
PAUSE_SECONDS = 0.2
_ALREADY_QUEUED = "maximum messages per subject"
_FINAL_ERROR = 422
_READERS = 32

T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """What is asked, and the text that is the right answer."""

    body: Mapping[str, str]
    answer: str


@dataclass
class Accepted:
    """An ask that the service has accepted."""

    ask_id: str
    question: Question
    door: str
    seen: bytes | None = None
    """Its stored answer as it was first seen, while things were being killed."""


@dataclass
class Apps:
    """The apps of a run: they hand in asks whenever there is a permit."""

    http: httpx.AsyncClient
    bus: Client
    seed: int
    permits: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    accepted: list[Accepted] = field(default_factory=list[Accepted])
    attempts: int = 0
    """How often handing in was tried: what is more than the asks was refused, or its word got lost."""

    def allow(self, asks: int) -> None:
        """Let so many more asks be handed in."""
        for _ in range(asks):
            self.permits.release()

    async def hand_in_all(self, questions: Sequence[Question], asks: int, senders: int) -> None:
        """Hand in so many asks; over HTTP and over the bus in turn."""
        numbers = iter(range(asks))
        await asyncio.gather(*(self._hand_in(numbers, questions) for _ in range(senders)))

    async def _hand_in(self, numbers: Iterator[int], questions: Sequence[Question]) -> None:
        for number in numbers:
            await self.permits.acquire()
            question = questions[number % len(questions)]
            over_http = number % 2 == 0
            while (ask_id := await (self._over_http if over_http else self._over_bus)(number, question)) is None:
                await asyncio.sleep(PAUSE_SECONDS)
            self.accepted.append(Accepted(ask_id, question, "http" if over_http else "bus"))

    async def _over_http(self, number: int, question: Question) -> str | None:
        self.attempts += 1
        headers = {subjects.HEADER_IDEMPOTENCY_KEY: f"chaos-{self.seed}-{number}"}
        try:
            reply = await self.http.post("/v1/asks", json=question.body, headers=headers, timeout=ACCEPT_SECONDS)
        except httpx.TransportError:
            return None
        if reply.is_success:
            return AskStatus.model_validate_json(reply.content).ask_id
        assert reply.status_code != _FINAL_ERROR, reply.text
        return None

    async def _over_bus(self, number: int, question: Question) -> str | None:
        self.attempts += 1
        ask_id = f"chaos-{self.seed}-{number}"
        body = json.dumps(question.body).encode()
        try:
            await self.bus.jetstream().publish(subjects.asks(APP, ask_id), body, timeout=ACCEPT_SECONDS)
        except APIError as error:
            return ask_id if _ALREADY_QUEUED in (error.description or "") else None
        except (Error, OSError, TimeoutError):
            return None
        return ask_id

    async def stored(self, ask: Accepted) -> bytes | None:
        """The final word in the stream of answers; None while there is none, or nobody to ask."""
        subject = subjects.answers(APP, ask.ask_id)
        try:
            found = await self.bus.jetstream().get_last_msg(subjects.ANSWER_STREAM, subject, direct=True)
        except NotFoundError:
            return None
        except (Error, OSError, TimeoutError):
            return None
        return found.data

    async def in_ledger(self, ask: Accepted) -> AskStatus | None:
        """What the ledger says, through the API."""
        try:
            reply = await self.http.get(f"/v1/asks/{ask.ask_id}", timeout=ACCEPT_SECONDS)
        except httpx.TransportError:
            return None
        return AskStatus.model_validate_json(reply.content) if reply.is_success else None

    async def glance(self, chance: random.Random, asks: int) -> None:
        """Remember some answers as they are now: they may never be others."""
        unseen = [ask for ask in self.accepted if ask.seen is None]
        for ask in chance.sample(unseen, min(asks, len(unseen))):
            ask.seen = await self.stored(ask)

    async def until_answered(self, seconds: float) -> None:
        """Wait until every accepted ask has a stored answer, for that long at most."""
        waiting = list(self.accepted)
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while waiting and loop.time() < until:
            found = await gathered(self.stored, waiting)
            waiting = [ask for ask, answer in zip(waiting, found, strict=True) if answer is None]
            await asyncio.sleep(PAUSE_SECONDS if waiting else 0)


async def gathered(read: Callable[[Accepted], Awaitable[T]], asks: Sequence[Accepted]) -> list[T]:
    """What `read` says of each ask, some at a time."""
    places = asyncio.Semaphore(_READERS)

    async def one(ask: Accepted) -> T:
        async with places:
            return await read(ask)

    return await asyncio.gather(*(one(ask) for ask in asks))


def verdict(ask: Accepted, stored: bytes | None, status: AskStatus | None) -> str | None:
    """What is wrong with the end of an ask; None when all is well."""
    if stored is None:
        return "no stored answer"
    if status is None:
        return "not in the ledger"
    final = DurableAnswer.model_validate_json(stored)
    if ask.seen is not None and ask.seen != stored:
        return "the stored answer was altered"
    if (final.state, final.answer) != (status.state, status.answer):
        return "ledger and stream differ"
    return _wrong(final.answer, ask.question)


def _wrong(answer: AnswerResult | None, question: Question) -> str | None:
    if answer is None:
        return "ended as failed"
    return None if answer.answer == question.answer else f"another answer: {answer.answer_kind}"
