"""From a verdict to what the user reads, and to the same outcome for programs.

Every line comes from one asked scope and its outcome; a `Decimal` becomes text through `domain.money` alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from contracts.codes import FactParam, FactStatus, Locale
from contracts.v1.ask import ConflictingValue, ToolResult, ToolStatusSummary
from contracts.v1.facts import Conflicting, FactQuery, FactValue, Found, NotFound, Source, UnrecognizedParam
from domain import money
from services.clarify.texts import Wording, wording
from services.clarify.texts_computed import computed_wording
from services.orchestrator.calculating import Calculated
from services.orchestrator.computed_text import computed_lines, one_line, operands_only, scope_text
from services.orchestrator.guard import Comparison, Line, Unanswered, Verdict


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text of ours, and the same without the source suffixes. A model's words are `Written`, never this."""

    text: str
    plain: str


def render(verdict: Verdict, locale: Locale, computed: Sequence[Calculated] = ()) -> Rendered:
    """The text of a verdict: a plain sentence for one scope or for a dead fact source, a list for several scopes.

    What was computed from the lines stands below them, in place of the plain comparison.
    """
    say = wording(locale)
    if all(isinstance(line, Unanswered) for line in verdict.lines):
        return _same(say.facts_unavailable)
    if computed:
        lines = [_same(say.several), *_computed(verdict, computed, locale)]
    elif len(verdict.lines) == 1:
        lines = list(_alone(verdict.lines[0], say))
    else:
        lines = [_same(say.several), *_listed(verdict, say)]
    return Rendered("\n".join(line.text for line in lines), "\n".join(line.plain for line in lines))


def tool_results(verdict: Verdict) -> tuple[ToolResult, ...]:
    """The outcomes for programs, one per answered scope, in the order asked."""
    return tuple(_tool_result(line) for line in verdict.lines if not isinstance(line, Unanswered))


def sources(verdict: Verdict) -> tuple[Source, ...]:
    """The sources of everything shown, in the order shown, each once."""
    return tuple(dict.fromkeys(fact.source for line in verdict.lines for fact in _shown(line)))


def summary(results: Iterable[ToolResult]) -> ToolStatusSummary:
    """How many asked scopes ended in which status."""
    statuses = [result.status for result in results]
    return ToolStatusSummary(
        found=statuses.count(FactStatus.FOUND),
        not_found=statuses.count(FactStatus.NOT_FOUND),
        unrecognized=statuses.count(FactStatus.UNRECOGNIZED_PARAM),
        conflicting=statuses.count(FactStatus.CONFLICTING),
    )


def _alone(line: Line, say: Wording) -> Sequence[Rendered]:
    match line:
        case Found(query=scope, fact=fact):
            return [_value(scope, fact, say)]
        case Conflicting(query=scope, facts=facts):
            return [*(_value(scope, fact, say) for fact in facts), _same(say.conflict)]
        case NotFound(query=scope):
            return [_same(say.not_found.format(**_slots(scope)))]
        case UnrecognizedParam(query=scope, param=param):
            return [_same(say.unrecognized.format(param=param, raw=_asked(scope, param)))]
        case Unanswered():
            return [_same(say.facts_unavailable)]
        case _:
            assert_never(line)


def _computed(verdict: Verdict, results: Sequence[Calculated], locale: Locale) -> Iterator[Rendered]:
    """The operands, then the results. A figure that nothing was computed from is marked: it is not what was asked."""
    only = operands_only(results)
    for line in verdict.lines:
        mark = computed_wording(locale).operand_only if line.query in only else ""
        yield from _bullets(line, wording(locale), mark)
    yield from map(_same, computed_lines(results, locale))


def _listed(verdict: Verdict, say: Wording) -> Iterator[Rendered]:
    for line in verdict.lines:
        yield from _bullets(line, say)
    for comparison in verdict.comparisons:
        yield _same(_comparison(comparison, say, named=_several_series(verdict.lines)))


