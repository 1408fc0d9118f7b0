"""What changes items: each change in one transaction with its verdicts, its audit entry and its number."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from contracts.codes import FaqAction, FaqState
from runtime.errors import NotFoundError
from runtime.postgres import Connection, Pool
from services.clarify.faq_veto import RULES_VERSION
from services.gateway.faq.changes import NO_SUCH_ITEM, Change, Precondition, Verdicts, check
from services.gateway.faq.items import Item
from services.gateway.faq.store.rows import SELECT, UPSERT, item_of, values_of

CHANNEL: Final = "ragspine_faq"
"""On which Postgres tells all gateways that something was changed."""

# Waits for the change before this one; rolled back, the number is free again.
_LOCK: Final = "SELECT change, now() AS now FROM faq.clock FOR UPDATE"
_TICK: Final = "UPDATE faq.clock SET change = $1"
_TELL: Final = "SELECT pg_notify($1, $2::text)"
_AUDIT: Final = "INSERT INTO faq.audit (item_id, who, action, state, version, revision) VALUES ($1, $2, $3, $4, $5, $6)"
_FORGET_SURFACES: Final = "DELETE FROM faq.surface WHERE item_id = $1 AND ($2::text IS NULL OR profile_digest = $2)"
_ADD_SURFACE: Final = """
INSERT INTO faq.surface (item_id, profile_digest, rules, place, normal_form, reason) VALUES ($1, $2, $3, $4, $5, $6)
"""

Decide = Callable[[Item | None, datetime], Change | None]
"""What becomes of a stored item, at that time; raises an `AskError` where it must stay as it is."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A change of one item that is decided when no other change is under way."""

    item_id: str
    decide: Decide
    verdicts: Verdicts | None
    """What its wordings are worth; None where they stay the same."""


@dataclass(frozen=True, slots=True)
class Done:
    """What was stored of one planned change."""

    item: Item
    action: FaqAction | None
    """None: nothing had to be changed."""


class ItemWriter:
    """Changes items, with verdicts under one vocabulary."""

    def __init__(self, pool: Pool, profile_digest: str) -> None:
        self._pool = pool
        self._digest = profile_digest

    async def apply(self, planned: Sequence[Planned], *, who: str) -> tuple[list[Done], int]:
        """Make all of these changes or none; returns them with the number of the last change.

        Raises what a decision raises, with nothing changed.
        """
        async with self._changing() as change:
            done = [await change.make(one, who) for one in planned]
            return done, change.number

    async def delete(self, item_id: str, on: Precondition, *, who: str) -> int:
        """Delete an item; its history stays. Raises `NotFoundError` or `ConflictError`."""
        async with self._changing() as change:
            stored = await change.get(item_id)
            if stored is None:
                raise NotFoundError(NO_SUCH_ITEM)
            check(stored, on)
            change.number += 1
            await change.connection.execute("DELETE FROM faq.item WHERE id = $1", item_id)
            gone = replace(stored, state=FaqState.DISABLED, revision=change.number)
            await change.note(gone, FaqAction.DELETED, who)
            return change.number

    async def store_verdicts(self, item: Item, verdicts: Verdicts) -> None:
        """Keep what the wordings of an item are worth under our vocabulary, unless it was changed meanwhile."""
        async with self._pool.connection() as connection, connection.transaction():
            same = "SELECT FROM faq.item WHERE id = $1 AND revision = $2 FOR SHARE"
            if await connection.fetchrow(same, item.id, item.revision) is None:
                return
            await connection.execute(_FORGET_SURFACES, item.id, self._digest)
            await connection.executemany(_ADD_SURFACE, self.surfaces(item.id, verdicts))

    @asynccontextmanager
    async def _changing(self) -> AsyncGenerator["_Changing"]:
        async with self._pool.connection() as connection, connection.transaction():
            (row,) = await connection.fetch(_LOCK)
            before = int(row["change"])
            change = _Changing(self, connection, before, row["now"])
            yield change
            if change.number > before:
                await connection.execute(_TICK, change.number)
                await connection.execute(_TELL, CHANNEL, str(change.number))

    def surfaces(self, item_id: str, verdicts: Verdicts) -> list[tuple[object, ...]]:
        """The rows of an item's wordings."""
        return [(item_id, self._digest, RULES_VERSION, i, form, reason) for i, (form, reason) in enumerate(verdicts)]


@dataclass(slots=True)
class _Changing:
    """A transaction in which items are changed, and the number of the change made last."""

    writer: ItemWriter
    connection: Connection
    number: int
    now: datetime

    async def get(self, item_id: str) -> Item | None:
        row = await self.connection.fetchrow(f"{SELECT} WHERE id = $1", item_id)
        return item_of(row) if row is not None else None

    async def make(self, planned: Planned, who: str) -> Done:
        stored = await self.get(planned.item_id)
        change = planned.decide(stored, self.now)
        if change is None:
            if stored is None:
                raise NotFoundError(NO_SUCH_ITEM)
            return Done(stored, None)
        self.number += 1
        item = replace(change.item, revision=self.number, updated_at=self.now)
        if change.is_approval:
            item = replace(item, approved_change=self.number)
        await self.connection.execute(UPSERT, *values_of(item))
        if planned.verdicts is not None:
            await self.connection.execute(_FORGET_SURFACES, item.id, None)
            await self.connection.executemany(_ADD_SURFACE, self.writer.surfaces(item.id, planned.verdicts))
        await self.note(item, change.action, who)
        if change.is_approval and change.action is not FaqAction.APPROVED:
            await self.note(item, FaqAction.APPROVED, who)
        return Done(item, change.action)

    async def note(self, item: Item, action: FaqAction, who: str) -> None:
        await self.connection.execute(_AUDIT, item.id, who, action, item.state, item.version, item.revision)
