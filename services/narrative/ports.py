"""What the worker needs of its database. Every method may raise an `AskError`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from contracts.codes import PeriodType
from contracts.v1.narrative import PassagesLoaded
from services.narrative.rows import Row


@dataclass(frozen=True, slots=True)
class Stored:
    """A passage as it is read back. Only open ones are read, and each is looked at again before it leaves."""

    id: int
    doc_id: str
    locator: str
    title: str | None
    body: str
    entity: str | None
    period: str | None
    sensitivity: str


class Change(NamedTuple):
    """A passage that was changed at a revision; None: it must not be found any more."""

    id: int
    revision: int
    passage: Stored | None


class Near(NamedTuple):
    """A passage whose vector is near to that of the question."""

    id: int
    similarity: float
    """Cosine."""
    nearness: float
    """How near it is to questions that have nothing to do with it, in the question's language."""


class Missing(NamedTuple):
    """A passage that waits for its vector."""

    id: int
    title: str | None
    body: str
    content_hash: bytes


class ReadPort(Protocol):
    """Reads open passages."""

    async def revision(self) -> int:
        """The revision of the newest committed change."""
        ...

    async def changes(self, after: tuple[int, int], limit: int) -> list[Change]:
        """The next changes behind `(revision, id)`, in that order; fewer than `limit` at the end."""
        ...

    async def passages(self, ids: Sequence[int]) -> dict[int, Stored]:
        """The open ones among these passages, by id."""
        ...

    async def newest_periods(self, entities: Sequence[str], kind: PeriodType) -> dict[str | None, str]:
        """The newest period of a kind for each of these entities, and for passages of no entity under None.

        Without entities: the newest of all, under None.
        """
        ...


class WritePort(Protocol):
    """Changes passages; each call is one transaction."""

    async def load(self, rows: Sequence[Row]) -> PassagesLoaded:
        """Load rows with different keys, all or nothing."""
        ...

    async def withdraw(self, doc_id: str) -> int:
        """Hide the passages of a document; returns how many there were."""
        ...
