"""The words of the profile: which metric, entity or channel a phrase of a question means.

Longest match over all three kinds, no overlap. Codes and display names are aliases of what they name. Of two names
that cannot be told apart the first counts: codes before other names, metrics before entities before channels, then the
order of the profile.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from contracts.codes import TOTAL_CHANNEL
from domain.fold import Folded
from domain.matching import Letters, PhraseMatcher, Span, letters_of, phrase_key
from domain.profile import CompanyProfile, Label

# Chinese names these places with the country before them: "中国香港" is Hong Kong, not China and Hong Kong.
_COUNTRY: Final = "中国"
_NAMED_WITH_COUNTRY: Final = ("台北", "台湾", "澳门", "香港")

# Names of one place each. "大陆" alone is left out: of which one is not said.
_SAME_PLACES: Final = (
    ("中国内地", "中国大陆", "mainland china", "chinese mainland", "cina continentale"),
    ("香港", "香港特别行政区", "hong kong", "hong kong sar"),
    ("澳门", "澳门特别行政区", "macau", "macao", "macau sar"),
)
_GROUP: Final = "集团"
_OWN: Final = ("本", "我", "我们", "咱们")

# A year can name a period only, whatever a table calls its rows.
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")

# A shorter word is a code or an abbreviation, and has no plural.
_MIN_PLURAL_CHARS: Final = 4


class MentionKind(StrEnum):
    """What a phrase names."""

    METRIC = "metric"
    ENTITY = "entity"
    CHANNEL = "channel"
    AMBIGUOUS = "ambiguous"
    """Several metrics; the mention's code is the name as the profile declares it."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase of the profile in a text; offsets are those of the matching view."""

    kind: MentionKind
    code: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Name:
    kind: MentionKind
    code: str


class Glossary:
    """The vocabulary of one profile, compiled once."""

    def __init__(self, profile: CompanyProfile) -> None:
        names = [name for name in (*_codes(profile), *_synonyms(profile)) if not _YEAR.fullmatch(name[0].strip())]
        self._whole = profile.company.default_entity
        unclear = ((phrase, _Name(MentionKind.AMBIGUOUS, phrase)) for phrase in profile.ambiguous)
        self._matcher = PhraseMatcher(
            (*names, *unclear, *_other_numbers(names), *_other_place_names(names), *_own_group(names))
        )
        stored = [name for name in names if name[1].kind is not MentionKind.METRIC or name[1].code in profile.metrics]
        self._by_kind = {kind: PhraseMatcher(_of_kind(stored, kind)) for kind in MentionKind}

    def find(self, folded: Folded, blocked: Iterable[Span] = ()) -> list[Mention]:
        """Every metric, entity and channel that a text names outside of the blocked parts, in its order."""
        return self.find_in(letters_of(folded), folded, blocked)

    def find_in(self, letters: Letters, folded: Folded, blocked: Iterable[Span] = ()) -> list[Mention]:
        """The same, for a caller that has the letters of the text already."""
        mentions: list[Mention] = []
        for hit in self._matcher.find(letters, letters.covered(blocked)):
            mention = Mention(hit.value.kind, hit.value.code, *letters.span(hit.first, hit.behind))
            if mentions and self._is_compound(mentions[-1], mention, folded.text):
                mention = Mention(mention.kind, mention.code, mentions.pop().start, mention.end)
            mentions.append(mention)
        return mentions

    def resolve_metric(self, raw: str) -> str | None:
        """The stored metric that a whole text names, by code or alias."""
        return self._resolve(MentionKind.METRIC, raw)

    def resolve_entity(self, raw: str) -> str | None:
        """The entity that a whole text names, by code or alias."""
        return self._resolve(MentionKind.ENTITY, raw)

    def resolve_channel(self, raw: str) -> str | None:
        """The channel that a whole text names, by code or alias; `TOTAL` is built in."""
        return TOTAL_CHANNEL if raw == TOTAL_CHANNEL else self._resolve(MentionKind.CHANNEL, raw)

    def _resolve(self, kind: MentionKind, raw: str) -> str | None:
        name = self._by_kind[kind].get(raw)
        return name.code if name else None

    def _is_compound(self, first: Mention, second: Mention, text: str) -> bool:
        """Whether two entities with nothing between them are one name, of which the second is meant.

        So it is when the first is the whole of which the second is a part: the company itself ("ACME香港"), or the
        country that Chinese writes before a region. Any other two names side by side are two entities.
        """
        if first.kind is not MentionKind.ENTITY or second.kind is not MentionKind.ENTITY or first.end != second.start:
            return False
        country_before = text.endswith(_COUNTRY, 0, first.end) and text.startswith(_NAMED_WITH_COUNTRY, second.start)
        return first.code == self._whole or country_before


