"""What a profile must keep about derived metrics: one metric over another one of the same unit, stored nowhere."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from domain.profile.checks import UNPRINTABLE_CODE, Problem

DERIVED: Final = "derived"


@dataclass(frozen=True, slots=True)
class Declared:
    """The metrics of a profile: their units, and which of them each stored code belongs to."""

    units: Mapping[str, str]
    stored: Mapping[str, str]


def derived_problems(code: str, numerator: str, denominator: str, declared: Declared) -> Iterator[Problem]:
    """The faults of one `[derived.CODE]` table."""
    if not code.isprintable():
        yield Problem((DERIVED, code), UNPRINTABLE_CODE)
    if code in declared.stored:
        owner = declared.stored[code]
        reason = f"{code!r} is stored as a figure already: what is computed cannot be stored as well"
        other = ("metrics", owner) if owner == code else ("metrics", owner, "source_codes")
        yield Problem((DERIVED, code), reason, other)
    for key, metric in (("numerator", numerator), ("denominator", denominator)):
        if metric not in declared.units:
            yield Problem((DERIVED, code, key), f"{metric!r} is not one of [metrics]")
    if numerator == denominator:
        yield Problem((DERIVED, code, "denominator"), f"{denominator!r} is the numerator as well")
    over, under = (declared.units.get(metric) for metric in (numerator, denominator))
    if over is not None and under is not None and over != under:
        reason = f"{numerator!r} is in {over} and {denominator!r} in {under}: a ratio needs one unit"
        yield Problem((DERIVED, code, "denominator"), reason, ("metrics", denominator, "unit"))
