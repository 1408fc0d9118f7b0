"""What an ask gets when its model fails in any way: the fixed text in time, and every number that needs no model.

Whole answers through the real gate and both official SDKs, against an endpoint on loopback that breaks.
"""

import time
from collections.abc import AsyncGenerator

import pytest

from contracts.codes import AnswerKind, Locale
from contracts.v1.ask import AnswerResult
from runtime.deadline import Deadline
from runtime.metrics import Metrics
from runtime.testing import recorded_spans
from services.clarify.texts import wording
from services.orchestrator.flow import answer
from services.orchestrator.providers.anthropic import make_anthropic
from services.orchestrator.providers.failures import MAX_REPLY_BYTES
from services.orchestrator.providers.gate import Breaker, ModelGate
from services.orchestrator.providers.observing import ModelObserver
from services.orchestrator.providers.openai import make_openai
from services.orchestrator.providers.turns import Turns
from tests.support.answers import ask, found, sample_profile, scope
from tests.support.inprocess import FixedFacts, Material, ParsedInProcess, passage, ports
from tests.support.scripted_model import ScriptedModel, scripted_model

pytestmark = pytest.mark.slow

PROFILE = sample_profile()
INTENT = ParsedInProcess(PROFILE)
SAY = wording(Locale.ZH)
FACTS = FixedFacts([found(scope("2023"), "650"), found(scope("2024"), "731.25")])
MATERIAL = Material([passage("香港营收下降主因是台风季停业。")])
DEADLINE_SECONDS = 1.0
MAKERS = {"openai": make_openai, "anthropic": make_anthropic}
FAULTS = {
    "slow": {"hang": 30},
    "dripping": {"text": "停业因台风888。" * 200, "drip": 0.2},
    "busy": {"status": 429, "headers": {"retry-after": "60"}},
    "broken": {"status": 500, "raw": '{"error": {"message": "888"}}'},
    "refused": {"status": 401, "raw": "888"},
    "gone": {"error": "crash"},
    "cut": {"text": "888" * 400, "cut": True},
    "malformed": {"raw": '{"choices": 888'},
    "huge": {"huge": MAX_REPLY_BYTES},
    "of another shape": {"raw": '{"choices": [{"message": {"content": {"x": 888}}}], "content": 888}'},
    "null": {"raw": "null"},
}
NOTHING_SAID = {"empty": {"text": ""}, "storm": {"storm": 300}}


@pytest.fixture
async def endpoint() -> AsyncGenerator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture(params=sorted(MAKERS))
async def gate(endpoint: ScriptedModel, request: pytest.FixtureRequest) -> AsyncGenerator[ModelGate]:
    provider = MAKERS[request.param](base_url=endpoint.url, model="m", api_key="k", timeout_seconds=5.0)
    with recorded_spans() as (telemetry, _):
        yield ModelGate(
            provider=provider,
            observer=ModelObserver(Metrics(), telemetry),
            breaker=Breaker(clock=time.monotonic),
            turns=Turns(4),
            timeout_seconds=5.0,
        )
    await provider.client.close()


async def answered(gate: ModelGate, question: str) -> AnswerResult:
    start = time.monotonic()
    these = ports(INTENT, FACTS, narrative=MATERIAL, model=gate.bound(Deadline.after(DEADLINE_SECONDS)))
    result = await answer(ask(question), these, PROFILE)
    assert time.monotonic() - start < DEADLINE_SECONDS + 1
    return result


@pytest.mark.parametrize("fault", sorted(FAULTS))
async def test_reasons_end_in_the_fixed_text_in_time(endpoint: ScriptedModel, gate: ModelGate, fault: str) -> None:
    endpoint.play([FAULTS[fault]] * 5)

    result = await answered(gate, "香港门店客流为什么回落")

    assert (result.answer, result.answer_kind) == (SAY.degraded_narrative, AnswerKind.DEGRADED)


@pytest.mark.parametrize("fault", ["slow", "broken", "gone", "malformed"])
async def test_a_single_number_ends_in_the_fixed_text_in_time(
    endpoint: ScriptedModel, gate: ModelGate, fault: str
) -> None:
    endpoint.play([FAULTS[fault]] * 5)

    result = await answered(gate, "香港2024营收")

    assert (result.answer, result.answer_kind) == (SAY.degraded_structured, AnswerKind.DEGRADED)


@pytest.mark.parametrize("fault", sorted(FAULTS))
async def test_numbers_that_need_no_model_survive_it(endpoint: ScriptedModel, gate: ModelGate, fault: str) -> None:
    endpoint.play([FAULTS[fault]] * 5)

    result = await answered(gate, "香港2023和2024营收为什么下降")

    assert "650 USD_M" in result.answer
    assert "731.25 USD_M" in result.answer
    assert result.answer.endswith(f"\n\n{SAY.analysis}\n{SAY.degraded_narrative}")
    assert "888" not in result.answer
    assert result.answer_kind is AnswerKind.NORMAL


@pytest.mark.parametrize("turn", sorted(NOTHING_SAID))
async def test_a_model_that_says_nothing_is_no_answer(endpoint: ScriptedModel, gate: ModelGate, turn: str) -> None:
    endpoint.play([NOTHING_SAID[turn]])

    result = await answered(gate, "香港门店客流为什么回落")

    assert (result.answer, result.answer_kind) == (SAY.no_answer, AnswerKind.REFUSAL)


async def test_a_storm_of_calls_does_not_hide_the_number(endpoint: ScriptedModel, gate: ModelGate) -> None:
    endpoint.play([{"storm": 300}] * 9)

    result = await answered(gate, "香港2024营收")

    assert "731.25 USD_M" in result.answer
    assert len(endpoint.requests) == 5
