"""What the tables find in a question, before anything is concluded from it. A letter is read as one thing only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Self

from contracts.codes import PeriodType
from contracts.v1.intent import LatestPeriod
from contracts.v1.periods import Period
from domain.fold import Folded
from domain.glossary import Glossary, Mention, MentionKind
from domain.matching import Span
from domain.periods import PeriodMention, find_periods
from domain.periods.latest import find_latest
from domain.periods.today import find_today
from domain.profile import CompanyProfile
from domain.scope.orders import find_fallbacks, find_roundings
from domain.scope.segments import Part, Segment, cut, slot
from domain.scope.units import find_currency_signs
from domain.screening import Screening, screen
from domain.text import Text

# Neither letter nor digit nor a sign that dates and ranges are written with.
_COVER: Final = "|"

_PART_OF: Final = {
    MentionKind.METRIC: Part.METRIC,
    MentionKind.ENTITY: Part.ENTITY,
    MentionKind.CHANNEL: Part.CHANNEL,
    MentionKind.AMBIGUOUS: Part.AMBIGUOUS,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A question with its competitors, currency signs, names of the profile, and periods; spans of the view."""

    text: Text
    screening: Screening
    masked: tuple[Span, ...]
    signs: tuple[Span, ...]
    mentions: tuple[Mention, ...]
    periods: tuple[PeriodMention, ...]
    newest: tuple[tuple[PeriodType | None, int, int], ...]
    """Where the newest period is asked for, and of which kind; nothing is read as another period there."""
    today: date | None
    """The day that the question says is today."""
    told: tuple[Span, ...]
    """Where it says so."""

    @classmethod
    def of(
        cls, question: str, profile: CompanyProfile, glossary: Glossary, *, today: date, default_entity: str | None
    ) -> Self:
        """Read a question: competitors first, then names, then periods. What is taken is not read again."""
        text = Text.read(question)
        screening = screen(question, profile)
        masked = tuple(text.folded.folded_span(*span) for span in screening.spans)
        signs = tuple(find_currency_signs(text.folded.text))
        mentions = tuple(glossary.find_in(text.letters, text.folded, (*masked, *signs)))
        entity = next((m.code for m in mentions if m.kind is MentionKind.ENTITY), default_entity)
        named = [*masked, *signs, *((mention.start, mention.end) for mention in mentions)]
        newest = tuple(find_latest(text.folded.text))
        stated = find_today(text.folded.text)
        told = stated[1] if stated else ()
        periods = find_periods(
            _covered(text.folded, named),
            today=stated[0] if stated else today,
            calendar=profile.calendar(entity),
            blocked=[*named, *told, *((start, end) for _, start, end in newest)],
        )
        return cls(text, screening, masked, signs, mentions, periods, newest, stated[0] if stated else None, told)

    def segments(self) -> list[Segment]:
        """The question cut into segments."""
        return cut(self.text.letters, self._slots())

    def distinct_periods(self) -> tuple[Period, ...]:
        """Every period once, in the order of the question."""
        every = (period for mention in self.periods for period in mention.periods)
        return tuple({(period.type, period.value): period for period in every}.values())

    def latest(self) -> LatestPeriod | None:
        """The one wish for the newest period; None beside a named period, or where there are two."""
        if self.periods or len(self.newest) != 1:
            return None
        kind, *span = self.newest[0]
        start, end = self.text.folded.raw_span(*span)
        return LatestPeriod(type=kind, start=start, end=end)

    def asked_entities(self) -> tuple[str, ...]:
        """Every named entity once."""
        return tuple(dict.fromkeys(m.code for m in self.mentions if m.kind is MentionKind.ENTITY))

    def _slots(self) -> Iterator[Segment]:
        letters, view = self.text.letters, self.text.folded.text
        for mention in self.mentions:
            yield slot(_PART_OF[mention.kind], (mention.start, mention.end), letters, mention.code)
        spans: Sequence[tuple[Part, Sequence[Span]]] = (
            (Part.COMPETITOR, self.masked),
            (Part.CURRENCY, self.signs),
            (Part.PERIOD, [(mention.start, mention.end) for mention in self.periods]),
            (Part.LATEST, [(start, end) for _, start, end in self.newest]),
            (Part.TODAY, self.told),
            (Part.ROUNDING, [*find_roundings(view)]),
            (Part.FALLBACK, [*find_fallbacks(view)]),
        )
        for part, places in spans:
            yield from (slot(part, span, letters) for span in places)


def _covered(folded: Folded, spans: Sequence[Span]) -> Folded:
    """The view with names made unreadable, so that a year beside a Latin name ("2024ROE") is seen to end there."""
    chars = list(folded.text)
    for start, end in spans:
        chars[start:end] = _COVER * (end - start)
    return replace(folded, text="".join(chars))
