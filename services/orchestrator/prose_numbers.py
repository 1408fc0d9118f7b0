"""Numbers in prose are compared with what is known: the passages, and the facts that were found. Pure.

A number is supported by an equal one of the same unit that is not said to be of another company, period or metric. What
was refused as a fact may not come back as prose: no number that could be meant for a refused scope is supported.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from typing import Final

from contracts.v1.facts import FactQuery, FactSeries
from contracts.v1.narrative import Passage
from domain.profile import CompanyProfile
from domain.quantities import Kind, Quantity, unit_of
from domain.sentences import sentences
from services.orchestrator.claims import About, Aspect, Claim, ClaimReader, Sentence, nothing

_ANY_VALUE: Final = frozenset(
    {Kind.BARE, Kind.OPAQUE, Kind.MONEY, Kind.PERCENT, Kind.POINTS, Kind.BASIS_POINTS, Kind.PER_MILLE, Kind.TIMES}
    | {Kind.PORTION}
)
"""What an amount of money, a rate, or a change of either may be written as."""


class ProseNumbers(StrEnum):
    """What happens to a number of the prose that nothing supports."""

    REMOVE = "remove"
    """Its sentence goes."""
    ANNOTATE = "annotate"
    """The prose stays, and a note names it."""
    TRUST = "trust"
    """It stays, except where the number was refused as a fact."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question is about, for numbers that do not say whose and when they are."""

    about: About = field(default_factory=nothing)
    refused: tuple[FactQuery | FactSeries, ...] = ()
    today: date | None = None
    entity: str | None = None
    """Whose fiscal calendar counts."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known, from everything that the answer may rest on."""

    known: tuple[Claim, ...]
    periods: frozenset[str]
    sentences: frozenset[str]
    """The sentences of the passages without blanks and signs: repeating one states what it states."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The numbers of one sentence that may not stand as they are, as written."""

    start: int
    end: int
    unsupported: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """Those that could be read as a number that was refused."""


class NumberCheck:
    """Checks prose under one profile; compiled once."""

    def __init__(self, profile: CompanyProfile) -> None:
        self._profile = profile
        self._reader = ClaimReader(profile)

    def evidence(self, passages: Iterable[Passage], shown_facts: str, asked: Asked) -> Evidence:
        """What passages state, and the text of the facts that were found, in which every line stands for itself."""
        known: list[Claim] = []
        periods = set(asked.about.get(Aspect.PERIOD, ()))
        repeatable: set[str] = set()
        for passage in passages:
            about = _about(passage)
            periods |= about.get(Aspect.PERIOD, frozenset())
            repeatable |= {_letters(sentence) for sentence in sentences(passage.text)}
            for sentence in self._reader.read(passage.text, today=None, entity=passage.entity or asked.entity):
                known += [_with_metadata(claim, about) for claim in sentence.claims]
                periods |= _periods_in(sentence)
        for line in shown_facts.splitlines():
            read = self._reader.read(line, today=None, entity=asked.entity)
            about = _joined(claim.said for sentence in read for claim in sentence.claims)
            known += [Claim(claim.quantity, claim.text, about) for sentence in read for claim in sentence.claims]
            periods |= {period for sentence in read for period in _periods_in(sentence)}
        return Evidence(tuple(known), frozenset(periods), frozenset(repeatable))

    def check(
        self, prose: str, passages: Sequence[Passage], shown_facts: str, asked: Asked, *, italian: bool = False
    ) -> list[Finding]:
        """Every sentence of the prose with the numbers that may not stand in it."""
        read = self._reader.read(prose, today=asked.today, entity=asked.entity, strict=not italian, italian=italian)
        if not any(sentence.claims or sentence.periods for sentence in read):
            return [Finding(sentence.start, sentence.end) for sentence in read]
        evidence = self.evidence(passages, shown_facts, asked)
        return [self._finding(sentence, prose, evidence, asked) for sentence in read]

    def may_quote(self, sentence: str, asked: Asked) -> bool:
        """Whether a sentence of a passage may be quoted: not with a number for a scope that was refused."""
        if not asked.refused:
            return True
        read = self._reader.read(sentence, today=None, entity=asked.entity)
        return not any(self._is_refused(claim, asked) for part in read for claim in part.claims)

    def told_for(
        self, prose: str, refused: Sequence[FactQuery | FactSeries], asked: Asked, *, italian: bool = False
    ) -> list[Finding]:
        """Every sentence with the numbers that could be meant for a scope that was refused elsewhere.

        A number that does not say whose and when it is is about what the prose was asked.
        """
        read = self._reader.read(prose, today=asked.today, entity=asked.entity, strict=not italian, italian=italian)
        elsewhere = replace(asked, refused=tuple(refused))
        return [
            Finding(
                sentence.start,
                sentence.end,
                refused=tuple(
                    claim.text for claim in sentence.claims if self._is_refused(_meant(claim, asked), elsewhere)
                ),
            )
            for sentence in read
        ]

    def _finding(self, sentence: Sentence, prose: str, evidence: Evidence, asked: Asked) -> Finding:
        refused = [claim.text for claim in sentence.claims if self._is_refused(claim, asked)]
        if _letters(prose[sentence.start : sentence.end]) in evidence.sentences:
            return Finding(sentence.start, sentence.end, refused=tuple(refused))
        unsupported = [claim.text for claim in sentence.claims if not _is_supported(claim, evidence, asked)]
        unsupported += [text for text, values in sentence.periods if not _are_known(values, evidence.periods)]
        return Finding(sentence.start, sentence.end, tuple(unsupported), tuple(refused))

    def _is_refused(self, claim: Claim, asked: Asked) -> bool:
        return any(
            _could_be(claim, scope) and _fits_unit(claim.quantity, self._profile.metrics[scope.metric].unit)
            for scope in asked.refused
            if scope.metric in self._profile.metrics
        )


