"""What becomes of an item when somebody saves, approves or disables it. Pure: the store does what is decided here.

Nothing is overwritten unseen: whoever changes an item says which revision was read. A changed text has to be vetted
again, and one version never says two things.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never

from contracts.codes import FaqAction, FaqState
from contracts.v1.errors import FieldProblem
from runtime.errors import ConflictError, InvalidRequestError, NotFoundError
from services.gateway.faq.items import Content, Item

NO_SUCH_ITEM: Final = "There is no vetted answer with this id."


class Condition(StrEnum):
    """On which condition an item may be changed, where no revision is named."""

    UNSAID = "unsaid"
    """Only what does not exist yet."""
    NEW = "new"
    ANY = "any"
    """Whatever is stored: the caller asked for that."""


Precondition = Condition | int
"""A condition, or the revision that the caller has read."""

Verdicts = Sequence[tuple[str, str | None]]
"""The normal form of each wording and the reason why it is not served; the question first."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be stored; `revision`, and `approved_change` where it says so, are the number of the change."""

    item: Item
    action: FaqAction
    is_approval: bool


@dataclass(frozen=True, slots=True)
class Save:
    """Stores an item as somebody wants it to be."""

    id: str
    content: Content
    version: int | None
    state: FaqState | None
    verified_by: str | None
    verified_at: datetime | None
    on: Precondition
    who: str
    facts_seen: str | None = None
    """Identity of the facts that it depends on, read just before; needed to approve it."""
    wakes_stale: bool = True
    """Whether `approved` counts as a new approval of a stale item whose text is the same."""

    def __call__(self, stored: Item | None, now: datetime) -> Change | None:
        """What is stored now; None where nothing changes. Raises `ConflictError` or `InvalidRequestError`."""
        check(stored, self.on)
        has_new_text = stored is None or stored.content() != self.content
        state = self._next_state(stored, has_new_text=has_new_text)
        version = _next_version(stored, self.version, has_new_text=has_new_text)
        if stored is not None and not has_new_text and (stored.state, stored.version) == (state, version):
            return None
        item = self._item(stored, state, version)
        action = FaqAction.CREATED if stored is None else FaqAction.CHANGED
        was_approved = stored is not None and not has_new_text and stored.state is FaqState.APPROVED
        if state is not FaqState.APPROVED or was_approved:
            return Change(item, action, is_approval=False)
        who, when = self.verified_by or self.who, self.verified_at or now
        approved = replace(item, verified_by=who, verified_at=when, facts_seen=self.facts_seen)
        return Change(approved, action, is_approval=True)

    def _item(self, stored: Item | None, state: FaqState, version: int) -> Item:
        content = {field.name: getattr(self.content, field.name) for field in fields(Content)}
        if stored is not None:
            return replace(stored, **content, state=state, version=version)
        return Item(**content, id=self.id, state=state, version=version)

    def _next_state(self, stored: Item | None, *, has_new_text: bool) -> FaqState:
        """Stale is what the system finds: nobody can wish for it, and only a new approval ends it."""
        wished = None if self.state is FaqState.STALE else self.state
        if stored is None or has_new_text:
            return wished or FaqState.DRAFT
        if stored.state is FaqState.STALE and wished is FaqState.APPROVED and not self.wakes_stale:
            return FaqState.STALE
        return wished or stored.state


@dataclass(frozen=True, slots=True)
class Move:
    """Puts an item into another state, and leaves its text alone."""

    to: FaqState
    on: Precondition
    who: str
    facts_seen: str | None = None
    """For an approval: identity of the facts that it depends on, read just before."""

    def __call__(self, stored: Item | None, now: datetime) -> Change | None:
        """What is stored now; None where it is in that state already. Raises `NotFoundError` or `ConflictError`."""
        if stored is None:
            raise NotFoundError(NO_SUCH_ITEM)
        check(stored, self.on)
        if stored.state is self.to:
            return None
        if self.to is not FaqState.APPROVED:
            return Change(replace(stored, state=self.to), _ACTIONS[self.to], is_approval=False)
        item = replace(stored, state=self.to, verified_by=self.who, verified_at=now, facts_seen=self.facts_seen)
        return Change(item, FaqAction.APPROVED, is_approval=True)


_ACTIONS: Final = {
    FaqState.DRAFT: FaqAction.CHANGED,
    FaqState.DISABLED: FaqAction.DISABLED,
    FaqState.STALE: FaqAction.WENT_STALE,
}


def check(stored: Item | None, on: Precondition) -> None:
    """Raise `ConflictError` when the item is not what the caller takes it for."""
    match on:
        case int():
            if stored is None or stored.revision != on:
                raise ConflictError(
                    "The item has changed since you read it, or is gone. Read it again and send its ETag as If-Match."
                )
        case Condition.UNSAID | Condition.NEW:
            if stored is not None:
                raise ConflictError(
                    "This item exists. To change it read it first and send its ETag as If-Match; `*` overwrites it."
                )
        case Condition.ANY:
            pass
        case _:
            assert_never(on)


def _next_version(stored: Item | None, given: int | None, *, has_new_text: bool) -> int:
    if stored is None:
        return given or 1
    if given is None:
        return stored.version + 1 if has_new_text else stored.version
    if has_new_text and given == stored.version:
        reason = "this version is stored with another text; raise it, or leave it out"
        raise InvalidRequestError(problems=(FieldProblem(field="version", reason=reason),))
    return given
