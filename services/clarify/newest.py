"""Which period "the latest" is: taken where the loaded periods leave one answer, asked back where they leave several.

Nothing here knows a figure. The period that was taken is said in the banner, with the ones before it as options.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.codes import Locale, PeriodType
from contracts.v1.ask import ClarificationOption
from contracts.v1.intent import LatestPeriod
from contracts.v1.periods import Period
from services.clarify import rewording
from services.clarify.options import labelled
from services.clarify.texts import wording

MAX_CHOICES: Final = 6


@dataclass(frozen=True, slots=True)
class Newest:
    """The period that was taken as the latest one."""

    asked: LatestPeriod
    period: Period
    earlier: tuple[Period, ...] = ()
    """Loaded periods of the same kind before it, the newest first."""


@dataclass(frozen=True, slots=True)
class Several:
    """Periods of which each could be meant."""

    periods: tuple[Period, ...]


@dataclass(frozen=True, slots=True)
class NothingLoaded:
    """None of the asked series has a period of that kind."""


def choose(asked: LatestPeriod, loaded: Sequence[Sequence[Period]]) -> Newest | Several | NothingLoaded:
    """The newest period of every series that has one; `loaded` holds each series' newest ones, kind by kind.

    Series that end in different periods, and a question without a kind where several kinds are loaded, leave a choice.
    """
    series = [[period for period in periods if asked.type in {None, period.type}] for periods in loaded]
    newest = dict.fromkeys(period for periods in series for period in _newest_of_each_kind(periods))
    match list(newest):
        case []:
            return NothingLoaded()
        case [period]:
            kept = [periods for periods in series if periods]
            earlier = [other for other in kept[0] if other != period and all(other in periods for periods in kept)]
            return Newest(asked, period, tuple(earlier))
        case several:
            return Several(tuple(several[:MAX_CHOICES]))


def _newest_of_each_kind(periods: Sequence[Period]) -> Iterator[Period]:
    seen: set[PeriodType] = set()
    for period in periods:
        if period.type not in seen:
            seen.add(period.type)
            yield period


def in_place_of(asked: LatestPeriod, question: str, period: Period) -> str:
    """The question with a period where it asks for the latest one."""
    return rewording.in_place_of(question, asked.start, asked.end, period.label)


def choices(asked: LatestPeriod, question: str, periods: Sequence[Period]) -> Sequence[ClarificationOption]:
    """The question for each of these periods, as one-click options."""
    return labelled((period.label, in_place_of(asked, question, period)) for period in periods)


def note(newest: Newest, question: str, locale: Locale) -> str:
    """What the banner says."""
    words = " ".join(question[newest.asked.start : newest.asked.end].split())
    return wording(locale).assumed_newest.format(words=words, period=newest.period.label)


def ask_which(asked: LatestPeriod, question: str, locale: Locale) -> str:
    """The question back where several periods could be meant; the options name them."""
    say = wording(locale)
    words = " ".join(question[asked.start : asked.end].split())
    return say.ask_newest.format(words=words)