def _codes(profile: CompanyProfile) -> Iterator[tuple[str, _Name]]:
    tables = (
        (MentionKind.METRIC, profile.named_metrics),
        (MentionKind.ENTITY, profile.entities),
        (MentionKind.CHANNEL, profile.channels),
    )
    for kind, table in tables:
        for code in table:
            yield code, _Name(kind, code)


def _synonyms(profile: CompanyProfile) -> Iterator[tuple[str, _Name]]:
    tables = (
        (MentionKind.METRIC, profile.named_metrics),
        (MentionKind.ENTITY, profile.entities),
        (MentionKind.CHANNEL, profile.channels),
    )
    for kind, table in tables:
        for code, entry in table.items():
            for synonym in (*entry.synonyms, *_display_names(entry.label)):
                yield synonym, _Name(kind, code)


def _display_names(label: Label | None) -> Iterator[str]:
    """The names that answers and options show: a user may send them back."""
    names = (label.default, label.zh, label.en, label.it) if label else ()
    return (name for name in names if name)


def _of_kind(names: Iterable[tuple[str, _Name]], kind: MentionKind) -> Iterator[tuple[str, _Name]]:
    return ((phrase, name) for phrase, name in names if name.kind is kind)


def _other_numbers(names: Iterable[tuple[str, _Name]]) -> Iterator[tuple[str, _Name]]:
    """English metric names with one word in the other number: people ask for "revenues", "service fee", "total asset".

    What two metrics could be called so is left to neither.
    """
    found: dict[str, tuple[str, _Name] | None] = {}
    for phrase, name in _of_kind(names, MentionKind.METRIC):
        words = phrase.split()
        for i, other in ((i, other) for i, word in enumerate(words) for other in _other_number(word)):
            form = " ".join((*words[:i], other, *words[i + 1 :]))
            rival = found.setdefault(phrase_key(form), (form, name))
            if rival is not None and rival[1] != name:
                found[phrase_key(form)] = None
    return (form for form in found.values() if form is not None)


def _other_place_names(names: Iterable[tuple[str, _Name]]) -> Iterator[tuple[str, _Name]]:
    """What else a place is called by whose name an entity is called; nothing where two entities share the place."""
    by_key = {phrase_key(phrase): name for phrase, name in _of_kind(names, MentionKind.ENTITY)}
    for place in _SAME_PLACES:
        owners = {by_key[key] for key in map(phrase_key, place) if key in by_key}
        if len(owners) == 1:
            owner = owners.pop()
            yield from ((phrase, owner) for phrase in place)


def _own_group(names: Iterable[tuple[str, _Name]]) -> Iterator[tuple[str, _Name]]:
    """Our own group, where an entity is called just that: 本集团 for 集团."""
    for phrase, name in _of_kind(names, MentionKind.ENTITY):
        if phrase == _GROUP:
            yield from ((f"{own}{_GROUP}", name) for own in _OWN)


def _other_number(word: str) -> Iterator[str]:
    """The plural of a singular and the other way round; nothing for short words and those that have no other number."""
    lower = word.lower()
    if not (word.isascii() and word.isalpha() and len(word) >= _MIN_PLURAL_CHARS):
        return
    if lower.endswith("ies"):
        yield f"{word[:-3]}y"
    elif lower.endswith("s"):
        if not lower.endswith(("is", "sales", "ss", "us")):
            yield word[:-1]
    elif lower.endswith("y") and lower[-2] not in "aeiou":
        yield f"{word[:-1]}ies"
    else:
        yield f"{word}s"
