"""`ragspine.v1.narrative.*`: passages with lineage for questions of why or how: searching, loading, withdrawing."""

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from ..codes import NothingFound, PeriodType, RankedBy
from .base import (
    MAX_CODE_CHARS,
    MAX_LOAD_ROWS,
    MAX_QUESTION_CHARS,
    MAX_TEXT_CHARS,
    CleanText,
    Code,
    EdgeMessage,
    InternalMessage,
    Lineage,
    refuse_unreadable,
)
from .periods import Period, stored_period

MAX_PASSAGE_CHARS: Final = 20_000
"""About ten pages. A passage is what one citation points at, so most have less than a thousandth of a book."""


class SearchPassages(InternalMessage):
    """Find passages for a question, for the asked entities and periods where it names any."""

    question: CleanText = Field(min_length=1, max_length=MAX_QUESTION_CHARS)
    entities: tuple[Code, ...] = ()
    """Only passages of one of these, and those of no entity; empty: of any."""
    periods: tuple[Period, ...] = ()
    """Only passages of one of these or of a part of one, and those of no period; empty: of any."""
    latest: PeriodType | None = None
    """Only passages of the newest loaded period of that kind, for each entity; counts where no period is named."""
    top_k: int = Field(default=8, ge=1, le=50)
    profile_digest: str


class Passage(InternalMessage):
    """A retrieved text with its lineage. Only open passages ever leave the worker."""

    doc_id: Lineage
    locator: Lineage
    title: str | None = None
    text: str
    score: Annotated[float, Field(allow_inf_nan=False)]
    """Comparable within one reply only; the best of a language has about 1."""
    entity: Code | None = None
    """Whom the passage is about, where that was said when it was loaded; null: everybody."""
    period: str | None = None
    """The period it is about, as in `Period.value`: `2024`, `2024H1`, `2024Q3`; null: any."""


class Passages(InternalMessage):
    """What was found, best first."""

    passages: tuple[Passage, ...] = ()
    material_loaded: bool
    """False when the worker holds no passage at all."""
    nothing_found: NothingFound | None = None
    """Why there are no passages; null when there are some."""
    ranked_by: RankedBy = RankedBy.WORDS


class PassageRow(EdgeMessage):
    """A passage to load. The key is document and locator."""

    doc_id: Lineage
    locator: Lineage
    text: Annotated[CleanText, Field(min_length=1, max_length=MAX_PASSAGE_CHARS), AfterValidator(refuse_unreadable)]
    title: Annotated[CleanText, Field(max_length=MAX_TEXT_CHARS)] | None = None
    sensitivity: Annotated[CleanText, Field(max_length=MAX_CODE_CHARS)] | None = None
    """PUBLIC and INTERNAL may be shown, what has any other label never leaves. Left out: the profile's default."""
    entity: Code | None = None
    """The code of the entity that the passage is about; left out: it matches every entity."""
    period: Annotated[Code, AfterValidator(stored_period)] | None = None
    """The period that it is about: `2024` (or `FY2024`), `2024H1`, `2024Q3`, `2024M10`, `2024Q3YTD`."""


class LoadPassages(EdgeMessage):
    """Load passages, all or nothing. The same document and locator with another text replaces it."""

    passages: tuple[PassageRow, ...] = Field(min_length=1, max_length=MAX_LOAD_ROWS)


class PassagesLoaded(InternalMessage):
    """What a load changed."""

    received: int
    inserted: int
    updated: int
    unchanged: int
    revived: int = 0
    """Passages of a document that had been withdrawn."""
    closed: int = 0
    """Of those received, how many carry a label under which they are never shown."""


class WithdrawPassages(EdgeMessage):
    """Withdraw all passages of a document; loading it again revives them."""

    doc_id: Lineage


class PassagesWithdrawn(InternalMessage):
    """How many passages the withdrawal hid, those that were never shown included."""

    withdrawn: int
