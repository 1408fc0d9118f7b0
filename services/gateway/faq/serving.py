"""The serving copy: what Redis holds of the items, and which of it may answer. Pure.

A wording leads to candidates in the order in which they were approved; the first that may be served on that day is.
What may never be served comes without its answer. Each value says what it answers, for whom and under which vocabulary,
so that a value under a wrong key is noticed.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict

from contracts.codes import FaqState, Locale
from runtime.redis_rights import FAQ_KEYS
from services.clarify.faq_veto import RULES_VERSION, Terms, VetoReason, veto_of_item
from services.gateway.faq.items import Item
from services.gateway.faq.vetted import MissReason

EVERYBODY: Final = "everybody"
"""The scope of callers as long as there are no keys: all see the same items."""
ANY_LOCALE: Final = "any"
CHANGE_FIELD: Final = "change"
"""The field that says up to which change the copy is complete."""


@dataclass(frozen=True, slots=True)
class Space:
    """Whose copy it is: a vocabulary and a scope of callers. Nothing is shared between two spaces."""

    profile_digest: str
    scope: str = EVERYBODY

    @property
    def key(self) -> str:
        """The key of the copy in Redis."""
        return f"{FAQ_KEYS}{quote(self.profile_digest, safe='')}:{quote(self.scope, safe='')}"


def field_of(normal_form: str, locale: Locale | None) -> str:
    """The field of a wording: one for askers of each language, and one for all of them."""
    return f"{locale or ANY_LOCALE}:{hashlib.sha256(normal_form.encode()).hexdigest()}"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)


class Candidate(_Frozen):
    """An item under one of its wordings."""

    id: str
    version: int
    revision: int
    approved_change: int
    state: FaqState
    veto: VetoReason | None
    sensitivity: str | None
    valid_from: date | None
    valid_until: date | None
    depends: bool
    """Whether facts can make it wrong."""
    answer: str
    """Empty where it may never be served."""
    source: str | None


class Served(_Frozen):
    """All candidates of one wording for askers of one language, or of any."""

    normal_form: str
    profile_digest: str
    scope: str
    locale: Locale | None
    rules: int
    candidates: tuple[Candidate, ...]

    def is_for(self, normal_form: str, space: Space, locale: Locale) -> bool:
        """Whether the value answers what was asked."""
        return (
            self.normal_form == normal_form
            and self.profile_digest == space.profile_digest
            and self.scope == space.scope
            and self.locale in {None, locale}
            and self.rules == RULES_VERSION
        )


def choose(found: Iterable[Served], today: date, *, trusts_facts: bool) -> Candidate | MissReason | VetoReason:
    """The candidate that answers on that day, or why none does.

    `trusts_facts` says whether it is known that no fact has changed on which an approved item depends.
    """
    candidates = [candidate for served in found for candidate in served.candidates]
    why: MissReason | VetoReason = MissReason.NO_ITEM
    for candidate in sorted(candidates, key=lambda c: c.approved_change):
        against = _against(candidate, today, trusts_facts=trusts_facts)
        if against is None:
            return candidate
        why = against if why is MissReason.NO_ITEM else why
    return why


def _against(candidate: Candidate, today: date, *, trusts_facts: bool) -> MissReason | VetoReason | None:
    terms = Terms(candidate.state, candidate.sensitivity, candidate.valid_from, candidate.valid_until)
    against = candidate.veto or veto_of_item(terms, today)
    if against is None and candidate.depends and not trusts_facts:
        return MissReason.UNCHECKED
    return against


def copy_of(
    items: Sequence[Item], verdicts: Mapping[str, Sequence[tuple[str, str | None]]], space: Space
) -> dict[str, str]:
    """The fields of a copy: every wording of every item of which the verdicts are known, by item id."""
    found: dict[tuple[str, Locale | None], list[Candidate]] = {}
    for item in items:
        for normal_form, reason in verdicts.get(item.id, ()):
            if normal_form:
                found.setdefault((normal_form, item.locale), []).append(_candidate(item, reason))
    return {
        field_of(normal_form, locale): Served(
            normal_form=normal_form,
            profile_digest=space.profile_digest,
            scope=space.scope,
            locale=locale,
            rules=RULES_VERSION,
            candidates=tuple(candidates),
        ).model_dump_json()
        for (normal_form, locale), candidates in found.items()
    }


def _candidate(item: Item, reason: str | None) -> Candidate:
    veto = VetoReason(reason) if reason else None
    terms = Terms(item.state, item.sensitivity)
    can_be_served = veto is None and veto_of_item(terms, date.min) is None
    return Candidate(
        id=item.id,
        version=item.version,
        revision=item.revision,
        approved_change=item.approved_change or 0,
        state=item.state,
        veto=veto,
        sensitivity=item.sensitivity,
        valid_from=item.valid_from,
        valid_until=item.valid_until,
        depends=bool(item.depends_on),
        answer=item.answer if can_be_served else "",
        source=item.source if can_be_served else None,
    )
