"""Refuse, ask, assume or proceed: what may be done with a question. Pure, total, and in exactly this order.

A competitor is refused on the raw question, whatever the parser made of it. A missing metric, or a word that is neither
slot nor harmless, is asked back: guessing which number is meant would be a wrong number. A missing entity or period is
assumed and said.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from contracts.codes import ClarifyMode, Locale, ResidueKind, Route
from contracts.v1.ask import AssumedSlots, Clarification, ClarificationOption
from contracts.v1.intent import LatestPeriod, ParsedIntent, Residue
from contracts.v1.operations import Growth
from contracts.v1.periods import Period
from domain.periods import last_complete_fiscal_year
from domain.profile import CompanyProfile
from domain.screening import screen
from services.clarify import newest as newest_period
from services.clarify import options, rewording
from services.clarify.nearest import nearest_entities
from services.clarify.newest import Newest
from services.clarify.texts import Wording, wording

MAX_WORDS_NAMED: Final = 8
MAX_WORD_CHARS: Final = 60
"""How much of what was not understood is repeated to the user."""


_NOTHING_TO_CLARIFY: Final = Clarification(mode=ClarifyMode.NONE)


@dataclass(frozen=True, slots=True)
class Refuse:
    """The question names a competitor: nothing is looked up, retrieved or generated."""

    clarification: Clarification
    text: str


@dataclass(frozen=True, slots=True)
class AskFirst:
    """The question cannot be answered before the user has said more."""

    clarification: Clarification
    text: str


@dataclass(frozen=True, slots=True)
class Assume:
    """The question is answered on stated assumptions; `banner` comes before the answer."""

    clarification: Clarification
    banner: str


@dataclass(frozen=True, slots=True)
class Proceed:
    """Every needed slot is there."""

    clarification: Clarification = _NOTHING_TO_CLARIFY


Decision = Refuse | AskFirst | Assume | Proceed


@dataclass(frozen=True, slots=True)
class _Case:
    """What every branch looks at."""

    question: str
    intent: ParsedIntent
    profile: CompanyProfile
    locale: Locale
    newest: Newest | None

    @property
    def say(self) -> Wording:
        return wording(self.locale)


def decide(
    question: str,
    intent: ParsedIntent,
    profile: CompanyProfile,
    *,
    today: date,
    locale: Locale,
    default_entity: str | None = None,
    newest: Newest | None = None,
) -> Decision:
    """The first branch that applies: competitor, suspicious text, unclear number, missing scope, none.

    `newest`: which period of `intent` was taken as the latest one. A day that the question calls today counts as such.
    """
    case = _Case(question, intent, profile, locale, newest)
    screening = screen(question, profile)
    if screening.names:
        return _refuse(case, screening.names)
    if screening.suspicious or any(residue.kind is ResidueKind.SUSPICIOUS for residue in intent.residues):
        return _ask(case.say.rephrase, ())
    if intent.route is Route.NARRATIVE:
        return Proceed()
    if any(residue.candidates for residue in intent.residues):
        return _ask_which_metric(case, intent.pending)
    if not intent.metrics:
        return _ask_metric(case, intent.residues)
    if pending := intent.pending:
        return _ask_residues(case, pending)
    if not intent.entities or not intent.periods or newest or intent.reference_date:
        return _assume(case, intent.reference_date or today, default_entity or profile.company.default_entity)
    return Proceed()


def _refuse(case: _Case, names: Sequence[str]) -> Refuse:
    text = case.say.out_of_scope.format(names=case.say.comma.join(names), company=case.profile.company.name)
    return Refuse(_clarification(ClarifyMode.OUT_OF_SCOPE_ENTITY, question=text), text)


def _ask(text: str, choices: Sequence[ClarificationOption]) -> AskFirst:
    return AskFirst(_clarification(ClarifyMode.ASK_FIRST, choices, question=text), text)


def _ask_metric(case: _Case, residues: Sequence[Residue]) -> AskFirst:
    """List the metrics. A word that was not understood may be meant as one, so it is named first."""
    codes = options.listed_metrics(case.profile, (residue.text for residue in residues))
    text = case.say.ask_metric.format(metrics=options.metric_names(codes, case.profile, case.locale))
    if residues:
        text = f"{_problems(residues, case.say)}\n{text}"
    if rewording.would_invert(case.question, residues):
        return _ask(text, ())

    def with_metric(code: str) -> str:
        return rewording.asking_for(case.intent, case.locale, metrics=(code,))

    return _ask(text, options.metric_options(codes, case.profile, case.locale, with_metric))


def _ask_which_metric(case: _Case, residues: Sequence[Residue]) -> AskFirst:
    """A name could mean several metrics: offer each in its place, where nothing else stands against an answer."""
    unclear = next(residue for residue in residues if residue.candidates)
    others = [residue for residue in residues if not residue.candidates]
    names = case.say.comma.join(options.metric_name(code, case.profile, case.locale) for code in unclear.candidates)
    text = case.say.ambiguous_metric.format(word=_shortened(unclear.text, case.say), metrics=names)
    if others:
        return _ask(f"{_problems(others, case.say)}\n{text}", ())

    def meaning(code: str) -> str:
        return rewording.in_place_of(case.question, unclear.start, unclear.end, code)

    return _ask(text, options.metric_options(unclear.candidates, case.profile, case.locale, meaning))


def _ask_residues(case: _Case, residues: Sequence[Residue]) -> AskFirst:
    """Name what was not understood; offer the question without it, and the known entities for an unknown one.

    A question without it is a plain one: what was to be computed goes as well, and is named in the option.
    """
    text = _problems(residues, case.say)
    if rewording.would_invert(case.question, residues):
        return _ask(text, ())
    instead = options.listed_entities(
        _meant_entities(case, residues), case.profile, case.locale, lambda code: _without(case, residues, entity=code)
    )
    every = case.intent.residues
    without = options.without_option(_words(every, case.say), _without(case, every), case.locale)
    return _ask(text, [*instead, *without])


def _meant_entities(case: _Case, residues: Sequence[Residue]) -> Sequence[str]:
    """The entities that may be meant by what was not understood: the most alike, or all of a few.

    None beside a known entity, or where another word would be lost with the unknown one.
    """
    kinds = {residue.kind for residue in residues}
    if case.intent.entities or case.intent.operation or not kinds <= {ResidueKind.UNKNOWN, ResidueKind.UNKNOWN_ENTITY}:
        return ()
    nearest = nearest_entities(residues, case.profile)
    if ResidueKind.UNKNOWN_ENTITY not in kinds or len(case.profile.entities) > options.MAX_ENTITY_OPTIONS:
        return nearest if len(residues) == 1 else ()
    return list(dict.fromkeys((*nearest, *case.profile.entities)))


def _without(case: _Case, residues: Sequence[Residue], *, entity: str | None = None) -> str:
    """What is left to ask: a number by its slots; a number and its reasons in the user's words."""
    if case.intent.route is Route.COMPOSITE:
        rest = rewording.without(case.question, residues)
        return rewording.naming(entity, rest) if entity else rest
    return rewording.asking_for(case.intent, case.locale, entities=(entity,) if entity else None)


