"""A profile from tables: which names mean which metric, entity and channel, and which were left out as unclear.

The same tables always give the same profile.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cli.profile.calendars import calendars
from cli.profile.claims import Claim, Owner, Rank, Settled, settle
from cli.profile.labels import is_generic, metric_variants, shortened
from cli.profile.metrics import Clusters, MetricFacts, assign, cluster, known_codes, loses_context
from cli.profile.names import channel_names, clean, entity_variants
from cli.profile.relations import parts, percentages
from cli.profile.tables import Concept, FactLine, Named
from contracts.codes import TOTAL_CHANNEL
from domain.profile import FiscalCalendar

METRICS: Final = "metrics"
ENTITIES: Final = "entities"
CHANNELS: Final = "channels"

Table = dict[str, object]


@dataclass(frozen=True, slots=True)
class Tables:
    """What a profile is built from."""

    facts: Sequence[FactLine]
    metrics: Sequence[Named] = ()
    entities: Sequence[Named] = ()
    concepts: Sequence[Concept] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """The profile as TOML tables, and what a person should know about it."""

    profile: dict[str, Table]
    merged: tuple[str, ...]
    left_out: tuple[str, ...]


def build_profile(
    tables: Tables, company: Mapping[str, object], calendar: FiscalCalendar, default_entity: str | None = None
) -> Built:
    """Build a profile; without `default_entity` the entity with most facts is meant when a question names none."""
    facts = MetricFacts(tables.facts)
    clusters = cluster(facts, tables.concepts)
    unclear: list[str] = []
    claims = [*_metric_claims(tables, facts, clusters, unclear), *_entity_claims(tables), *_channel_claims(tables)]
    settled = settle(claims)
    default = default_entity or _busiest(tables.facts)
    profile: dict[str, Table] = {
        "company": {**company, "default_entity": default},
        ENTITIES: dict(_entities(tables, settled, calendars(tables.facts, calendar))),
        METRICS: dict(_metrics(tables, facts, clusters, settled)),
        CHANNELS: dict(_channels(tables, settled)),
    }
    if settled.shared:
        profile["ambiguous"] = dict(sorted(settled.shared.items()))
    merged = tuple(
        f"{leader}: {', '.join(others)}" for leader in clusters.leaders() if (others := clusters.members(leader)[1:])
    )
    return Built(profile, merged, (*unclear, *settled.left_out))


def _busiest(facts: Sequence[FactLine]) -> str:
    counted = Counter(fact.entity for fact in facts)
    return min(counted, key=lambda entity: (-counted[entity], entity))


def _metric_claims(tables: Tables, facts: MetricFacts, clusters: Clusters, unclear: list[str]) -> Iterator[Claim]:
    glossary = {metric.code: metric for metric in tables.metrics}
    for code in sorted({*facts.codes, *glossary}):
        known = code in facts.units
        owner = (METRICS, clusters.leader(code) if known else code)
        yield Claim(owner, code, Rank.CODE if owner[1] == code else Rank.LABEL)
        entry = glossary.get(code)
        yield from _with_variants(owner, (entry.label, *entry.names) if entry else (), Rank.GLOSSARY)
        labels = [label for label in _by_frequency(facts.labels[code]) if label] if known else []
        clear = [label for label in labels if not (loses_context(code, label) or is_generic(label))]
        unclear += [f"{label!r} alone does not mean {code}" for label in labels if label not in clear]
        yield from _with_variants(owner, clear, Rank.LABEL)
    for concept in tables.concepts:
        yield from _concept_claims(concept, facts, clusters)


def _with_variants(owner: Owner, names: Sequence[str], rank: Rank) -> Iterator[Claim]:
    for name in filter(None, map(clean, names)):
        yield Claim(owner, name, rank)
        variants = [variant for variant in metric_variants(name) if not is_generic(variant)]
        yield from (Claim(owner, variant, Rank.VARIANT) for variant in variants)
        yield from (Claim(owner, short, Rank.SHORT) for form in (name, *variants) if (short := shortened(form)))


def _by_frequency(labels: Counter[str]) -> list[str]:
    return sorted(labels, key=lambda label: (-labels[label], label))


def _concept_claims(concept: Concept, facts: MetricFacts, clusters: Clusters) -> Iterator[Claim]:
    leaders = list(dict.fromkeys(clusters.leader(code) for code in known_codes(concept, facts)))
    if not leaders:
        return
    for name in concept.names:
        leader = assign(name, leaders, clusters)
        if leader is None:
            # Theirs together, unless a document calls one of them so: then the name is asked back.
            yield from (Claim((METRICS, each), name, Rank.SHORT) for each in leaders)
        else:
            yield Claim((METRICS, leader), name, Rank.GLOSSARY)


def _entity_claims(tables: Tables) -> Iterator[Claim]:
    labels = _labels_of_entities(tables.facts)
    glossary = {entity.code: entity for entity in tables.entities}
    for code in sorted({*labels, *glossary}):
        owner, entry = (ENTITIES, code), glossary.get(code)
        yield Claim(owner, code, Rank.CODE)
        for name in (entry.label, *entry.names) if entry else ():
            yield Claim(owner, clean(name), Rank.GLOSSARY)
            yield from (Claim(owner, variant, Rank.VARIANT) for variant in entity_variants(clean(name)))
        for label in _by_frequency(labels.get(code, Counter())):
            yield Claim(owner, label, Rank.LABEL)
            yield from (Claim(owner, variant, Rank.VARIANT) for variant in entity_variants(label))


def _labels_of_entities(facts: Sequence[FactLine]) -> dict[str, Counter[str]]:
    labels: dict[str, Counter[str]] = {}
    for fact in facts:
        counted = labels.setdefault(fact.entity, Counter())
        if label := clean(fact.entity_label):
            counted[label] += 1
    return labels


def _channel_claims(tables: Tables) -> Iterator[Claim]:
    for code in _channel_codes(tables.facts):
        yield Claim((CHANNELS, code), code, Rank.CODE)
        yield from (Claim((CHANNELS, code), name, Rank.VARIANT) for name in channel_names(code))


def _channel_codes(facts: Sequence[FactLine]) -> list[str]:
    return sorted({fact.channel for fact in facts} - {TOTAL_CHANNEL})


def _metrics(tables: Tables, facts: MetricFacts, clusters: Clusters, settled: Settled) -> Iterator[tuple[str, Table]]:
    glossary = {metric.code: metric for metric in tables.metrics}
    relations = {
        "percent_of": percentages(tables.facts, clusters.leader),
        "part_of": parts(tables.facts, clusters.leader),
    }
    for code in sorted({*clusters.leaders(), *(glossary.keys() - facts.units.keys())}):
        members = clusters.members(code) if code in facts.units else [code]
        units = sum((facts.units[member] for member in members if member in facts.units), Counter[str]())
        names = settled.names.get((METRICS, code), [])
        entry: Table = {"unit": _by_frequency(units)[0] if units else glossary[code].unit}
        wanted = [glossary[code].label] if code in glossary else _by_frequency(facts.labels[code])
        entry |= _label(wanted, names)
        if members[1:]:
            entry["source_codes"] = members[1:]
        entry["synonyms"] = names
        yield code, entry | {key: dict(sorted(by[code].items())) for key, by in relations.items() if code in by}


def _entities(
    tables: Tables, settled: Settled, own_calendars: Mapping[str, FiscalCalendar]
) -> Iterator[tuple[str, Table]]:
    labels = _labels_of_entities(tables.facts)
    glossary = {entity.code: entity for entity in tables.entities}
    for code in sorted({*labels, *glossary}):
        names = settled.names.get((ENTITIES, code), [])
        wanted = [glossary[code].label] if code in glossary else _by_frequency(labels[code])
        yield code, {**_label(wanted, names), "synonyms": names, **calendar_keys(own_calendars.get(code))}


def calendar_keys(calendar: FiscalCalendar | None) -> Table:
    """A fiscal calendar as keys of a profile; none for the calendar year."""
    if calendar is None or calendar == FiscalCalendar():
        return {}
    return {"fiscal_year_start_month": calendar.start_month, "fiscal_year_label": calendar.label.value}


def _channels(tables: Tables, settled: Settled) -> Iterator[tuple[str, Table]]:
    for code in _channel_codes(tables.facts):
        yield code, {"synonyms": settled.names.get((CHANNELS, code), [])}


def _label(wanted: Sequence[str], names: Sequence[str]) -> Table:
    """The display name, where it is a name that means only this: an answer's words may be asked back."""
    label = next((clean(name) for name in wanted if clean(name) in names), None)
    return {"label": label} if label else {}
