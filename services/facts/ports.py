"""What the worker needs of its database and of the bus. Every method may raise an `AskError`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from contracts.codes import PeriodType
from contracts.v1.facts import FactsChanged, FactsLoaded, StoredFact
from contracts.v1.periods import Period
from services.facts.lookup import Line
from services.facts.rows import Row


class Series(NamedTuple):
    """A scope without its period, under one stored metric code."""

    metric_code: str
    entity: str
    channel: str


class Scope(NamedTuple):
    """A scope under one stored metric code."""

    metric_code: str
    entity: str
    period_type: str
    period: str
    channel: str


@dataclass(frozen=True)
class CodeCounts:
    """How many visible facts carry each stored code; the periods that have at least one."""

    metrics: dict[str, int] = field(default_factory=dict[str, int])
    entities: dict[str, int] = field(default_factory=dict[str, int])
    channels: dict[str, int] = field(default_factory=dict[str, int])
    periods: list[tuple[PeriodType, str]] = field(default_factory=list[tuple[PeriodType, str]])


class ReadPort(Protocol):
    """Reads facts."""

    async def lines(self, asked: Sequence[tuple[int, Scope]]) -> Mapping[int, Sequence[Line]]:
        """The visible lines of numbered scopes by their numbers, in one statement; no entry where there are none."""
        ...

    async def newest_periods(
        self, asked: Sequence[tuple[int, Series]], kinds: Sequence[PeriodType], limit: int
    ) -> Mapping[int, Sequence[Period]]:
        """The newest periods of numbered series by their numbers: up to `limit` of each kind and stored code."""
        ...

    async def page(
        self, metrics: Sequence[str] | None, entity: str | None, period: str | None, *, after: int, limit: int
    ) -> list[StoredFact]:
        """Facts behind the id `after`, in the order of their ids, each with its earlier values."""
        ...

    async def counts(self) -> CodeCounts:
        """How many visible facts carry each code and period."""
        ...

    async def newest(self, metrics: Sequence[str], entities: Sequence[str], kinds: Sequence[PeriodType]) -> list[Scope]:
        """For each of these stored metrics and of these entities a scope among its newest; fiscal years first."""
        ...


class Contradictory(NamedTuple):
    """Two rows of one load that state different things under one key, by position."""

    row: int
    first: int


class WritePort(Protocol):
    """Changes facts; each call is one transaction with its history and events."""

    async def load(self, rows: Sequence[Row]) -> FactsLoaded | list[Contradictory]:
        """Load rows, or nothing when some contradict each other."""
        ...

    async def withdraw(self, source_doc_id: str) -> int:
        """Hide the facts of a document; returns how many were visible."""
        ...


@dataclass(frozen=True, slots=True)
class OutboxEvent:
    """A change that has been committed and not yet announced."""

    event: FactsChanged
    message_id: str
    """The same for every attempt, so that the stream keeps it once."""


class Claim(Protocol):
    """Events that nobody else publishes at the moment."""

    @property
    def events(self) -> Sequence[OutboxEvent]:
        """The oldest waiting events, in their order."""
        ...

    async def published(self, event_ids: Sequence[int]) -> None:
        """Remember that these have been stored in the stream."""
        ...


class OutboxPort(Protocol):
    """The events of committed changes."""

    def claim(self, limit: int) -> AbstractAsyncContextManager[Claim]:
        """Take up to `limit` waiting events for as long as the block lasts."""
        ...

    async def waiting(self) -> int:
        """How many events wait, as far as it is worth counting."""
        ...

    async def prune(self) -> None:
        """Forget events that were published long ago."""
        ...


Publish = Callable[[OutboxEvent], Awaitable[None]]
"""Store an event in the stream; raises an `AskError` when that did not work."""
