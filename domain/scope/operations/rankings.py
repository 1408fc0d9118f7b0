"""Rankings: the order of values that the question names, and who stands at the asked place.

The table of facts is not the world: without named values, a superlative is asked back.
"""

import re
from collections.abc import Sequence
from typing import Final

from contracts.codes import Axis, RankingOrder
from contracts.v1.operations import Ranking
from domain.scope.operations.question import Found, Question
from domain.scope.segments import Part
from domain.vocabulary import Role
from domain.vocabulary.operations import Sense

_NUMERALS: Final = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5}
_PLACE: Final = re.compile(r"第([一二两三四五1-5])([高低大小多少])")
_FROM_THE_TOP: Final = frozenset("高大多")
_WHICH_ENTITY: Final = frozenset(
    {"chi", "whichcompany", "whichentity", "who", "哪一家", "哪家", "哪家公司", "谁", "谁家"}
)
_WHICH_PERIOD: Final = frozenset(
    {
        *("anni", "anno", "esercizio", "fiscalyear", "fiscalyears", "periodo", "period", "time", "whichquarter"),
        *("whichyear", "year", "years", "哪一年", "哪个季度", "哪个月", "哪年", "哪月", "时候", "时间", "期间"),
    }
)


def find_ranking(q: Question) -> Found | None:
    """The ranking of named values that a question asks for."""
    axis = _axis(q)
    asked = _asked(q)
    if axis is None or asked is None or len(q.codes(Part.METRIC)) != 1 or not _asks_for(q, axis):
        return None
    order, place, words = asked
    if (place is not None and place > _members(q, axis)) or q.is_unevenly_said(Part.CHANNEL, Part.ENTITY):
        return None
    honoured = frozenset([*words, *q.where(Sense.WHO, Sense.AMONG), *q.inside_words()])
    relates = axis is Axis.ENTITY and not q.codes(Part.CHANNEL)
    return Found(Ranking(axis=axis, order=order, place=place), honoured, relates=relates)


def _axis(q: Question) -> Axis | None:
    """The one slot with several values."""
    counts = {axis: _members(q, axis) for axis in (Axis.ENTITY, Axis.PERIOD, Axis.CHANNEL)}
    several = [axis for axis, count in counts.items() if count > 1]
    return several[0] if len(several) == 1 and len(q.kinds) <= 1 else None


def _asks_for(q: Question, axis: Axis) -> bool:
    """Whether the words that ask which one it is mean the slot with several values: "which year" means no entity."""
    keys = {segment.key for segment in q.segments if segment.part is Part.WORD}
    if axis is Axis.PERIOD:
        return keys.isdisjoint(_WHICH_ENTITY)
    return keys.isdisjoint(_WHICH_PERIOD) and (axis is Axis.ENTITY or keys.isdisjoint(_WHICH_ENTITY))


def _members(q: Question, axis: Axis) -> int:
    if axis is Axis.PERIOD:
        return len(q.all_periods)
    return len(q.codes(Part.ENTITY if axis is Axis.ENTITY else Part.CHANNEL))


def _asked(q: Question) -> tuple[RankingOrder, int | None, Sequence[int]] | None:
    """Which end comes first, which place is asked for, and the words that say so."""
    placed = [i for i, s in enumerate(q.segments) if s.part is Part.UNKNOWN and _PLACE.fullmatch(q.quoted(i))]
    amounts = [i for i in q.where(Sense.MORE_BY) if i and q.segments[i - 1].role is Role.NUMERIC_CUE]
    tops, bottoms = ([i for i in q.where(end) if i not in amounts] for end in (Sense.HIGHEST, Sense.LOWEST))
    orders = q.where(Sense.ORDER)
    match (placed, [*tops, *bottoms], orders):
        case ([only], [], []):
            return _place_zh(q, only)
        case ([], [only], []):
            order = RankingOrder.HIGHEST_FIRST if tops else RankingOrder.LOWEST_FIRST
            return _place_en(q, order, only)
        case ([], [], [only]):
            return RankingOrder.HIGHEST_FIRST, None, [only]
        case _:
            return None


def _place_zh(q: Question, i: int) -> tuple[RankingOrder, int, Sequence[int]] | None:
    found = _PLACE.fullmatch(q.quoted(i))
    if found is None:
        return None
    from_top = found[2] in _FROM_THE_TOP
    return RankingOrder.HIGHEST_FIRST if from_top else RankingOrder.LOWEST_FIRST, _NUMERALS[found[1]], [i]


def _place_en(q: Question, order: RankingOrder, i: int) -> tuple[RankingOrder, int, Sequence[int]]:
    """The place behind the first is said before the word: "second highest"."""
    for place, sense in ((2, Sense.SECOND), (3, Sense.THIRD)):
        if sense in q.senses(i - 1):
            return order, place, [i - 1, i]
    return order, 1, [i]
