"""From the parts of an answer to the one reply."""

from collections import Counter
from collections.abc import Sequence

from contracts.codes import ClarifyMode, GuardReason, Locale, Route
from contracts.v1.ask import AnswerQuestion, AnswerResult, AssumedSlots, Clarification, GuardReport
from contracts.v1.facts import Source
from services.clarify.texts import wording
from services.orchestrator.citations import Written
from services.orchestrator.parts import KINDS, AnswerPart, answer_kind
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
        guard=_sum_of_reports([part.guard for part in parts]),
        locale=locale,
    )


def concatenate(ask: AnswerQuestion, answers: Sequence[AnswerResult], locale: Locale) -> AnswerResult:
    """The answers of sub-questions one below the other, in their order; nothing is summed up."""
    results = tuple(dict.fromkeys(result for answer in answers for result in answer.tool_results))
    return AnswerResult(
        request_id=ask.request_id,
        answer="\n\n".join(answer.answer for answer in answers),
        answer_plain="\n\n".join(answer.answer_plain for answer in answers),
        route=Route.DECOMPOSED,
        answer_kind=min((answer.answer_kind for answer in answers), key=KINDS.index),
        clarification=_common_clarification([answer.clarification for answer in answers if answer.clarification]),
        tool_results=results,
        calculations=tuple(dict.fromkeys(each for answer in answers for each in answer.calculations)),
        sources=tuple(dict.fromkeys(source for answer in answers for source in answer.sources)),
        tool_status_summary=summary(results),
        guard=_sum_of_reports([answer.guard for answer in answers]),
        locale=locale,
    )


def _common_clarification(several: Sequence[Clarification]) -> Clarification:
    """What all sub-questions share. The options of each stay: they are complete questions."""
    options = tuple(dict.fromkeys(option for one in several for option in one.options))
    modes = {one.mode for one in several}
    assumed = (
        several[0].assumed_slots if all(one.assumed_slots == several[0].assumed_slots for one in several) else None
    )
    return Clarification(
        mode=modes.pop() if len(modes) == 1 else ClarifyMode.NONE,
        question="\n".join(one.question for one in several if one.question) or None,
        narrowing_options=tuple(option.label for option in options),
        options=options,
        assumption_note="\n".join(dict.fromkeys(one.assumption_note for one in several if one.assumption_note)) or None,
        assumed_slots=assumed or AssumedSlots(),
    )


def _joined(texts: Sequence[Rendered | Written], banner: str | None, locale: Locale) -> tuple[str, str]:
    """The whole text, and the same without the source suffixes."""
    above = f"{banner}\n" if banner else ""
    heading = f"\n\n{wording(locale).analysis}\n"
    return above + heading.join(text.text for text in texts), above + heading.join(text.plain for text in texts)


def _each_once(parts: Sequence[AnswerPart]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source for part in parts for source in part.sources))


def _sum_of_reports(reports: Sequence[GuardReport]) -> GuardReport:
    return GuardReport(
        fabrication_guard_triggered=any(report.fabrication_guard_triggered for report in reports),
        reasons=sum((Counter(report.reasons) for report in reports), Counter[GuardReason]()),
    )
