"""The rule parser: pure, total, linear in the length of the question.

Competitors are masked first, then the profile's names are matched, then periods, then the words of the language; what
is left over is a residue. A letter that is read as one thing is never read as another.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from contracts.codes import ResidueKind, Route
from contracts.v1.intent import ParsedIntent, Residue
from contracts.v1.periods import Period
from domain.glossary import Glossary, Mention, MentionKind
from domain.matching import Span
from domain.names import with_names
from domain.orders import find_fallbacks, find_roundings
from domain.periods import PeriodMention, find_periods
from domain.profile import CompanyProfile
from domain.residue import Scope, find_residues
from domain.screening import Screening, screen
from domain.segments import Part, Segment, cut, slot
from domain.text import Text
from domain.units import unit_keys
from domain.vocabulary import Role
from services.intent.routing import route_of

_PART_OF: Final = {
    MentionKind.METRIC: Part.METRIC,
    MentionKind.ENTITY: Part.ENTITY,
    MentionKind.CHANNEL: Part.CHANNEL,
}


class RuleIntentParser:
    """Reads questions by the vocabulary of one profile."""

    def __init__(self, profile: CompanyProfile) -> None:
        self._profile = profile
        self._glossary = Glossary(profile)

    def parse(self, question: str, *, reference_date: date, default_entity: str | None = None) -> ParsedIntent:
        """Slots, route and residues of any text."""
        text = Text.read(question)
        screening = screen(question, self._profile)
        masked = [text.folded.folded_span(*span) for span in screening.spans]
        mentions = self._glossary.find_in(text.letters, text.folded, masked)
        periods = self._periods(text, mentions, masked, reference_date, default_entity)
        segments = cut(text.letters, _slots(text, masked, mentions, periods))
        route = route_of(segments)
        named = with_names(text, segments, closed=route is Route.STRUCTURED)
        return ParsedIntent(
            route=route,
            metrics=_codes(named, Part.METRIC),
            entities=_codes(named, Part.ENTITY),
            periods=_distinct(period for mention in periods for period in mention.periods),
            channels=_codes(named, Part.CHANNEL),
            external_entities=screening.names,
            residues=tuple(self._residues(text, named, route, periods, screening)),
            profile_digest=self._profile.digest(),
        )

    def _periods(
        self, text: Text, mentions: Sequence[Mention], masked: Sequence[Span], today: date, default_entity: str | None
    ) -> tuple[PeriodMention, ...]:
        entity = next((m.code for m in mentions if m.kind is MentionKind.ENTITY), default_entity)
        blocked = [*masked, *((mention.start, mention.end) for mention in mentions)]
        return find_periods(text.folded, today=today, calendar=self._profile.calendar(entity), blocked=blocked)

    def _residues(
        self,
        text: Text,
        segments: Sequence[Segment],
        route: Route,
        periods: Sequence[PeriodMention],
        screening: Screening,
    ) -> list[Residue]:
        suspicious = [
            Residue(text=text.raw[start:end], kind=ResidueKind.SUSPICIOUS, start=start, end=end)
            for start, end in screening.suspicious_spans
        ]
        if route is Route.NARRATIVE:
            return suspicious
        scope = self._scope(segments, route, periods)
        return sorted([*suspicious, *find_residues(text, segments, scope)], key=lambda residue: residue.start)

    def _scope(self, segments: Sequence[Segment], route: Route, periods: Sequence[PeriodMention]) -> Scope:
        metrics = _codes(segments, Part.METRIC)
        channels = _codes(segments, Part.CHANNEL)
        distinct_periods = _distinct(period for mention in periods for period in mention.periods)
        several = any(
            len(values) > 1 for values in (metrics, _codes(segments, Part.ENTITY), channels, distinct_periods)
        )
        one_by_one = any(segment.role is Role.EACH for segment in segments)
        return Scope(
            composite=route is Route.COMPOSITE,
            units=unit_keys(self._profile.metrics[code].unit for code in metrics),
            sums=several and not one_by_one,
            has_channel=bool(channels),
            has_entity=bool(_codes(segments, Part.ENTITY)),
            has_metric=bool(metrics),
        )


def _slots(
    text: Text, masked: Iterable[Span], mentions: Iterable[Mention], periods: Iterable[PeriodMention]
) -> Iterator[Segment]:
    for span in masked:
        yield slot(Part.COMPETITOR, span, text.letters)
    for mention in mentions:
        yield slot(_PART_OF[mention.kind], (mention.start, mention.end), text.letters, mention.code)
    for period in periods:
        yield slot(Part.PERIOD, (period.start, period.end), text.letters)
    for span in find_roundings(text.folded.text):
        yield slot(Part.ROUNDING, span, text.letters)
    for span in find_fallbacks(text.folded.text):
        yield slot(Part.FALLBACK, span, text.letters)


def _codes(segments: Iterable[Segment], part: Part) -> tuple[str, ...]:
    return tuple(dict.fromkeys(segment.key for segment in segments if segment.part is part))


def _distinct(periods: Iterable[Period]) -> tuple[Period, ...]:
    found: dict[tuple[str, str], Period] = {(period.type, period.value): period for period in periods}
    return tuple(found.values())
