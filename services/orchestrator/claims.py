"""What a text states: its numbers, each with whom, when and what it is about, as far as the text says so. Pure.

A number belongs to the name right behind it ("5 in Hong Kong"), else to the nearest one before it in its sentence, else
to the first one behind it, else to what the text spoke of before. Names that are listed belong together.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import Final

from contracts.v1.periods import Period
from domain.fold import Folded, fold
from domain.glossary import Glossary, MentionKind
from domain.language import has_italian_words
from domain.periods import find_periods
from domain.profile import CompanyProfile
from domain.quantities import Kind, Quantity, find_quantities
from domain.screening import screen
from domain.sentences import sentence_spans
from domain.text import Text


class Aspect(StrEnum):
    """What a number can be about."""

    METRIC = "metric"
    ENTITY = "entity"
    PERIOD = "period"


About = Mapping[Aspect, frozenset[str]]
"""Codes of metrics and entities, names of competitors, values of periods; nothing where nothing is said."""


def nothing() -> About:
    """About nothing in particular."""
    return {}


@dataclass(frozen=True, slots=True)
class Claim:
    """A number and what it is about."""

    quantity: Quantity
    text: str
    """As the text writes it."""
    said: About = field(default_factory=nothing)
    """Stated in its own sentence."""
    carried: About = field(default_factory=nothing)
    """Stated before."""

    def about(self, aspect: Aspect) -> frozenset[str]:
        """Whom or when or what, by its sentence or by what came before."""
        return self.said.get(aspect) or self.carried.get(aspect) or frozenset()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, where it stands in its text, its numbers, and the dated periods that it names."""

    start: int
    end: int
    claims: tuple[Claim, ...]
    periods: tuple[tuple[str, tuple[str, ...]], ...]
    """As written, and the values; only where the words hold a number themselves."""


