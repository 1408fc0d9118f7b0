"""From hits to an order: scores made comparable, a bonus for named titles, languages merged by quota. Pure."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from services.narrative.index import Hit
from services.narrative.ports import Near

TITLE_BONUS: Final = 0.5
"""For a passage whose whole title stands in the question, in parts of the best score."""
BONUS_AMONG: Final = 50
"""Only among the first of the hits: further down a title alone makes no answer."""
MIN_TITLE_CHARS: Final = 2
OTHER_SHARE: Final = 0.25
"""The part of the places that passages of other languages may take, where only words were compared: the words they
share with the question are names and numbers."""
VECTOR_WEIGHT: Final = 0.7
"""What the nearness of vectors is worth against words."""
HUB_WEIGHT: Final = 0.5
"""How much of a passage's nearness to unrelated questions is taken off, across languages."""
NAMES_WEIGHT: Final = 0.05
"""What shared names and numbers add across languages."""
OTHER_SHARE_BY_VECTORS: Final = 0.5
"""The part of the places for other languages where vectors say what their passages mean."""

MATERIAL: Final = 1.0
"""How much of what a question needs a passage must hold, so that there is an answer at all."""
BESIDE: Final = 0.5
"""What is enough for further passages beside such a one."""
NEAR_ENOUGH: Final = 0.12
"""How much nearer a vector must be to the question than to unrelated ones to count like `MATERIAL`."""
NEAR_ACROSS: Final = -0.01
"""The same across languages, where vectors are farther from every question: only what is near to any is left out."""


class Ranked(NamedTuple):
    """A passage with its place value: about 1 for the best of its list."""

    id: int
    score: float


def by_words(hits: Sequence[Hit], question: str) -> list[Ranked]:
    """Hits in their final order, where nothing but words counts; `question` as it is compared."""
    if not hits:
        return []
    best = hits[0].score
    ranked = [
        Ranked(hit.id, hit.score / best + (TITLE_BONUS if place < BONUS_AMONG and _names(question, hit.title) else 0))
        for place, hit in enumerate(hits)
    ]
    return in_order(ranked)


def by_words_and_vectors(hits: Sequence[Hit], near: Sequence[Near], question: str) -> list[Ranked]:
    """Both lists as one: each list's scores between 0 and 1, what stands in one list only has 0 in the other."""
    words = _between_0_and_1([(hit.id, hit.score) for hit in hits])
    vectors = _between_0_and_1([(item.id, item.similarity) for item in near])
    named = {hit.id for hit in hits[:BONUS_AMONG] if _names(question, hit.title)}
    return in_order(
        [
            Ranked(id, words.get(id, 0.0) + VECTOR_WEIGHT * vectors.get(id, 0.0) + (TITLE_BONUS if id in named else 0))
            for id in {**words, **vectors}
        ]
    )


def across_languages(hits: Sequence[Hit], near: Sequence[Near]) -> list[Ranked]:
    """Passages in another language: by vectors, less what is near to any question, and by shared names."""
    words = _between_0_and_1([(hit.id, hit.score) for hit in hits])
    vectors = {item.id: item.similarity - HUB_WEIGHT * item.nearness for item in near}
    scaled = _between_0_and_1(list(vectors.items()))
    return in_order([Ranked(id, scaled.get(id, 0.0) + NAMES_WEIGHT * words.get(id, 0.0)) for id in {**scaled, **words}])


def in_turns(lists: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """The best of each list, then the second of each: vectors of two languages are not equally near to a question."""
    turns = zip_longest(*lists)
    return [item for turn in turns for item in turn if item is not None]


def material(ranked: Sequence[Ranked], held: Mapping[int, float], *, beside: float = BESIDE) -> list[Ranked]:
    """The passages that are about what is asked; none where not one of them holds enough of it."""
    if not any(held.get(item.id, 0.0) >= MATERIAL for item in ranked):
        return []
    return [item for item in ranked if held.get(item.id, 0.0) >= beside]


def with_vectors(held: Mapping[int, float], same: Sequence[Near], other: Sequence[Near]) -> dict[int, float]:
    """The same, where a passage may be about the matter by its words or by its vector."""
    near = {item.id: (item.similarity - item.nearness) / NEAR_ENOUGH for item in same}
    near |= {item.id: MATERIAL for item in other if item.similarity - item.nearness >= NEAR_ACROSS}
    return {id: max(held.get(id, 0.0), near.get(id, 0.0)) for id in {**held, **near}}


def _between_0_and_1(scores: Sequence[tuple[int, float]]) -> dict[int, float]:
    """Scores stretched so that the best has 1 and the last 0; a single one has 1."""
    if not scores:
        return {}
    top, bottom = max(score for _, score in scores), min(score for _, score in scores)
    span = top - bottom
    return {id: (score - bottom) / span if span else 1.0 for id, score in scores}


def in_order(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Best first; equals in the order of loading."""
    return sorted(ranked, key=lambda item: (-item.score, item.id))


def merged(same: Sequence[Ranked], other: Sequence[Ranked], limit: int, share: float = OTHER_SHARE) -> list[Ranked]:
    """The best of both lists: those in the language of the question first, a share of the places for the others."""
    places = min(len(other), max(int(limit * share), limit - len(same)))
    return [*same[: limit - places], *other[:places]]


def _names(question: str, title: str) -> bool:
    return len(title) >= MIN_TITLE_CHARS and title in question
