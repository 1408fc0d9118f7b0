"""One-click options: labels with a complete question, which is the user's own with one thing named or left out.

Only what the question lacks is put before it, and only what was not understood is cut out, so that the question sent
back as it is gives the narrowed answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from contracts.codes import Locale, PeriodType
from contracts.v1.ask import ClarificationOption
from contracts.v1.base import MAX_QUESTION_CHARS
from contracts.v1.intent import Residue
from contracts.v1.periods import Period
from domain.profile import CompanyProfile
from domain.vocabulary import Role, known_words
from services.clarify.texts import Wording, wording

MAX_ENTITY_OPTIONS: Final = 5
MAX_METRICS_LISTED: Final = 12
"""Nobody reads a longer list; what lies behind is an ellipsis."""

_EXCLUSIONS: Final = frozenset(word for word, role in known_words() if role is Role.EXCLUSION)
_EMPTY_BRACKETS: Final = re.compile(r"[(（\[【「“‘\"]\s*[)）\]】」”’\"]")
_BLANKS: Final = re.compile(r"\s+")


def metric_options(question: str, profile: CompanyProfile, locale: Locale) -> Sequence[ClarificationOption]:
    """One option for each listed metric."""
    return _usable(_naming(code, metric_name(code, profile, locale), question) for code in _listed_metrics(profile))


def metric_names(profile: CompanyProfile, locale: Locale) -> str:
    """Every metric of a small profile, the first ones of a large one, as declared."""
    say = wording(locale)
    listed = _listed_metrics(profile)
    rest = say.ellipsis if len(profile.metrics) > len(listed) else ""
    return say.comma.join(metric_name(code, profile, locale) for code in listed) + rest


def metric_name(code: str, profile: CompanyProfile, locale: Locale) -> str:
    """The code, with its display name where that is another."""
    return _with_label(code, profile.metric_label(code, locale), wording(locale))


def entity_name(code: str, profile: CompanyProfile, locale: Locale) -> str:
    """The code, with its display name where that is another."""
    return _with_label(code, profile.entity_label(code, locale), wording(locale))


def entity_options(
    question: str, profile: CompanyProfile, locale: Locale, *, other_than: str | None = None
) -> Sequence[ClarificationOption]:
    """The other entities, as declared; only the first few of many."""
    others = [code for code in profile.entities if code != other_than][:MAX_ENTITY_OPTIONS]
    return _usable(_naming(code, profile.entity_label(code, locale), question) for code in others)


def period_options(question: str, assumed: Period) -> Sequence[ClarificationOption]:
    """The fiscal year before the assumed one, and the halves of the assumed one."""
    year = int(assumed.value)
    before = [Period(type=PeriodType.FY, value=f"{year - 1:04}")] if year else []
    halves = [Period(type=PeriodType.HY, value=f"{assumed.value}{half}") for half in ("H1", "H2")]
    return _usable(_naming(period.label, period.label, question) for period in [*before, *halves])


def without_option(question: str, words: str, locale: Locale) -> Sequence[ClarificationOption]:
    """To do without `words`: `question` no longer holds them. None when nothing would be left to ask."""
    label = wording(locale).without.format(words=words)
    return _usable([ClarificationOption(label=label, question=question)] if question else [])


def without_residues(question: str, residues: Iterable[Residue]) -> str:
    """The question without those words; empty when nothing but punctuation is left."""
    kept = "".join(_kept(question, residues))
    tidy = _BLANKS.sub(" ", _EMPTY_BRACKETS.sub(" ", kept)).strip()
    return tidy if any(c.isalnum() for c in tidy) else ""


def would_invert(question: str, residues: Sequence[Residue]) -> bool:
    """Whether leaving those words out turns the question round: "不含香港的营收" without "不含" asks for the opposite.

    Harmless when what is excluded was not understood either, and goes with it.
    """
    starts = {residue.start for residue in residues}
    return any(_is_exclusion(residue) and _next_word(question, residue.end) not in starts for residue in residues)


def _is_exclusion(residue: Residue) -> bool:
    return " ".join(residue.text.casefold().split()) in _EXCLUSIONS


def _next_word(question: str, position: int) -> int:
    return position + len(question[position:]) - len(question[position:].lstrip())


def _kept(question: str, residues: Iterable[Residue]) -> Iterator[str]:
    """The stretches between the residues, with a blank for each, so that no two words grow together."""
    position = 0
    for residue in sorted(residues, key=lambda r: r.start):
        yield question[position : max(position, residue.start)]
        yield " "
        position = max(position, residue.end)
    yield question[position:]


def _listed_metrics(profile: CompanyProfile) -> Sequence[str]:
    return list(profile.metrics)[:MAX_METRICS_LISTED]


def _naming(code: str, label: str, question: str) -> ClarificationOption:
    return ClarificationOption(label=label, question=f"{code} {question.strip()}".strip())


def _with_label(code: str, label: str, say: Wording) -> str:
    return code if label == code else say.named.format(code=code, label=label)


def _usable(options: Iterable[ClarificationOption]) -> Sequence[ClarificationOption]:
    """A question that outgrows the limit could not be sent back."""
    return [option for option in options if len(option.question) <= MAX_QUESTION_CHARS]
