"""What an answer leaves behind in metrics and in the trace: codes and counts, never a word or a number of it."""

from collections.abc import Mapping, Sequence

from contracts.codes import AnswerKind, ClarifyMode, GuardReason, Route
from contracts.v1.ask import AnswerResult
from runtime.attributes import Value
from runtime.metrics import Metrics
from runtime.telemetry import set_attributes


class Reporter:
    """Counts answers, and marks the current span with what one came to."""

    def __init__(self, metrics: Metrics) -> None:
        self._asks = metrics.counter("ragspine_asks", "Answers given", "route", "kind", "locale")
        self._modes = metrics.counter("ragspine_clarifications", "Outcomes of the clarification step", "mode")
        self._refusals = metrics.counter("ragspine_refusals", "Refusals by what was missing", "reason")
        self._triggered = metrics.counter("ragspine_guard_triggered", "Answers that the guard made a refusal")
        self._reasons = metrics.counter("ragspine_guard_reasons", "What a model did that was corrected", "reason")

    def report(self, result: AnswerResult, profile_digest: str) -> None:
        """Count one answer, given under a company profile, and mark its span."""
        self._asks.labels(result.route, result.answer_kind, result.locale).inc()
        if result.clarification:
            self._modes.labels(result.clarification.mode).inc()
        if result.answer_kind is AnswerKind.REFUSAL:
            self._refusals.labels(_why_refused(result)).inc()
        if result.guard.fabrication_guard_triggered:
            self._triggered.inc()
        for reason, times in result.guard.reasons.items():
            self._reasons.labels(reason).inc(times)
        set_attributes(_attributes(result) | {"ragspine.profile_digest": profile_digest})


def _attributes(result: AnswerResult) -> dict[str, Value]:
    summary = result.tool_status_summary
    return {
        "ragspine.request_id": result.request_id,
        "ragspine.route": result.route,
        "ragspine.answer_kind": result.answer_kind,
        "ragspine.locale": result.locale,
        "ragspine.clarify_mode": result.clarification.mode if result.clarification else "none",
        "ragspine.asked": len(result.tool_results),
        "ragspine.found": summary.found,
        "ragspine.not_found": summary.not_found,
        "ragspine.unrecognized": summary.unrecognized,
        "ragspine.conflicting": summary.conflicting,
        "ragspine.guard.fabrication_guard_triggered": result.guard.fabrication_guard_triggered,
        "ragspine.guard.reasons": _counted(result.guard.reasons),
    }


def _why_refused(result: AnswerResult) -> str:
    if result.clarification and result.clarification.mode is ClarifyMode.OUT_OF_SCOPE_ENTITY:
        return "out_of_scope"
    if result.tool_status_summary.unrecognized:
        return "unrecognized"
    return "no_material" if result.route is Route.NARRATIVE else "not_found"


def _counted(reasons: Mapping[GuardReason, int]) -> Sequence[str]:
    return [f"{reason}:{times}" for reason, times in sorted(reasons.items())]
