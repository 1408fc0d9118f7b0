"""Managing the vetted answers. Each change is all or nothing.

Before anything is stored its wordings are screened and the facts it depends on are read; afterwards the serving copy is
renewed, so that the next ask sees the change. An item that could never be served is stored all the same, and the reply
says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.codes import FaqAction, FaqState
from contracts.v1.errors import FieldProblem
from contracts.v1.faq import (
    FaqAudit,
    FaqDeleted,
    FaqImported,
    FaqItem,
    FaqItems,
    FaqList,
    FaqText,
    ListFaq,
    StoredFaqItem,
)
from domain.profile import CompanyProfile
from runtime.deadline import Deadline
from runtime.errors import MAX_PROBLEMS, InvalidRequestError, NotFoundError
from services.gateway.faq.admission import Screening
from services.gateway.faq.changes import NO_SUCH_ITEM, Condition, Move, Precondition, Save, check
from services.gateway.faq.items import Item, content_of, problems_of, stored, unexplained_digits
from services.gateway.faq.reporting import surfaces_of
from services.gateway.faq.staleness import FactPrints, Staleness
from services.gateway.faq.store.reading import ItemReader
from services.gateway.faq.store.writing import Done, ItemWriter, Planned
from services.gateway.faq.upkeep import Upkeep


@dataclass(frozen=True)
class Catalogue:
    """The vetted answers of one company."""

    profile: CompanyProfile
    reader: ItemReader
    writer: ItemWriter
    screening: Screening
    prints: FactPrints
    staleness: Staleness
    upkeep: Upkeep

    async def page(self, wanted: ListFaq) -> FaqList:
        """A page of items, by id."""
        found = await self.reader.page(wanted, limit=wanted.limit + 1)
        page = found[: wanted.limit]
        next_after = page[-1].id if len(found) > len(page) else None
        return FaqList(items=tuple(await self._shown(page)), next_after=next_after)

    async def get(self, item_id: str) -> StoredFaqItem:
        """One item; raises `NotFoundError`."""
        return (await self._shown([await self._stored(item_id)]))[0]

    async def audit(self, item_id: str) -> FaqAudit:
        """What was done to an item; raises `NotFoundError` for one that never was."""
        entries = await self.reader.audit(item_id)
        if not entries:
            raise NotFoundError(NO_SUCH_ITEM)
        return FaqAudit(id=item_id, entries=tuple(entries))

    async def put(
        self, item_id: str, text: FaqText, on: Precondition, deadline: Deadline, *, who: str
    ) -> StoredFaqItem:
        """Store an item. Raises `ConflictError`, `InvalidRequestError`, or what screening it raises."""
        _refuse(list(problems_of(text, self.profile)))
        planned = await self._planned(item_id, text, on, deadline, who=who)
        return (await self._apply([planned], who=who))[0]

    async def put_all(self, items: FaqItems, deadline: Deadline, *, who: str, skips_bad: bool) -> FaqImported:
        """Import items, all or none; with `skips_bad` those that can be. The same items again change nothing."""
        good, skipped = self._acceptable(items.items, skips_bad=skips_bad)
        planned = [
            await self._planned(item.id, item, Condition.ANY, deadline, who=who, wakes_stale=False) for item in good
        ]
        done = await self._done(planned, who=who)
        created = sum(one.action is FaqAction.CREATED for one in done)
        unchanged = sum(one.action is None for one in done)
        return FaqImported(
            created=created,
            changed=len(done) - created - unchanged,
            unchanged=unchanged,
            skipped=skipped,
            items=tuple(await self._shown([one.item for one in done])),
        )

    async def approve(self, item_id: str, on: Precondition, deadline: Deadline, *, who: str) -> StoredFaqItem:
        """Serve an item from now on. Raises as `put` does, and `NotFoundError`."""
        item = await self._stored(item_id)
        check(item, Condition.ANY if on is Condition.UNSAID else on)
        _refuse(list(unexplained_digits(item.answer, item.depends_on, is_policy=item.policy_number)))
        verdicts = await self.screening.verdicts(item.surfaces)
        seen = await self.prints.of(item.depends_on, deadline)
        # What was read and screened here is what is approved, whatever the caller said.
        move = Move(FaqState.APPROVED, item.revision, who, seen)
        return (await self._apply([Planned(item_id, move, verdicts)], who=who))[0]

    async def disable(self, item_id: str, on: Precondition, *, who: str) -> StoredFaqItem:
        """Serve an item no more. Raises `NotFoundError` or `ConflictError`."""
        move = Move(FaqState.DISABLED, Condition.ANY if on is Condition.UNSAID else on, who)
        return (await self._apply([Planned(item_id, move, None)], who=who))[0]

    async def delete(self, item_id: str, on: Precondition, *, who: str) -> FaqDeleted:
        """Forget an item; its history stays. Raises `NotFoundError` or `ConflictError`."""
        change = await self.writer.delete(item_id, Condition.ANY if on is Condition.UNSAID else on, who=who)
        await self.upkeep.catch_up(change)
        return FaqDeleted(id=item_id)

    def _acceptable(self, items: Sequence[FaqItem], *, skips_bad: bool) -> tuple[list[FaqItem], int]:
        """The items that can be stored, and how many cannot; raises `InvalidRequestError` unless those are skipped."""
        problems: list[FieldProblem] = []
        good: dict[str, FaqItem] = {}
        for i, item in enumerate(items):
            found = list(problems_of(item, self.profile))
            if item.id in good:
                found.append(FieldProblem(field="id", reason="is that of an earlier item"))
            problems += [one.model_copy(update={"field": f"items.{i}.{one.field}"}) for one in found]
            if not found:
                good[item.id] = item
        if not skips_bad:
            _refuse(problems)
        return list(good.values()), len(items) - len(good)

    async def _planned(
        self,
        item_id: str,
        text: FaqText,
        on: Precondition,
        deadline: Deadline,
        *,
        who: str,
        wakes_stale: bool = True,
    ) -> Planned:
        content = content_of(text, self.profile)
        verdicts = await self.screening.verdicts((content.question, *content.aliases))
        approves = text.state is FaqState.APPROVED
        save = Save(
            id=item_id,
            content=content,
            version=text.version,
            state=text.state,
            verified_by=text.verified_by,
            verified_at=text.verified_at,
            on=on,
            who=who,
            facts_seen=await self.prints.of(content.depends_on, deadline) if approves else None,
            wakes_stale=wakes_stale,
        )
        return Planned(item_id, save, verdicts)

    async def _apply(self, planned: Sequence[Planned], *, who: str) -> list[StoredFaqItem]:
        return await self._shown([one.item for one in await self._done(planned, who=who)])

    async def _done(self, planned: Sequence[Planned], *, who: str) -> list[Done]:
        done, change = await self.writer.apply(planned, who=who)
        for one, plan in zip(done, planned, strict=True):
            if plan.verdicts is not None and one.action is not None:
                self.upkeep.screened(one.item)
        await self.upkeep.catch_up(change)
        # A fact may have changed between the reading of the facts and the approval.
        await self.staleness.look_at([one.item for one in done if one.action is not None])
        return done

    async def _stored(self, item_id: str) -> Item:
        item = await self.reader.get(item_id)
        if item is None:
            raise NotFoundError(NO_SUCH_ITEM)
        return item

    async def _shown(self, items: Sequence[Item]) -> list[StoredFaqItem]:
        verdicts = await self.reader.verdicts([item.id for item in items])
        forms = {form for found in verdicts.values() for form, _ in found if form}
        sharing = await self.reader.sharing(sorted(forms))
        return [stored(item, surfaces_of(item, verdicts.get(item.id, ()), sharing)) for item in items]


def _refuse(problems: Sequence[FieldProblem]) -> None:
    if problems:
        raise InvalidRequestError(problems=problems[:MAX_PROBLEMS])
