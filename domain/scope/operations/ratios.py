"""Ratios of two metrics, which the profile declares: by their own name, or by the two that they are made of."""

from typing import Final

from contracts.v1.operations import Ratio
from domain.scope.operations.question import Found, Question, derived_names
from domain.scope.segments import Part
from domain.vocabulary.operations import Sense

_OVER: Final = frozenset({"on", "over", "su", "to", "a"})
_OF: Final = frozenset({"del", "della", "di", "of", "the", "total"})
_PAIR: Final = 2


def find_ratio(q: Question) -> Found | None:
    """The declared ratio that a question asks for, and nothing else beside it."""
    names = derived_names(q.segments, q.profile)
    if names:
        code = q.segments[names[0]].key
        return _ratio(q, code, names) if q.codes(Part.METRIC) == (code,) else None
    if len(q.codes(Part.METRIC)) != _PAIR or len(q.places(Part.METRIC)) != _PAIR:
        return None
    words = _says_ratio(q)
    numerator, denominator = q.codes(Part.METRIC)
    declared = [c for c, d in q.profile.derived.items() if (d.numerator, d.denominator) == (numerator, denominator)]
    return _ratio(q, declared[0], words) if words and len(declared) == 1 else None


def _ratio(q: Question, code: str, words: list[int]) -> Found:
    derived = q.profile.derived[code]
    operation = Ratio(
        metric=code,
        numerator=derived.numerator,
        denominator=derived.denominator,
        unit=derived.unit,
        decimals=q.decimals,
    )
    metrics = (derived.numerator, derived.denominator)
    return Found(operation, frozenset(words), metrics=metrics, relates=True)


def _says_ratio(q: Question) -> list[int]:
    """The words that put the first metric over the second: "A占B", "A与B之比", "A as a percentage of B"."""
    first, second = q.places(Part.METRIC)
    between = list(q.between(first, second))
    shares = [i for i in between if Sense.SHARE_OF in q.senses(i)]
    rest = [i for i in between if i not in shares]
    if len(shares) == 1 and all(q.segments[i].key in _OF for i in rest):
        return [*shares, *[i for i in q.where(Sense.SHARE, Sense.RATIO) if i > second]]
    ratios = q.where(Sense.RATIO)
    is_listed = len(between) == 1 and Sense.LISTED in q.senses(between[0])
    if len(ratios) == 1 and ratios[0] > second and q.is_chinese(ratios[0]) and is_listed:
        return ratios
    is_over = bool(between) and all(q.segments[i].key in _OVER for i in between)
    if len(ratios) == 1 and not q.is_chinese(ratios[0]) and is_over:
        return ratios
    return []