def _bullets(line: Line, say: Wording, mark: str = "") -> Iterator[Rendered]:
    scope = line.query
    match line:
        case Found(fact=fact):
            yield _bullet(_value(scope, fact, say, mark), say)
        case Conflicting(facts=facts):
            yield from (_bullet(_value(scope, fact, say, mark), say) for fact in facts)
            yield _same(say.conflict)
        case NotFound():
            yield _bullet(_same(say.not_found_line.format(scope=scope_text(scope, say))), say)
        case UnrecognizedParam(param=param):
            sentence = say.unrecognized_line.format(scope=scope_text(scope, say), param=param, raw=_asked(scope, param))
            yield _bullet(_same(sentence), say)
        case Unanswered():
            yield _bullet(_same(say.unavailable_line.format(scope=scope_text(scope, say))), say)
        case _:
            assert_never(line)


def _value(scope: FactQuery, fact: FactValue, say: Wording, mark: str = "") -> Rendered:
    """One figure; `mark` is said of it before its source."""
    plain = (
        say.found.format(scope=scope_text(scope, say), value=money.plain(fact.value), unit=one_line(fact.unit)) + mark
    )
    as_of = say.as_of.format(date=fact.valid_as_of.isoformat()) if fact.valid_as_of else ""
    source = say.source.format(doc=one_line(fact.source_doc_id), locator=one_line(fact.source_locator), as_of=as_of)
    return Rendered(plain + source, plain)


def _comparison(comparison: Comparison, say: Wording, *, named: bool) -> str:
    """`named` says metric and entity too, where more than one series is shown."""
    later, earlier = comparison.later, comparison.earlier
    rate = money.is_rate(later.fact.unit)
    percent = None if rate else money.percent_change(later.fact.value, earlier.fact.value)
    return say.comparison.format(
        later=scope_text(later.query, say) if named else later.query.period.label,
        earlier=earlier.query.period.label,
        difference=money.signed(comparison.difference),
        unit=say.percentage_points if rate else one_line(later.fact.unit),
        percent="" if percent is None else say.percent.format(percent=percent),
    )


def _several_series(lines: Iterable[Line]) -> bool:
    return len({(line.query.metric, line.query.entity, line.query.channel) for line in lines}) > 1


def _slots(scope: FactQuery) -> dict[str, str]:
    return {
        FactParam.METRIC: scope.metric,
        FactParam.ENTITY: scope.entity,
        FactParam.PERIOD: scope.period.value,
        FactParam.CHANNEL: scope.channel,
    }


def _asked(scope: FactQuery, param: FactParam) -> str:
    """The parameter as asked. The reply's own echo of it is not shown: it could carry anything."""
    return _slots(scope)[param]


def _bullet(line: Rendered, say: Wording) -> Rendered:
    return Rendered(say.bullet.format(line=line.text), say.bullet.format(line=line.plain))


def _same(sentence: str) -> Rendered:
    return Rendered(sentence, sentence)


def _shown(line: Line) -> Sequence[FactValue]:
    match line:
        case Found(fact=fact):
            return (fact,)
        case Conflicting(facts=facts):
            return facts
        case NotFound() | UnrecognizedParam() | Unanswered():
            return ()
        case _:
            assert_never(line)


def _tool_result(line: Found | NotFound | UnrecognizedParam | Conflicting) -> ToolResult:
    match line:
        case Found(query=scope, fact=fact):
            return ToolResult(
                status=line.status,
                scope=scope,
                value=fact.value,
                unit=fact.unit,
                valid_as_of=fact.valid_as_of,
                source=fact.source,
            )
        case NotFound(query=scope):
            return ToolResult(status=line.status, scope=scope)
        case UnrecognizedParam(query=scope, param=param):
            return ToolResult(status=line.status, scope=scope, param=param)
        case Conflicting(query=scope, facts=facts):
            return ToolResult(status=line.status, scope=scope, conflicting=tuple(map(_conflicting_value, facts)))
        case _:
            assert_never(line)


def _conflicting_value(fact: FactValue) -> ConflictingValue:
    return ConflictingValue(value=fact.value, unit=fact.unit, valid_as_of=fact.valid_as_of, source=fact.source)
