"""An item as stored, and what makes one acceptable. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime

from contracts.codes import FaqState, Locale
from contracts.v1.errors import FieldProblem
from contracts.v1.faq import FaqDependency, FaqSurface, FaqText, StoredFaqItem
from domain.profile import CompanyProfile

_NEEDS_REASON = (
    "the answer holds digits: name the facts they come from in depends_on, or set policy_number if they are a rule of "
    "the company that no fact can change"
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a vetted answer says and on which terms: everything that an expert vets."""

    question: str
    aliases: tuple[str, ...]
    answer: str
    source: str | None
    owner: str
    valid_from: date | None
    valid_until: date | None
    sensitivity: str | None
    locale: Locale | None
    depends_on: tuple[FaqDependency, ...]
    policy_number: bool


@dataclass(frozen=True, slots=True)
class Item(Content):
    """An item with its place in the review."""

    id: str
    version: int
    state: FaqState
    verified_by: str | None = None
    verified_at: datetime | None = None
    facts_seen: str | None = None
    """Identity of the facts that it depends on, as they were when it was approved."""
    approved_change: int | None = None
    revision: int = 0
    updated_at: datetime | None = None

    @property
    def surfaces(self) -> tuple[str, ...]:
        """Its wordings, as they are written."""
        return (self.question, *self.aliases)

    def content(self) -> Content:
        """What an expert vets of it."""
        return Content(**{field.name: getattr(self, field.name) for field in fields(Content)})


def content_of(text: FaqText, profile: CompanyProfile) -> Content:
    """The content of a request; a sensitivity that is left out is the profile's default, null stays closed."""
    is_given = "sensitivity" in text.model_fields_set
    return Content(
        question=text.question,
        aliases=text.aliases,
        answer=text.answer,
        source=text.source,
        owner=text.owner,
        valid_from=text.valid_from,
        valid_until=text.valid_until,
        sensitivity=text.sensitivity if is_given else profile.sensitivity.default,
        locale=text.locale,
        depends_on=tuple(_stored_form(one) for one in text.depends_on),
        policy_number=text.policy_number,
    )


def problems_of(text: FaqText, profile: CompanyProfile) -> Iterator[FieldProblem]:
    """What is wrong with the content of a request, under the vocabulary in force."""
    for i, one in enumerate(text.depends_on):
        if one.metric not in profile.metrics:
            yield FieldProblem(field=f"depends_on.{i}.metric", reason="not a metric of the profile")
        if one.entity is not None and one.entity not in profile.entities:
            yield FieldProblem(field=f"depends_on.{i}.entity", reason="not an entity of the profile")
    if text.state is FaqState.APPROVED:
        yield from unexplained_digits(text.answer, text.depends_on, is_policy=text.policy_number)


def unexplained_digits(
    answer: str, depends_on: tuple[FaqDependency, ...], *, is_policy: bool
) -> Iterator[FieldProblem]:
    """A problem where an answer holds digits of which nobody says where they come from."""
    if not depends_on and not is_policy and any(map(str.isdigit, answer)):
        yield FieldProblem(field="answer", reason=_NEEDS_REASON)


def stored(item: Item, surfaces: tuple[FaqSurface, ...] = ()) -> StoredFaqItem:
    """The item as it is shown; `surfaces` says what would be served of it."""
    shown = {name: getattr(item, name) for name in StoredFaqItem.model_fields if name != "surfaces"}
    return StoredFaqItem(**shown, surfaces=surfaces)


def _stored_form(one: FaqDependency) -> FaqDependency:
    period = one.period.removeprefix("FY") if one.period else None
    return one.model_copy(update={"period": period})
