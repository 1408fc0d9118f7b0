"""Vectors for the retrieval benchmark: questions embedded once, and a search in which words have no say."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Self

from services.narrative.embedders.ports import Embedder, Vector
from services.narrative.index import Hit, Words
from services.narrative.languages import Language
from services.narrative.scope import Scope
from services.narrative.search import Search


@dataclass
class Timed:
    """An embedder that remembers questions: each is asked of two rankings and more than one corpus."""

    embedder: Embedder
    known: dict[str, Vector] = field(default_factory=dict[str, Vector])

    @property
    def name(self) -> str:
        return self.embedder.name

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known |= dict(zip(new, await self.embedder.questions(new), strict=True))
        return [self.known[text] for text in texts]

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self.embedder.passages(texts)


@dataclass(frozen=True)
class ByVectorsAlone(Search):
    """A search whose words find nothing."""

    @classmethod
    def of(cls, search: Search) -> Self:
        return cls(**{part.name: getattr(search, part.name) for part in fields(Search)})

    def _by_language(self, words: Words, languages: frozenset[Language], scope: Scope) -> list[list[Hit]]:
        return [[], []]
