"""Shares: which part of the whole company, or of all channels together, a named value is.

The whole is named in the question; a share of nothing named is asked back.
"""

import re
from collections.abc import Sequence
from typing import Final

from contracts.codes import TOTAL_CHANNEL, Axis
from contracts.v1.operations import Share
from domain.money import is_rate
from domain.scope.operations.question import Found, Question
from domain.scope.segments import Part
from domain.vocabulary import Role
from domain.vocabulary.operations import Sense

_FILLERS: Final = frozenset(
    {"a", "del", "della", "di", "for", "il", "in", "la", "nel", "of", "s", "su", "sul", "sulla", "the", "to", "的"}
)
_UNIT_PARTS: Final = re.compile("[A-Z]+")
_QUOTA: Final = "quota"
_OF_TOTAL: Final = frozenset({"oftotal"})
_SLOTS: Final = frozenset({Part.METRIC, Part.PERIOD, Part.ENTITY, Part.CHANNEL})


def find_share(q: Question) -> Found | None:
    """The share of a named whole that a question asks for."""
    metrics = q.codes(Part.METRIC)
    if len(metrics) != 1 or len(q.all_periods) > 1 or not _adds_up(q.profile.named_metrics[metrics[0]].unit):
        return None
    split = _split(q)
    if split is None:
        return None
    parts, whole, words = split
    if not _is_plain(q, whole):
        return None
    if q.codes(Part.CHANNEL):
        return _of_all_channels(q, parts, whole, words)
    return _of_the_company(q, parts, whole, words)


def _adds_up(unit: str) -> bool:
    """Whether parts of a whole add up to it: rates and figures per share or head do not."""
    return not is_rate(unit) and "/" not in unit and "PER" not in _UNIT_PARTS.findall(unit.upper())


def _split(q: Question) -> tuple[Sequence[int], Sequence[int], list[int]] | None:
    """The segments of the part, those of the whole, and the words that say so."""
    signs, ends = q.where(Sense.SHARE_OF), q.where(Sense.SHARE)
    everything = range(len(q.segments))
    if len(signs) == 1:
        sign = signs[0]
        inside = [i for i in q.inside_words() if i < sign]
        if inside and q.is_chinese(sign):
            return everything[inside[0] + 1 : sign], everything[: inside[0]], [inside[0], sign, *ends]
        if q.segments[sign].key == _QUOTA:
            return _split_quota(q, sign)
        if _is_said_before_both(q, sign):
            return None
        behind = [i for i in everything[sign + 1 :] if i not in ends]
        return everything[:sign], behind, [sign, *ends]
    inside = q.inside_words()
    if not signs and len(ends) == 1 and inside and inside[0] < ends[0]:
        return everything[inside[0] + 1 : ends[0]], everything[: inside[0]], [inside[0], *ends]
    return None


def _split_quota(q: Question, sign: int) -> tuple[Sequence[int], Sequence[int], list[int]] | None:
    """Italian names the part first: "quota di HK sul REVENUE del Group"."""
    everything = range(len(q.segments))
    behind = [i for i in everything[sign + 1 :] if q.segments[i].part in {Part.ENTITY, Part.CHANNEL}]
    if not behind or _is_said_before_both(q, sign) is False or q.segments[behind[0] - 1].key != "di":
        return None
    return everything[sign + 1 : behind[0] + 1], everything[behind[0] + 1 :], [sign]


def _is_said_before_both(q: Question, sign: int) -> bool:
    """Whether no part is named before the word: "share of group revenue from HK"."""
    return not any(q.segments[i].part in {Part.ENTITY, Part.CHANNEL} for i in range(sign))


def _is_plain(q: Question, whole: Sequence[int]) -> bool:
    """Whether only slots, fillers and a word for the total stand in the whole."""
    return all(_is_filler(q, i) for i in whole)


def _is_filler(q: Question, i: int) -> bool:
    segment = q.segments[i]
    if segment.part in _SLOTS or segment.role in {Role.TOTAL, Role.NUMERIC_CUE}:
        return True
    return segment.part in {Part.ROUNDING, Part.FALLBACK} or segment.role is Role.HARMLESS or segment.key in _OF_TOTAL


def _codes(q: Question, places: Sequence[int], part: Part) -> tuple[str, ...]:
    return tuple(dict.fromkeys(q.segments[i].key for i in places if q.segments[i].part is part))


def _totals(q: Question, places: Sequence[int]) -> list[int]:
    return [i for i in places if q.segments[i].role is Role.TOTAL or q.segments[i].key in _OF_TOTAL]


def _of_the_company(q: Question, parts: Sequence[int], whole: Sequence[int], words: list[int]) -> Found | None:
    company = q.profile.company.default_entity
    named = _codes(q, parts, Part.ENTITY)
    if _codes(q, whole, Part.ENTITY) != (company,) or not named or company in named:
        return None
    if len(named) > 1 and not any(segment.role is Role.EACH for segment in q.segments):
        return None
    operation = Share(axis=Axis.ENTITY, whole=company, decimals=q.decimals)
    return Found(operation, _honoured(q, whole, words), entities=named, relates=True)


def _of_all_channels(q: Question, parts: Sequence[int], whole: Sequence[int], words: list[int]) -> Found | None:
    """The whole of a channel is all channels of the same entity, named again or not."""
    channels, entities = _codes(q, parts, Part.CHANNEL), q.codes(Part.ENTITY)
    if _codes(q, whole, Part.CHANNEL) or len(channels) != 1 or len(entities) > 1 or TOTAL_CHANNEL in channels:
        return None
    if not _codes(q, whole, Part.METRIC) and not _codes(q, whole, Part.ENTITY) and not _totals(q, whole):
        return None
    operation = Share(axis=Axis.CHANNEL, whole=TOTAL_CHANNEL, decimals=q.decimals)
    return Found(operation, _honoured(q, whole, words), relates=True)


def _honoured(q: Question, whole: Sequence[int], words: list[int]) -> frozenset[int]:
    fillers = [i for i in whole if q.segments[i].key in _FILLERS]
    return frozenset([*words, *_totals(q, whole), *fillers, *q.where(Sense.PERCENT)])
