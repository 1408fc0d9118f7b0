"""What a question wants computed from stored figures, and what came of it.

`Operation` is a closed union: each kind says exactly how its operands follow from the slots of the question. The result
is a `Calculation` for programs; a value is either exact arithmetic on the figures of its operands or null.
"""

import re
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from ..codes import (
    Axis,
    CalculationRefusal,
    GrowthBasis,
    Measure,
    OperationKind,
    RankingOrder,
)
from .base import MAX_SUBTASKS, Code, InternalMessage
from .facts import FactQuery

MAX_DECIMALS: Final = 6
COMPUTED_PATTERN: Final = r"^-?[0-9]{1,80}(\.[0-9]{1,40})?$"
_COMPUTED: Final = re.compile(COMPUTED_PATTERN)


def _only_computed_text(value: object) -> object:
    if isinstance(value, Decimal) and value.is_finite():
        return value
    if isinstance(value, str) and _COMPUTED.fullmatch(value):
        return Decimal(value)
    raise ValueError("a computed value is a plain decimal string")


ComputedText = Annotated[
    Decimal,
    BeforeValidator(_only_computed_text, json_schema_input_type=str),
    PlainSerializer(lambda d: format(d, "f"), return_type=str, when_used="json"),
    Field(json_schema_extra={"pattern": COMPUTED_PATTERN}),
]
"""A computed `Decimal` as plain digits; longer than a stored one can be."""

Decimals = Annotated[int, Field(ge=0, le=MAX_DECIMALS)] | None
"""How many decimals of a percentage or ratio the question orders; null leaves the default."""


class Growth(InternalMessage):
    """The change of every asked scope from an earlier period that follows from it."""

    kind: Literal[OperationKind.GROWTH] = OperationKind.GROWTH
    basis: GrowthBasis
    decimals: Decimals = None


class Difference(InternalMessage):
    """One of two named values less the other: of two periods, entities, metrics or channels."""

    kind: Literal[OperationKind.DIFFERENCE] = OperationKind.DIFFERENCE
    axis: Axis
    reverse: bool = False
    """Whether the slot named second is the one that is compared, and the first the one it is compared with."""
    decimals: Decimals = None


class Ratio(InternalMessage):
    """A metric that the profile derives as one metric over another; the slots name both, the numerator first."""

    kind: Literal[OperationKind.RATIO] = OperationKind.RATIO
    metric: Code
    numerator: Code
    denominator: Code
    unit: Code
    decimals: Decimals = None


class Share(InternalMessage):
    """The part that every asked scope has in the same metric and period of a whole."""

    kind: Literal[OperationKind.SHARE] = OperationKind.SHARE
    axis: Literal[Axis.ENTITY, Axis.CHANNEL]
    whole: Code
    """The entity that is the whole, or the channel that is; it is none of the parts, and the slots do not name it."""
    decimals: Decimals = None


class Ranking(InternalMessage):
    """The named values of one slot in the order of their figures."""

    kind: Literal[OperationKind.RANKING] = OperationKind.RANKING
    axis: Axis
    order: RankingOrder
    place: Annotated[int, Field(ge=1, le=MAX_SUBTASKS)] | None = 1
    """Which place is asked for, counted from the first of the order; null asks for the whole order."""


Operation = Annotated[Growth | Difference | Ratio | Share | Ranking, Field(discriminator="kind")]


class Calculation(InternalMessage):
    """What one calculation came to, for programs."""

    kind: OperationKind
    measure: Measure
    metric: Code | None = None
    """The derived metric of a ratio."""
    operands: tuple[FactQuery, ...]
    """The compared scope and the one it is compared with; numerator and denominator; a ranking from its first place."""
    places: tuple[int, ...] = ()
    """Of a ranking: the place of each operand; equal figures share one."""
    value: ComputedText | None = None
    """Null when it was refused. Of a ranking: the figure at the asked place."""
    unit: str | None = None
    reason: CalculationRefusal | None = None
    """Why there is no value."""
