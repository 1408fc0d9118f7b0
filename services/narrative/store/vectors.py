"""Vectors in Postgres, by pgvector: of open passages only, and of their present text only."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from runtime.postgres import Connection, Pool
from services.narrative.languages import Language
from services.narrative.ports import Missing, Near
from services.narrative.scope import Scope, parts_of

_LOCK: Final = 0x5241_5645  # "RAVE"; any number that nobody else uses
SEARCH_PATH: Final = "narrative, public"
"""Where the extension may be: with the passages, or where somebody had put it before."""

_EXISTS: Final = "SELECT to_regclass('narrative.open_embedding') IS NOT NULL AS exists"

# The distance is written as an index on the same expression would need it: see docs/operations.md.
_NEAREST: Final = """
SELECT passage_id, 1 - distance AS similarity, COALESCE((nearness->>$3)::float8, 0) AS nearness
FROM (
    SELECT passage_id, nearness, vector::vector({size}) <=> $1::text::vector({size}) AS distance
    FROM narrative.open_embedding
    WHERE model = $2 AND language = ANY ($4)
        AND ($5::text[] = '{{}}' OR entity IS NULL OR entity = ANY ($5))
        AND ($6::text[] = '{{}}' OR period IS NULL OR period = ANY ($6))
        AND ($7::text[] = '{{}}' OR period IS NULL
            OR EXISTS (SELECT FROM unnest($7::text[], $8::text[]) AS n (of_period, of_entity)
                WHERE period = of_period AND ($5::text[] = '{{}}' OR entity IS NOT DISTINCT FROM of_entity)))
    ORDER BY vector::vector({size}) <=> $1::text::vector({size})
    LIMIT $9
) AS nearest
ORDER BY distance, passage_id
"""

_MISSING: Final = """
SELECT p.id, p.title, p.body, p.content_hash FROM narrative.open_passage AS p
WHERE NOT EXISTS (
    SELECT FROM narrative.embedding AS e
    WHERE e.passage_id = p.id AND e.model = $1 AND e.content_hash = p.content_hash
)
ORDER BY p.id
LIMIT $2
"""

_KEEP: Final = """
INSERT INTO narrative.embedding (passage_id, model, content_hash, language, nearness, vector)
VALUES ($1, $2, $3, $4, $5, $6::text::vector)
ON CONFLICT (passage_id, model) DO UPDATE SET content_hash = excluded.content_hash, language = excluded.language,
    nearness = excluded.nearness, vector = excluded.vector
"""


class VectorReader:
    """Finds near passages under a role that cannot write."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def exists(self) -> bool:
        """Whether this database keeps vectors."""
        (row,) = await self._pool.fetch(_EXISTS)
        return bool(row["exists"])

    async def nearest(
        self, model: str, vector: Sequence[float], languages: Sequence[Language], scope: Scope, of: Language, limit: int
    ) -> list[Near]:
        """The passages of these languages and this scope whose vectors are nearest; nearness to questions in `of`."""
        rows = await self._pool.fetch(
            _NEAREST.format(size=len(vector)),
            _text(vector),
            model,
            of.value,
            [language.value for language in languages],
            scope.entities,
            [part for period in scope.periods for part in parts_of(period)],
            list(scope.newest.values()),
            list(scope.newest),
            limit,
        )
        return [Near(row["passage_id"], row["similarity"], row["nearness"]) for row in rows]


class VectorWriter:
    """Keeps vectors under the loader's role."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @asynccontextmanager
    async def turn(self, model: str, limit: int) -> AsyncGenerator["Turn | None"]:
        """Passages that wait for a vector, for as long as the block lasts; None while another worker has its turn."""
        async with self._pool.connection() as connection, connection.transaction():
            if not await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", _LOCK):
                yield None
                return
            rows = await connection.fetch(_MISSING, model, limit)
            found = [Missing(row["id"], row["title"], row["body"], row["content_hash"]) for row in rows]
            yield Turn(connection, model, found)


class Turn:
    """The passages that one worker embeds now."""

    def __init__(self, connection: Connection, model: str, missing: Sequence[Missing]) -> None:
        self._connection = connection
        self._model = model
        self.missing = missing

    async def keep(
        self, passage: Missing, language: Language, nearness: dict[Language, float], vector: Sequence[float]
    ) -> None:
        """Keep the vector of a passage."""
        said = json.dumps({of.value: value for of, value in nearness.items()})
        arguments = (passage.id, self._model, passage.content_hash, language.value, said, _text(vector))
        await self._connection.execute(_KEEP, *arguments)


def _text(vector: Sequence[float]) -> str:
    return json.dumps(list(vector))
