"""What can be asked: codes with their counts, loaded periods, and example questions. Pure.

An example is only offered for a scope that has been looked up and found, in words that the glossary reads as exactly
that scope.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from contracts.codes import TOTAL_CHANNEL, Locale, PeriodType
from contracts.v1.facts import Catalogue, CatalogueItem, FactQuery
from contracts.v1.periods import Period
from domain.fold import fold
from domain.glossary import Glossary, MentionKind
from domain.periods import find_periods, period_sort_key
from domain.profile import CompanyProfile, FiscalCalendar, Label
from services.facts.ports import CodeCounts, Scope
from services.facts.vocabulary import Vocabulary

EXAMPLES: Final = 6
CANDIDATES: Final = 4 * EXAMPLES
"""Scopes that are looked up for examples; those with contradicting facts drop out."""
EXAMPLE_KINDS: Final = (PeriodType.FY, PeriodType.HY, PeriodType.QUARTER)
"""Kinds of period whose label reads well in a sentence."""

_SENTENCES: Final = {
    Locale.ZH: "{entity} {period} 的{metric}是多少？",
    Locale.EN: "What was the {metric} of {entity} in {period}?",
    Locale.IT: "Qual è stato il {metric} di {entity} nel {period}?",
}
_FIRST_IDEOGRAPH: Final = "\u3400"


def choose_locale(requested: str | None, profile: CompanyProfile) -> Locale:
    """The language of labels and examples: the requested one, else the profile's, else English."""
    known = set(map(str, Locale))
    return next((Locale(x) for x in (requested, profile.company.locale) if x in known), Locale.EN)


def build(profile: CompanyProfile, vocabulary: Vocabulary, counts: CodeCounts, locale: Locale) -> Catalogue:
    """The catalogue without its examples."""
    metrics = [
        CatalogueItem(
            code=code,
            label=profile.metric_label(code, locale),
            unit=metric.unit,
            facts=sum(counts.metrics.get(stored, 0) for stored in vocabulary.stored_codes[code]),
        )
        for code, metric in profile.metrics.items()
    ]
    entities = [
        CatalogueItem(code=code, label=profile.entity_label(code, locale), facts=counts.entities.get(code, 0))
        for code in profile.entities
    ]
    channels = [
        CatalogueItem(code=code, label=profile.channel_label(code, locale), facts=counts.channels.get(code, 0))
        for code in (TOTAL_CHANNEL, *profile.channels)
    ]
    periods = sorted((Period(type=t, value=v) for t, v in counts.periods), key=period_sort_key, reverse=True)
    return Catalogue(
        metrics=tuple(metrics),
        entities=tuple(entities),
        channels=tuple(channels),
        periods=tuple(periods),
        examples=(),
    )


def candidates(scopes: Iterable[Scope], vocabulary: Vocabulary, default_entity: str) -> list[FactQuery]:
    """Scopes worth an example, the most different ones first: few repeat a metric or an entity of those before."""
    code_of = {stored: code for code, codes in vocabulary.stored_codes.items() for stored in reversed(codes)}
    waiting = [
        FactQuery(
            metric=code_of[s.metric_code],
            entity=s.entity,
            period=Period(type=PeriodType(s.period_type), value=s.period),
            channel=s.channel,
        )
        for s in sorted(scopes, key=lambda s: s.entity != default_entity)
    ]
    seen: dict[str, int] = {}
    chosen: list[FactQuery] = []
    while waiting and len(chosen) < CANDIDATES:
        best = min(waiting, key=lambda q: seen.get(q.metric, 0) + seen.get(q.entity, 0))
        waiting.remove(best)
        chosen.append(best)
        for code in (best.metric, best.entity):
            seen[code] = seen.get(code, 0) + 1
    return chosen


def example(query: FactQuery, profile: CompanyProfile, glossary: Glossary, locale: Locale) -> str:
    """A question for the scope, in the words of that language where the glossary has them."""
    metric, entity = profile.metrics[query.metric], profile.entities[query.entity]
    return _SENTENCES[locale].format(
        metric=_name(query.metric, _names(metric.label, metric.synonyms, locale), glossary.resolve_metric, locale),
        entity=_name(query.entity, _names(entity.label, entity.synonyms, locale), glossary.resolve_entity, locale),
        period=query.period.label,
    )


def reads_as(question: str, query: FactQuery, glossary: Glossary) -> bool:
    """Whether the question names exactly this scope and nothing else that the glossary knows."""
    folded = fold(question)
    mentions = glossary.find(folded)
    blocked = [(mention.start, mention.end) for mention in mentions]
    periods = find_periods(folded, today=date.max, calendar=FiscalCalendar(), blocked=blocked)
    named = [(mention.kind, mention.code) for mention in mentions]
    return sorted(named) == [(MentionKind.ENTITY, query.entity), (MentionKind.METRIC, query.metric)] and [
        period for mention in periods for period in mention.periods
    ] == [query.period]


def _names(label: Label | None, synonyms: Sequence[str], locale: Locale) -> Iterator[str]:
    if label is not None:
        yield label.in_locale(locale)
    yield from synonyms


def _name(code: str, names: Iterable[str], resolve: Callable[[str], str | None], locale: Locale) -> str:
    """The first name that means the code in the script of the language; else, in Chinese, the first at all; else the
    code, which every language can spell.
    """
    usable = [name for name in names if resolve(name) == code]
    fitting = [name for name in usable if _has_ideographs(name) == (locale is Locale.ZH)]
    return next(iter(fitting or (usable if locale is Locale.ZH else [])), code)


def _has_ideographs(text: str) -> bool:
    return any(character >= _FIRST_IDEOGRAPH for character in text)