@dataclass(frozen=True, slots=True)
class _Mention:
    aspect: Aspect
    keys: frozenset[str]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one sentence holds by itself."""

    raw: str
    folded: Folded
    quantities: tuple[Quantity, ...]
    named: tuple[_Mention, ...]
    owners: tuple[_Mention, ...]
    """The named without those that a number is only compared with."""
    dated: tuple[tuple[str, tuple[str, ...]], ...]


_REMEMBERED_SENTENCES: Final = 1_024

# Earlier than every text: a period that is the same by both days does not depend on the day.
_OTHER_DAY: Final = date(1971, 3, 1)

_LINKS_BEHIND: Final = re.compile(
    r" ?(?:[(（] ?)?(?:(?:in|for|at|of|during|per|the|year|fiscal|nel|nell['’]|nella|del|della|dell['’]|di|a|il"
    r"|l['’])(?: |(?<=['’])))*"
)
# What a number is compared with is not what it is of: "较2023年下降", "down from a year ago".
_BASE_BEFORE: Final = re.compile(
    r"(?:(?:[较比占]|相[比较]于?|较之) ?|(?<![a-z])(?:than|from|versus|vs\.?|compared (?:to|with)|against"
    r"|rispetto (?:al?|alla|ai)|rispetto all['’]|sul|sulla) ?(?:the |il |l['’])?)$"
)
_BASE_CHARS: Final = 40
"""More than the longest words before a base; looking further back costs the square of the length of a sentence."""
# A percentage of something is about whose share it is: "HK is 25 % of the group".
_SHARE_OF: Final = re.compile(r" ?(?:of|di|del|della|dell['’]) ?")
_LISTED: Final = re.compile(r"[ 、,，和与及跟同]*(?:(?:and|e|ed|or|&) )?")
_NUMERAL: Final = re.compile(r"[\d〇一二两三四五六七八九十]")
_MONEY_LIKE: Final = frozenset({Kind.MONEY, Kind.PERCENT, Kind.POINTS, Kind.TIMES})
_ASPECT_OF: Final = {MentionKind.METRIC: Aspect.METRIC, MentionKind.ENTITY: Aspect.ENTITY}


class ClaimReader:
    """Reads texts by the vocabulary of one profile; compiled once."""

    def __init__(self, profile: CompanyProfile) -> None:
        self._profile = profile
        self._glossary = Glossary(profile)
        # The same passages answer many questions; reading them is most of the work.
        self._seen_in = lru_cache(maxsize=_REMEMBERED_SENTENCES)(self._see)

    def read(
        self,
        text: str,
        *,
        today: date | None,
        entity: str | None = None,
        strict: bool = False,
        italian: bool = False,
    ) -> list[Sentence]:
        """The sentences of a text. Without `today` only periods that no day decides are read ("2024", not "last year").

        `entity` is whose fiscal calendar counts; `strict` reads a point as a decimal point only;
        `italian` says so of a text that does not show it.
        """
        read: list[Sentence] = []
        carried = nothing()
        italian = italian or has_italian_words(Text.read(text))
        for start, end in sentence_spans(text):
            seen = self._seen_in(text[start:end], today, entity, strict, italian)
            claims = tuple(_claim(quantity, seen, carried) for quantity in seen.quantities)
            read.append(Sentence(start, end, claims, seen.dated))
            carried = {**carried, **_last_of_each(seen.named, seen.folded.text)}
        return read

    def _see(self, raw: str, today: date | None, entity: str | None, strict: bool, italian: bool) -> _Seen:
        folded = fold(raw)
        mentions = self._mentions(raw, folded, today, entity)
        quantities = self._quantities(raw, folded, mentions, italian=italian, strict=strict)
        periods = [m for m in mentions if m.aspect is Aspect.PERIOD and not _overlaps(m, quantities)]
        named = sorted((*periods, *(m for m in mentions if m.aspect is not Aspect.PERIOD)), key=lambda m: m.start)
        owners = tuple(mention for mention in named if not _is_base(mention, folded.text))
        return _Seen(raw, folded, tuple(quantities), tuple(named), owners, tuple(_dated(periods, raw, folded)))

    def _mentions(self, raw: str, folded: Folded, today: date | None, entity: str | None) -> list[_Mention]:
        competitors = screen(raw, self._profile)
        masked = [folded.folded_span(*span) for span in competitors.spans]
        others = frozenset(f"competitor {name}" for name in competitors.names)
        names = self._glossary.find(folded, masked)
        found = [_Mention(Aspect.ENTITY, others, *span) for span in masked]
        found += [
            _Mention(_ASPECT_OF[name.kind], frozenset({name.code}), name.start, name.end)
            for name in names
            if name.kind in _ASPECT_OF
        ]
        blocked = [*masked, *((name.start, name.end) for name in names)]
        for start, end, periods in self._periods(folded, today, entity, blocked):
            found.append(_Mention(Aspect.PERIOD, frozenset(period.value for period in periods), start, end))
        return sorted(found, key=lambda mention: mention.start)

    def _periods(
        self, folded: Folded, today: date | None, entity: str | None, blocked: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, int, tuple[Period, ...]]]:
        calendar = self._profile.calendar(entity)
        found = find_periods(folded, today=today or _OTHER_DAY, calendar=calendar, blocked=blocked)
        if today is None:
            later = _OTHER_DAY.replace(year=_OTHER_DAY.year + 20, month=9)
            on_any_day = set(find_periods(folded, today=later, calendar=calendar, blocked=blocked))
            found = tuple(mention for mention in found if mention in on_any_day)
        return ((mention.start, mention.end, mention.periods) for mention in found if mention.periods)

    def _quantities(
        self, raw: str, folded: Folded, mentions: Sequence[_Mention], *, italian: bool, strict: bool
    ) -> list[Quantity]:
        """What stands inside a name or a period is no number, unless a unit makes it one: "2024 USD_M"."""
        names = [(m.start, m.end) for m in mentions if m.aspect is not Aspect.PERIOD]
        periods = [(m.start, m.end) for m in mentions if m.aspect is Aspect.PERIOD]
        found = find_quantities(raw, folded, italian=italian, strict=strict, blocked=names)
        return [q for q in found if q.kind in _MONEY_LIKE or q.scaled or not _inside(q, periods)]


def _inside(quantity: Quantity, spans: Iterable[tuple[int, int]]) -> bool:
    return any(quantity.start < end and start < quantity.end for start, end in spans)


def _overlaps(mention: _Mention, quantities: Iterable[Quantity]) -> bool:
    return any(q.start < mention.end and mention.start < q.end for q in quantities)


def _claim(quantity: Quantity, seen: _Seen, carried: About) -> Claim:
    said = {aspect: keys for aspect in Aspect if (keys := _nearest(quantity, aspect, seen.owners, seen.folded.text))}
    start, end = seen.folded.raw_span(quantity.start, quantity.end)
    return Claim(quantity, seen.raw[start:end], said, carried)


def _is_base(mention: _Mention, text: str) -> bool:
    return _BASE_BEFORE.search(text[max(0, mention.start - _BASE_CHARS) : mention.start]) is not None


def _nearest(quantity: Quantity, aspect: Aspect, owners: Sequence[_Mention], text: str) -> frozenset[str]:
    mentions = [mention for mention in owners if mention.aspect is aspect]
    before = [mention for mention in mentions if mention.end <= quantity.start]
    behind = [mention for mention in mentions if mention.start >= quantity.end]
    is_share = bool(before) and quantity.kind is Kind.PERCENT and _SHARE_OF.match(text, quantity.end) is not None
    if behind and not is_share and _is_linked(text[quantity.end : behind[0].start]):
        return behind[0].keys
    if before:
        return _with_listed(before, text)
    return behind[0].keys if behind else frozenset()


def _is_linked(between: str) -> bool:
    """Whether prepositions or a bracket tie a name to the number before it."""
    return bool(between.strip()) and _LINKS_BEHIND.fullmatch(between) is not None


def _with_listed(mentions: Sequence[_Mention], text: str) -> frozenset[str]:
    """The last of the mentions, with those that are listed together with it."""
    keys = mentions[-1].keys
    for place in range(len(mentions) - 1, 0, -1):
        if not _LISTED.fullmatch(text, mentions[place - 1].end, mentions[place].start):
            break
        keys |= mentions[place - 1].keys
    return keys


def _last_of_each(named: Sequence[_Mention], text: str) -> dict[Aspect, frozenset[str]]:
    by_aspect = {aspect: [mention for mention in named if mention.aspect is aspect] for aspect in Aspect}
    return {aspect: _with_listed(mentions, text) for aspect, mentions in by_aspect.items() if mentions}


def _dated(periods: Iterable[_Mention], raw: str, folded: Folded) -> Iterator[tuple[str, tuple[str, ...]]]:
    for mention in periods:
        if _NUMERAL.search(folded.text, mention.start, mention.end):
            start, end = folded.raw_span(mention.start, mention.end)
            yield raw[start:end], tuple(sorted(mention.keys))
