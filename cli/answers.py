"""How an answer looks in a terminal, and which exit code it means. The answer's own words are never changed."""

from typing import Final

from rich.text import Text

from cli.console import ExitCode, err, note, out, print_table
from contracts.codes import AnswerKind, ClarifyMode
from contracts.v1.ask import AnswerResult, ClarificationOption, ToolResult

STYLES: Final[dict[AnswerKind, str]] = {
    AnswerKind.NORMAL: "bold",
    AnswerKind.CLARIFICATION: "cyan",
    AnswerKind.REFUSAL: "yellow",
    AnswerKind.DEGRADED: "red",
}
HEADINGS: Final = ("status", "metric", "entity", "period", "channel", "value", "unit", "as of", "source")


def exit_code(result: AnswerResult) -> ExitCode:
    """What a script learns from an answer."""
    if result.answer_kind is AnswerKind.NORMAL:
        return ExitCode.OK
    if result.answer_kind is AnswerKind.CLARIFICATION:
        return ExitCode.NEEDS_CHOICE
    if result.answer_kind is AnswerKind.DEGRADED:
        return ExitCode.DEGRADED
    is_foreign = result.clarification is not None and result.clarification.mode is ClarifyMode.OUT_OF_SCOPE_ENTITY
    return ExitCode.OUT_OF_SCOPE if is_foreign else ExitCode.REFUSED


def options_of(result: AnswerResult) -> tuple[ClarificationOption, ...]:
    """What the answer offers for one click."""
    return result.clarification.options if result.clarification is not None else ()


def show_answer(result: AnswerResult) -> None:
    """The answer on stdout, then the options that it offers, numbered."""
    text = Text(result.answer, style=STYLES[result.answer_kind])
    for source in result.sources:
        text.highlight_words([source.doc, *([source.locator] if source.locator else [])], style="not bold dim")
    out.print(text)
    for number, option in enumerate(options_of(result), start=1):
        out.print(Text.assemble((f"  {number}. ", "bold"), option.label))


def quiet_exit_code(result: AnswerResult) -> ExitCode:
    """The same where only numbers are printed: a script must not take one of several that disagree, nor an operand."""
    if not result.tool_status_summary.conflicting and _computes_nothing(result):
        return ExitCode.REFUSED
    return ExitCode.CONFLICTING if result.tool_status_summary.conflicting else exit_code(result)


def show_numbers(result: AnswerResult) -> None:
    """Only the values that were found, one a line, for scripts; values that disagree with unit and source.

    Where something was to be computed, only what came of it, each with its unit; its operands are no answer. What was
    asked for and is not among them is said on stderr.
    """
    if result.calculations:
        _show_computed(result)
        return
    for found in result.tool_results:
        if found.value is not None:
            out.print(format(found.value, "f"), markup=False)
        for value in found.conflicting:
            source = f"{value.source.doc} · {value.source.locator}" if value.source.locator else value.source.doc
            out.print(f"{format(value.value, 'f')} {value.unit}  ({source})", markup=False)
    summary = result.tool_status_summary
    if summary.conflicting:
        note("sources disagree: each value is printed with its source", style="yellow")
    missing = summary.not_found + summary.unrecognized
    if missing and missing < len(result.tool_results):
        note(f"{missing} of {len(result.tool_results)} asked values are not there", style="yellow")


def _computes_nothing(result: AnswerResult) -> bool:
    return bool(result.calculations) and all(entry.value is None for entry in result.calculations)


def _show_computed(result: AnswerResult) -> None:
    for entry in result.calculations:
        if entry.value is not None:
            out.print(f"{format(entry.value, 'f')} {entry.unit or ''}".rstrip(), markup=False)
        elif entry.reason is not None:
            note(f"{entry.kind}: {entry.measure} was not computed ({entry.reason})", style="yellow")


def show_details(result: AnswerResult) -> None:
    """Route, scopes and guard on stderr."""
    err.print(Text(f"{result.route} · {result.answer_kind} · {result.locale} · request {result.request_id}", "dim"))
    if result.tool_results:
        print_table(err, HEADINGS, [_cells(found) for found in result.tool_results], right="value")
    for reason, count in result.guard.reasons.items():
        err.print(Text(f"guard: {reason} × {count}", "dim"))


def _cells(found: ToolResult) -> tuple[str, ...]:
    scope = found.scope
    source = f"{found.source.doc} · {found.source.locator}" if found.source is not None else ""
    value = format(found.value, "f") if found.value is not None else ""
    as_of = found.valid_as_of.isoformat() if found.valid_as_of else ""
    return (
        found.status,
        scope.metric,
        scope.entity,
        scope.period.label,
        scope.channel,
        value,
        found.unit or "",
        as_of,
        source,
    )
