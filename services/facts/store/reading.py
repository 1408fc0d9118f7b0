"""What is read from Postgres: lines of scopes, pages with history, counts. Read-only, one statement per question."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from asyncpg import Record

from contracts.codes import TOTAL_CHANNEL, PeriodType
from contracts.v1.facts import FactVersion, StoredFact
from contracts.v1.periods import Period
from runtime.postgres import Pool
from services.facts.lookup import Line
from services.facts.ports import CodeCounts, Scope, Series

MAX_VERSIONS: Final = 100
"""Earlier values that a listing shows of one fact, newest first; all of them stay stored."""

SURVEY_SECONDS: Final = 10.0
"""For what goes through all facts: the catalogue of a few million takes seconds."""

# Value as text: the stored digits, never an exponent. unnest gives its columns the collation of the arrays, which must
# be that of the indexed columns.
_LINES: Final = """
SELECT asked.n, f.id, f.metric_code, f.value::text AS value, f.unit, f.source_doc_id, f.source_locator,
    f.valid_as_of, f.ingested_at
FROM unnest($1::int[], $2::text[] COLLATE "C", $3::text[] COLLATE "C", $4::text[] COLLATE "C",
        $5::text[] COLLATE "C", $6::text[] COLLATE "C")
    AS asked (n, metric_code, entity, period_type, period, channel)
JOIN facts.visible_fact AS f USING (metric_code, entity, period_type, period, channel)
ORDER BY asked.n, f.id
"""

# Each kind of each series is read off the key's index from its end: a few entries, however long the series is.
_NEWEST_PERIODS: Final = """
SELECT asked.n, kinds.period_type, newest.period
FROM unnest($1::int[], $2::text[] COLLATE "C", $3::text[] COLLATE "C", $4::text[] COLLATE "C")
    AS asked (n, metric_code, entity, channel)
CROSS JOIN unnest($5::text[] COLLATE "C") AS kinds (period_type)
CROSS JOIN LATERAL (
    SELECT DISTINCT f.period
    FROM facts.visible_fact AS f
    WHERE f.metric_code = asked.metric_code AND f.entity = asked.entity AND f.period_type = kinds.period_type
        AND f.channel = asked.channel
    ORDER BY f.period DESC
    LIMIT $6
) AS newest
"""

_PAGE: Final = """
SELECT id, metric_code, entity, period_type, period, channel, value::text AS value, unit, source_doc_id, source_locator,
    valid_as_of, review_status, withdrawn_at IS NOT NULL AS withdrawn, ingested_at
FROM facts.fact
WHERE ($1::text[] IS NULL OR metric_code = ANY ($1))
    AND ($2::text IS NULL OR entity = $2)
    AND ($3::text IS NULL OR period = $3)
    AND id > $4
ORDER BY id
LIMIT $5
"""

_VERSIONS: Final = """
SELECT h.*
FROM unnest($1::bigint[]) AS wanted (fact_id)
CROSS JOIN LATERAL (
    SELECT fact_id, value::text AS value, unit, source_locator, valid_as_of, review_status, ingested_at, replaced_at
    FROM facts.fact_history WHERE fact_id = wanted.fact_id ORDER BY id DESC LIMIT $2
) AS h
"""

_COUNTS: Final = """
SELECT metric_code, entity, channel, period_type, period, count(*) AS facts
FROM facts.visible_fact
GROUP BY GROUPING SETS ((metric_code), (entity), (channel), (period_type, period))
"""

# One scope per metric and one per entity, in any order that does not change between two calls and mixes the others.
_NEWEST: Final = """
WITH askable AS (
    SELECT metric_code, entity, period_type, period, channel FROM facts.visible_fact
    WHERE metric_code = ANY ($1) AND entity = ANY ($2) AND channel = $3 AND period_type = ANY ($4)
)
(SELECT DISTINCT ON (metric_code) * FROM askable
    ORDER BY metric_code, period_type = 'FY' DESC, period DESC, md5(metric_code || entity))
