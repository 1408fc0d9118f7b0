"""Durable asks without Postgres and NATS: `AskDesk` over a list in memory, finished by the test itself."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from contracts.codes import AskState
from contracts.v1.ask import AnswerResult
from contracts.v1.asks import AskList, AskStatus, AskSummary, ListAsks, SubmitAsk
from contracts.v1.errors import ErrorReply
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

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@dataclass
class Kept:
    """One ask."""

    place: int
    ask: SubmitAsk
    key: str | None
    status: AskStatus


@dataclass
class AsksInMemory:
    """`AskDesk` whose asks stay queued until the test moves them."""

    kept: list[Kept] = field(default_factory=list[Kept])
    being_accepted: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Pairs of app and key that another request is accepting at the moment."""
    room: int = 1_000
    """How many open asks an app may have."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def accept(self, app: str, ask: SubmitAsk, idempotency_key: str | None) -> Acceptance:
        if idempotency_key is not None:
            if (app, idempotency_key) in self.being_accepted:
                return InFlight()
            for kept in self.kept:
                if (kept.status.app, kept.key) == (app, idempotency_key):
                    return Replayed(kept.status) if kept.ask == ask else Mismatch()
        if not self._has_room(app):
            return TooMany()
        place = len(self.kept) + 1
        accepted_at = START + timedelta(seconds=place)
        status = AskStatus(ask_id=f"ask{place}", app=app, state=AskState.QUEUED, accepted_at=accepted_at)
        self.kept.append(Kept(place, ask, idempotency_key, status))
        return Accepted(status)

    async def find(self, app: str, ask_id: str) -> AskStatus | None:
        found = self._found(app, ask_id)
        return found.status if found else None

    async def list(self, app: str, wanted: ListAsks) -> AskList:
        own = [k for k in self.kept if k.status.app == app and wanted.state in (None, k.status.state)]
        older = [k for k in reversed(own) if k.place < (wanted.before or k.place + 1)]
        page, rest = older[: wanted.limit], older[wanted.limit :]
        summaries = tuple(AskSummary.model_validate(kept.status.model_dump()) for kept in page)
        return AskList(asks=summaries, next=page[-1].place if rest else None)

    async def retry(self, app: str, ask_id: str) -> Retry:
        found = self._found(app, ask_id)
        if found is None:
            return UnknownAsk()
        if found.status.state is not AskState.FAILED:
            return NotFailed(found.status)
        if not self._has_room(app):
            return TooMany()
        self.move(app, ask_id, AskState.QUEUED)
        return Requeued(found.status)

    async def follow(self, app: str, ask_id: str) -> AsyncGenerator[AskStatus]:
        seen: AskStatus | None = None
        changed = self.changed
        while found := self._found(app, ask_id):
            if found.status != seen:
                seen = found.status
                yield seen
                if seen.state in FINAL_STATES:
                    return
            await changed.wait()
            changed = self.changed

    def move(
        self,
        app: str,
        ask_id: str,
        state: AskState,
        *,
        answer: AnswerResult | None = None,
        error: ErrorReply | None = None,
    ) -> None:
        """Bring an ask into another state."""
        found = self._found(app, ask_id)
        assert found is not None
        found.status = found.status.model_copy(
            update={
                "state": state,
                "attempts": found.status.attempts + (state is AskState.WORKING),
                "finished_at": found.status.accepted_at + timedelta(seconds=1) if state in FINAL_STATES else None,
                "answer": answer,
                "error": error,
                "error_code": error.code if error else None,
            }
        )
        self.changed.set()
        self.changed = asyncio.Event()

    def _has_room(self, app: str) -> bool:
        return sum(k.status.app == app and k.status.state not in FINAL_STATES for k in self.kept) < self.room

    def _found(self, app: str, ask_id: str) -> Kept | None:
        return next((k for k in self.kept if (k.status.app, k.status.ask_id) == (app, ask_id)), None)
