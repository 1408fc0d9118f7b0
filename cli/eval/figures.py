"""What an answer shows: its figures with scope and source, and numbers of its text that come from nowhere. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cli.eval.numbers import numbers_in
from contracts.codes import AnswerKind, Route
from contracts.v1.ask import AnswerResult, ToolResult
from contracts.v1.facts import FactQuery, Source
from domain.money import difference, percent_change, plain, signed


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that an answer shows for a scope."""

    scope: FactQuery
    value: Decimal
    unit: str
    source: Source | None

    def __str__(self) -> str:
        scope = self.scope
        return f"{scope.metric} {scope.entity} {scope.period.label}: {plain(self.value)} {self.unit}"


def figures_of(result: AnswerResult) -> tuple[Figure, ...]:
    """Every stored figure of an answer, conflicting ones too."""
    return tuple(figure for tool in result.tool_results for figure in _figures(tool))


def _figures(tool: ToolResult) -> Iterator[Figure]:
    if tool.value is not None:
        yield Figure(tool.scope, tool.value, tool.unit or "", tool.source)
    for value in tool.conflicting:
        yield Figure(tool.scope, value.value, value.unit, value.source)


def numeric_text(result: AnswerResult) -> str:
    """The part of an answer that numbers of facts are in: all of it, or what stands above the reasons."""
    if result.route is Route.NARRATIVE:
        return ""
    text = result.answer_plain
    return text.partition("\n\n")[0] if result.route is Route.COMPOSITE else text


def stray_numbers(result: AnswerResult, figures: Sequence[Figure]) -> tuple[str, ...]:
    """Numbers of the text that are no figure, nothing computed from figures, and no part of a scope.

    A question back quotes the user, numbers included, and is not looked at unless it shows a figure.
    """
    if result.answer_kind is AnswerKind.CLARIFICATION and not figures:
        return ()
    text = _without_scopes(numeric_text(result), result)
    allowed = {plain(figure.value) for figure in figures} | {*comparisons(figures), *_computed(result)}
    return tuple(number for number in numbers_in(text) if number not in allowed)


def comparisons(figures: Sequence[Figure]) -> Iterator[str]:
    """Later minus earlier and the change in percent, as the answer writes them, for series of two periods."""
    series = defaultdict[tuple[str, str, str], list[Figure]](list)
    for figure in figures:
        series[figure.scope.metric, figure.scope.entity, figure.scope.channel].append(figure)
    for pair in series.values():
        if len(pair) == 2:
            earlier, later = sorted(pair, key=lambda figure: figure.scope.period.value)
            change = difference(later.value, earlier.value)
            yield from (signed(change), plain(change))
            yield percent_change(later.value, earlier.value) or ""


def _computed(result: AnswerResult) -> Iterator[str]:
    """Computed values as they may be written; whether they are right is `calculating`'s to say."""
    for calculation in result.calculations:
        if calculation.value is not None:
            yield from (plain(calculation.value), signed(calculation.value))


def _without_scopes(text: str, result: AnswerResult) -> str:
    for word in sorted(_scope_words(result), key=len, reverse=True):
        text = re.sub(rf"(?<![\d.,]){re.escape(word)}(?![\d.,]*\d)", " ", text)
    return text


def _scope_words(result: AnswerResult) -> Iterator[str]:
    scopes = [scope for calculation in result.calculations for scope in calculation.operands]
    for scope in (*(tool.scope for tool in result.tool_results), *scopes):
        yield from (scope.metric, scope.entity, scope.period.label, scope.period.value, scope.channel)
    yield from filter(None, (calculation.metric for calculation in result.calculations))
    clarification = result.clarification
    if clarification is not None:
        yield from filter(None, (clarification.assumption_note, *clarification.narrowing_options))
