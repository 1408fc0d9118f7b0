"""The gate before a model, over a provider that fails as it is told."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from opentelemetry.trace import SpanKind, StatusCode

from runtime.deadline import Deadline
from runtime.metrics import Metrics
from runtime.telemetry import Telemetry
from runtime.testing import recorded_spans
from services.orchestrator.conversation import Message, ProviderError, Tool, Turn
from services.orchestrator.providers.gate import MAX_ATTEMPTS, Breaker, ModelGate, RetryBudget
from services.orchestrator.providers.observing import ModelObserver
from services.orchestrator.providers.ports import Completed
from services.orchestrator.providers.turns import Turns

DONE = Completed(Turn("ok"), finish_reason="stop", input_tokens=11, output_tokens=7)
BUSY = ProviderError("status_429", is_unprocessed=True)
BROKEN = ProviderError("status_500")


@dataclass
class Told:
    """A provider that does what it is told, one step a call; then it answers."""

    steps: list[ProviderError | float] = field(default_factory=list)
    calls: int = 0
    running: int = 0
    most_running: int = 0
    name: str = "told"
    model: str = "m"

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], *, timeout_seconds: float
    ) -> Completed:
        self.calls += 1
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            step = self.steps.pop(0) if self.steps else 0.0
            if isinstance(step, ProviderError):
                raise step
            await asyncio.sleep(step)
            return DONE
        finally:
            self.running -= 1


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def gate(provider: Told, clock: Clock | None = None, **changes: object) -> ModelGate:
    parts: dict[str, object] = {
        "provider": provider,
        "observer": ModelObserver(Metrics(), Telemetry()),
        "breaker": Breaker(clock=clock or Clock()),
        "turns": Turns(16),
        "timeout_seconds": 5.0,
        "jitter": lambda: 0.0,
    }
    return ModelGate(**(parts | changes))


async def ask(of: ModelGate, seconds: float = 5.0) -> Turn:
    return await of.bound(Deadline.after(seconds)).complete((), ())


async def test_a_call_that_the_server_did_not_process_is_made_again() -> None:
    provider = Told([BUSY, BUSY])

    assert await ask(gate(provider)) == DONE.turn
    assert provider.calls == 3


async def test_a_call_that_may_have_been_processed_is_not_made_again() -> None:
    provider = Told([BROKEN])

    with pytest.raises(ProviderError, match="status_500"):
        await ask(gate(provider))

    assert provider.calls == 1


async def test_attempts_are_limited() -> None:
    provider = Told([BUSY] * 99)

    with pytest.raises(ProviderError):
        await ask(gate(provider))

    assert provider.calls == MAX_ATTEMPTS


async def test_retries_are_a_small_share_of_the_calls() -> None:
    provider = Told([BUSY] * 99)
    spent = gate(provider, budget=RetryBudget(saved=0.0))

    with pytest.raises(ProviderError):
        await ask(spent)

    assert provider.calls == 1


async def test_a_retry_that_would_come_too_late_is_not_waited_for() -> None:
    provider = Told([ProviderError("status_503", is_unprocessed=True, retry_after_seconds=60)])

    with pytest.raises(ProviderError, match="status_503"):
        await ask(gate(provider))


async def test_a_slow_attempt_ends_at_its_own_limit() -> None:
    with pytest.raises(ProviderError, match="timeout"):
        await ask(gate(Told([30.0]), timeout_seconds=0.02))


async def test_a_call_ends_at_the_deadline_of_the_ask() -> None:
    with pytest.raises(ProviderError, match=r"deadline|timeout"):
        await ask(gate(Told([30.0])), seconds=0.02)


async def test_waiting_for_a_place_ends_at_the_deadline_too() -> None:
    full = gate(Told([30.0, 30.0]), turns=Turns(1))
    taking = asyncio.create_task(ask(full, seconds=1.0))
    await asyncio.sleep(0)

    with pytest.raises(ProviderError, match="deadline"):
        await ask(full, seconds=0.02)

    taking.cancel()


async def test_who_would_not_get_a_turn_in_time_is_told_at_once_and_takes_none() -> None:
    provider = Told([0.2, 30.0])
    full = gate(provider, turns=Turns(1))
    await ask(full)
    taking = asyncio.create_task(ask(full, seconds=5.0))
    while provider.calls < 2:
        await asyncio.sleep(0)

    with pytest.raises(ProviderError, match="busy"):
        await ask(full, seconds=0.01)

    assert provider.calls == 2
    taking.cancel()


async def test_calls_at_once_are_limited() -> None:
    provider = Told([0.01] * 8)
    narrow = gate(provider, turns=Turns(2))

    await asyncio.gather(*(ask(narrow) for _ in range(8)))

    assert provider.most_running == 2


async def test_an_open_circuit_refuses_without_a_call_and_closes_after_a_trial(clock: Clock) -> None:
    provider = Told([BROKEN] * 5)
    broken = gate(provider, clock)
    for _ in range(5):
        with pytest.raises(ProviderError, match="status_500"):
            await ask(broken)

    with pytest.raises(ProviderError, match="circuit_open"):
        await ask(broken)
    assert provider.calls == 5

    clock.now += 60
    assert await ask(broken) == DONE.turn
    assert await ask(broken) == DONE.turn


async def test_a_failed_trial_opens_the_circuit_again(clock: Clock) -> None:
    provider = Told([BROKEN] * 6)
    broken = gate(provider, clock)
    for _ in range(5):
        with pytest.raises(ProviderError):
            await ask(broken)
    clock.now += 60

    with pytest.raises(ProviderError, match="status_500"):
        await ask(broken)
    with pytest.raises(ProviderError, match="circuit_open"):
        await ask(broken)


async def test_one_trial_at_a_time_goes_through_a_circuit_that_was_open(clock: Clock) -> None:
    provider = Told([BROKEN] * 5)
    broken = gate(provider, clock)
    for _ in range(5):
        with pytest.raises(ProviderError):
            await ask(broken)
    clock.now += 60
    provider.steps = [0.01]

    results = await asyncio.gather(*(ask(broken) for _ in range(9)), return_exceptions=True)

    assert [r for r in results if not isinstance(r, ProviderError)] == [DONE.turn]


async def test_calls_and_tokens_are_counted_by_outcome() -> None:
    metrics = Metrics()
    counted = gate(Told([BUSY]), observer=ModelObserver(metrics, Telemetry()))

    await ask(counted)

    text = metrics.render().decode()
    assert 'ragspine_model_calls_total{outcome="status_429",provider="told"} 1.0' in text
    assert 'ragspine_model_calls_total{outcome="ok",provider="told"} 1.0' in text
    assert 'ragspine_model_tokens_total{direction="output",provider="told"} 7.0' in text


async def test_what_a_model_call_was_is_on_its_own_span_and_holds_no_content() -> None:
    with recorded_spans() as (telemetry, spans):
        observed = gate(Told([BROKEN]), observer=ModelObserver(Metrics(), telemetry))
        with telemetry.serving("ask", None):
            with pytest.raises(ProviderError):
                await ask(observed)
            await ask(observed)
        failed, done, around = spans()

    asked = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "told", "gen_ai.request.model": "m"}
    assert (failed.name, failed.kind) == ("chat m", SpanKind.CLIENT)
    assert failed.attributes == {**asked, "ragspine.outcome": "status_500", "error.type": "status_500"}
    assert failed.status.status_code is StatusCode.ERROR
    assert done.attributes == {
        **asked,
        "gen_ai.response.finish_reasons": (DONE.finish_reason,),
        "gen_ai.usage.input_tokens": DONE.input_tokens,
        "gen_ai.usage.output_tokens": DONE.output_tokens,
        "ragspine.outcome": "ok",
    }
    assert not around.attributes
    assert {span.parent and span.parent.span_id for span in (failed, done)} == {around.context.span_id}


async def test_a_call_that_was_given_up_by_its_ask_is_no_longer_in_flight() -> None:
    metrics = Metrics()
    slow = asyncio.create_task(ask(gate(Told([30.0]), observer=ModelObserver(metrics, Telemetry()))))
    await asyncio.sleep(0.01)
    running = metrics.registry.get_sample_value("ragspine_model_calls_in_flight", {"provider": "told"})

    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)

    assert running == 1
    assert metrics.registry.get_sample_value("ragspine_model_calls_in_flight", {"provider": "told"}) == 0
    assert 'ragspine_model_calls_total{outcome="cancelled",provider="told"} 1.0' in metrics.render().decode()


def test_an_open_circuit_is_a_metric() -> None:
    metrics, is_open = Metrics(), [False, True]
    ModelObserver(metrics, Telemetry()).watch_circuit("told", lambda: is_open.pop())

    values = [metrics.registry.get_sample_value("ragspine_model_circuit_open", {"provider": "told"}) for _ in range(2)]

    assert values == [1, 0]
