"""The step between intent and clarification: which period "the latest" is, as far as the fact source can say.

Nothing is looked up for a question that is refused or asked back whatever the period is. Without an answer of the fact
source no period is guessed, and where nothing is loaded no other period is named.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from contracts.codes import TOTAL_CHANNEL, Locale, Route
from contracts.v1.ask import AnswerQuestion
from contracts.v1.base import MAX_SUBTASKS
from contracts.v1.facts import FactSeries, FindNewest
from contracts.v1.intent import LatestPeriod, ParsedIntent
from domain.periods import last_complete_fiscal_year
from domain.periods.latest import with_newest
from domain.profile import CompanyProfile, FiscalCalendar
from services.clarify.decision import AskFirst, Assume, Proceed, ask_which_newest, decide
from services.clarify.newest import Newest, NothingLoaded, Several, choose
from services.clarify.texts import wording
from services.orchestrator.parts import PART_AWAY, Part
from services.orchestrator.ports import FactPort
from services.orchestrator.rendering import Rendered


@dataclass(frozen=True, slots=True)
class Settled:
    """What is asked for, with the period that was taken as the latest one; None where none was asked for."""

    intent: ParsedIntent
    newest: Newest | None = None


@dataclass(frozen=True, slots=True)
class Unsettled:
    """No period can be named: this is all that can be said about the numbers."""

    numbers: Part


Latest = Settled | Unsettled | AskFirst


async def settle_latest(
    ask: AnswerQuestion, intent: ParsedIntent, facts: FactPort, profile: CompanyProfile, locale: Locale
) -> Latest:
    """Find out which period is the latest, where a question asks for that. Raises `ProfileMismatchError`."""
    asked = intent.latest
    # Of material, the narrative worker knows the newest itself.
    if asked is None or intent.route is Route.NARRATIVE or not _would_be_answered(ask, intent, asked, profile, locale):
        return Settled(intent)
    series = _series(ask, intent, profile)
    if len(series) > MAX_SUBTASKS:
        return Settled(intent)
    request = FindNewest(series=series, kinds=(asked.type,) if asked.type else (), profile_digest=intent.profile_digest)
    try:
        loaded = (await facts.newest(request)).series
    except PART_AWAY:
        text = wording(locale).facts_unavailable
        return Unsettled(Part(Rendered(text, text), failed=True, refused=series))
    match choose(asked, loaded):
        case Newest(period=period) as newest:
            return Settled(with_newest(intent, period), newest)
        case Several(periods):
            return ask_which_newest(ask.question, asked, periods, locale)
        case NothingLoaded():
            return Unsettled(_nothing_loaded(series, locale))


def _would_be_answered(
    ask: AnswerQuestion, intent: ParsedIntent, asked: LatestPeriod, profile: CompanyProfile, locale: Locale
) -> bool:
    """Whether nothing but the period is missing: decided as if it were known."""
    some_year = last_complete_fiscal_year(ask.reference_date, FiscalCalendar())
    known = with_newest(intent.model_copy(update={"latest": asked.model_copy(update={"type": None})}), some_year)
    decision = decide(
        ask.question,
        known,
        profile,
        today=ask.reference_date,
        locale=locale,
        default_entity=ask.default_entity,
    )
    return isinstance(decision, Assume | Proceed)


def _series(ask: AnswerQuestion, intent: ParsedIntent, profile: CompanyProfile) -> tuple[FactSeries, ...]:
    entities = intent.entities or (ask.default_entity or profile.company.default_entity,)
    return tuple(
        FactSeries(metric=metric, entity=entity, channel=channel)
        for entity, metric, channel in product(entities, intent.metrics, intent.channels or (TOTAL_CHANNEL,))
    )


def _nothing_loaded(series: Sequence[FactSeries], locale: Locale) -> Part:
    say = wording(locale)
    lines = (say.nothing_loaded.format(metric=s.metric, entity=s.entity, channel=s.channel) for s in series)
    text = "\n".join(lines)
    return Part(Rendered(text, text), refused=tuple(series))
