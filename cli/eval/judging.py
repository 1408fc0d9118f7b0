"""What one answer is worth: a pure function of the question, the answer and the stored facts.

Judged is what a reader sees, and what programs read beside it. An answer is never given the benefit of the doubt: a
number that cannot be traced to an expected figure, or to exact arithmetic on such, is wrong.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from cli.eval.calculating import wrong_calculations
from cli.eval.citing import StoredFigure, badly_cited
from cli.eval.figures import Figure, figures_of, numeric_text, stray_numbers
from cli.eval.naming import Names
from cli.eval.numbers import is_same_amount, numbers_in, shows_same, value_of
from cli.eval.questions import AskedQuestion, ExpectedFact, Kind
from contracts.codes import TOTAL_CHANNEL, AnswerKind, ClarifyMode, FactStatus, Measure
from contracts.v1.ask import AnswerResult
from contracts.v1.facts import FactQuery
from domain.money import plain


class Outcome(StrEnum):
    """What became of a question."""

    ANSWERED = "answered"
    ASSUMED = "assumed"  # answered, with a banner that names what was assumed
    ASKED = "asked"
    REFUSED = "refused"
    OUT_OF_SCOPE = "out_of_scope"
    DEGRADED = "degraded"
    FAILED = "failed"  # no answer at all


class Reason(StrEnum):
    """Why an answer is not what the question expects."""

    WRONG_NUMBER = "wrong_number"  # a number that comes from nowhere
    WRONG_VALUE = "wrong_value"  # the right scope with another figure
    WRONG_SCOPE = "wrong_scope"  # a figure that was not asked for
    NOT_CALCULATED = "not_calculated"  # the figures themselves where a computed one was asked for
    WRONG_CALCULATION = "wrong_calculation"  # a computed figure that does not follow from what is shown
    WRONG_CITATION = "wrong_citation"
    MISSING_FACT = "missing_fact"
    NEEDLESS_ASK = "needless_ask"  # asked back although everything is named
    ASKED = "asked"
    REFUSED = "refused"
    SHOWN_BESIDE = "shown_beside"  # an expected figure beside the line that says what is missing
    NOT_REFUSED = "not_refused"
    DEGRADED = "degraded"
    FAILED = "failed"


WRONG: Final = frozenset(
    {
        Reason.WRONG_NUMBER,
        Reason.WRONG_VALUE,
        Reason.WRONG_SCOPE,
        Reason.NOT_CALCULATED,
        Reason.WRONG_CALCULATION,
    }
)
"""A reader takes away a wrong number."""
NOTES: Final = frozenset({Reason.SHOWN_BESIDE})
"""Listed, and right all the same."""
SCOPE: Final = frozenset({Reason.WRONG_SCOPE, Reason.NOT_CALCULATED})
"""A word of the question was dropped."""


@dataclass(frozen=True, slots=True)
class Miss:
    """One thing that is not as expected."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer was worth, and every reason against it."""

    outcome: Outcome
    is_right: bool
    misses: tuple[Miss, ...] = ()
    values: int = 0
    """Stored figures that were shown."""
    cited: int = 0
    """Those whose source is the source of that fact."""
    is_specified: bool = False
    """Whether the question names everything, so that asking back is needless."""

    @property
    def reasons(self) -> frozenset[Reason]:
        """All reasons, each once."""
        return frozenset(miss.reason for miss in self.misses)


def judge(
    question: AskedQuestion, result: AnswerResult | None, stored: Sequence[StoredFigure], names: Names
) -> Judgement:
    """Judge one answer; `stored` holds the facts of every scope it shows, None stands for no answer."""
    specified = _is_specified(question, names)
    if result is None:
        return Judgement(Outcome.FAILED, False, (Miss(Reason.FAILED, "no answer"),), is_specified=specified)
    figures = figures_of(result)
    outcome = outcome_of(result)
    misses = [*_misses(question, result, figures, outcome, names, specified=specified)]
    is_right = all(miss.reason in NOTES for miss in misses)
    uncited = badly_cited(result, figures, stored, names.codes)
    misses += [Miss(Reason.WRONG_CITATION, f"{figure} ({figure.source or 'no source'})") for figure in uncited]
    return Judgement(outcome, is_right, tuple(misses), len(figures), len(figures) - len(uncited), specified)


