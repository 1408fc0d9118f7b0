"""The full-text index of one worker: a shard for each language, disposable, always made from what Postgres holds.

One writer at a time; searches see commits only. Everything here computes and blocks, so it is called in threads.
Filters are part of the query: a passage outside of the scope takes no place among the hits.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from services.narrative.analysis import Normal, language_of, normal
from services.narrative.languages import Language
from services.narrative.ports import Change
from services.narrative.scope import Scope
from services.narrative.shard import Need, Shard, Words

CANDIDATES: Final = 100
"""Hits that are worth ranking further."""

OF_THE_ENTITY: Final = 2.0
"""What the words of a passage count for that was loaded as one of the asked entity: it is about the matter already."""


class Hit(NamedTuple):
    """A passage that shares words with the question."""

    id: int
    score: float
    title: str
    """As it is compared; empty where there is none."""


def best_first(hits: Iterable[Hit]) -> list[Hit]:
    """Hits by score; equal ones in the order of loading, so that two replicas answer the same."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


class _Known(NamedTuple):
    language: Language
    title: str
    entity: str | None


class PassageIndex:
    """Passages by their words."""

    def __init__(self) -> None:
        self._shards = {language: Shard(language) for language in Language}
        self._known: dict[int, _Known] = {}

    @property
    def size(self) -> int:
        """How many passages can be found."""
        return sum(shard.size for shard in self._shards.values())

    def clear(self) -> None:
        """Forget everything: the database is another one than before."""
        for shard in self._shards.values():
            shard.clear()
        self._known.clear()

    def write(self, changes: Iterable[Change]) -> None:
        """Take changes in; they are found after the next `commit`."""
        for change in changes:
            known = self._known.get(change.id)
            if known is not None:
                self._shards[known.language].remove(change.id)
            if change.passage is not None:
                body = Normal.read(change.passage.body)
                language = language_of(body)
                title = normal(change.passage.title or "").strip()
                self._known[change.id] = _Known(language, title, change.passage.entity)
                self._shards[language].add(change.passage, body)
            elif known is not None:
                del self._known[change.id]

    def commit(self) -> None:
        """Let searches see what was written."""
        for shard in self._shards.values():
            shard.commit()

    def search(self, words: Words, languages: Iterable[Language], scope: Scope, limit: int = CANDIDATES) -> list[Hit]:
        """Passages of these languages and this scope that share words with a question, best first."""
        found = [
            Hit(id, score, known.title)
            for language in languages
            if (shard := self._shards[language]).size
            for id, score in shard.search(words, scope, limit)
            if (known := self._known.get(id))
        ]
        return best_first(found)[:limit]

    def relevance(
        self, needs: Sequence[Need], ids: Iterable[int], scope: Scope, *, across: bool = False
    ) -> dict[int, float]:
        """How much of what a question needs each of these passages holds; 1: as much as one on the matter does.

        `across`: the question is in another language.
        """
        by_language: dict[Language, list[int]] = {}
        for id in ids:
            if known := self._known.get(id):
                by_language.setdefault(known.language, []).append(id)
        held: dict[int, float] = {}
        for language, of_language in by_language.items():
            held |= self._shards[language].relevance(needs, of_language, across=across)
        return {id: share * (OF_THE_ENTITY if self._is_of(id, scope) else 1.0) for id, share in held.items()}

    def _is_of(self, id: int, scope: Scope) -> bool:
        known = self._known.get(id)
        return known is not None and known.entity in scope.entities

    def has_any(self, scope: Scope) -> bool:
        """Whether any passage is in a scope."""
        return any(shard.has_any(scope) for shard in self._shards.values())
