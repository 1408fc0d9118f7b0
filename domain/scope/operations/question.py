"""A cut question as the operations look at it: which words say what, and which slots stand where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from contracts.codes import PeriodType
from contracts.v1.intent import LatestPeriod
from contracts.v1.operations import Operation
from contracts.v1.periods import Period
from domain.fold import is_ideographic
from domain.money import is_rate
from domain.profile import CompanyProfile
from domain.scope.segments import Part, Segment
from domain.text import Text
from domain.vocabulary.operations import Sense, senses_of

_SMALL_WORDS: Final = frozenset(
    {"al", "alla", "con", "del", "della", "di", "il", "in", "nel", "that", "the", "to", "with"}
)
_INSIDE: Final = frozenset({"中", "之中", "当中", "里", "里面", "内"})
_SLOTS: Final = frozenset({Part.CHANNEL, Part.ENTITY, Part.METRIC, Part.PERIOD})


@dataclass(frozen=True)
class Found:
    """An operation, the words that say so, and the slots where they are not those of the question."""

    operation: Operation
    words: frozenset[int]
    """Which segments it honours."""
    metrics: tuple[str, ...] | None = None
    entities: tuple[str, ...] | None = None
    channels: tuple[str, ...] | None = None
    periods: tuple[Period, ...] | None = None
    relates: bool = False
    """Whether the slots are related by it, so that no pair of them is left to ask about."""


@dataclass(frozen=True)
class Question:
    """A question cut into segments."""

    text: Text
    segments: Sequence[Segment]
    periods: Mapping[int, tuple[Period, ...]]
    """What is named at a segment, by its first letter."""
    profile: CompanyProfile
    composite: bool = False
    latest: LatestPeriod | None = None
    decimals: int | None = None
    _senses: list[frozenset[Sense]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        senses = [senses_of(s.key) if s.part is Part.WORD else frozenset[Sense]() for s in self.segments]
        object.__setattr__(self, "_senses", senses)

    def senses(self, i: int) -> frozenset[Sense]:
        """What the segment says; nothing beyond the ends of the question."""
        return self._senses[i] if 0 <= i < len(self.segments) else frozenset()

    @property
    def says_nothing(self) -> bool:
        """Whether no word of an operation stands in it, and no place in an order."""
        return not any(self._senses) and all(s.part is not Part.UNKNOWN for s in self.segments)

    def where(self, *senses: Sense) -> list[int]:
        """The segments that say one of these, in order."""
        return [i for i, said in enumerate(self._senses) if not said.isdisjoint(senses)]

    def places(self, part: Part) -> list[int]:
        """Where the slots of one kind stand."""
        return [i for i, segment in enumerate(self.segments) if segment.part is part]

    def codes(self, part: Part) -> tuple[str, ...]:
        """What is named, each once."""
        return tuple(dict.fromkeys(self.segments[i].key for i in self.places(part)))

    def periods_at(self, i: int) -> tuple[Period, ...]:
        """The periods that a segment names."""
        return self.periods.get(self.segments[i].first, ())

    @cached_property
    def all_periods(self) -> tuple[Period, ...]:
        """Every named period once."""
        return tuple(dict.fromkeys(period for i in self.places(Part.PERIOD) for period in self.periods_at(i)))

    @cached_property
    def kinds(self) -> frozenset[tuple[PeriodType, str]]:
        """The kinds of periods that are asked for; none where only the loaded facts can say which the latest is.

        Years-to-date of different length are different kinds.
        """
        if not self.all_periods and self.latest:
            return frozenset({(self.latest.type, "")} if self.latest.type else ())
        if not self.all_periods:
            return frozenset({(PeriodType.FY, "")})
        return frozenset(kind_of(period) for period in self.all_periods)

    def quoted(self, i: int) -> str:
        """A segment as it is written, folded to lower case."""
        segment = self.segments[i]
        return self.text.quote(segment.first, segment.behind).casefold()

    def is_chinese(self, i: int) -> bool:
        """Whether a segment is written in Chinese characters."""
        return is_ideographic(self.text.letters.text[self.segments[i].first])

    def touches(self, i: int) -> bool:
        """Whether nothing but a blank stands between a segment and the next one."""
        return i + 1 < len(self.segments) and self.text.letters.gaps[self.segments[i + 1].first] in {"", " "}

    def joints(self, part: Part, *senses: Sense) -> list[int]:
        """Words that say one of these of a slot beside them: "than China", "compared to 2023", "与2023年相比"."""
        return [i for i in self.where(*senses) if self._behind(i) is part or self._part(i - 1) is part]

    def _behind(self, i: int) -> Part | None:
        """What stands behind a segment and the small words that follow it."""
        i += 1
        while i < len(self.segments) and self.segments[i].key in _SMALL_WORDS:
            i += 1
        return self._part(i)

    def _part(self, i: int) -> Part | None:
        return self.segments[i].part if 0 <= i < len(self.segments) else None

    def measures(self) -> list[int]:
        """Words that say in what a change is told: per cent always is; points only where the metrics are rates."""
        units = {self.profile.named_metrics[code].unit for code in self.codes(Part.METRIC)}
        points = self.where(Sense.POINTS) if units and all(map(is_rate, units)) else []
        # "Growth as % of group revenue" is of another figure.
        percent = [i for i in self.where(Sense.PERCENT) if [s.key for s in self.segments[i + 1 : i + 2]] != ["of"]]
        return [*percent, *points]

    def inside_words(self) -> list[int]:
        """The 中 of "集团营收中", which is no part of a word there."""
        return [i for i in range(1, len(self.segments)) if self.quoted(i) in _INSIDE and self._part(i - 1) in _SLOTS]

    def is_unevenly_said(self, slot: Part, of: Part) -> bool:
        """Whether a slot stands once, between two of another kind: it may be meant for the first of them alone."""
        places, others = self.places(slot), self.places(of)
        return len(places) == 1 and len(others) > 1 and others[0] < places[0] < others[-1]

    def between(self, first: int, behind: int) -> Iterator[int]:
        """The segments between two others."""
        return iter(range(first + 1, behind))

    def says_between(self, first: int, behind: int, *senses: Sense) -> bool:
        """Whether a segment between two others says one of these."""
        return any(not self.senses(i).isdisjoint(senses) for i in self.between(first, behind))


def kind_of(period: Period) -> tuple[PeriodType, str]:
    """What makes two periods alike."""
    return period.type, period.value[4:] if period.type is PeriodType.YTD else ""


def derived_names(segments: Sequence[Segment], profile: CompanyProfile) -> list[int]:
    """Where a metric is named that the profile derives from two others."""
    return [i for i, s in enumerate(segments) if s.part is Part.METRIC and s.key in profile.derived]
