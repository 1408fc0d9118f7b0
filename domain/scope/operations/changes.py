"""Changes: of one period against the one before it, or between two periods that are named.

The basis is said, or follows from the kind of period alone: a year has nothing but the year before. "Q3 growth" may be
meant against the quarter before or the year before, and is asked back.
"""

import re
from typing import Final

from contracts.codes import Axis, GrowthBasis, PeriodType
from contracts.v1.operations import Difference, Growth
from contracts.v1.periods import Period
from domain.periods import period_before, period_sort_key, year_before
from domain.scope.composite import asks_how_much
from domain.scope.operations.question import Found, Question, kind_of
from domain.scope.segments import Part
from domain.vocabulary import Role
from domain.vocabulary.operations import Sense

_YEAR: Final = (Sense.YEAR, Sense.YEAR_CHANGE)
_PERIOD: Final = (Sense.PERIOD, Sense.PERIOD_CHANGE)
_CHANGES: Final = (Sense.CHANGE, Sense.CHANGED, Sense.YEAR_CHANGE, Sense.PERIOD_CHANGE)
_BASES: Final = (Sense.YEAR, Sense.PERIOD, Sense.QUARTER, Sense.MONTH)
_ALL: Final = (*_CHANGES, *_BASES)
_SHORT: Final = frozenset({PeriodType.HY, PeriodType.QUARTER, PeriodType.MONTH})
_WHOLE_YEARS: Final = frozenset({PeriodType.FY, PeriodType.YTD})
_REACHING: Final = frozenset({"a", "ad", "al", "fino", "to", "为", "到", "至", "达", "达到"})
# Between periods further apart these may ask for a mean of the years between.
_PER_YEAR: Final = frozenset({"annual", "annuale", "annuo", "yearly", "年增长率"})
_CONNECTORS: Final = frozenset({"a", "al", "to", "with"})
_PAIR: Final = 2

_COMPARES: Final = re.compile(
    r"vs|versus|against|compar|relative|rispetto|confront|contro|(?<![a-z])than(?![a-z])|[比较]"
)
_SPANS: Final = re.compile(r"between|from|(?<![a-z])(?:to|tra|fra|da|dal|al)(?![a-z])|[从自由到至]|之间")


def find_change(q: Question) -> Found | None:
    """The change that a question asks for."""
    words = q.where(*_ALL)
    if not words or not q.places(Part.METRIC) or not _is_one_change(q):
        return None
    if _is_of_the_narrative(q, words) or _compares_entities(q):
        return None
    pair = _pair(q)
    if pair is not None:
        return _between(q, pair, words)
    return _from_before(q, words)


def _is_one_change(q: Question) -> bool:
    """Whether one change is asked for, where a reader takes the word for it: behind the metric, or "growth in"."""
    changes = q.where(*_CHANGES)
    bases = [basis for basis in _bases(q) if basis]
    if len(changes) > 1 or len(bases) > 1:
        return False
    last = q.places(Part.METRIC)[-1]
    if not changes:
        return all(i > last for i in q.where(*_BASES))
    return _reads_as_change(q, changes[0], last)


def _reads_as_change(q: Question, i: int, last_metric: int) -> bool:
    if q.is_chinese(i) and i < last_metric:
        return False
    if q.touches(i) and q.segments[i + 1].part is Part.METRIC:
        return False
    following = q.segments[i + 1].key if i + 1 < len(q.segments) else ""
    return not (Sense.CHANGED in q.senses(i) and following in _REACHING)


def _bases(q: Question) -> list[tuple[Sense, ...]]:
    """The bases that are said, each once."""
    groups = (_YEAR, _PERIOD, (Sense.QUARTER,), (Sense.MONTH,))
    return [group for group in groups if q.where(*group)]


def _is_of_the_narrative(q: Question, words: list[int]) -> bool:
    """Whether a composite question only tells of a change, and does not ask how large it was."""
    if not q.composite or any(q.segments[i].role is Role.GROWTH for i in words):
        return False
    return not any(asks_how_much(q.segments, i) for i in words)


def _compares_entities(q: Question) -> bool:
    """Whether a change of one entity is compared with that of another one: nobody subtracts changes."""
    parts = (Part.ENTITY, Part.CHANNEL, Part.METRIC)
    return any(len(q.codes(part)) > 1 and q.joints(part, Sense.COMPARED) for part in parts)


def _from_before(q: Question, words: list[int]) -> Found | None:
    """The change of each named period from the one that it follows."""
    basis = _basis(q)
    if basis is None or (len(q.all_periods) > 1 and not (_bases(q) and _is_list(q))):
        return None
    return Found(Growth(basis=basis, decimals=q.decimals), frozenset([*words, *q.measures()]))


