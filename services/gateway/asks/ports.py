"""What the doors need of durable asks. An app sees its own asks only; every method raises `UnavailableError` when the
ledger or the queue is away.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from contracts.codes import AskState
from contracts.v1.asks import AskList, AskStatus, ListAsks, SubmitAsk


@dataclass(frozen=True, slots=True)
class Accepted:
    """The ask is stored, and will end in one final word."""

    status: AskStatus


@dataclass(frozen=True, slots=True)
class Replayed:
    """The same request came before under the same key; this is what has become of it."""

    status: AskStatus


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The key belongs to another request."""


@dataclass(frozen=True, slots=True)
class InFlight:
    """The same request is being accepted at this moment."""


@dataclass(frozen=True, slots=True)
class TooMany:
    """The app has as many open asks as one app may have; nothing was accepted."""


Acceptance = Accepted | Replayed | Mismatch | InFlight | TooMany


@dataclass(frozen=True, slots=True)
class Requeued:
    """The failed ask is queued again under its own id."""

    status: AskStatus


@dataclass(frozen=True, slots=True)
class NotFailed:
    """The ask has not failed, so there is nothing to try again."""

    status: AskStatus


@dataclass(frozen=True, slots=True)
class UnknownAsk:
    """The app has no such ask; it may never have had one, or it was kept for long enough."""


Retry = Requeued | NotFailed | UnknownAsk | TooMany

FINAL_STATES = frozenset({AskState.ANSWERED, AskState.FAILED})


class AskDesk(Protocol):
    """Accepts asks and shows what has become of them."""

    async def accept(self, app: str, ask: SubmitAsk, idempotency_key: str | None) -> Acceptance:
        """Store an ask and queue it; returns once both are on disk.

        After an `UnavailableError` the ask may have been accepted all the same; asking again is safe with a key.
        """
        ...

    async def find(self, app: str, ask_id: str) -> AskStatus | None:
        """How far an ask is."""
        ...

    async def list(self, app: str, wanted: ListAsks) -> AskList:
        """A page of the app's asks, newest first."""
        ...

    async def retry(self, app: str, ask_id: str) -> Retry:
        """Queue a failed ask again."""
        ...

    def follow(self, app: str, ask_id: str) -> AsyncGenerator[AskStatus]:
        """The state now, then every change that is seen, up to the final one; nothing for an unknown ask.

        A short state in between may be skipped. The iterator waits for as long as the ask does.
        """
        ...
