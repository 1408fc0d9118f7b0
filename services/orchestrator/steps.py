"""The steps of a calculation: which figures it needs, and what it does with them. No figure is in here."""

from dataclasses import dataclass
from typing import assert_never

from contracts.codes import Axis, GrowthBasis, RankingOrder
from contracts.v1.facts import FactQuery


@dataclass(frozen=True, slots=True)
class Change:
    """`subject` less `base`."""

    subject: FactQuery
    base: FactQuery
    axis: Axis
    basis: GrowthBasis | None = None
    """Of a growth: why this is the base."""
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Quotient:
    """`numerator` over `denominator`."""

    numerator: FactQuery
    denominator: FactQuery
    metric: str | None = None
    """The derived metric; None for a share of a whole."""
    unit: str | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """All members in the order of their figures."""

    members: tuple[FactQuery, ...]
    order: RankingOrder
    place: int | None


Step = Change | Quotient | Order


def operands(step: Step) -> tuple[FactQuery, ...]:
    """The scopes that a step needs, in the order in which they are shown."""
    match step:
        case Change(subject=subject, base=base):
            return subject, base
        case Quotient(numerator=numerator, denominator=denominator):
            return numerator, denominator
        case Order(members=members):
            return members
        case _:
            assert_never(step)
