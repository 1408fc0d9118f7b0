"""`/v1/faq`: vetted answers, how they are kept and reviewed. They travel over HTTP only.

Strictly typed: `"false"` is no boolean, a date is a day, an empty answer is none.
"""

from datetime import date, datetime
from typing import Annotated, Final, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ..codes import FaqAction, FaqState, Locale
from .ask import Question
from .base import CleanText, Code, EdgeMessage, InternalMessage, IsoDate, Lineage, refuse_unreadable

MAX_FAQ_ITEMS: Final = 1_000
"""Items in one import, and on one page."""
MAX_ALIASES: Final = 50
MAX_DEPENDENCIES: Final = 20
MAX_ANSWER_CHARS: Final = 8_000
MAX_NAME_CHARS: Final = 128
MAX_VERSION: Final = 1_000_000

_STRICT: Final = ConfigDict(strict=True)

FAQ_ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"

FaqId = Annotated[str, Field(pattern=FAQ_ID_PATTERN)]
"""The name of an item; it is shown in answers, traces and logs."""
Person = Annotated[CleanText, Field(min_length=1, max_length=MAX_NAME_CHARS), AfterValidator(refuse_unreadable)]
Answer = Annotated[CleanText, Field(min_length=1, max_length=MAX_ANSWER_CHARS), AfterValidator(refuse_unreadable)]
Sensitivity = Annotated[CleanText, Field(max_length=64)]


class FaqDependency(EdgeMessage):
    """Facts that an answer was written from: all of a metric, or those of an entity, of a period, or of both."""

    model_config = _STRICT

    metric: Code
    entity: Code | None = None
    period: Code | None = None
    """As stored or as shown: `2024`, `FY2024`, `2024H1`, `2024Q3`."""


class FaqText(EdgeMessage):
    """What a vetted answer says, to whom and how long. Only questions that read exactly like one of these get it."""

    model_config = _STRICT

    question: Question
    aliases: tuple[Question, ...] = Field(default=(), max_length=MAX_ALIASES)
    """Further wordings that get the same answer."""
    answer: Answer
    source: Lineage | None = None
    """The document that the answer is from."""
    version: int | None = Field(default=None, ge=1, le=MAX_VERSION)
    """Shown with the answer. Default: 1, and one more after every change."""
    owner: Person
    """Who answers for it."""
    state: FaqState | None = None
    """Default: what is stored, or `draft` for a new item and after every change."""
    valid_from: IsoDate | None = None
    valid_until: IsoDate | None = None
    """The last day on which it is served."""
    sensitivity: Sensitivity | None = None
    """`PUBLIC` and `INTERNAL` are served, everything else is kept closed, null as well. Default: the profile's."""
    locale: Locale | None = None
    """Serve it to askers of this language only."""
    depends_on: tuple[FaqDependency, ...] = Field(default=(), max_length=MAX_DEPENDENCIES)
    """When one of these facts changes the item is stale, and not served until it is approved again."""
    policy_number: bool = False
    """The digits of the answer are a rule of the company, not figures: no fact can make them wrong."""
    verified_by: Person | None = None
    verified_at: datetime | None = None

    @model_validator(mode="after")
    def _window_is_not_empty(self) -> Self:
        if self.valid_from and self.valid_until and self.valid_until < self.valid_from:
            raise ValueError("valid_until is before valid_from, so the item would never be served")
        return self


class FaqItem(FaqText):
    """A vetted answer with its name."""

    id: FaqId


class FaqItems(EdgeMessage):
    """Items to import, as an export wrote them."""

    model_config = _STRICT

    items: tuple[FaqItem, ...] = Field(min_length=1, max_length=MAX_FAQ_ITEMS)


class FaqSurface(InternalMessage):
    """One wording of an item, and whether it would ever be served."""

    text: str
    is_served: bool
    """Whether questions of this wording get the answer as soon as the item is approved and valid."""
    reason: str | None = None
    """Why not: the code of a veto, `empty`, or `repeats` for a wording that the item holds already."""
    conflicts_with: tuple[FaqId, ...] = ()
    """Other approved items with the same wording. The one that was approved first answers."""


class StoredFaqItem(InternalMessage):
    """An item as stored."""

    id: FaqId
    question: str
    aliases: tuple[str, ...]
    answer: str
    source: str | None
    version: int
    owner: str
    state: FaqState
    valid_from: date | None
    valid_until: date | None
    sensitivity: str | None
    locale: Locale | None
    depends_on: tuple[FaqDependency, ...]
    policy_number: bool
    verified_by: str | None
    verified_at: datetime | None
    revision: int
    """Changes with every change of the item; its ETag."""
    updated_at: datetime
    surfaces: tuple[FaqSurface, ...] = ()


class ListFaq(InternalMessage):
    """List items; every filter is optional."""

    state: FaqState | None = None
    owner: Person | None = None
    locale: Locale | None = None
    text: CleanText | None = Field(default=None, max_length=200)
    """Only items with this text in a question, an alias or the answer."""
    limit: int = Field(default=100, ge=1, le=MAX_FAQ_ITEMS)
    after: FaqId | None = None
    """Continue behind this id."""


class FaqList(InternalMessage):
    """A page of items, by id."""

    items: tuple[StoredFaqItem, ...]
    next_after: FaqId | None = None
    """Pass as `after` for the next page; null on the last."""


class FaqImported(InternalMessage):
    """What an import did; `items` says of each imported item what would be served of it."""

    created: int
    changed: int
    unchanged: int
    skipped: int = 0
    items: tuple[StoredFaqItem, ...]


class FaqDeleted(InternalMessage):
    """What was deleted."""

    id: FaqId


class FaqAuditEntry(InternalMessage):
    """Who did what to an item, and when."""

    at: datetime
    who: str
    action: FaqAction
    state: FaqState
    """Afterwards."""
    version: int
    revision: int


class FaqAudit(InternalMessage):
    """The history of an item, newest first; it outlives the item."""

    id: FaqId
    entries: tuple[FaqAuditEntry, ...]


class TryFaq(EdgeMessage):
    """A question to try: what would the vetted answers say?"""

    model_config = _STRICT

    question: Question
    reference_date: IsoDate | None = None
    locale: Locale | None = None


class FaqVerdict(InternalMessage):
    """Hit or miss, and exactly why."""

    is_hit: bool
    reason: str | None = None
    """The code of the reason for a miss."""
    detail: str
    """The same for people."""
    normal_form: str
    """What the question is compared by."""
    faq_id: FaqId | None = None
    """The item that answers, or that would if nothing stood against it."""
    version: int | None = None
    answer: str | None = None


class FaqSuggestion(InternalMessage):
    """A question that was asked often and has no vetted answer."""

    question: str
    """In its normal form."""
    asked: int
    """How often, at least roughly: it is counted in bounded space."""


class FaqSuggestions(InternalMessage):
    """What to vet next, most asked first."""

    is_on: bool
    """Whether anything is counted: the operator switches it on."""
    threshold: int
    suggestions: tuple[FaqSuggestion, ...]
