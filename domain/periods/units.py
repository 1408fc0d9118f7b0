"""Atoms become units: relative words are counted out, and what stands between two neighbours is named."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, assert_never

from contracts.v1.periods import Period
from domain.periods.atoms import (
    Atom,
    Clock,
    Fixed,
    MonthSpan,
    Named,
    Part,
    Recent,
    Relative,
    SamePeriod,
    Step,
    Unreadable,
    Year,
)
from domain.periods.calendar import fiscal_year_of, month_period, quarter_of, quarter_period, year_period
from domain.periods.words import BLANK, DASH


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of text with what is known so far: years, a part, or complete periods."""

    start: int
    end: int
    years: tuple[Year, ...] = ()
    part: Part | MonthSpan | None = None
    fixed: tuple[Period, ...] = ()
    part_first: bool = False
    tight: bool = False
    shared: bool = False
    """The part is tied to its year by a preposition, so that it holds for every year of a list."""
    late: Relative | SamePeriod | None = None
    """Counts from the one period that the question names."""
    relative: bool = False
    """Counted from today."""
    dead: bool = False
    """Stays unconsumed."""

    @property
    def only_years(self) -> bool:
        """Whole years."""
        return bool(self.years) and self.part is None and not self.dead

    @property
    def only_part(self) -> bool:
        """A part whose year is not known yet."""
        return self.part is not None and not self.years and not self.dead

    @property
    def whole(self) -> bool:
        """A part with its year."""
        return self.part is not None and bool(self.years) and not self.dead

    @property
    def marked(self) -> bool:
        """Whether a year carries a mark of its own, such as `年`."""
        return any(year.marked for year in self.years)

    @property
    def labels(self) -> set[int]:
        """The fiscal years, each once."""
        return {year.label for year in self.years}


class Gap(Enum):
    """What stands between two neighbours."""

    TIE = auto()
    PREPOSITION = auto()
    LIST = auto()
    RANGE = auto()
    OTHER = auto()


_TIE: Final = re.compile(r"[ _/.\-]{0,3}(?:的|['’]s?|\()?[ _/.\-]{0,2}")
_WORDS_OF: Final = r"(?:of|in|for|within|during|del|dell['’]|di|nel|nell['’]|the|fiscal|year|anno)"
_PREPOSITION: Final = re.compile(rf"[ ,]{{0,3}}(?:{_WORDS_OF} ?){{1,4}}['’]?")
_LIST: Final = re.compile(
    rf"{BLANK}(?:[、,;&+/]|[和与及跟同或]|以及|(?:, ?)?(?:and|or|vs\.?|versus|e|ed|o|con)(?= ))"
    rf"(?:{BLANK}(?:the|in|for|il|la|nel|del)(?= ))?{BLANK}"
)
_RANGE: Final = re.compile(
    rf"{BLANK}(?:{DASH}{{1,2}}|\.{{2,3}}|至|到|(?:to|through|thru|a|al|fino al)(?= )){BLANK}(?:the )?"
)
_BETWEEN: Final = re.compile(r"(?:between|tra|tra il|fra|fra il) $")
_MAX_GAP: Final = 24


def gap_between(text: str, left: Unit, right: Unit) -> Gap:
    """What the text between two units says about them."""
    if right.start - left.end > _MAX_GAP:
        return Gap.OTHER
    between = text[left.end : right.start]
    if not between:
        return Gap.TIE
    if left.only_years and right.only_part and _TIE.fullmatch(between):
        return Gap.TIE
    if left.only_part and right.only_years and between.strip() == ",":
        return Gap.TIE
    for pattern, gap in ((_RANGE, Gap.RANGE), (_LIST, Gap.LIST), (_TIE, Gap.TIE), (_PREPOSITION, Gap.PREPOSITION)):
        if pattern.fullmatch(between):
            return Gap.RANGE if gap is Gap.LIST and _is_between(text, left, right) else gap
    return Gap.OTHER


def _is_between(text: str, left: Unit, right: Unit) -> bool:
    before = text[max(0, left.start - 12) : left.start]
    return _BETWEEN.search(before) is not None or text.startswith("之间", right.end)


