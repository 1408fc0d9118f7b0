"""What is read of the items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.v1.faq import FaqAuditEntry, ListFaq
from runtime.postgres import Pool, Record
from services.clarify.faq_veto import RULES_VERSION
from services.gateway.faq.items import Item
from services.gateway.faq.store.rows import SELECT, item_of

AUDIT_ENTRIES: Final = 200
"""Newest entries that are shown of one item; all of them stay stored."""

_LISTED: Final = f"""
{SELECT}
WHERE ($1::text IS NULL OR state = $1)
    AND ($2::text IS NULL OR owner = $2)
    AND ($3::text IS NULL OR locale = $3)
    AND ($4::text IS NULL OR strpos(
        lower(concat_ws(' ', question, array_to_string(aliases, ' '), answer)), lower($4)) > 0)
    AND ($5::text IS NULL OR id > $5)
ORDER BY id
LIMIT $6
"""
_SURFACES: Final = """
SELECT s.item_id, s.normal_form, s.reason FROM faq.surface AS s
WHERE s.item_id = ANY ($1) AND s.profile_digest = $2 AND s.rules = $3
ORDER BY s.item_id, s.place
"""
# Of items that are served or were: a draft hides nothing.
_SHARING: Final = """
SELECT DISTINCT s.normal_form, s.item_id, i.locale, i.approved_change
FROM unnest($1::text[] COLLATE "C") AS wanted (normal_form)
JOIN faq.surface AS s ON md5(s.normal_form) = md5(wanted.normal_form) AND s.normal_form = wanted.normal_form
JOIN faq.item AS i ON i.id = s.item_id
WHERE s.profile_digest = $2 AND s.rules = $3 AND i.state = 'approved'
ORDER BY i.approved_change, s.item_id
"""
_ON_FORM: Final = f"""
{SELECT} WHERE id IN (SELECT item_id FROM faq.surface WHERE md5(normal_form) = md5($1) AND normal_form = $1)
ORDER BY state <> 'approved', approved_change, id
"""  # noqa: S608 - constants only
_AUDIT: Final = """
SELECT at, who, action, state, version, revision FROM faq.audit WHERE item_id = $1 ORDER BY id DESC LIMIT $2
"""

Verdicts = Mapping[str, Sequence[tuple[str, str | None]]]
"""By item: the normal form of each wording, and why it is not served."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a copy is made of, as it was after one change and before the next."""

    change: int
    items: Sequence[Item]
    verdicts: Verdicts
    by_state: Mapping[str, int]
    """How many items there are in each state."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """An approved item that has a wording."""

    normal_form: str
    item_id: str
    locale: str | None


class ItemReader:
    """Reads items, under the verdicts of one vocabulary."""

    def __init__(self, pool: Pool, profile_digest: str) -> None:
        self._pool = pool
        self._digest = profile_digest

    async def check(self) -> None:
        """Do nothing, successfully, if the items can be read."""
        await self._pool.fetch("SELECT FROM faq.item LIMIT 1")

    async def change(self) -> int:
        """The number of the last change."""
        (row,) = await self._pool.fetch("SELECT change FROM faq.clock")
        return int(row["change"])

    async def get(self, item_id: str) -> Item | None:
        """One item."""
        rows = await self._pool.fetch(f"{SELECT} WHERE id = $1", item_id)
        return item_of(rows[0]) if rows else None

    async def page(self, wanted: ListFaq, *, limit: int) -> list[Item]:
        """Items by id."""
        rows = await self._pool.fetch(
            _LISTED, wanted.state, wanted.owner, wanted.locale, wanted.text, wanted.after, limit
        )
        return [item_of(row) for row in rows]

    async def verdicts(self, item_ids: Sequence[str]) -> Verdicts:
        """What is known of the wordings of these items; nothing of those that were not screened yet."""
        return _by_item(await self._pool.fetch(_SURFACES, list(item_ids), self._digest, RULES_VERSION))

    async def sharing(self, normal_forms: Sequence[str]) -> list[Sharing]:
        """The approved items that have these wordings, those approved first first."""
        rows = await self._pool.fetch(_SHARING, list(normal_forms), self._digest, RULES_VERSION)
        return [Sharing(row["normal_form"], row["item_id"], row["locale"]) for row in rows]

    async def with_form(self, normal_form: str) -> list[Item]:
        """All items with a wording of this normal form, in any state; the one that would answer first."""
        return [item_of(row) for row in await self._pool.fetch(_ON_FORM, normal_form)]

    async def audit(self, item_id: str) -> list[FaqAuditEntry]:
        """What was done to an item, newest first."""
        rows = await self._pool.fetch(_AUDIT, item_id, AUDIT_ENTRIES)
        return [FaqAuditEntry.model_validate(dict(row)) for row in rows]

    async def snapshot(self) -> Snapshot:
        """The items that are or were approved, with their verdicts, all of one moment."""
        async with (
            self._pool.connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            change = await connection.fetchval("SELECT change FROM faq.clock")
            counts = await connection.fetch("SELECT state, count(*) AS items FROM faq.item GROUP BY state")
            rows = await connection.fetch(f"{SELECT} WHERE state IN ('approved', 'stale') ORDER BY id")
            items = [item_of(row) for row in rows]
            surfaces = await connection.fetch(_SURFACES, [item.id for item in items], self._digest, RULES_VERSION)
        return Snapshot(change, items, _by_item(surfaces), {row["state"]: row["items"] for row in counts})


def _by_item(rows: Sequence[Record]) -> Verdicts:
    found: dict[str, list[tuple[str, str | None]]] = {}
    for row in rows:
        found.setdefault(row["item_id"], []).append((row["normal_form"], row["reason"]))
    return found
