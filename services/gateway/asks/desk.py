"""The desk over ledger and queue: an ask is accepted once both have it on disk."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from contracts import subjects
from contracts.codes import AskState
from contracts.v1.asks import AskList, AskStatus, ListAsks, SubmitAsk
from runtime.deadline import Deadline
from runtime.errors import DeadlineExceededError, UnavailableError
from runtime.subject_stream import SubjectStream
from runtime.telemetry import traceparent
from runtime.work_queue import WorkQueue
from services.gateway.asks.observing import AskMetrics
from services.gateway.asks.ports import (
    FINAL_STATES,
    Acceptance,
    Accepted,
    InFlight,
    Mismatch,
    NotFailed,
    Replayed,
    Requeued,
    Retry,
    TooMany,
    UnknownAsk,
)
from services.gateway.asks.records import Ask, Name
from services.gateway.asks.store.accepting import BeingSent, DeskLedger, Known, New, NoRoom, Other, Unsent, Wanted

LOOK_SECONDS: Final = 0.25
"""How often a follower looks at first, and"""
LONGEST_LOOK_SECONDS: Final = 2.0
"""how often at last."""
SEND_SECONDS: Final = 5.0


@dataclass(frozen=True)
class LedgerDesk:
    """`AskDesk` over Postgres and JetStream."""

    ledger: DeskLedger
    stream: SubjectStream
    queue: WorkQueue
    metrics: AskMetrics

    async def accept(self, app: str, ask: SubmitAsk, idempotency_key: str | None) -> Acceptance:
        """Write it into the ledger, then into the queue."""
        if not self.queue.is_bound:
            raise UnavailableError("Durable asks cannot be accepted at the moment.")
        written = await self.ledger.accept(_wanted(app, ask, idempotency_key))
        match written:
            case New(row) | Unsent(row):
                if not await self._send(row):
                    raise UnavailableError("The ask could not be queued. Ask again, with the same Idempotency-Key.")
                self.metrics.accepted("http")
                return Accepted(row.status())
            case Known(row):
                return Replayed(row.status())
            case Other():
                return Mismatch()
            case BeingSent():
                return InFlight()
            case NoRoom():
                return TooMany()

    async def _send(self, ask: Ask) -> bool:
        subject = subjects.asks(ask.name.app, ask.name.ask_id)
        try:
            await self.stream.put(subject, ask.body, Deadline.after(SEND_SECONDS))
        except (UnavailableError, DeadlineExceededError):
            await self.ledger.not_sent(ask.name)
            return False
        await self.ledger.sent(ask.name)
        return True

    async def find(self, app: str, ask_id: str) -> AskStatus | None:
        """How far an ask is."""
        ask = await self.ledger.find(Name(app, ask_id))
        return ask.status() if ask else None

    async def list(self, app: str, wanted: ListAsks) -> AskList:
        """A page of the app's asks, newest first."""
        found = await self.ledger.list(app, wanted)
        page, rest = found[: wanted.limit], found[wanted.limit :]
        return AskList(asks=tuple(ask.summary() for ask in page), next=page[-1].place if rest else None)

    async def retry(self, app: str, ask_id: str) -> Retry:
        """Queue a failed ask again: it is an open one from now on, and the upkeep sends what cannot be sent now."""
        name = Name(app, ask_id)
        requeued = await self.ledger.requeue(name)
        if requeued is None:
            ask = await self.ledger.find(name)
            if ask is None:
                return UnknownAsk()
            return TooMany() if ask.state is AskState.FAILED else NotFailed(ask.status())
        self.metrics.requeued("ordered")
        await self._send(requeued)
        return Requeued(requeued.status())

    async def follow(self, app: str, ask_id: str) -> AsyncGenerator[AskStatus]:
        """Every state that is seen, up to the final one."""
        seen: AskStatus | None = None
        pause = LOOK_SECONDS
        while (status := await self.find(app, ask_id)) is not None:
            if status == seen:
                pause = min(2 * pause, LONGEST_LOOK_SECONDS)
            else:
                seen, pause = status, LOOK_SECONDS
                yield status
                if status.state in FINAL_STATES:
                    return
            await asyncio.sleep(pause)


def _wanted(app: str, ask: SubmitAsk, key: str | None) -> Wanted:
    body = ask.model_dump_json(exclude={"webhook_url"}, exclude_defaults=True).encode()
    whole = ask.model_dump_json(exclude_defaults=True).encode()
    return Wanted(
        name=Name(app, uuid4().hex),
        body=body,
        key=key,
        request_sha256=hashlib.sha256(whole).digest(),
        trace=traceparent(),
        webhook_url=ask.webhook_url,
    )
