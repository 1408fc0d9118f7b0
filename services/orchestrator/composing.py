"""From the parts of an answer to the one reply."""

from collections import Counter
from collections.abc import Sequence

from contracts.codes import GuardReason, Locale, Route
from contracts.v1.ask import AnswerQuestion, AnswerResult, Clarification, GuardReport
from contracts.v1.facts import Source
from services.clarify.texts import wording
from services.orchestrator.citations import Written
from services.orchestrator.parts import AnswerPart, answer_kind
from services.orchestrator.rendering import Rendered, summary


def compose(
    ask: AnswerQuestion,
    parts: Sequence[AnswerPart],
    *,
    route: Route,
    clarification: Clarification,
    locale: Locale,
    banner: str | None = None,
) -> AnswerResult:
    """Join the parts: the banner first, the analysis of a composite answer under its heading, every source once."""
    results = tuple(result for part in parts for result in part.tool_results)
    text, plain = _joined([part.rendered for part in parts], banner, locale)
    return AnswerResult(
        request_id=ask.request_id,
        answer=text,
        answer_plain=plain,
        route=route,
        answer_kind=answer_kind(parts),
        clarification=clarification,
        tool_results=results,
        calculations=tuple(calculation for part in parts for calculation in part.calculations),
        sources=_each_once(parts),
        tool_status_summary=summary(results),
        guard=_guard_report(parts),
        locale=locale,
    )


def _joined(texts: Sequence[Rendered | Written], banner: str | None, locale: Locale) -> tuple[str, str]:
    """The whole text, and the same without the source suffixes."""
    above = f"{banner}\n" if banner else ""
    heading = f"\n\n{wording(locale).analysis}\n"
    return above + heading.join(text.text for text in texts), above + heading.join(text.plain for text in texts)


def _each_once(parts: Sequence[AnswerPart]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source for part in parts for source in part.sources))


def _guard_report(parts: Sequence[AnswerPart]) -> GuardReport:
    reports = [part.guard for part in parts]
    return GuardReport(
        fabrication_guard_triggered=any(report.fabrication_guard_triggered for report in reports),
        reasons=sum((Counter(report.reasons) for report in reports), Counter[GuardReason]()),
    )
