"""`ragspine.v1.narrative.search`: passages with lineage for a question of why or how."""

from pydantic import Field

from .base import MAX_QUESTION_CHARS, CleanText, Code, InternalMessage, Lineage
from .periods import Period


class SearchPassages(InternalMessage):
    """Find passages for a question, for the asked entities and periods where it names any."""

    question: CleanText = Field(min_length=1, max_length=MAX_QUESTION_CHARS)
    entities: tuple[Code, ...] = ()
    periods: tuple[Period, ...] = ()
    top_k: int = Field(default=8, ge=1, le=50)
    profile_digest: str


class Passage(InternalMessage):
    """A retrieved text with its lineage. Only open passages ever leave the worker."""

    doc_id: Lineage
    locator: Lineage
    title: str | None = None
    text: str
    score: float
    entity: Code | None = None
    """Whom the passage is about, where that was said when it was loaded."""
    period: str | None = None
    """The period it is about, as in `Period.value`: `2024`, `2024H1`, `2024Q3`."""


class Passages(InternalMessage):
    """What was found, best first."""

    passages: tuple[Passage, ...] = ()
    material_loaded: bool
    """False when the worker holds no passage at all."""
