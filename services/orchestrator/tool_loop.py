"""The single-scope look-up with a model beside it: whatever the model asks for, the asked scope is what is looked up.

So a model can neither invent a number nor suppress one: its wishes are counted, never followed anywhere else.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.codes import GuardReason
from contracts.v1.facts import FactOutcome, FactQuery, QueryFacts
from services.orchestrator.ports import FactPort, Provider


@dataclass(frozen=True, slots=True)
class LoopReport:
    """What was looked up, and what the model did that had to be corrected."""

    outcomes: Sequence[FactOutcome]
    reasons: Mapping[GuardReason, int]


async def run_tool_loop(asked: FactQuery, provider: Provider, facts: FactPort, *, profile_digest: str) -> LoopReport:
    """Let the provider ask, then look up the asked scope. Raises `ProviderError`, or what the facts hop raises."""
    proposed = await provider.propose(asked)
    reasons: Counter[GuardReason] = Counter()
    if not proposed:
        reasons[GuardReason.NO_TOOL_CALL] += 1
    if drifted := sum(scope != asked for scope in proposed):
        reasons[GuardReason.SCOPE_DRIFT] += drifted
    reply = await facts.query(QueryFacts(queries=(asked,), profile_digest=profile_digest))
    return LoopReport(reply.outcomes, reasons)
