"""`ragspine.v1.intent.parse`: a question becomes slots, by rules only."""

from datetime import date

from pydantic import Field, computed_field

from ..codes import TOTAL_CHANNEL, PeriodType, ResidueKind, Route
from .base import MAX_QUESTION_CHARS, CleanText, Code, InternalMessage, IsoDate
from .operations import Operation
from .periods import Period


class ParseIntent(InternalMessage):
    """Parse one question. Without `reference_date` the worker takes today in the profile's time zone."""

    question: CleanText = Field(min_length=1, max_length=MAX_QUESTION_CHARS)
    reference_date: IsoDate | None = None
    default_entity: Code | None = None
    """Whose fiscal calendar counts when the question names no entity; else the profile's default entity."""


class Residue(InternalMessage):
    """A word of a numeric question that is neither a slot nor harmless: it must be asked back by name."""

    text: str
    """As the user wrote it."""
    kind: ResidueKind
    start: int
    """Offset in the question, in characters."""
    end: int
    candidates: tuple[Code, ...] = ()
    """The metrics that an ambiguous name can mean."""
    beside_name: bool = False
    """An unknown word that touches an entity or a channel: without it the question may ask for the opposite."""
    honoured: bool = False
    """Whether the intent's `operation` does what this word asks for. It is listed all the same, so that a reader that
    knows no operations asks it back."""


class LatestPeriod(InternalMessage):
    """A question for the newest period, as in "latest quarter": only the fact store knows which that is."""

    type: PeriodType | None = None
    """The kind of period that is asked for; null where the question names none ("latest revenue")."""
    start: int
    """Where the question says so: offset in characters."""
    end: int


class ParsedIntent(InternalMessage):
    """The slots of a question, in the order in which the question names them."""

    route: Route
    metrics: tuple[Code, ...] = ()
    entities: tuple[Code, ...] = ()
    periods: tuple[Period, ...] = ()
    channels: tuple[Code, ...] = ()
    """Empty when the question names none: then `TOTAL` is meant."""
    external_entities: tuple[str, ...] = ()
    """Display names of the competitors that were masked before matching."""
    residues: tuple[Residue, ...] = ()
    latest: LatestPeriod | None = None
    """Set when the question asks for the newest period and names no other. Its words are residues as well, so that who
    cannot resolve it asks back; not on the narrative route, where it only says which material is wanted."""
    operation: Operation | None = None
    """What is to be computed from the figures of the slots; the words that say so are honoured residues."""
    reference_date: date | None = None
    """The day that the question itself says is today: what its relative periods were counted from."""
    profile_digest: str

    @property
    def pending(self) -> tuple[Residue, ...]:
        """What must be asked back: all residues but those that the operation honours."""
        return tuple(r for r in self.residues if not (r.honoured and self.operation))

    @computed_field
    @property
    def metric(self) -> str | None:
        """The first metric."""
        return self.metrics[0] if self.metrics else None

    @computed_field
    @property
    def entity(self) -> str | None:
        """The first entity."""
        return self.entities[0] if self.entities else None

    @computed_field
    @property
    def period(self) -> Period | None:
        """The first period."""
        return self.periods[0] if self.periods else None

    @computed_field
    @property
    def channel(self) -> str:
        """The first channel, or `TOTAL`."""
        return self.channels[0] if self.channels else TOTAL_CHANNEL

    @computed_field
    @property
    def external_entity(self) -> str | None:
        """The first masked competitor."""
        return self.external_entities[0] if self.external_entities else None
