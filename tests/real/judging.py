"""Judges one answer against what a real question expects: exact digits, unit and source, and no other number."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum
from itertools import permutations, product
from typing import Any

from domain.money import difference, plain, signed
from tests.real.questions import RealQuestion

_NUMBER = re.compile(r"(?<![A-Za-z_\d])[+-]?\d[\d,]*(?:\.\d+)?(?![A-Za-z_])")

_ASSUMABLE = frozenset({"missing_period", "relative_period"})
"""What may be assumed and said, where a question leaves it open."""

Sources = Mapping[tuple[str, str, str, str], frozenset[str]]
"""Documents by metric, entity, period and value, as in the facts file."""


Figure = tuple[str, str, str]
"""Value, unit, document."""


class Verdict(StrEnum):
    """What an answer was worth."""

    ANSWERED = "answered"
    PARTIAL = "partial"  # some of the expected figures, no other
    ASKED = "asked"
    REFUSED = "refused"
    DEGRADED = "degraded"
    WRONG = "WRONG"


@dataclass(frozen=True)
class Judgement:
    """A verdict and why."""

    verdict: Verdict
    reason: str


def judge(question: RealQuestion, answer: Mapping[str, Any], sources: Sources) -> Judgement:
    """Judge an `AnswerResult` in its JSON form."""
    shown = [_shown(result) for result in answer["tool_results"] if result["status"] in {"found", "conflicting"}]
    figures = [figure for group in shown for figure in group]
    if stray := _stray_numbers(answer, figures):
        return Judgement(Verdict.WRONG, f"other numbers in the text: {stray[:4]}")
    if not figures:
        return _without_figures(answer)
    if question.kind == "unanswerable" and any(result["status"] == "not_found" for result in answer["tool_results"]):
        return Judgement(Verdict.PARTIAL, f"says what is missing, and shows {figures[:4]} beside it")
    return _with_figures(question, answer, figures, sources)


def _with_figures(
    question: RealQuestion, answer: Mapping[str, Any], figures: Sequence[Figure], sources: Sources
) -> Judgement:
    expected = {(fact.value, fact.unit) for fact in question.facts if question.kind != "ambiguous"}
    found = {(value, unit) for value, unit, _ in figures}
    if question.subkind in _ASSUMABLE and _is_assumed(answer):
        return Judgement(Verdict.ANSWERED, "on a stated assumption")
    if found - expected and (question.kind != "narrative" or question.must_not_return_number):
        return Judgement(Verdict.WRONG, f"shows {sorted(found - expected)[:4]}")
    if question.kind == "compare" and not _has_derived(question, answer):
        if reasons := [entry["reason"] for entry in answer.get("calculations", []) if entry["reason"]]:
            return Judgement(Verdict.REFUSED, f"shows the base figures and computes nothing: {reasons[0]}")
        return Judgement(Verdict.WRONG, f"shows the base figures, not {question.derived}")
    if lacking := _unsourced(question, answer, figures, sources):
        return Judgement(Verdict.WRONG, f"source missing for {lacking}")
    if missing := expected - found:
        return Judgement(Verdict.PARTIAL, f"lacks {sorted(missing)}")
    return Judgement(Verdict.ANSWERED, "")


def _is_assumed(answer: Mapping[str, Any]) -> bool:
    """Whether the answer says in its banner which period was taken, and shows figures of that period alone."""
    period = ((answer["clarification"] or {}).get("assumed_slots") or {}).get("period")
    return period is not None and all(result["scope"]["period"] == period for result in answer["tool_results"])


def _shown(result: Mapping[str, Any]) -> list[Figure]:
    values = result["conflicting"] or [result]
    return [(value["value"], value["unit"], (value["source"] or {}).get("doc", "")) for value in values]


def _without_figures(answer: Mapping[str, Any]) -> Judgement:
    clarification = answer["clarification"] or {}
    kind = answer["answer_kind"]
    text = " ".join(str(clarification.get("question") or answer["answer"]).split())[:160]
    if kind == "clarification":
        return Judgement(Verdict.ASKED, text)
    return Judgement(Verdict.DEGRADED if kind == "degraded" else Verdict.REFUSED, text)


def _stray_numbers(answer: Mapping[str, Any], figures: Sequence[Figure]) -> list[str]:
    """Numbers of the text that are no shown figure, no exact arithmetic on two of them, and no part of a scope."""
    text = str(answer["answer_plain"])
    if answer["answer_kind"] == "clarification" and not figures:
        return []
    for word in sorted(_scope_words(answer), key=len, reverse=True):
        text = re.sub(rf"(?<![\d.,]){re.escape(word)}(?![\d.,]*\d)", " ", text)
    values = [value for value, _, _ in figures]
    allowed = set(values) | set(_arithmetic(values, len(answer.get("calculations", [])) > 0))
    return [number for number in _NUMBER.findall(text) if number not in allowed]


def _scope_words(answer: Mapping[str, Any]) -> Iterable[str]:
    for result in answer["tool_results"]:
        scope = result["scope"]
        value = scope["period"]["value"]
        yield from (scope["metric"], scope["entity"], f"FY{value}", value, scope["channel"])
    yield from (word for word in (str((answer["clarification"] or {}).get("assumption_note") or ""),) if word)
    for option in (answer["clarification"] or {}).get("narrowing_options", []):
        yield str(option)


def _arithmetic(values: Sequence[str], computes: bool) -> Iterable[str]:
    """Exact differences of two values, and one as a percentage or a multiple of the other."""
    if not computes and len(values) != 2:
        return
    for later, earlier in permutations(map(Decimal, values), 2):
        yield signed(difference(later, earlier))
        yield plain(difference(later, earlier))
        yield from _quotients(later - earlier, earlier, signs=True)
        if computes:
            yield from _quotients(later, earlier, signs=False)


def _quotients(over: Decimal, under: Decimal, *, signs: bool) -> Iterable[str]:
    if under <= 0:
        return
    with localcontext(prec=100):
        for decimals, scale in product(range(7), (1, 100)):
            rounded = (over * scale / under).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
            text = format(abs(rounded) if rounded.is_zero() else rounded, "f")
            yield f"+{text}" if signs and rounded > 0 else text


def _has_derived(question: RealQuestion, answer: Mapping[str, Any]) -> bool:
    """Whether the derived figure is in the text, at the precision of the gold answer or of the exact difference."""
    if question.derived is None:
        return True
    gold = _NUMBER.search(question.derived)
    shown = [Decimal(number.replace(",", "")) for number in _NUMBER.findall(str(answer["answer_plain"]))]
    if gold is None:
        return False
    wanted = abs(Decimal(gold[0].replace(",", "")))
    if any(abs(abs(number) - wanted) <= Decimal("0.05") for number in shown):
        return True
    # A few gold percentages are printed as fractions.
    return wanted < 1 and any(abs(abs(number) / 100 - wanted) <= Decimal("0.005") for number in shown)


def _unsourced(
    question: RealQuestion, answer: Mapping[str, Any], figures: Sequence[Figure], sources: Sources
) -> list[str]:
    documents = {(value, unit): doc for value, unit, doc in figures}
    lacking: list[str] = []
    for fact in question.facts:
        doc = documents.get((fact.value, fact.unit))
        if doc is None:
            continue
        known = sources.get((fact.metric, fact.entity, fact.period, fact.value), frozenset())
        if doc not in known or doc not in str(answer["answer"]):
            lacking.append(f"{fact.metric} {fact.period}: {doc or 'none'}")
    return lacking
