"""Which label a passage is stored under. Rules of the profile can close a passage, never open one."""

from dataclasses import dataclass
from typing import Self

from domain.matching import phrase_key
from domain.profile import SensitivityRules
from domain.sensitivity import normal_label
from services.narrative.visibility import CLOSED


@dataclass(frozen=True)
class Classifier:
    """The rules of one profile, by letters and digits: signs and blanks between them do not count."""

    default: str
    filenames: tuple[str, ...]
    keywords: tuple[str, ...]
    strict: bool

    @classmethod
    def of(cls, rules: SensitivityRules) -> Self:
        """The rules of a profile."""
        return cls(
            default=normal_label(rules.default) or CLOSED,
            filenames=tuple(filter(None, map(phrase_key, rules.restricted_filenames))),
            keywords=tuple(filter(None, map(phrase_key, rules.restricted_keywords))),
            strict=rules.strict,
        )

    def label(self, doc_id: str, stated: str | None, *texts: str | None) -> str:
        """The label of a passage of `doc_id` that states `stated`; `texts` are searched for the closing keywords.

        A closing rule outweighs a stated label. Without a stated one the profile's default counts; in strict mode the
        passage is closed, because nobody has said that it may be shown.
        """
        if self._closes(doc_id, texts):
            return CLOSED
        own = normal_label(stated or "")
        if own:
            return own
        return CLOSED if self.strict else self.default

    def _closes(self, doc_id: str, texts: tuple[str | None, ...]) -> bool:
        name = phrase_key(doc_id)
        if any(part in name for part in self.filenames):
            return True
        return any(keyword in phrase_key(text) for text in texts if text for keyword in self.keywords)
