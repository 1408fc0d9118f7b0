"""The anti-fabrication guard: from asked scopes and fact outcomes to what may be said. Pure; no prose can reach it.

Every asked scope gets exactly one line, in the order asked. Nothing that was not asked is ever shown. A scope without
an outcome is a failure of the fact source: that is said, never dropped and never guessed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import assert_never

from contracts.codes import PeriodType
from contracts.v1.facts import Conflicting, FactOutcome, FactQuery, Found, NotFound, UnrecognizedParam
from contracts.v1.periods import Period
from domain.money import difference


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The fact source said nothing usable about an asked scope."""

    query: FactQuery


Line = Found | NotFound | UnrecognizedParam | Conflicting | Unanswered


@dataclass(frozen=True, slots=True)
class Comparison:
    """The exact difference of two found values of one metric, entity, channel, unit and kind of period."""

    later: Found
    earlier: Found
    difference: Decimal


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be said about the asked scopes."""

    lines: tuple[Line, ...]
    comparisons: tuple[Comparison, ...]
    unasked: int
    """How many outcomes were for scopes nobody asked for; they are not shown."""

    @property
    def found(self) -> bool:
        """Whether at least one asked scope is shown with a number. Conflicting values are facts, shown as such."""
        return any(_shows_a_fact(line) for line in self.lines)

    @property
    def refused(self) -> tuple[FactQuery, ...]:
        """The asked scopes of which no number is shown."""
        return tuple(line.query for line in self.lines if not _shows_a_fact(line))

    @property
    def failed(self) -> bool:
        """Whether the fact source left at least one asked scope unanswered."""
        return any(isinstance(line, Unanswered) for line in self.lines)

    @property
    def triggered(self) -> bool:
        """Whether the guard turned the answer into a refusal: look-ups were answered, and none shows a fact."""
        answered = any(not isinstance(line, Unanswered) for line in self.lines)
        return answered and not self.found


def guard(asked: Sequence[FactQuery], outcomes: Sequence[FactOutcome]) -> Verdict:
    """Decide what may be said. The order of `outcomes` is without effect."""
    scopes = tuple(dict.fromkeys(asked))
    answers: defaultdict[FactQuery, list[FactOutcome]] = defaultdict(list)
    for outcome in outcomes:
        answers[outcome.query].append(outcome)
    lines = tuple(_line(scope, answers.get(scope, ())) for scope in scopes)
    unasked = sum(len(found) for scope, found in answers.items() if scope not in scopes)
    return Verdict(lines=lines, comparisons=tuple(_comparisons(lines)), unasked=unasked)


def _line(scope: FactQuery, outcomes: Sequence[FactOutcome]) -> Line:
    """The one outcome of a scope. Outcomes that contradict each other are no outcome: the guard does not pick."""
    if not outcomes or any(other != outcomes[0] for other in outcomes[1:]):
        return Unanswered(scope)
    return outcomes[0]


def _shows_a_fact(line: Line) -> bool:
    match line:
        case Found() | Conflicting():
            return True
        case NotFound() | UnrecognizedParam() | Unanswered():
            return False
        case _:
            assert_never(line)


def _comparisons(lines: Iterable[Line]) -> Iterator[Comparison]:
    """One comparison for each metric, entity and channel of which exactly two comparable periods were asked."""
    series: defaultdict[tuple[str, str, str], list[Line]] = defaultdict(list)
    for line in lines:
        series[line.query.metric, line.query.entity, line.query.channel].append(line)
    for members in series.values():
        match members:
            case [Found() as one, Found() as other] if _comparable(one, other):
                yield _compare(one, other)
            case _:
                pass


def _comparable(one: Found, other: Found) -> bool:
    return one.fact.unit == other.fact.unit and _kind(one.query.period) == _kind(other.query.period)


def _kind(period: Period) -> tuple[PeriodType, str]:
    """What makes two periods alike; year-to-date periods also need to be equally long."""
    length = period.value[4:] if period.type is PeriodType.YTD else ""
    return period.type, length


def _compare(one: Found, other: Found) -> Comparison:
    # Within one kind, the written form of a period sorts by time.
    earlier, later = sorted((one, other), key=lambda found: found.query.period.value)
    return Comparison(later, earlier, difference(later.fact.value, earlier.fact.value))
