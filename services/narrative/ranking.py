"""From hits to an order: scores made comparable, a bonus for named titles, languages merged by quota. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from services.narrative.index import Hit

TITLE_BONUS: Final = 0.5
"""For a passage whose whole title stands in the question, in parts of the best score."""
BONUS_AMONG: Final = 50
"""Only among the first of the hits: further down a title alone makes no answer."""
MIN_TITLE_CHARS: Final = 2
OTHER_SHARE: Final = 0.25
"""The part of the places that passages of other languages may take, where only words were compared: the words they
share with the question are names and numbers."""


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


def in_order(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Best first; equals in the order of loading."""
    return sorted(ranked, key=lambda item: (-item.score, item.id))


def merged(same: Sequence[Ranked], other: Sequence[Ranked], limit: int, share: float = OTHER_SHARE) -> list[Ranked]:
    """The best of both lists: those in the language of the question first, a share of the places for the others."""
    places = min(len(other), max(int(limit * share), limit - len(same)))
    return [*same[: limit - places], *other[:places]]


def _names(question: str, title: str) -> bool:
    return len(title) >= MIN_TITLE_CHARS and title in question