def _letters(sentence: str) -> str:
    """A sentence without blanks, marks and the sign at its end; signs inside a number stay."""
    return re.sub(r"[\s|*_`]+", "", sentence).rstrip("。.!！?？")


def _about(passage: Passage) -> About:
    named = {Aspect.ENTITY: passage.entity, Aspect.PERIOD: passage.period}
    return {aspect: frozenset({key}) for aspect, key in named.items() if key}


def _with_metadata(claim: Claim, about: About) -> Claim:
    """What a passage was loaded as counts where its own sentence says nothing, beside what it spoke of before."""
    return Claim(claim.quantity, claim.text, claim.said, _joined((claim.carried, about)))


def _meant(claim: Claim, asked: Asked) -> Claim:
    """A claim that is about what was asked, as far as it says nothing else."""
    return replace(claim, carried={**asked.about, **claim.carried})


def _joined(several: Iterable[About]) -> About:
    joined: dict[Aspect, frozenset[str]] = {}
    for about in several:
        for aspect, keys in about.items():
            joined[aspect] = joined.get(aspect, frozenset()) | keys
    return joined


def _periods_in(sentence: Sentence) -> set[str]:
    """Periods, and years that stand where no period is read ("since 2019")."""
    named = {value for _, values in sentence.periods for value in values}
    stated = {key for claim in sentence.claims for key in claim.said.get(Aspect.PERIOD, ())}
    return named | stated | {year for claim in sentence.claims if (year := _year(claim.quantity))}


def _year(quantity: Quantity) -> str | None:
    values = [str(value) for value in quantity.values]
    return (
        next((v for v in values if len(v) == len("2024") and v[:2] in {"19", "20"}), None)
        if (quantity.kind in {Kind.BARE, Kind.YEARS} and not quantity.scaled)
        else None
    )


def _is_supported(claim: Claim, evidence: Evidence, asked: Asked) -> bool:
    year = _year(claim.quantity)
    if year is not None and _are_known((year,), evidence.periods):
        return True
    return any(claim.quantity.states(known.quantity) and _agree(claim, known, asked) for known in evidence.known)


def _are_known(values: Sequence[str], periods: frozenset[str]) -> bool:
    """A year is known from any period of it; every other period only as itself."""
    years = {period[:4] for period in periods}
    return all(value in (years if len(value) == len("2024") else periods) for value in values)


def _agree(claim: Claim, known: Claim, asked: Asked) -> bool:
    """Whether nothing says that the two are about something else."""
    for aspect in Aspect:
        stated = known.about(aspect)
        own = claim.about(aspect)
        meant = own or asked.about.get(aspect, frozenset())
        if not stated or not meant or not stated.isdisjoint(meant):
            continue
        if aspect is Aspect.PERIOD and not own and _within(stated, meant):
            continue
        return False
    return True


def _within(parts: Iterable[str], years: Iterable[str]) -> bool:
    """Whether the periods are parts of asked years: what happened in March happened in the year asked about."""
    return all(any(part.startswith(year) for year in years if len(year) == len("2024")) for part in parts)


def _could_be(claim: Claim, scope: FactQuery | FactSeries) -> bool:
    """Whether nothing says that a number is about something else."""
    wanted = {Aspect.METRIC: scope.metric, Aspect.ENTITY: scope.entity}
    if isinstance(scope, FactQuery):
        wanted[Aspect.PERIOD] = scope.period.value
    return all(not (meant := claim.about(aspect)) or key in meant for aspect, key in wanted.items())


def _fits_unit(quantity: Quantity, unit: str) -> bool:
    """Whether a number could be a value of a metric, or a change of it. A count of days is no revenue."""
    if quantity.kind in _ANY_VALUE:
        return True
    return unit_of(f"1 {unit.lower()}", 0, 1).kind not in {Kind.MONEY, Kind.PERCENT}
