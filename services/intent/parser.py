"""The rule parser: pure, total, linear in the length of the question.

Competitors are masked first, then the profile's names are matched, then periods, then the words of the language; what
is left over is a residue, to be asked back by name.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from contracts.codes import ResidueKind, Route
from contracts.v1.intent import LatestPeriod, ParsedIntent, Residue
from domain.glossary import Glossary
from domain.matching import Span, phrase_key
from domain.profile import CompanyProfile
from domain.scope.names import with_names
from domain.scope.operations import Question, derived_residues, find_operation, reckon, stored_metrics
from domain.scope.orders import ordered_decimals
from domain.scope.relations import with_relations
from domain.scope.residue import Scope, find_residues
from domain.scope.segments import Part, Segment
from domain.scope.units import is_sign_of, unit_keys
from domain.text import Text
from domain.vocabulary import Role
from services.intent.reading import Reading
from services.intent.routing import leaves_reasons_only, route_of


class RuleIntentParser:
    """Reads questions by the vocabulary of one profile."""

    def __init__(self, profile: CompanyProfile) -> None:
        self._profile = profile
        self.glossary = Glossary(profile)
        self._candidates = {phrase_key(name): codes for name, codes in profile.ambiguous.items()}

    def parse(self, question: str, *, reference_date: date, default_entity: str | None = None) -> ParsedIntent:
        """Slots, route and residues of any text."""
        reading = Reading.of(
            question, self._profile, self.glossary, today=reference_date, default_entity=default_entity
        )
        entities = reading.asked_entities() or (default_entity or self._profile.company.default_entity,)
        segments = with_relations(reading.text, reading.segments(), self._profile.named_metrics, entities)
        route = route_of(reading.text, segments)
        named = with_names(reading.text, segments, closed=route is Route.STRUCTURED)
        residues = self._residues(reading, named, route)
        if route is Route.COMPOSITE and leaves_reasons_only(named, residues, reading.latest()):
            route, residues = Route.NARRATIVE, ()
        found = None if route is Route.NARRATIVE else find_operation(self._question(reading, named, route))
        reckoned = reckon(reading.text, named, residues, found)
        return ParsedIntent(
            route=route,
            metrics=reckoned.metrics or stored_metrics(named, self._profile),
            entities=reckoned.entities or _codes(named, Part.ENTITY),
            periods=reckoned.periods or reading.distinct_periods(),
            channels=_codes(named, Part.CHANNEL),
            external_entities=reading.screening.names,
            residues=reckoned.residues,
            operation=reckoned.operation,
            latest=_latest(reading, route),
            reference_date=reading.today,
            profile_digest=self._profile.digest(),
        )

    def _question(self, reading: Reading, segments: Sequence[Segment], route: Route) -> Question:
        letters = reading.text.letters
        return Question(
            text=reading.text,
            segments=segments,
            periods={letters.inside(m.start, m.end)[0]: m.periods for m in reading.periods},
            profile=self._profile,
            composite=route is Route.COMPOSITE,
            latest=reading.latest(),
            decimals=ordered_decimals(reading.text.folded.text),
        )

    def _residues(self, reading: Reading, segments: Sequence[Segment], route: Route) -> tuple[Residue, ...]:
        text = reading.text
        found = [_quote(text, span, ResidueKind.SUSPICIOUS) for span in reading.screening.suspicious_spans]
        if route is not Route.NARRATIVE:
            units = [self._profile.named_metrics[code].unit for code in _codes(segments, Part.METRIC)]
            found += _foreign_signs(reading, units)
            found += map(self._with_candidates, find_residues(text, segments, _scope(reading, segments, route, units)))
            found += derived_residues(text, segments, self._profile)
        return tuple(sorted(found, key=lambda residue: residue.start))

    def _with_candidates(self, residue: Residue) -> Residue:
        """A name of several metrics, with them."""
        if residue.kind is not ResidueKind.AMBIGUOUS:
            return residue
        return residue.model_copy(update={"candidates": self._candidates.get(phrase_key(residue.text), ())})


def _latest(reading: Reading, route: Route) -> LatestPeriod | None:
    """The wish for the newest period; of material, only of a kind that is named: any passage may be "the latest"."""
    latest = reading.latest()
    return None if latest and route is Route.NARRATIVE and latest.type is None else latest


def _scope(reading: Reading, segments: Sequence[Segment], route: Route, units: Iterable[str]) -> Scope:
    metrics, entities, channels = (_codes(segments, part) for part in (Part.METRIC, Part.ENTITY, Part.CHANNEL))
    return Scope(
        composite=route is Route.COMPOSITE,
        units=unit_keys(units),
        several=any(len(values) > 1 for values in (metrics, entities, channels, reading.distinct_periods())),
        one_by_one=any(segment.role is Role.EACH for segment in segments),
        has_channel=bool(channels),
        has_entity=bool(entities),
        has_metric=bool(metrics),
    )


def _foreign_signs(reading: Reading, units: Sequence[str]) -> Iterator[Residue]:
    """Currency signs of another currency than the metrics have: "营收（€）" asks for a conversion."""
    for span in reading.signs:
        if units and not is_sign_of(reading.text.folded.text[slice(*span)], units):
            yield _quote(reading.text, reading.text.folded.raw_span(*span), ResidueKind.QUALIFIER)


def _quote(text: Text, span: Span, kind: ResidueKind) -> Residue:
    start, end = span
    return Residue(text=text.raw[start:end], kind=kind, start=start, end=end)


def _codes(segments: Iterable[Segment], part: Part) -> tuple[str, ...]:
    return tuple(dict.fromkeys(segment.key for segment in segments if segment.part is part))
