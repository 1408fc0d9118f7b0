"""`ragspine.v1.facts.*`: look-ups with lineage, loading, withdrawal, listing, catalogue.

A number is a decimal string from end to end. `FactOutcome` is the closed sum type that the guard matches exhaustively.
"""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Final, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator

from ..codes import TOTAL_CHANNEL, FactParam, FactStatus, PeriodType, ReviewStatus
from .base import (
    MAX_LOAD_ROWS,
    MAX_ROW_ID,
    MAX_SUBTASKS,
    Code,
    EdgeMessage,
    InternalMessage,
    IsoDate,
    Lineage,
    Unit,
)
from .periods import Period, is_period_value

DECIMAL_PATTERN: Final = r"^-?[0-9]{1,30}(\.[0-9]{1,20})?$"
_DECIMAL: Final = re.compile(DECIMAL_PATTERN)


def _only_decimal_text(value: object) -> object:
    """Refuse floats, booleans and JSON numbers: a float has already lost the stored digits."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError("a value must be finite")
        return value
    if not isinstance(value, str):
        raise ValueError('a value is a decimal string such as "1320.50"')
    if _DECIMAL.fullmatch(value) is None:
        raise ValueError(
            "a value is a plain decimal string: digits, an optional sign and one point, no exponent or separators"
        )
    return Decimal(value)


DecimalText = Annotated[
    Decimal,
    BeforeValidator(_only_decimal_text, json_schema_input_type=str),
    PlainSerializer(lambda d: format(d, "f"), return_type=str, when_used="json"),
    Field(json_schema_extra={"pattern": DECIMAL_PATTERN}),
]
"""A `Decimal` that travels as its plain digits: never a float, never an exponent."""


class FactQuery(InternalMessage):
    """One asked scope."""

    metric: Code
    entity: Code
    period: Period
    channel: Code = TOTAL_CHANNEL


class Source(InternalMessage):
    """Where a statement comes from."""

    doc: Lineage
    locator: Lineage | None = None


class FactValue(InternalMessage):
    """A stored number with its lineage."""

    value: DecimalText
    unit: Code
    source_doc_id: Lineage
    source_locator: Lineage
    valid_as_of: date | None = None

    @property
    def source(self) -> Source:
        """The lineage as shown to users."""
        return Source(doc=self.source_doc_id, locator=self.source_locator)


class Found(InternalMessage):
    """Exactly one visible value for the scope."""

    status: Literal[FactStatus.FOUND] = FactStatus.FOUND
    query: FactQuery
    fact: FactValue


class NotFound(InternalMessage):
    """No visible value for the scope."""

    status: Literal[FactStatus.NOT_FOUND] = FactStatus.NOT_FOUND
    query: FactQuery


class UnrecognizedParam(InternalMessage):
    """A part of the scope is not in the glossary."""

    status: Literal[FactStatus.UNRECOGNIZED_PARAM] = FactStatus.UNRECOGNIZED_PARAM
    query: FactQuery
    param: FactParam
    raw: str


class Conflicting(InternalMessage):
    """Visible values that disagree while none is newer: all are shown, none is picked."""

    status: Literal[FactStatus.CONFLICTING] = FactStatus.CONFLICTING
    query: FactQuery
    facts: tuple[FactValue, ...] = Field(min_length=2)


FactOutcome = Annotated[Found | NotFound | UnrecognizedParam | Conflicting, Field(discriminator="status")]


class QueryFacts(InternalMessage):
    """Look up all scopes of one ask in one batch."""

    queries: tuple[FactQuery, ...] = Field(min_length=1, max_length=MAX_SUBTASKS)
    profile_digest: str


class FactOutcomes(InternalMessage):
    """One outcome per query, in the order of the queries."""

    outcomes: tuple[FactOutcome, ...]


class FactSeries(InternalMessage):
    """A scope without its period."""

    metric: Code
    entity: Code
    channel: Code = TOTAL_CHANNEL


class FindNewest(InternalMessage):
    """Ask for the newest loaded periods of some series, as "latest quarter" needs them."""

    series: tuple[FactSeries, ...] = Field(min_length=1, max_length=MAX_SUBTASKS)
    kinds: tuple[PeriodType, ...] = ()
    """Of these kinds; none means every kind."""
    profile_digest: str


class NewestPeriods(InternalMessage):
    """For each asked series, in their order, the periods with a visible fact: the newest few of each kind."""

    series: tuple[tuple[Period, ...], ...]
    """Kind by kind, each the newest first; empty where nothing is loaded."""


class FactRow(EdgeMessage):
    """A fact to load. The key is metric, entity, period type, period, channel and source document."""

    metric_code: Code
    entity: Code
    period_type: PeriodType
    period: Code
    channel: Code = TOTAL_CHANNEL
    value: DecimalText
    unit: Unit
    source_doc_id: Lineage
    source_locator: Lineage
    valid_as_of: IsoDate | None = None
    review_status: ReviewStatus = ReviewStatus.APPROVED

    @model_validator(mode="after")
    def _well_formed_period(self) -> Self:
        if not is_period_value(self.period_type, self.period):
            raise ValueError(
                "period does not fit period_type: FY 2024, HY 2024H1, QUARTER 2024Q3, MONTH 2024M10, YTD 2024Q3YTD"
            )
        return self


class LoadFacts(EdgeMessage):
    """Load rows, all or nothing. The same key with another value replaces it."""

    facts: tuple[FactRow, ...] = Field(min_length=1, max_length=MAX_LOAD_ROWS)


class RowError(InternalMessage):
    """A row that cannot be loaded."""

    row: int
    """Position in the request, from 0."""
    column: str
    reason: str


class FactsLoaded(InternalMessage):
    """What a load changed."""

    received: int
    inserted: int
    updated: int
    unchanged: int
    revived: int = 0
    """Rows of a document that had been withdrawn."""


class WithdrawFacts(EdgeMessage):
    """Withdraw all facts of a document; loading it again revives them."""

    source_doc_id: Lineage


class FactsWithdrawn(InternalMessage):
    """How many visible facts the withdrawal hid."""

    withdrawn: int


class ListFacts(InternalMessage):
    """List facts with lineage and history; every filter is optional."""

    metric: Code | None = None
    entity: Code | None = None
    period: Code | None = None
    limit: int = Field(default=500, ge=1, le=500)
    after: int | None = Field(default=None, ge=0, le=MAX_ROW_ID)
    """Continue behind this `id` of an earlier page."""


class StoredFact(InternalMessage):
    """A fact as stored, with what happened to it."""

    id: int
    metric_code: Code
    entity: Code
    period_type: PeriodType
    period: Code
    channel: Code
    value: DecimalText
    unit: Code
    source_doc_id: Lineage
    source_locator: Lineage
    valid_as_of: date | None
    review_status: ReviewStatus
    withdrawn: bool
    ingested_at: datetime
    history: tuple["FactVersion", ...] = ()
    """Earlier values of this key, newest first."""


class FactVersion(InternalMessage):
    """An earlier value of a fact."""

    value: DecimalText
    unit: Code
    source_locator: Lineage
    valid_as_of: date | None
    review_status: ReviewStatus
    ingested_at: datetime
    replaced_at: datetime


class FactList(InternalMessage):
    """A page of facts."""

    facts: tuple[StoredFact, ...]
    next_after: int | None = None
    """Pass as `after` for the next page; null on the last."""


class GetCatalogue(InternalMessage):
    """What can be asked."""

    locale: str | None = None


class CatalogueItem(InternalMessage):
    """A metric, entity or channel of the profile."""

    code: Code
    label: str
    unit: str | None = None
    facts: int = 0
    """How many visible facts carry it."""


class Catalogue(InternalMessage):
    """Metrics, entities, channels, the loaded periods, and questions that work on the loaded data."""

    metrics: tuple[CatalogueItem, ...]
    entities: tuple[CatalogueItem, ...]
    channels: tuple[CatalogueItem, ...]
    periods: tuple[Period, ...]
    """Periods with at least one visible fact, newest first."""
    examples: tuple[str, ...]


class FactScope(InternalMessage):
    """The scope of a changed fact: codes only."""

    metric: Code
    entity: Code
    period_type: PeriodType
    period: Code
    channel: Code


class FactsChanged(InternalMessage):
    """Event: facts of these scopes were loaded, replaced, withdrawn or revived. Codes only, no value."""

    event_id: int
    scopes: tuple[FactScope, ...]
