"""Lying models by the thousand, on the whole flow: no digit of theirs gets out, and no asked scope gets lost."""

import json
from collections import Counter
from collections.abc import Sequence

import pytest

from contracts.codes import AnswerKind
from contracts.v1.ask import AnswerResult
from contracts.v1.facts import FactOutcome
from services.orchestrator.conversation import Message, ProviderError, Tool, ToolCall, Turn
from services.orchestrator.flow import answer
from tests.properties.liars import behaviour
from tests.properties.promise import broken
from tests.support.answers import ask, conflicting, found, intent, not_found, sample_profile, scope
from tests.support.inprocess import FixedFacts, FixedIntent, ports

PROFILE = sample_profile()
HK_2024 = scope("2024")
WORLDS: Sequence[FactOutcome] = (found(HK_2024, "731.25"), not_found(HK_2024), conflicting(HK_2024, "1.5", "2.5"))


class Liar:
    """A model with a behaviour."""

    def __init__(self, seed: int) -> None:
        self._turns = iter(behaviour(seed))

    async def complete(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Turn:
        said = next(self._turns, {})
        if "error" in said:
            raise ProviderError(said["error"])
        return Turn(said.get("text", ""), tuple(_call(c) for c in said.get("tool_calls", ())))


def _call(call: dict[str, object]) -> ToolCall:
    arguments = call["arguments"]
    return ToolCall("c", str(call["name"]), arguments if isinstance(arguments, str) else json.dumps(arguments))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "seeds",
    [
        range(1_000),
        pytest.param(range(1_000, 10_500), marks=[pytest.mark.slow]),
        pytest.param(range(10_500, 20_000), marks=[pytest.mark.slow]),
    ],
)
async def test_no_lying_model_puts_a_number_into_an_answer_or_keeps_one_out(seeds: range) -> None:
    kinds: Counter[AnswerKind] = Counter()

    for seed in seeds:
        outcome = WORLDS[seed % len(WORLDS)]
        result = await _asked(seed, outcome)
        kinds[result.answer_kind] += 1
        assert broken((HK_2024,), (outcome,), result) == [], f"seed {seed}"

    assert set(kinds) == {AnswerKind.NORMAL, AnswerKind.REFUSAL, AnswerKind.DEGRADED}


async def _asked(seed: int, outcome: FactOutcome) -> AnswerResult:
    return await answer(
        ask("香港2024营收"), ports(FixedIntent(intent()), FixedFacts((outcome,)), model=Liar(seed)), PROFILE
    )


async def test_the_check_sees_a_number_that_was_let_through() -> None:
    outcome = WORLDS[0]
    honest = await _asked(0, outcome)

    smuggled = honest.model_copy(update={"answer": honest.answer + " 777.7"})

    assert broken((HK_2024,), (outcome,), smuggled)
