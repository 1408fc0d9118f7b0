"""A question as the index is asked it: its words, the profile's other words for them, and what it is about. Pure.

What it is about is what is left without the words that only ask ("why", "how did it change"), and without whom and
when, where the search is narrowed to those already. A passage that holds little of this is no material, however many of
the other words it shares.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Final

from domain.fold import Folded, fold
from domain.glossary import Glossary, Mention, MentionKind
from domain.periods import find_periods
from domain.profile import Channel, CompanyProfile, Entity, Label, Metric
from domain.vocabulary import Role, known_words
from services.narrative.analysis import Normal, normal, words_of
from services.narrative.scope import Scope
from services.narrative.shard import Need, Words

_ASKING: Final = frozenset(
    {
        Role.HARMLESS,
        Role.CHANGE,
        Role.NARRATIVE_CUE,
        Role.EFFECT_CUE,
        Role.NUMERIC_CUE,
        Role.CONCEPT_CUE,
        Role.WEAK_CONCEPT_CUE,
        Role.OTHER_QUESTION,
    }
)
"""Words that ask, join, or say that something changed: every second passage has them, whatever it is about."""

# Where a period stands in a question does not depend on the day.
_ANY_DAY: Final = date(2000, 7, 1)


class Questions:
    """Reads questions by the vocabulary of one profile; compiled once."""

    def __init__(self, profile: CompanyProfile) -> None:
        self._calendar = profile.calendar(None)
        self._glossary = Glossary(profile)
        self._names: Mapping[tuple[MentionKind, str], tuple[Normal, ...]] = {
            (kind, code): tuple(map(Normal.read, dict.fromkeys(_names(entry))))
            for kind, table in (
                (MentionKind.METRIC, profile.metrics),
                (MentionKind.ENTITY, profile.entities),
                (MentionKind.CHANNEL, profile.channels),
            )
            for code, entry in table.items()
        }

    def read(self, question: str, scope: Scope) -> Words:
        """The words of a question that is asked of a scope."""
        folded = fold(question)
        mentions = self._glossary.find(folded)
        named = dict.fromkeys((mention.kind, mention.code) for mention in mentions)
        same_meaning = ", ".join(name.text for key in named for name in self._names.get(key, ()))
        return Words(Normal.read(question), Normal.read(same_meaning), self._needs(question, folded, mentions, scope))

    def _needs(self, question: str, folded: Folded, mentions: Sequence[Mention], scope: Scope) -> tuple[Need, ...]:
        spans = [(mention.start, mention.end) for mention in mentions]
        if scope.periods or scope.newest:
            periods = find_periods(folded, today=_ANY_DAY, calendar=self._calendar, blocked=spans)
            spans += [(period.start, period.end) for period in periods]
        by_kind = {kind: [mention for mention in mentions if mention.kind is kind] for kind in MentionKind}
        needs = [self._named(of_kind, folded.text, scope) for of_kind in by_kind.values() if of_kind]
        rest = Normal.read(_without(folded.text, spans))
        needs += [Need(about) for about in _about(rest)]
        if all(need.narrowed_to for need in needs):
            needs.append(Need(Normal.read(question)))
        return tuple(needs)

    def _named(self, mentions: Sequence[Mention], text: str, scope: Scope) -> Need:
        """One of several metrics is enough, and one of several entities: no passage is about all of them."""
        own = [text[mention.start : mention.end] for mention in mentions]
        others = [name for mention in mentions for name in self._names.get((mention.kind, mention.code), ())]
        narrowed = scope.entities if mentions[0].kind is MentionKind.ENTITY else ()
        return Need(Normal.read(" ".join(own)), (*map(Normal.read, own), *others), narrowed)


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text without some parts of it; what stood on both sides does not become one word."""
    edges = [0, *(edge for span in sorted(spans) for edge in span), len(text)]
    return " ".join(text[start:end] for start, end in list(pairwise(edges))[::2])


def _about(read: Normal) -> Iterator[Normal]:
    """A text without the words that only ask; where nothing else is left, it is about a change."""
    for dropped in (_words(_ASKING), _words(_ASKING - {Role.CHANGE})):
        kept = ("".join(" " if word in dropped else word for word in words) for words in words_of(read))
        about = Normal.read(" ".join(kept))
        if about.runs:
            yield about
            return


@cache
def _words(of: frozenset[Role]) -> frozenset[str]:
    roles: dict[str, Role] = {}
    for word, role in known_words():
        roles.setdefault(normal(word), role)
    return frozenset(word for word, role in roles.items() if role in of)


def _names(entry: Metric | Entity | Channel) -> Iterator[str]:
    yield from entry.synonyms
    yield from _labels(entry.label)


def _labels(label: Label | None) -> Iterator[str]:
    names = (label.default, label.zh, label.en, label.it) if label else ()
    return (name for name in names if name)
