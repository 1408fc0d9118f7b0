"""Facts files in memory, by the rules of the facts worker, and as the fact store lists them."""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from cli.eval.citing import StoredFigure
from contracts.codes import TOTAL_CHANNEL, PeriodType
from contracts.v1.facts import FactOutcome, FactOutcomes, FactQuery, FindNewest, NewestPeriods, QueryFacts
from contracts.v1.periods import Period
from domain.profile import CompanyProfile
from services.facts.lookup import Line, choose
from services.facts.vocabulary import Vocabulary
from tests.support.inprocess import newest_of


@dataclass
class FileFacts:
    """`FactPort` over the rows of files."""

    vocabulary: Vocabulary
    lines: dict[tuple[str, str, str, str, str], list[Line]] = field(default_factory=lambda: defaultdict(list))
    listed: dict[tuple[str, str], list[StoredFigure]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def read(cls, files: Sequence[Path], profile: CompanyProfile) -> "FileFacts":
        facts = cls(Vocabulary.of(profile))
        for number, row in enumerate(_rows(files)):
            facts._add(number, row)
        return facts

    async def query(self, request: QueryFacts) -> FactOutcomes:
        return FactOutcomes(outcomes=tuple(map(self._outcome, request.queries)))

    async def newest(self, request: FindNewest) -> NewestPeriods:
        codes = {stored: code for code, every in self.vocabulary.stored_codes.items() for stored in every}
        loaded = [
            FactQuery(
                metric=codes[metric], entity=entity, channel=channel, period=Period(type=PeriodType(kind), value=value)
            )
            for metric, entity, kind, value, channel in self.lines
            if metric in codes
        ]
        return NewestPeriods(series=tuple(newest_of(loaded, series, request.kinds) for series in request.series))

    def of(self, scopes: Iterator[FactQuery]) -> list[StoredFigure]:
        """All facts of the entities and periods of these scopes."""
        pairs = dict.fromkeys((scope.entity, scope.period.value) for scope in scopes)
        return [fact for pair in pairs for fact in self.listed[pair]]

    def _outcome(self, query: FactQuery) -> FactOutcome:
        codes = self.vocabulary.stored_codes[query.metric]
        keys = ((code, query.entity, query.period.type.value, query.period.value, query.channel) for code in codes)
        return choose(query, codes, [line for key in keys for line in self.lines.get(key, ())])

    def _add(self, number: int, row: Mapping[str, str]) -> None:
        entity = row.get("entity_code") or row["entity"]
        channel = row.get("channel") or TOTAL_CHANNEL
        line = _line(number, row)
        self.lines[row["metric_code"], entity, row["period_type"], row["period"], channel].append(line)
        self.listed[entity, row["period"]].append(
            StoredFigure(
                metric=row["metric_code"],
                entity=entity,
                period_type=PeriodType(row["period_type"]),
                period=row["period"],
                channel=channel,
                value=line.value,
                unit=line.unit,
                doc=line.source_doc_id,
                locator=line.source_locator,
            )
        )


def _rows(files: Sequence[Path]) -> Iterator[dict[str, str]]:
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


def _line(number: int, row: Mapping[str, str]) -> Line:
    as_of = row.get("valid_as_of")
    return Line(
        id=number,
        metric_code=row["metric_code"],
        value=Decimal(row["value"]),
        unit=row["unit"],
        source_doc_id=row["source_doc_id"],
        source_locator=row["source_locator"],
        valid_as_of=date.fromisoformat(as_of) if as_of else None,
        ingested_at=datetime(2024, 1, 1, tzinfo=UTC),
    )
