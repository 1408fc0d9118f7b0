"""One-click options: a label and a complete question. How each question is worded is the caller's choice."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from contracts.codes import Locale, PeriodType
from contracts.v1.ask import ClarificationOption
from contracts.v1.base import MAX_QUESTION_CHARS
from contracts.v1.periods import Period
from domain.profile import CompanyProfile
from services.clarify.texts import wording

MAX_ENTITY_OPTIONS: Final = 5
MAX_METRICS_LISTED: Final = 12
"""Nobody reads a longer list; what lies behind is an ellipsis."""

# The names of a large profile, and the words of a few questions, which come from outside: hence bounded.
_REMEMBERED_NAMES: Final = 16_384

Reword = Callable[[str], str]
"""From a code (or a period's label) to the question that names it."""


def metric_options(
    codes: Sequence[str], profile: CompanyProfile, locale: Locale, reword: Reword
) -> Sequence[ClarificationOption]:
    """One option for each of those metrics."""
    return labelled((metric_name(code, profile, locale), reword(code)) for code in codes)


def entity_options(
    profile: CompanyProfile, locale: Locale, reword: Reword, *, other_than: str | None = None
) -> Sequence[ClarificationOption]:
    """The other entities, as declared; only the first few of many."""
    others = [code for code in profile.entities if code != other_than][:MAX_ENTITY_OPTIONS]
    return labelled((profile.entity_label(code, locale), reword(code)) for code in others)


def listed_entities(
    codes: Iterable[str], profile: CompanyProfile, locale: Locale, reword: Reword
) -> Sequence[ClarificationOption]:
    """One option for each of those entities."""
    return labelled((profile.entity_label(code, locale), reword(code)) for code in codes)


def period_options(assumed: Period, reword: Reword) -> Sequence[ClarificationOption]:
    """The fiscal year before the assumed one, and the halves of the assumed one."""
    halves = [Period(type=PeriodType.HY, value=f"{assumed.value}{half}") for half in ("H1", "H2")]
    return [*year_options(assumed, reword), *labelled((period.label, reword(period.label)) for period in halves)]


def year_options(assumed: Period, reword: Reword) -> Sequence[ClarificationOption]:
    """The fiscal year before the assumed one: what is asked of a year need not make sense of a half."""
    year = int(assumed.value)
    before = [Period(type=PeriodType.FY, value=f"{year - 1:04}")] if year else []
    return labelled((period.label, reword(period.label)) for period in before)


def without_option(words: str, question: str, locale: Locale) -> Sequence[ClarificationOption]:
    """To do without `words`, by a question that does not hold them."""
    return labelled([(wording(locale).without.format(words=words), question)])


def listed_metrics(profile: CompanyProfile, words: Iterable[str]) -> Sequence[str]:
    """Every metric of a small profile as declared; of a large one those that are named most like one of `words`."""
    codes = list(profile.metrics)
    if len(codes) > MAX_METRICS_LISTED:
        pairs = [_pairs(word) for word in words]
        codes.sort(key=lambda code: -max((_likeness(code, profile, pair) for pair in pairs), default=0.0))
    return codes[:MAX_METRICS_LISTED]


def metric_names(codes: Sequence[str], profile: CompanyProfile, locale: Locale) -> str:
    """Those metrics as a list that says when there are more."""
    say = wording(locale)
    rest = say.ellipsis if len(profile.metrics) > len(codes) else ""
    return say.comma.join(metric_name(code, profile, locale) for code in codes) + rest


def metric_name(code: str, profile: CompanyProfile, locale: Locale) -> str:
    """The code, with its display name where that is another."""
    return _with_label(code, profile.metric_label(code, locale), locale)


def entity_name(code: str, profile: CompanyProfile, locale: Locale) -> str:
    """The code, with its display name where that is another."""
    return _with_label(code, profile.entity_label(code, locale), locale)


def _with_label(code: str, label: str, locale: Locale) -> str:
    return code if label == code else wording(locale).named.format(code=code, label=label)


def _likeness(code: str, profile: CompanyProfile, pairs: frozenset[str]) -> float:  # allow-fact-number: of names
    """The best match of a metric's names, from 0 to 1: shared pairs of neighbouring characters (Dice)."""
    metric = profile.metrics[code]
    names = [code, *metric.synonyms, *([metric.label.default] if metric.label else [])]
    return max(2 * len(pairs & other) / (len(pairs) + len(other) or 1) for other in map(_pairs, names))


@lru_cache(maxsize=_REMEMBERED_NAMES)
def _pairs(name: str) -> frozenset[str]:
    folded = name.casefold()
    return frozenset(folded[i : i + 2] for i in range(len(folded) - 1))


def labelled(choices: Iterable[tuple[str, str]]) -> Sequence[ClarificationOption]:
    """A question that is empty or outgrows the limit could not be sent back."""
    return [
        ClarificationOption(label=label, question=question)
        for label, question in choices
        if 0 < len(question) <= MAX_QUESTION_CHARS
    ]