def _basis(q: Question) -> GrowthBasis | None:
    kinds = {kind for kind, _ in q.kinds}
    match _bases(q):
        case []:
            return GrowthBasis.PRIOR_YEAR if kinds and kinds <= _WHOLE_YEARS else None
        case [said] if said is _YEAR:
            return GrowthBasis.PRIOR_YEAR
        case [(Sense.QUARTER,)]:
            return GrowthBasis.PRIOR_PERIOD if kinds == {PeriodType.QUARTER} else None
        case [(Sense.MONTH,)]:
            return GrowthBasis.PRIOR_PERIOD if kinds == {PeriodType.MONTH} else None
        case [said] if said is _PERIOD:
            return GrowthBasis.PRIOR_PERIOD if kinds and kinds <= _SHORT else None
        case _:
            return None


def _is_list(q: Question) -> bool:
    """Whether several periods are only listed, so that each is meant on its own."""
    places = q.places(Part.PERIOD)
    inside = any(_COMPARES.search(q.quoted(i)) or _SPANS.search(q.quoted(i)) for i in places)
    return not inside and not q.where(Sense.COMPARED, Sense.FROM, Sense.BETWEEN)


def _pair(q: Question) -> tuple[Period, Period] | None:
    """The two periods between which a change is asked for: the one it leads to, then where it began."""
    if len(q.all_periods) != _PAIR or len(q.kinds) != 1:
        return None
    places = q.places(Part.PERIOD)
    match places:
        case [only]:
            return _pair_inside(q, only)
        case [first, second] if len(q.periods_at(first)) == len(q.periods_at(second)) == 1:
            # 增长率与2023年相比 compares two changes.
            told_before = any(q.is_chinese(i) and i < second for i in q.where(*_CHANGES))
            return None if told_before else _pair_apart(q, first, second)
        case _:
            return None


def _pair_inside(q: Question, i: int) -> tuple[Period, Period] | None:
    """Of periods that were read as one: "FY2024 vs FY2023", "from 2022 to 2024"."""
    one, other = q.periods_at(i)
    if _COMPARES.search(q.quoted(i)):
        return one, other
    if _SPANS.search(q.quoted(i)) or _is_between(q, i) or q.where(Sense.APART):
        return _later_first(one, other)
    return None


def _pair_apart(q: Question, first: int, second: int) -> tuple[Period, Period] | None:
    (one,), (other,) = q.periods_at(first), q.periods_at(second)
    if q.says_between(first, second, Sense.COMPARED, *_BASES) and not _is_what_is_compared_with(q, first):
        return one, other
    if _is_what_is_compared_with(q, first):
        return other, one
    if Sense.FROM in q.senses(second - 1) or _stands_beside(q, second):
        return one, other
    if _is_between(q, first) or q.where(Sense.APART):
        return _later_first(one, other)
    return None


def _is_what_is_compared_with(q: Question, i: int) -> bool:
    """Whether the words around the first period make it the base: "compared to 2023, …", "与2023年相比，…", "from"."""
    k = i - 2 if i and q.segments[i - 1].key in _CONNECTORS else i - 1
    return not q.senses(k).isdisjoint({Sense.COMPARED, Sense.FROM}) or _stands_beside(q, i)


def _stands_beside(q: Question, i: int) -> bool:
    """Whether the other one is compared with a period: "与2023年相比"."""
    return Sense.LISTED in q.senses(i - 1) and Sense.COMPARED in q.senses(i + 1)


def _is_between(q: Question, i: int) -> bool:
    return Sense.BETWEEN in q.senses(i - 1) or Sense.BETWEEN in q.senses(i + 1)


def _later_first(one: Period, other: Period) -> tuple[Period, Period]:
    later, earlier = sorted((one, other), key=period_sort_key, reverse=True)
    return later, earlier


def _between(q: Question, pair: tuple[Period, Period], words: list[int]) -> Found | None:
    """A change between two named periods; one that a said basis contradicts is none."""
    subject, base = pair
    if period_sort_key(subject) < period_sort_key(base):
        # Nothing grows towards what came before it: the words were meant otherwise.
        return None
    joints = q.joints(Part.PERIOD, Sense.COMPARED, Sense.FROM, Sense.BETWEEN)
    honoured = frozenset([*words, *q.measures(), *joints])
    for basis, before in ((GrowthBasis.PRIOR_YEAR, year_before), (GrowthBasis.PRIOR_PERIOD, period_before)):
        if before(subject) == base and _basis_fits(q, basis, subject):
            return Found(Growth(basis=basis, decimals=q.decimals), honoured, periods=(subject,))
    if _bases(q) or any(segment.key in _PER_YEAR for segment in q.segments):
        return None
    return difference_of_periods(q, pair, honoured)


def _basis_fits(q: Question, basis: GrowthBasis, subject: Period) -> bool:
    return not _bases(q) or (_basis(q) is basis and kind_of(subject) in q.kinds)


def difference_of_periods(q: Question, pair: tuple[Period, Period], honoured: frozenset[int]) -> Found:
    """One named period against another one."""
    return Found(Difference(axis=Axis.PERIOD, decimals=q.decimals), honoured, periods=pair)


def named_pair(q: Question) -> tuple[Period, Period] | None:
    """Two named periods that a difference is asked of, the compared one first."""
    return _pair(q)