def outcome_of(result: AnswerResult) -> Outcome:
    """What became of a question."""
    mode = result.clarification.mode if result.clarification else ClarifyMode.NONE
    match result.answer_kind:
        case AnswerKind.NORMAL:
            return Outcome.ASSUMED if mode is ClarifyMode.ANSWER_WITH_ASSUMPTIONS else Outcome.ANSWERED
        case AnswerKind.CLARIFICATION:
            return Outcome.ASKED
        case AnswerKind.REFUSAL:
            return Outcome.OUT_OF_SCOPE if mode is ClarifyMode.OUT_OF_SCOPE_ENTITY else Outcome.REFUSED
        case AnswerKind.DEGRADED:
            return Outcome.DEGRADED
        case _:
            assert_never(result.answer_kind)


def _is_specified(question: AskedQuestion, names: Names) -> bool:
    if question.trap is not None:
        return question.trap.outcome == Outcome.ANSWERED
    return question.kind is Kind.STRUCTURED and names.is_specified(question)


def _misses(
    question: AskedQuestion,
    result: AnswerResult,
    figures: Sequence[Figure],
    outcome: Outcome,
    names: Names,
    *,
    specified: bool,
) -> Iterator[Miss]:
    if outcome is Outcome.DEGRADED:
        yield Miss(Reason.DEGRADED, "a part is away")
        return
    if stray := stray_numbers(result, figures):
        yield Miss(Reason.WRONG_NUMBER, f"from nowhere: {', '.join(stray[:4])}")
    for wrong in wrong_calculations(result, figures):
        yield Miss(Reason.WRONG_CALCULATION, wrong)
    match question.kind:
        case Kind.STRUCTURED | Kind.COMPARE | Kind.COMPOSITE if question.facts:
            yield from _against_facts(question, result, figures, outcome, names, specified=specified)
        case Kind.STRUCTURED | Kind.COMPARE | Kind.COMPOSITE | Kind.NARRATIVE:
            yield from _unnamed(question, figures, names)
        case Kind.UNANSWERABLE | Kind.CONFLICT | Kind.AMBIGUOUS:
            yield from _answered_anyway(question, result, figures, names)
        case Kind.TRAP:
            yield from _trapped(question, result, outcome)
        case _:
            assert_never(question.kind)


def _against_facts(
    question: AskedQuestion,
    result: AnswerResult,
    figures: Sequence[Figure],
    outcome: Outcome,
    names: Names,
    *,
    specified: bool,
) -> Iterator[Miss]:
    said = " ".join((_asked_back(result) or result.answer).split())
    if not figures:
        if outcome is Outcome.ASKED:
            yield Miss(Reason.NEEDLESS_ASK if specified else Reason.ASKED, said)
        else:
            yield Miss(Reason.REFUSED, said)
        return
    yield from _unexpected(question, figures, names)
    missing = [f for f in question.facts if not any(_same_scope(figure.scope, f.scope, names) for figure in figures)]
    for fact in missing:
        yield Miss(Reason.MISSING_FACT, f"{_written(fact.scope)}: {plain(fact.value)} {fact.unit}")
    if question.derived is not None and not missing and not _has_derived(question.derived, result, figures):
        was_refused = any(calculation.reason for calculation in result.calculations)
        yield Miss(Reason.REFUSED if was_refused else Reason.NOT_CALCULATED, f"expected {question.derived}")


def _unexpected(question: AskedQuestion, figures: Sequence[Figure], names: Names) -> Iterator[Miss]:
    """Figures whose scope is not expected, or that differ from the one that is."""
    for figure in figures:
        of_scope = [fact for fact in question.facts if _same_scope(figure.scope, fact.scope, names)]
        if not of_scope:
            yield Miss(Reason.WRONG_SCOPE, str(figure))
        elif not any(_shows(figure, fact, names) for fact in of_scope):
            yield Miss(Reason.WRONG_VALUE, f"{figure}, expected {plain(of_scope[0].value)} {of_scope[0].unit}")


def _unnamed(question: AskedQuestion, figures: Sequence[Figure], names: Names) -> Iterator[Miss]:
    """Figures beside reasons, where none is listed as expected: each must be named in the question."""
    for figure in figures:
        if question.must_not_return_number or not names.is_named(question, figure.scope):
            yield Miss(Reason.WRONG_SCOPE, str(figure))


