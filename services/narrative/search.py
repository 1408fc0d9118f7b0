"""Searching: catch up, rank what is in scope, read the best from Postgres, and let only open passages out."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from contracts.codes import NothingFound, RankedBy
from contracts.v1.narrative import Passage, Passages, SearchPassages
from services.narrative.analysis import languages_of_question
from services.narrative.computing import SEARCHING
from services.narrative.following import Follower
from services.narrative.index import Hit, PassageIndex, best_first
from services.narrative.languages import Language, each_apart
from services.narrative.ports import ReadPort, Stored
from services.narrative.questions import Questions
from services.narrative.ranking import (
    MATERIAL,
    OTHER_SHARE,
    OTHER_SHARE_BY_VECTORS,
    Ranked,
    across_languages,
    by_words,
    by_words_and_vectors,
    in_turns,
    material,
    merged,
    with_vectors,
)
from services.narrative.scope import Scope
from services.narrative.shard import Words
from services.narrative.vectors import Nearest, Vectors
from services.narrative.visibility import only_open

MAX_REPLY_BYTES: Final = 600_000
"""A reply ends early rather than outgrow what the bus carries: long passages, many of them."""


@dataclass(frozen=True)
class Search:
    """Finds passages for questions."""

    reader: ReadPort
    index: PassageIndex
    follower: Follower
    questions: Questions
    vectors: Vectors | None = None
    """None: words alone."""

    async def run(self, wanted: SearchPassages) -> Passages:
        """The passages for a question, best first, or why there are none."""
        await self.follower.catch_up()
        if self.index.size == 0:
            return Passages(material_loaded=False, nothing_found=NothingFound.NO_MATERIAL)
        scope = await self._scope(wanted)
        if scope is None:
            return Passages(material_loaded=True, nothing_found=NothingFound.NOTHING_IN_SCOPE)
        words = await SEARCHING.run(self.questions.read, wanted.question, scope)
        languages = languages_of_question(words.question)
        lists, nearest = await asyncio.gather(
            SEARCHING.run(self._by_language, words, languages, scope), self._near(wanted.question, languages, scope)
        )
        ranked = await self._material(_ranked(lists, nearest, words.question.text), words, scope, nearest, wanted.top_k)
        ranked_by = RankedBy.WORDS_AND_VECTORS if nearest else RankedBy.WORDS
        found = await self._passages(ranked) if ranked else ()
        if found:
            return Passages(passages=found, material_loaded=True, ranked_by=ranked_by)
        return Passages(material_loaded=True, nothing_found=await SEARCHING.run(self._why_nothing, scope))

    async def _scope(self, wanted: SearchPassages) -> Scope | None:
        """The scope of a search; None when the newest period is asked for and there is no period of that kind."""
        periods = tuple(period.value for period in wanted.periods)
        if wanted.latest is None or periods:
            return Scope(wanted.entities, periods)
        newest = await self.reader.newest_periods(wanted.entities, wanted.latest)
        return Scope(wanted.entities, (), newest) if newest else None

    def _by_language(self, words: Words, languages: frozenset[Language], scope: Scope) -> list[list[Hit]]:
        """The hits in the language of the question, and those in each other one."""
        return [self.index.search(words, group, scope) for group in each_apart(languages)]

    async def _near(self, question: str, languages: frozenset[Language], scope: Scope) -> Nearest | None:
        return await self.vectors.near(question, languages, scope) if self.vectors else None

    async def _material(
        self, lists: Sequence[Sequence[Ranked]], words: Words, scope: Scope, nearest: Nearest | None, limit: int
    ) -> list[Ranked]:
        """The best of both lists, without what is not about the question."""
        same, other = (ranked[:limit] for ranked in lists)
        held = await SEARCHING.run(self._held, words, scope, same, other)
        if nearest:
            held = with_vectors(held, nearest.same, nearest.other)
        share = OTHER_SHARE_BY_VECTORS if nearest else OTHER_SHARE
        return merged(material(same, held), material(other, held, beside=MATERIAL), limit, share)

    def _held(self, words: Words, scope: Scope, same: Sequence[Ranked], other: Sequence[Ranked]) -> dict[int, float]:
        held = self.index.relevance(words.needs, [item.id for item in same], scope)
        return held | self.index.relevance(words.needs, [item.id for item in other], scope, across=True)

    async def _passages(self, ranked: Sequence[Ranked]) -> tuple[Passage, ...]:
        stored = await self.reader.passages([item.id for item in ranked])
        scores = {item.id: item.score for item in ranked}
        readable = only_open(stored[item.id] for item in ranked if item.id in stored)
        return _that_fit([_passage(item, scores[item.id]) for item in readable])

    def _why_nothing(self, scope: Scope) -> NothingFound:
        is_there_any = scope.is_open or self.index.has_any(scope)
        return NothingFound.NO_MATCH if is_there_any else NothingFound.NOTHING_IN_SCOPE


def _ranked(
    lists: Sequence[Sequence[Hit]], nearest: Nearest | None, question: str
) -> tuple[list[Ranked], list[Ranked]]:
    """The order in the language of the question, and that in the others."""
    same, *others = lists
    if nearest is None:
        return by_words(same, question), by_words(best_first(chain(*others)), question)
    across = [across_languages(hits, near) for hits, near in zip(others, nearest.others, strict=True)]
    return by_words_and_vectors(same, nearest.same, question), in_turns(across)


def _passage(stored: Stored, score: float) -> Passage:
    return Passage(
        doc_id=stored.doc_id,
        locator=stored.locator,
        title=stored.title,
        text=stored.body,
        score=score,
        entity=stored.entity,
        period=stored.period,
    )


def _that_fit(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The first passages that one message can carry."""
    fitting: list[Passage] = []
    size = 0
    for passage in passages:
        size += len(passage.model_dump_json().encode())
        if fitting and size > MAX_REPLY_BYTES:
            break
        fitting.append(passage)
    return tuple(fitting)