def units_of(atoms: Sequence[Atom], text: str, clock: Clock) -> list[Unit]:
    """One unit per atom; words that count from a named year count from the only one, or stay unread."""
    named = _named_labels(atoms)
    anchors = named or {_from_today(a.meaning, clock).label for a in atoms if _is_deictic_year(a)}
    units: list[Unit] = []
    for atom in atoms:
        unit = _unit(atom, named, anchors, clock)
        if units and _means_another_year(atom, unit, units[-1], text, named, clock):
            unit = Unit(atom.start, atom.end, dead=True)
        units.append(unit)
    return units


def _named_labels(atoms: Sequence[Atom]) -> set[int]:
    return {year.label for atom in atoms if isinstance(atom.meaning, Named) for year in atom.meaning.years}


def _is_deictic_year(atom: Atom) -> bool:
    return isinstance(atom.meaning, Relative) and atom.meaning.step is Step.YEAR and not atom.meaning.anchored


def _unit(atom: Atom, named: set[int], anchors: set[int], clock: Clock) -> Unit:
    start, end = atom.start, atom.end
    match atom.meaning:
        case Named(years, part, part_first, tight):
            return Unit(start, end, years, part, part_first=part_first, tight=tight)
        case Fixed(periods):
            return Unit(start, end, fixed=periods)
        case Recent() as recent:
            periods = _counted_back(recent, clock)
            return Unit(start, end, fixed=periods, dead=bool(named) and _labels(periods) != named)
        case Relative() as relative:
            return _relative(start, end, relative, named, anchors, clock)
        case SamePeriod() as same:
            return Unit(start, end, late=same)
        case Unreadable():
            return Unit(start, end, dead=True)
        case _:
            assert_never(atom.meaning)


def _relative(start: int, end: int, relative: Relative, named: set[int], anchors: set[int], clock: Clock) -> Unit:
    if relative.step is Step.YEAR:
        year = _relative_year(relative, anchors, clock)
        return Unit(start, end, years=(year,) if year else (), relative=True, dead=year is None)
    if relative.anchored and named:
        return Unit(start, end, late=relative)
    return Unit(start, end, fixed=(_step_from_today(relative, clock),), relative=True)


def _labels(periods: Sequence[Period]) -> set[int]:
    return {int(period.value[:4]) for period in periods}


def _relative_year(relative: Relative, anchors: set[int], clock: Clock) -> Year | None:
    if not relative.anchored or (not anchors and not relative.needs_anchor):
        return _from_today(relative, clock)
    if len(anchors) != 1:
        return None
    label = next(iter(anchors)) + relative.by
    return Year(label, None if relative.marked else label, marked=True)


def _from_today(relative: object, clock: Clock) -> Year:
    if not isinstance(relative, Relative):
        raise TypeError("only a relative word counts from today")
    label = fiscal_year_of(clock.today, clock.calendar) + relative.by
    return Year(label, None if relative.marked else clock.today.year + relative.by, marked=True)


def _step_from_today(relative: Relative, clock: Clock) -> Period:
    if relative.step is Step.QUARTER:
        return quarter_period(quarter_of(clock.today, clock.calendar) + relative.by)
    months = clock.today.year * 12 + clock.today.month - 1 + relative.by
    return month_period(months // 12, months % 12 + 1)


def _counted_back(recent: Recent, clock: Clock) -> tuple[Period, ...]:
    """The last complete years or quarters, oldest first."""
    if recent.step is Step.YEAR:
        current = fiscal_year_of(clock.today, clock.calendar)
        return tuple(year_period(current - back) for back in range(recent.count, 0, -1))
    current = quarter_of(clock.today, clock.calendar)
    return tuple(quarter_period(current - back) for back in range(recent.count, 0, -1))


def _means_another_year(atom: Atom, unit: Unit, before: Unit, text: str, named: set[int], clock: Clock) -> bool:
    """`2019年净利润比去年`: said of a named year, `去年` may mean the year before it."""
    if not _is_deictic_year(atom) or unit.dead or not named or unit.labels <= named:
        return False
    current = {fiscal_year_of(clock.today, clock.calendar), clock.today.year}
    if unit.labels <= current or named <= current:
        return False
    return not (before.labels and gap_between(text, before, unit) in {Gap.LIST, Gap.RANGE})
