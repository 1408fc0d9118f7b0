"""Differences: how far two named values are apart, as the words say which is taken from which."""

from typing import Final

from contracts.codes import Axis
from contracts.v1.operations import Difference
from domain.scope.operations.changes import difference_of_periods, named_pair
from domain.scope.operations.question import Found, Question
from domain.scope.segments import Part
from domain.vocabulary import Role
from domain.vocabulary.operations import Sense

_AXES: Final = ((Part.ENTITY, Axis.ENTITY), (Part.CHANNEL, Axis.CHANNEL), (Part.METRIC, Axis.METRIC))
_MORE_OR_LESS: Final = frozenset("低多少高")
_PAIR: Final = 2


def find_difference(q: Question) -> Found | None:
    """The difference of two named values that a question asks for."""
    apart, more = q.where(Sense.APART), _more_by(q)
    if len(apart) + len(more) != 1:
        return None
    counts = [len(q.codes(part)) for part, _ in _AXES]
    if len(q.all_periods) == _PAIR and max(counts) == 1:
        pair = named_pair(q)
        joints = q.joints(Part.PERIOD, Sense.COMPARED, Sense.BETWEEN, Sense.FROM)
        honoured = frozenset([*apart, *more, *joints, *q.measures()])
        return difference_of_periods(q, pair, honoured) if pair else None
    if len(q.all_periods) > 1 or sorted(counts)[-2:] not in ([1, _PAIR], [0, _PAIR]) or not q.codes(Part.METRIC):
        return None
    part, axis = next((part, axis) for part, axis in _AXES if len(q.codes(part)) == _PAIR)
    if axis is Axis.METRIC and len({q.profile.named_metrics[code].unit for code in q.codes(part)}) > 1:
        return None
    if any(q.is_unevenly_said(slot, part) for slot in (Part.CHANNEL, Part.ENTITY)):
        return None
    honoured = frozenset([*apart, *more, *q.joints(part, Sense.COMPARED, Sense.BETWEEN), *q.measures()])
    return _of_two(q, part, axis, honoured, needs_comparison=bool(more))


def _more_by(q: Question) -> list[int]:
    """Words for more or less that are asked for by how much: "高多少", "how much higher"."""
    words = [i for i in q.where(Sense.MORE_BY) if q.is_chinese(i)]
    chinese = [*words, *(i - 1 for i in q.where(Sense.POINTS) if i and q.segments[i - 1].key in _MORE_OR_LESS)]
    latin = [i for i in q.where(Sense.MORE_BY) if not q.is_chinese(i)]
    asked = [i for i in latin if i and q.segments[i - 1].role is Role.NUMERIC_CUE]
    return [*chinese, *asked]


def _of_two(q: Question, part: Part, axis: Axis, honoured: frozenset[int], *, needs_comparison: bool) -> Found | None:
    first_code = q.codes(part)[0]
    first = next(i for i in q.places(part) if q.segments[i].key == first_code)
    second = next(i for i in q.places(part) if q.segments[i].key != first_code)
    between = q.says_between(first, second, Sense.COMPARED)
    before = Sense.COMPARED in q.senses(first - 1)
    if needs_comparison and between == before:
        return None
    relates = axis is Axis.ENTITY and not q.codes(Part.CHANNEL)
    return Found(Difference(axis=axis, reverse=before, decimals=q.decimals), honoured, relates=relates)
