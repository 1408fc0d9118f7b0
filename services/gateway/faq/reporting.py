"""What would be served of an item, wording by wording. Pure."""

from collections.abc import Iterator, Sequence

from contracts.codes import Locale
from contracts.v1.faq import FaqSurface
from domain.sensitivity import is_open
from services.clarify.faq_veto import VetoReason
from services.gateway.faq.changes import Verdicts
from services.gateway.faq.items import Item
from services.gateway.faq.store.reading import Sharing

REPEATS = "repeats"
"""The reason of a wording that an earlier one of the same item has already."""


def surfaces_of(item: Item, verdicts: Verdicts, sharing: Sequence[Sharing]) -> tuple[FaqSurface, ...]:
    """A line for each wording, in the order of the item; none where it was not screened yet."""
    return tuple(_lines(item, verdicts, sharing))


def _lines(item: Item, verdicts: Verdicts, sharing: Sequence[Sharing]) -> Iterator[FaqSurface]:
    seen: set[str] = set()
    closed = None if is_open(item.sensitivity) else VetoReason.CLOSED_SENSITIVITY.value
    for text, (form, reason) in zip(item.surfaces, verdicts, strict=False):
        why = reason or closed or (REPEATS if form in seen else None)
        seen.add(form)
        conflicts = tuple(
            other.item_id
            for other in sharing
            if other.normal_form == form and other.item_id != item.id and _may_meet(item.locale, other.locale)
        )
        yield FaqSurface(text=text, is_served=why is None, reason=why, conflicts_with=conflicts if not why else ())


def _may_meet(one: Locale | None, other: str | None) -> bool:
    """Whether one asker can get either item."""
    return one is None or other is None or one == other
