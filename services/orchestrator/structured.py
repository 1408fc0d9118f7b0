"""The numeric part of an answer: scopes, look-up, guard, text. No text that a model wrote passes through here."""

from collections import Counter
from collections.abc import Sequence

from contracts.codes import GuardReason, Locale
from contracts.v1.ask import AnswerQuestion, AssumedSlots, GuardReport
from contracts.v1.facts import FactOutcome, QueryFacts
from contracts.v1.intent import ParsedIntent
from domain.profile import CompanyProfile
from runtime.telemetry import set_attributes
from services.clarify.texts import wording
from services.orchestrator.calculating import calculate, calculations
from services.orchestrator.conversation import ProviderError
from services.orchestrator.guard import Verdict, guard
from services.orchestrator.operands import Plan, plan
from services.orchestrator.parts import PART_AWAY, Part
from services.orchestrator.ports import ModelDesk, Ports
from services.orchestrator.prompts import numeric_messages
from services.orchestrator.rendering import Rendered, render, sources, tool_results
from services.orchestrator.steps import Step
from services.orchestrator.tool_loop import LoopReport, run_tool_loop


async def answer_numbers(
    ask: AnswerQuestion,
    intent: ParsedIntent,
    assumed: AssumedSlots,
    ports: Ports,
    profile: CompanyProfile,
    locale: Locale,
) -> Part:
    """Look up every asked scope and say what was found. Raises `TooManySubtasksError` or `ProfileMismatchError`."""
    planned = plan(intent, assumed)
    try:
        report = await _look_up(planned, ask, ports, profile)
    except ProviderError:
        text = wording(locale).degraded_structured
        return Part(Rendered(text, text), failed=True, refused=planned.scopes)
    except PART_AWAY:
        # Absence was not shown, so nothing may be called "not found".
        report = LoopReport(outcomes=())
    return _part(guard(planned.scopes, report.outcomes), report, planned.steps, locale)


async def _look_up(planned: Plan, ask: AnswerQuestion, ports: Ports, profile: CompanyProfile) -> LoopReport:
    """One scope goes through the tool loop where there is a model; several are looked up in one batch, without it.

    So are the operands of a calculation, however few they are.
    """

    async def look_up() -> Sequence[FactOutcome]:
        batch = QueryFacts(queries=planned.scopes, profile_digest=profile.digest())
        return (await ports.facts.query(batch)).outcomes

    match (planned, ports.model):
        case (Plan(scopes=(only,), steps=()), ModelDesk(model, tool, facts_on_failure)):
            return await run_tool_loop(
                only,
                look_up,
                model=model,
                tool=tool,
                messages=numeric_messages(ask, profile),
                today=ask.reference_date,
                facts_on_failure=facts_on_failure,
            )
        case _:
            return LoopReport(await look_up())


def _part(verdict: Verdict, report: LoopReport, steps: Sequence[Step], locale: Locale) -> Part:
    computed = calculate(steps, verdict)
    if report.turns:
        set_attributes({"ragspine.turns": report.turns, "ragspine.tool_calls": report.tool_calls})
    reasons = Counter(report.reasons) + Counter({GuardReason.SCOPE_DRIFT: verdict.unasked})
    return Part(
        render(verdict, locale, computed),
        sources=sources(verdict),
        refused=verdict.refused,
        failed=verdict.failed,
        tool_results=tool_results(verdict),
        calculations=calculations(computed),
        guard=GuardReport(fabrication_guard_triggered=verdict.triggered, reasons=reasons),
    )
