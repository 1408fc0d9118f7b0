from collections.abc import Sequence

import pytest

from contracts.codes import GuardReason
from contracts.v1.facts import FactQuery
from services.orchestrator.ports import Provider, ProviderError
from services.orchestrator.providers.offline import OfflineProvider
from services.orchestrator.tool_loop import LoopReport, run_tool_loop
from tests.support.answers import found, scope
from tests.support.inprocess import Away, Drifting, FixedFacts

ASKED = scope("2025")
OTHER = scope("2024")


async def run(provider: Provider, facts: FixedFacts) -> LoopReport:
    return await run_tool_loop(ASKED, provider, facts, profile_digest="d")


async def test_without_a_model_the_asked_scope_is_looked_up_and_nothing_is_corrected() -> None:
    facts = FixedFacts([found(ASKED, "1")])

    report = await run(OfflineProvider(), facts)

    assert facts.asked[0].queries == (ASKED,)
    assert report.outcomes == (found(ASKED, "1"),)
    assert report.reasons == {}


@pytest.mark.parametrize(
    ("proposals", "reasons"),
    [
        ([], {GuardReason.NO_TOOL_CALL: 1}),
        ([OTHER], {GuardReason.SCOPE_DRIFT: 1}),
        ([OTHER, ASKED, OTHER], {GuardReason.SCOPE_DRIFT: 2}),
        ([ASKED] * 5_000, {}),
        ([OTHER] * 5_000, {GuardReason.SCOPE_DRIFT: 5_000}),
    ],
)
async def test_whatever_a_model_asks_for_the_asked_scope_alone_is_looked_up_once(
    proposals: Sequence[FactQuery], reasons: dict[GuardReason, int]
) -> None:
    facts = FixedFacts()

    report = await run(Drifting(proposals), facts)

    assert [batch.queries for batch in facts.asked] == [(ASKED,)]
    assert report.reasons == reasons


async def test_a_provider_failure_is_passed_on_before_anything_is_looked_up() -> None:
    facts = FixedFacts()

    with pytest.raises(ProviderError):
        await run(Away(ProviderError()), facts)

    assert facts.asked == []
