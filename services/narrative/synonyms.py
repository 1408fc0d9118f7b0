"""The profile's other words for what a question names, so that a passage is found under whichever of them it uses."""

from collections.abc import Iterator, Mapping

from domain.fold import fold
from domain.glossary import Glossary, MentionKind
from domain.profile import Channel, CompanyProfile, Entity, Label, Metric
from services.narrative.analysis import Normal


class Synonyms:
    """The names of one profile, by what they name."""

    def __init__(self, profile: CompanyProfile) -> None:
        self._glossary = Glossary(profile)
        self._names: Mapping[tuple[MentionKind, str], str] = {
            (kind, code): ", ".join(_names(entry))
            for kind, table in (
                (MentionKind.METRIC, profile.metrics),
                (MentionKind.ENTITY, profile.entities),
                (MentionKind.CHANNEL, profile.channels),
            )
            for code, entry in table.items()
        }

    def of(self, question: str) -> Normal:
        """All other names of what a question names; codes are for machines and stand in no text."""
        mentions = self._glossary.find(fold(question))
        named = dict.fromkeys((mention.kind, mention.code) for mention in mentions)
        return Normal.read(", ".join(self._names.get(key, "") for key in named))


def _names(entry: Metric | Entity | Channel) -> Iterator[str]:
    yield from entry.synonyms
    yield from _labels(entry.label)


def _labels(label: Label | None) -> Iterator[str]:
    names = (label.default, label.zh, label.en, label.it) if label else ()
    return (name for name in names if name)
