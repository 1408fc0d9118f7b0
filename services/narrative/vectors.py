"""Vectors beside the words: asked for in time or done without, and made for new passages in the background.

A model that is away or slow never fails a search and never delays it beyond its limit: words decide alone then, and the
reply says so.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from heapq import nlargest
from operator import mul
from typing import Final

from runtime.errors import AskError
from runtime.logging import describe, get_log
from runtime.tasks import end
from services.narrative.analysis import Normal, language_of
from services.narrative.computing import CHANGING
from services.narrative.embedders.ports import Embedder, EmbeddingError, Vector
from services.narrative.hubs import NEAREST, QUESTIONS
from services.narrative.languages import Language, each_apart
from services.narrative.ports import Missing, Near
from services.narrative.scope import Scope
from services.narrative.store.vectors import Turn, VectorReader, VectorWriter

CANDIDATES: Final = 100
BATCH: Final = 8
"""Passages that are embedded in one transaction; a slow model takes seconds for so many."""
POLL_SECONDS: Final = 2.0
RECHECK_SECONDS: Final = 60.0
"""How often a database without pgvector is asked again whether it has got it."""
RETRY_SECONDS: Final = 15.0
"""How long a model that failed is left alone."""

_log = get_log(__name__)


@dataclass(frozen=True)
class Nearest:
    """What vectors say of a question."""

    same: list[Near]
    others: list[list[Near]]
    """Each other language by itself, in the order of `languages.each_apart`."""

    @property
    def other(self) -> list[Near]:
        """What is near in any other language."""
        return [near for language in self.others for near in language]


@dataclass
class Vectors:
    """The vectors of one model."""

    embedder: Embedder
    reader: VectorReader
    writer: VectorWriter
    question_seconds: float
    """How long a question may wait for its vector and the passages near it."""
    on_outcome: Callable[[str], None]
    _is_kept: bool = True
    """Whether the database can keep vectors, as far as is known."""
    _hubs: dict[Language, list[Vector]] = field(default_factory=dict[Language, list[Vector]])

    async def near(self, question: str, languages: frozenset[Language], scope: Scope) -> Nearest | None:
        """The nearest passages in the question's languages and in the others; None where it cannot be told in time."""
        if not self._is_kept:
            self.on_outcome("no_extension")
            return None
        try:
            async with asyncio.timeout(self.question_seconds):
                (vector,) = await self.embedder.questions([question])
                found = await self._nearest(vector, languages, scope)
        except TimeoutError:
            self.on_outcome("slow")
            return None
        except (EmbeddingError, AskError) as error:
            _log.warning("vectors_unavailable", **describe(error))
            self.on_outcome("failed")
            return None
        self.on_outcome("used" if found.same or found.other else "none_yet")
        return found if found.same or found.other else None

    @asynccontextmanager
    async def filling(self) -> AsyncGenerator[None]:
        """Embed what has no vector yet, for as long as the block lasts."""
        task = asyncio.create_task(self._fill(), name="vectors")
        try:
            yield
        finally:
            await end(task)

    async def fill_once(self) -> int:
        """Embed the next few passages; returns how many, 0 when none waits or another worker has its turn."""
        self._is_kept = await self.reader.exists()
        if not self._is_kept:
            return 0
        async with self.writer.turn(self.embedder.name, BATCH) as turn:
            if turn is None or not turn.missing:
                return 0
            await self._embed(turn)
            return len(turn.missing)

    async def _nearest(self, vector: Vector, languages: frozenset[Language], scope: Scope) -> Nearest:
        of = min(languages)  # where it may be two, their questions are alike
        same, *others = [
            await self.reader.nearest(self.embedder.name, vector, sorted(group), scope, of, CANDIDATES)
            for group in each_apart(languages)
        ]
        return Nearest(same, others)

    async def _fill(self) -> None:
        while True:
            seconds = POLL_SECONDS
            try:
                while await self.fill_once():
                    pass
                if not self._is_kept:
                    _log.warning("vectors_need_pgvector")
                    seconds = RECHECK_SECONDS
            except (EmbeddingError, AskError) as error:
                _log.warning("vectors_unavailable", **describe(error))
                seconds = RETRY_SECONDS
            await asyncio.sleep(seconds)

    async def _embed(self, turn: Turn) -> None:
        hubs = await self._hub_questions()
        vectors = await self.embedder.passages([_text(passage) for passage in turn.missing])
        for passage, vector in zip(turn.missing, vectors, strict=True):
            nearness = await CHANGING.run(_nearness, vector, hubs)
            await turn.keep(passage, language_of(Normal.read(passage.body)), nearness, vector)

    async def _hub_questions(self) -> dict[Language, list[Vector]]:
        if not self._hubs:
            self._hubs = {
                language: [_of_length_1(vector) for vector in await self.embedder.questions(asked)]
                for language, asked in QUESTIONS.items()
            }
        return self._hubs


def _text(passage: Missing) -> str:
    return f"{passage.title} {passage.body}" if passage.title else passage.body


def _nearness(vector: Vector, hubs: dict[Language, list[Vector]]) -> dict[Language, float]:
    """The mean cosine of a passage with its nearest questions about nothing in particular, by their language."""
    own = _of_length_1(vector)
    return {
        language: sum(nlargest(NEAREST, (sum(map(mul, own, question)) for question in asked))) / NEAREST
        for language, asked in hubs.items()
    }


def _of_length_1(vector: Vector) -> Vector:
    length = sum(map(mul, vector, vector)) ** 0.5 or 1.0
    return [value / length for value in vector]
