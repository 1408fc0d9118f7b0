"""The periods a question names, in Chinese, English and Italian, by a given day and fiscal calendar.

What can be read in one way only becomes periods; what could mean two things, or none of the stored kinds, is left
unconsumed, so that it is asked back instead of guessed. Linear in the length of the text.
"""

from collections.abc import Sequence
from datetime import date
from typing import Final

from contracts.v1.periods import Period
from domain.fold import Folded, fold
from domain.periods.atoms import Atom, Clock
from domain.periods.calendar import (
    fiscal_year_of,
    last_complete_fiscal_year,
    period_before,
    period_sort_key,
    year_before,
)
from domain.periods.context import leave_unread
from domain.periods.dates import DATE_FORMS
from domain.periods.forms import Forms, Places, matches
from domain.periods.joining import join_units
from domain.periods.parts import PART_FORMS
from domain.periods.relative import RELATIVE_FORMS
from domain.periods.settling import PeriodMention, settle
from domain.periods.units import units_of
from domain.periods.years import YEAR_FORMS
from domain.profile import FiscalCalendar

__all__ = [
    "PeriodMention",
    "find_periods",
    "fiscal_year_of",
    "last_complete_fiscal_year",
    "parse_period",
    "period_before",
    "period_sort_key",
    "year_before",
]

ALL_FORMS: Final = (*DATE_FORMS, *YEAR_FORMS, *PART_FORMS, *RELATIVE_FORMS)
"""Of two readings of one stretch of text the earlier form counts."""

_FORMS: Final = Forms(ALL_FORMS)


def find_periods(
    folded: Folded, *, today: date, calendar: FiscalCalendar, blocked: Sequence[tuple[int, int]] = ()
) -> tuple[PeriodMention, ...]:
    """The periods of a folded text in order; nothing is read where a `blocked` span stands."""
    clock = Clock(today, calendar)
    atoms = _atoms(folded.text, clock, blocked)
    units = leave_unread(join_units(units_of(atoms, folded.text, clock), folded.text), folded.text)
    return settle(units, folded.text, clock)


def parse_period(raw: str, today: date, calendar: FiscalCalendar) -> Period | None:
    """The one period that a whole text names (`FY2024`, `2024Q3YTD`, `去年`); None for anything else."""
    folded = fold(raw.strip())
    match find_periods(folded, today=today, calendar=calendar):
        case (PeriodMention((period,), start, end),) if (start, end) == (0, len(folded.text)):
            return period
        case _:
            return None


def _atoms(text: str, clock: Clock, blocked: Sequence[tuple[int, int]]) -> list[Atom]:
    """What the forms find; where two overlap the earlier one counts, and of two at one place the longer."""
    found: list[Atom] = []
    places = Places(text)
    taken = bytearray(len(text))
    for start, end in blocked:
        taken[start:end] = b"\1" * (end - start)
    for form in _FORMS.worth_trying(text):
        for match in matches(form, text, places):
            start, end = match.span()
            meaning = form.read(match, clock) if taken.find(1, start, end) < 0 else None
            if meaning is not None:
                found.append(Atom(start, end, meaning))
    kept: list[Atom] = []
    for atom in sorted(found, key=lambda a: (a.start, -a.end)):
        if not kept or atom.start >= kept[-1].end:
            kept.append(atom)
    return kept
