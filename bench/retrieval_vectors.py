"""Vectors for the retrieval benchmark: questions embedded once, and a search in which words have no say."""

import sqlite3
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Self

from services.narrative.embedders.ports import Embedder, Vector
from services.narrative.index import Hit
from services.narrative.languages import Language, each_apart
from services.narrative.scope import Scope
from services.narrative.search import Search
from services.narrative.shard import Words


class Remembered:
    """An embedder that embeds each text once: it is asked of several rankings and corpora, and of the next run as well.

    Vectors are kept in a file of SQLite, or with the process where there is none.
    """

    def __init__(self, embedder: Embedder, file: Path | None = None) -> None:
        self._embedder = embedder
        # Threads of the loop take turns; there is never more than one at a time.
        self._kept = sqlite3.connect(file or ":memory:", isolation_level=None)
        self._kept.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, floats BLOB) WITHOUT ROWID")

    @property
    def name(self) -> str:
        return self._embedder.name

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        return await self._all("question", texts, self._embedder.questions)

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self._all("passage", texts, self._embedder.passages)

    async def _all(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Awaitable[list[Vector]]]
    ) -> list[Vector]:
        keys = {text: sha256(f"{self.name}\0{kind}\0{text}".encode()).digest() for text in texts}
        known = {text: vector for text, key in keys.items() if (vector := self._vector(key))}
        new = [text for text in keys if text not in known]
        made = await embed(new) if new else []
        rows = [(keys[text], array("d", vector).tobytes()) for text, vector in zip(new, made, strict=True)]
        self._kept.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
        known |= dict(zip(new, made, strict=True))
        return [known[text] for text in texts]

    def _vector(self, key: bytes) -> Vector | None:
        row = self._kept.execute("SELECT floats FROM vector WHERE key = ?", (key,)).fetchone()
        return array("d", row[0]).tolist() if row else None


@dataclass(frozen=True)
class ByVectorsAlone(Search):
    """A search whose words find nothing."""

    @classmethod
    def of(cls, search: Search) -> Self:
        return cls(**{part.name: getattr(search, part.name) for part in fields(Search)})

    def _by_language(self, words: Words, languages: frozenset[Language], scope: Scope) -> list[list[Hit]]:
        return [[] for _ in each_apart(languages)]