UNION
(SELECT DISTINCT ON (entity) * FROM askable
    ORDER BY entity, period_type = 'FY' DESC, period DESC, md5(metric_code || entity))
"""


class FactReader:
    """Reads facts under a role that cannot write."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def check(self) -> None:
        """Do nothing, successfully, if the facts can be read."""
        await self._pool.fetch("SELECT FROM facts.visible_fact LIMIT 1")

    async def lines(self, asked: Sequence[tuple[int, Scope]]) -> Mapping[int, Sequence[Line]]:
        """The visible lines of numbered scopes by their numbers, in one statement; no entry where there are none."""
        numbers = [number for number, _ in asked]
        columns = [[scope[i] for _, scope in asked] for i in range(len(Scope._fields))]
        rows = await self._pool.fetch(_LINES, numbers, *columns)
        found: dict[int, list[Line]] = {}
        for row in rows:
            found.setdefault(row["n"], []).append(_line(row))
        return found

    async def newest_periods(
        self, asked: Sequence[tuple[int, Series]], kinds: Sequence[PeriodType], limit: int
    ) -> Mapping[int, Sequence[Period]]:
        """The newest periods of numbered series by their numbers: up to `limit` of each kind and stored code."""
        numbers = [number for number, _ in asked]
        columns = [[series[i] for _, series in asked] for i in range(len(Series._fields))]
        found: dict[int, list[Period]] = {}
        for row in await self._pool.fetch(_NEWEST_PERIODS, numbers, *columns, kinds, limit):
            found.setdefault(row["n"], []).append(Period(type=PeriodType(row["period_type"]), value=row["period"]))
        return found

    async def page(
        self, metrics: Sequence[str] | None, entity: str | None, period: str | None, *, after: int, limit: int
    ) -> list[StoredFact]:
        """Facts behind the id `after`, in the order of their ids, each with its earlier values."""
        rows = await self._pool.fetch(_PAGE, metrics, entity, period, after, limit)
        versions = await self._pool.fetch(_VERSIONS, [row["id"] for row in rows], MAX_VERSIONS)
        history: dict[int, list[FactVersion]] = {}
        for version in versions:
            history.setdefault(version["fact_id"], []).append(_version(version))
        return [_stored(row, tuple(history.get(row["id"], ()))) for row in rows]

    async def counts(self) -> CodeCounts:
        """How many visible facts carry each code and period."""
        rows = await self._pool.fetch_slowly(SURVEY_SECONDS, _COUNTS)
        counts = CodeCounts()
        kinds = (("metric_code", counts.metrics), ("entity", counts.entities), ("channel", counts.channels))
        for row in rows:
            for column, found in kinds:
                if row[column] is not None:
                    found[row[column]] = row["facts"]
            if row["period"] is not None:
                counts.periods.append((PeriodType(row["period_type"]), row["period"]))
        return counts

    async def newest(self, metrics: Sequence[str], entities: Sequence[str], kinds: Sequence[PeriodType]) -> list[Scope]:
        """For each of these stored metrics and of these entities a scope among its newest; fiscal years first."""
        rows = await self._pool.fetch_slowly(SURVEY_SECONDS, _NEWEST, metrics, entities, TOTAL_CHANNEL, kinds)
        return [Scope(*row) for row in rows]


def _line(row: Record) -> Line:
    return Line(
        id=row["id"],
        metric_code=row["metric_code"],
        value=Decimal(row["value"]),
        unit=row["unit"],
        source_doc_id=row["source_doc_id"],
        source_locator=row["source_locator"],
        valid_as_of=row["valid_as_of"],
        ingested_at=row["ingested_at"],
    )


def _version(row: Record) -> FactVersion:
    return FactVersion.model_validate(dict(row))


def _stored(row: Record, history: tuple[FactVersion, ...]) -> StoredFact:
    return StoredFact.model_validate({**row, "history": history})
