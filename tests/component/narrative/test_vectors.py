"""Vectors beside the words: used in time, done without when the model is slow, away, or has made none yet."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from contracts.codes import NothingFound, RankedBy
from contracts.v1.narrative import SearchPassages
from services.narrative.embedders.ports import EmbeddingError, Vector
from services.narrative.languages import Language
from services.narrative.ports import Near
from services.narrative.scope import Scope
from services.narrative.store.vectors import VectorReader, VectorWriter
from services.narrative.vectors import Vectors
from tests.support.passages import Narrative, narrative_in_memory, passage


@dataclass
class Model:
    """A model that behaves as it is told."""

    name: str = "test"
    seconds: float = 0
    fails: bool = False
    asked: list[str] = field(default_factory=list[str])

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        await asyncio.sleep(self.seconds)
        if self.fails:
            raise EmbeddingError("away")
        return [[1.0, 0.0] for _ in texts]

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        return [[1.0, 0.0] for _ in texts]


@dataclass
class Kept:
    """What the database would find near, in the question's languages and in others."""

    same: list[Near] = field(default_factory=list[Near])
    other: list[Near] = field(default_factory=list[Near])
    italian: list[Near] = field(default_factory=list[Near])

    async def nearest(
        self, model: str, vector: Vector, languages: Sequence[Language], scope: Scope, of: Language, limit: int
    ) -> list[Near]:
        if of in languages:
            return self.same
        return self.italian if Language.IT in languages else self.other


def _with(narrative: Narrative, model: Model, kept: Kept, outcomes: list[str]) -> Narrative:
    vectors = Vectors(model, cast("VectorReader", kept), cast("VectorWriter", None), 0.05, outcomes.append)
    service = narrative.service
    return replace(narrative, service=replace(service, searching=replace(service.searching, vectors=vectors)))


async def test_a_passage_without_a_common_word_is_found_by_its_vector() -> None:
    outcomes: list[str] = []
    kept = Kept(same=[Near(2, 0.9, 0)], other=[Near(3, 0.8, 0.5)])
    narrative = _with(narrative_in_memory(), Model(), kept, outcomes)
    texts = {"p3": "香港门店", "p4": "台风季停业", "p5": "branches closed"}
    await narrative.load(*(passage(text, locator=locator) for locator, text in texts.items()))

    found = await narrative.search("香港门店")

    assert [item.locator for item in found.passages] == ["p3", "p4", "p5"]
    assert (found.ranked_by, outcomes) == (RankedBy.WORDS_AND_VECTORS, ["used"])


@pytest.mark.parametrize(
    ("model", "kept", "outcome"),
    [
        (Model(seconds=5), Kept(same=[Near(1, 0.9, 0)]), "slow"),
        (Model(fails=True), Kept(same=[Near(1, 0.9, 0)]), "failed"),
        (Model(), Kept(), "none_yet"),
    ],
)
async def test_words_decide_alone_when_there_are_no_vectors_in_time(model: Model, kept: Kept, outcome: str) -> None:
    outcomes: list[str] = []
    narrative = _with(narrative_in_memory(), model, kept, outcomes)
    await narrative.load(passage())

    found = await narrative.search("香港门店客流")

    assert [item.locator for item in found.passages] == ["p3"]
    assert (found.ranked_by, outcomes) == (RankedBy.WORDS, [outcome])


async def test_a_vector_that_is_near_to_any_question_makes_no_material() -> None:
    kept = Kept(same=[Near(1, 0.9, 0.85)], other=[Near(2, 0.8, 0.85)])
    narrative = _with(narrative_in_memory(), Model(), kept, [])
    await narrative.load(passage("台风季停业"), passage("branches closed", locator="p4"))

    found = await narrative.search("新产品定价策略如何")

    assert (found.passages, found.nothing_found) == ((), NothingFound.NO_MATCH)


async def test_a_passage_in_another_language_that_its_vector_finds_need_not_hold_the_names_of_the_question() -> None:
    kept = Kept(other=[Near(1, 0.8, 0.7), Near(2, 0.7, 0.8)])
    narrative = _with(narrative_in_memory(), Model(), kept, [])
    await narrative.load(passage("fewer people came, as shops were shut"), passage("it rained", locator="p4"))

    found = await narrative.search("香港门店营收为什么下降")

    assert [item.locator for item in found.passages] == ["p3"]


async def test_other_languages_take_turns_however_near_the_vectors_of_one_of_them_are() -> None:
    kept = Kept(other=[Near(1, 0.7, 0.6), Near(2, 0.6, 0.6)], italian=[Near(3, 0.9, 0.6), Near(4, 0.8, 0.6)])
    narrative = _with(narrative_in_memory(), Model(), kept, [])
    texts = ("the shops were shut", "it rained on the coast", "i negozi erano chiusi", "la pioggia della costa")
    await narrative.load(*(passage(text, locator=f"p{place}") for place, text in enumerate(texts, 1)))

    found = await narrative.search("香港门店营收为什么下降")

    assert [item.locator for item in found.passages] == ["p1", "p3", "p2", "p4"]


async def test_a_closed_passage_does_not_leave_by_its_vector() -> None:
    narrative = _with(narrative_in_memory(), Model(), Kept(same=[Near(2, 0.9, 0)]), [])
    await narrative.load(passage(), passage("绝密", locator="p4", sensitivity="RESTRICTED"))

    found = await narrative.service.search(
        SearchPassages(question="香港门店", profile_digest=narrative.profile.digest())
    )

    assert [item.locator for item in found.passages] == ["p3"]
