"""The numeric promise as a checker of answers, written without the code it checks.

`violations(asked, outcomes, text)` names everything in a Chinese answer text that breaks the promise: a scope that was
dropped, a scope that was not asked, and every run of digits (of any script) that is no label, no fact of an asked scope
and no exact arithmetic on two of them.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import pairwise, permutations

from hypothesis import settings

from contracts.codes import AnswerKind
from contracts.v1.ask import AnswerResult
from contracts.v1.facts import Conflicting, FactOutcome, FactQuery, FactValue, Found

PROMISE = settings(
    max_examples=50 if os.environ.get("HYPOTHESIS_PROFILE") == "dev" else 2_000, deadline=None, derandomize=True
)
"""The promise is tried far more often than other properties, unless a developer wants it quick."""


def violations(asked: Sequence[FactQuery], outcomes: Sequence[FactOutcome], text: str) -> list[str]:
    return [*unknown_numbers(asked, outcomes, text), *dropped_scopes(asked, text)]


def broken(asked: Sequence[FactQuery], outcomes: Sequence[FactOutcome], result: AnswerResult) -> list[str]:
    """What breaks the promise in a whole answer: a degraded one shows nothing at all, any other every asked scope."""
    if result.answer_kind is AnswerKind.DEGRADED:
        return violations((), (), result.answer)
    shown = [query for query in asked if query in [tool.scope for tool in result.tool_results]]
    lost = [] if shown == list(asked) else ["an asked scope was dropped"]
    return [*violations(asked, outcomes, result.answer), *lost]


def unknown_numbers(asked: Sequence[FactQuery], outcomes: Sequence[FactOutcome], text: str) -> Iterator[str]:
    known = set(numbers(" ".join([*_labels(asked), *_facts(asked, outcomes), *_arithmetic(asked, outcomes)])))
    for number in numbers(text):
        if number not in known:
            yield f"the number {number!r} comes from nowhere"


def dropped_scopes(asked: Sequence[FactQuery], text: str) -> Iterator[str]:
    """In a list every asked scope has a line that starts with it, in the order asked, and no other scope has one."""
    if not text.startswith("对比结果："):
        return
    starts = [_start(scope) for scope in dict.fromkeys(asked)]
    lines = [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]
    shown = [next((start for start in starts if line.startswith(start)), line) for line in lines]
    if list(dict.fromkeys(shown)) != starts:
        yield f"the lines are for {shown}, asked was {starts}"


def numbers(text: str) -> Iterator[str]:
    """Maximal runs of digits of any script, with the points and commas inside them."""
    run = ""
    for char, following in pairwise(f"{text}  "):
        if char.isdigit() or (run and char in ".," and following.isdigit()):
            run += char
        elif run:
            yield run
            run = ""


def facts_for(asked: Sequence[FactQuery], outcomes: Iterable[FactOutcome]) -> Iterator[FactValue]:
    """The facts of the asked scopes: the only ones an answer may show."""
    for outcome in outcomes:
        if outcome.query in asked and isinstance(outcome, Found | Conflicting):
            yield from (outcome.fact,) if isinstance(outcome, Found) else outcome.facts


def _start(scope: FactQuery) -> str:
    channel = "" if scope.channel == "TOTAL" else f"（渠道 {scope.channel}）"
    return f"{scope.entity} {scope.period.label} {scope.metric}{channel}："


def _labels(asked: Iterable[FactQuery]) -> Iterator[str]:
    for scope in asked:
        yield from (scope.metric, scope.entity, scope.channel, scope.period.value, scope.period.label)


def _facts(asked: Sequence[FactQuery], outcomes: Iterable[FactOutcome]) -> Iterator[str]:
    for fact in facts_for(asked, outcomes):
        yield from _texts(fact)


def _texts(fact: FactValue) -> Iterator[str]:
    yield format(fact.value, "f")
    for text in (fact.unit, fact.source_doc_id, fact.source_locator):
        yield " ".join(text.splitlines())
    yield str(fact.valid_as_of)


def _arithmetic(asked: Sequence[FactQuery], outcomes: Iterable[FactOutcome]) -> Iterator[str]:
    facts = [outcome for outcome in outcomes if isinstance(outcome, Found) and outcome.query in asked]
    for later, earlier in permutations(facts, 2):
        if _series(later.query) == _series(earlier.query):
            yield from _difference(later.fact.value, earlier.fact.value)


def _difference(later: Decimal, earlier: Decimal) -> Iterator[str]:
    with localcontext(prec=200):
        yield "0" if later == earlier else format(abs(later - earlier), "f")
        if earlier > 0:
            percent = ((later - earlier) * 100 / earlier).copy_abs()
            yield format(percent.quantize(Decimal("0.1"), ROUND_HALF_UP), "f")


def _series(scope: FactQuery) -> tuple[str, str, str]:
    return scope.metric, scope.entity, scope.channel
