"""The numeric part of an answer: scopes, look-up, guard, text. No text that a model wrote passes through here."""

from collections import Counter
from collections.abc import Sequence

from contracts.codes import GuardReason, Locale
from contracts.v1.ask import AssumedSlots, GuardReport
from contracts.v1.facts import FactQuery, QueryFacts
from contracts.v1.intent import ParsedIntent
from services.clarify.texts import wording
from services.orchestrator.guard import Verdict, guard
from services.orchestrator.parts import PART_AWAY, Part
from services.orchestrator.ports import Ports, ProviderError
from services.orchestrator.rendering import Rendered, render, sources, tool_results
from services.orchestrator.subtasks import expand
from services.orchestrator.tool_loop import LoopReport, run_tool_loop


async def answer_numbers(intent: ParsedIntent, assumed: AssumedSlots, ports: Ports, locale: Locale) -> Part:
    """Look up every asked scope and say what was found. Raises `TooManySubtasksError` or `ProfileMismatchError`."""
    scopes = expand(intent, assumed)
    try:
        report = await _look_up(scopes, ports, intent.profile_digest)
    except ProviderError:
        text = wording(locale).degraded_structured
        return Part(Rendered(text, text), failed=True)
    except PART_AWAY:
        # Absence was not shown, so nothing may be called "not found".
        report = LoopReport(outcomes=(), reasons={})
    return _part(guard(scopes, report.outcomes), report, locale)


async def _look_up(scopes: Sequence[FactQuery], ports: Ports, profile_digest: str) -> LoopReport:
    """One scope goes through the tool loop; several are looked up in one batch, without a model."""
    match scopes:
        case [only]:
            return await run_tool_loop(only, ports.provider, ports.facts, profile_digest=profile_digest)
        case _:
            reply = await ports.facts.query(QueryFacts(queries=tuple(scopes), profile_digest=profile_digest))
            return LoopReport(reply.outcomes, reasons={})


def _part(verdict: Verdict, report: LoopReport, locale: Locale) -> Part:
    reasons = Counter(report.reasons) + Counter({GuardReason.SCOPE_DRIFT: verdict.unasked})
    return Part(
        render(verdict, locale),
        sources=sources(verdict),
        failed=verdict.failed,
        tool_results=tool_results(verdict),
        guard=GuardReport(fabrication_guard_triggered=verdict.triggered, reasons=reasons),
    )
