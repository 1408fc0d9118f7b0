"""What the worker needs of a model of embeddings."""

from collections.abc import Sequence
from typing import Protocol

Vector = Sequence[float]


class EmbeddingError(Exception):
    """The model did not give vectors; words decide alone."""


class Embedder(Protocol):
    """Turns texts into vectors whose cosine says how near they are."""

    @property
    def name(self) -> str:
        """Which model it is: vectors of different models are never compared."""
        ...

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each question; raises `EmbeddingError`."""
        ...

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each passage; raises `EmbeddingError`."""
        ...