def _answered_anyway(
    question: AskedQuestion, result: AnswerResult, figures: Sequence[Figure], names: Names
) -> Iterator[Miss]:
    """Figures where there is no answer. Beside "not found" an expected one may stand; a conflict shows both sides."""
    statuses = {tool.status for tool in result.tool_results}
    if _is_assumed_as_asked(question, result):
        return
    if question.kind is Kind.CONFLICT and figures and statuses == {FactStatus.CONFLICTING}:
        yield from _unexpected(question, figures, names) if question.facts else ()
        return
    for figure in figures:
        if FactStatus.NOT_FOUND in statuses and _is_known(question, figure, names):
            yield Miss(Reason.SHOWN_BESIDE, str(figure))
        else:
            yield Miss(Reason.WRONG_SCOPE, str(figure))


def _is_known(question: AskedQuestion, figure: Figure, names: Names) -> bool:
    golds = (value_of(number) for number in numbers_in(question.gold))
    is_gold = any(abs(figure.value) == abs(gold) for gold in golds)
    return is_gold or any(_shows(figure, fact, names) for fact in question.facts)


def _is_assumed_as_asked(question: AskedQuestion, result: AnswerResult) -> bool:
    """Whether exactly what the question leaves open on purpose was assumed, said so, and is all that is shown."""
    if result.clarification is None or result.clarification.assumption_note is None:
        return False
    slots = result.clarification.assumed_slots
    assumed = {name for name, slot in (("entity", slots.entity), ("period", slots.period)) if slot is not None}
    shown = all(
        slots.period in (None, tool.scope.period) and slots.entity in (None, tool.scope.entity)
        for tool in result.tool_results
    )
    return question.missing is not None and assumed == {question.missing} and shown


def _trapped(question: AskedQuestion, result: AnswerResult, outcome: Outcome) -> Iterator[Miss]:
    """Whether a trap was seen: scopes count, found or not, since a look-up is an answer to the wrong question."""
    if question.trap is None:
        return
    looked_up = tuple(_written(tool.scope) for tool in result.tool_results)
    match question.trap.outcome:
        case "answered" if looked_up != question.trap.scopes:
            said = _asked_back(result)
            reason = Reason.WRONG_SCOPE if looked_up else Reason.NEEDLESS_ASK if said else Reason.REFUSED
            yield Miss(reason, ", ".join(looked_up) or said or result.answer)
        case "answered" if question.trap.computed not in {None, *(one.kind for one in result.calculations)}:
            yield Miss(Reason.NOT_CALCULATED, f"expected a {question.trap.computed}")
        case "asked" if looked_up or outcome is not Outcome.ASKED:
            yield Miss(Reason.WRONG_SCOPE if looked_up else Reason.REFUSED, ", ".join(looked_up) or result.answer)
        case "refused" if outcome is not Outcome.OUT_OF_SCOPE:
            yield Miss(Reason.WRONG_SCOPE if looked_up else Reason.NOT_REFUSED, ", ".join(looked_up) or result.answer)
        case _:
            pass


def _written(scope: FactQuery) -> str:
    channel = () if scope.channel == TOTAL_CHANNEL else (scope.channel,)
    return "/".join((scope.metric, scope.entity, scope.period.value, *channel))


def _asked_back(result: AnswerResult) -> str:
    return (result.clarification.question or "") if result.clarification else ""


def _shows(figure: Figure, fact: ExpectedFact, names: Names) -> bool:
    is_same = is_same_amount(figure.value, figure.unit, fact.value, fact.unit)
    return is_same and _same_scope(figure.scope, fact.scope, names)


def _same_scope(shown: FactQuery, expected: FactQuery, names: Names) -> bool:
    return (shown.entity, shown.period, shown.channel) == (expected.entity, expected.period, expected.channel) and (
        names.codes.may_mean(expected.metric, shown.metric)
    )


def _has_derived(derived: str, result: AnswerResult, figures: Sequence[Figure]) -> bool:
    """Whether the computed figure is in the text beside the figures it is computed from.

    Some sources print a percentage as a fraction: `0.5` for 50 %.
    """
    stored = {plain(figure.value) for figure in figures}
    computed = [number for number in numbers_in(numeric_text(result)) if number not in stored]
    percents = [c.value for c in result.calculations if c.measure is Measure.PERCENT and c.value is not None]
    computed += [plain(percent.scaleb(-2)) for percent in percents]
    return any(shows_same(number, gold) for number in computed for gold in numbers_in(derived))