def _problems(residues: Sequence[Residue], say: Wording) -> str:
    """What was not understood, by name, the words of one kind together."""
    grouped: dict[str, list[Residue]] = {}
    for residue in residues:
        grouped.setdefault(_sentence(residue.kind, say), []).append(residue)
    problems = [sentence.format(words=_words(members, say)) for sentence, members in grouped.items()]
    return say.residue_advice.format(problems=say.semicolon.join(problems))


def _sentence(kind: ResidueKind, say: Wording) -> str:
    """Kinds may be added to the contract before this library knows them: those are just not understood."""
    known = {ResidueKind.QUALIFIER: say.residue_qualifier, ResidueKind.UNKNOWN_ENTITY: say.residue_entity}
    return known.get(kind, say.residue_unknown)


def _words(residues: Iterable[Residue], say: Wording) -> str:
    words = list(dict.fromkeys(_shortened(residue.text, say) for residue in residues))
    rest = say.ellipsis if len(words) > MAX_WORDS_NAMED else ""
    return say.comma.join(say.quoted.format(word=word) for word in words[:MAX_WORDS_NAMED]) + rest


def _shortened(word: str, say: Wording) -> str:
    word = " ".join(word.split())
    return word if len(word) <= MAX_WORD_CHARS else word[:MAX_WORD_CHARS] + say.ellipsis


def _assume(case: _Case, today: date, default_entity: str) -> Assume:
    entity = None if case.intent.entities else default_entity
    calendar = case.profile.calendar(case.intent.entity or default_entity)
    period = None if case.intent.periods else last_complete_fiscal_year(today, calendar)
    clarification = _clarification(
        ClarifyMode.ANSWER_WITH_ASSUMPTIONS,
        _narrowing(case, entity, period),
        assumption_note=case.say.semicolon.join(_notes(case, entity, period)),
        assumed=AssumedSlots(entity=entity, period=case.newest.period if case.newest else period),
    )
    return Assume(clarification, _banner(clarification, case.say))


def _narrowing(case: _Case, entity: str | None, period: Period | None) -> Sequence[ClarificationOption]:
    def naming(code: str) -> str:
        return rewording.naming(code, case.question)

    entities = options.entity_options(case.profile, case.locale, naming, other_than=entity) if entity else ()
    # "Growth" of a year is against the year before; of a half it would have to be said against what.
    of_periods = options.year_options if isinstance(case.intent.operation, Growth) else options.period_options
    periods = of_periods(period, naming) if period else ()
    earlier = newest_period.choices(case.newest.asked, case.question, case.newest.earlier) if case.newest else ()
    return [*entities, *periods, *earlier]


def _notes(case: _Case, entity: str | None, period: Period | None) -> Iterator[str]:
    if entity:
        name = options.entity_name(entity, case.profile, case.locale)
        yield case.say.assumed_entity.format(entity=name)
    if period:
        yield case.say.assumed_period.format(period=period.label)
    if case.newest:
        yield newest_period.note(case.newest, case.question, case.locale)
    if case.intent.reference_date:
        yield case.say.assumed_today.format(date=case.intent.reference_date.isoformat())


def ask_which_newest(question: str, asked: LatestPeriod, periods: Sequence[Period], locale: Locale) -> AskFirst:
    """Ask which of several periods is meant by the latest one."""
    text = newest_period.ask_which(asked, question, locale)
    return _ask(text, newest_period.choices(asked, question, periods))


def _banner(clarification: Clarification, say: Wording) -> str:
    labels = say.slash.join(clarification.narrowing_options)
    template = say.banner if labels else say.banner_without_options
    return template.format(notes=clarification.assumption_note, options=labels)


def _clarification(
    mode: ClarifyMode,
    choices: Sequence[ClarificationOption] = (),
    *,
    question: str | None = None,
    assumption_note: str | None = None,
    assumed: AssumedSlots | None = None,
) -> Clarification:
    return Clarification(
        mode=mode,
        question=question,
        narrowing_options=tuple(option.label for option in choices),
        options=tuple(choices),
        assumption_note=assumption_note,
        assumed_slots=assumed or AssumedSlots(),
    )
