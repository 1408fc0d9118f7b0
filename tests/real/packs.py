"""A pack: a facts file, and the profile that the documented command builds from it."""

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from typer.testing import CliRunner

from cli.profile import app
from contracts.codes import PeriodType
from contracts.v1.facts import FactOutcome, FactOutcomes, FactQuery, FindNewest, NewestPeriods, QueryFacts
from contracts.v1.periods import Period
from domain.profile import CompanyProfile, load_profile
from services.facts.lookup import Line, choose
from services.facts.vocabulary import Vocabulary
from tests.real.judging import Sources
from tests.support.inprocess import newest_of

_GLOSSARIES = {
    "zh": {"--metrics": "metrics_zh.csv", "--entities": "entities_zh.csv"},
    "en": {"--aliases": "metric_aliases_en.csv"},
}


def profile_arguments(data: Path, pack: str, out: Path) -> list[str]:
    """The arguments of `ragspine profile` for a pack, glossaries that exist included."""
    language = "zh" if pack.endswith("_zh.csv") else "en"
    glossaries = [
        part
        for option, name in _GLOSSARIES[language].items()
        if (data / name).exists()
        for part in (option, str(data / name))
    ]
    return ["from-csv", str(data / pack), *glossaries, "--out", str(out), "--force", "--quiet"]


def build(data: Path, pack: str, out: Path) -> CompanyProfile:
    """Build, write and load the profile of a pack."""
    result = CliRunner().invoke(app, profile_arguments(data, pack, out), catch_exceptions=False)
    if result.exit_code:
        raise SystemExit(result.output)
    return load_profile(out)


def sources_of(data: Path, pack: str) -> Sources:
    """The documents of every figure of a pack."""
    documents: dict[tuple[str, str, str, str], set[str]] = defaultdict(set)
    for row in _rows(data / pack):
        documents[row["metric_code"], row["entity_code"], row["period"], row["value"]].add(row["source_doc_id"])
    return {key: frozenset(found) for key, found in documents.items()}


@dataclass
class PackFacts:
    """`FactPort` over the rows of a pack, by the rules of the facts worker."""

    lines: Mapping[tuple[str, str, str, str, str], Sequence[Line]]
    vocabulary: Vocabulary

    @classmethod
    def read(cls, data: Path, pack: str, profile: CompanyProfile) -> "PackFacts":
        """All rows of a pack in memory."""
        lines: dict[tuple[str, str, str, str, str], list[Line]] = defaultdict(list)
        for number, row in enumerate(_rows(data / pack)):
            key = (row["metric_code"], row["entity_code"], row["period_type"], row["period"], row["channel"])
            lines[key].append(_line(number, row))
        return cls(lines, Vocabulary.of(profile))

    async def query(self, request: QueryFacts) -> FactOutcomes:
        return FactOutcomes(outcomes=tuple(map(self._outcome, request.queries)))

    async def newest(self, request: FindNewest) -> NewestPeriods:
        codes = {stored: code for code, every in self.vocabulary.stored_codes.items() for stored in every}
        loaded = [
            FactQuery(
                metric=codes[metric], entity=entity, channel=channel, period=Period(type=PeriodType(kind), value=value)
            )
            for metric, entity, kind, value, channel in self.lines
        ]
        return NewestPeriods(series=tuple(newest_of(loaded, series, request.kinds) for series in request.series))

    def _outcome(self, query: FactQuery) -> FactOutcome:
        codes = self.vocabulary.stored_codes[query.metric]
        period = query.period
        keys = ((code, query.entity, period.type.value, period.value, query.channel) for code in codes)
        return choose(query, codes, [line for key in keys for line in self.lines.get(key, ())])


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _line(number: int, row: Mapping[str, str]) -> Line:
    return Line(
        id=number,
        metric_code=row["metric_code"],
        value=Decimal(row["value"]),
        unit=row["unit"],
        source_doc_id=row["source_doc_id"],
        source_locator=row["source_locator"],
        valid_as_of=date.fromisoformat(row["valid_as_of"]) if row["valid_as_of"] else None,
        ingested_at=datetime(2024, 1, 1, tzinfo=UTC),
    )
