"""What a model call leaves behind: names, counts and timings by the GenAI conventions, never a prompt or a reply."""

import time
from types import TracebackType
from typing import Final

from runtime.metrics import Metrics
from runtime.telemetry import Telemetry, set_attributes
from services.orchestrator.conversation import ProviderError
from services.orchestrator.providers.ports import Completed, Provider

OPERATION: Final = "chat"


class ModelObserver:
    """Counts, times and traces model calls."""

    def __init__(self, metrics: Metrics, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self.calls = metrics.counter("ragspine_model_calls", "Model calls by outcome", "provider", "outcome")
        self.seconds = metrics.histogram("ragspine_model_seconds", "Duration of model calls", "provider")
        self.tokens = metrics.counter("ragspine_model_tokens", "Tokens by direction", "provider", "direction")

    def calling(self, provider: Provider) -> "ModelCall":
        """Around one attempt."""
        return ModelCall(self, self._telemetry, provider)


class ModelCall:
    """One attempt, from its start to its outcome."""

    def __init__(self, observer: ModelObserver, telemetry: Telemetry, provider: Provider) -> None:
        self._observer = observer
        self._provider = provider
        self._span = telemetry.calling(OPERATION)
        self._start = time.perf_counter()

    def __enter__(self) -> "ModelCall":
        """Open the span."""
        self._span.__enter__()
        set_attributes(
            {
                "gen_ai.operation.name": OPERATION,
                "gen_ai.provider.name": self._provider.name,
                "gen_ai.request.model": self._provider.model,
            }
        )
        return self

    def completed(self, reply: Completed) -> None:
        """Note what came back."""
        self._observer.tokens.labels(self._provider.name, "input").inc(reply.input_tokens)
        self._observer.tokens.labels(self._provider.name, "output").inc(reply.output_tokens)
        set_attributes(
            {
                "gen_ai.response.finish_reasons": reply.finish_reason,
                "gen_ai.usage.input_tokens": reply.input_tokens,
                "gen_ai.usage.output_tokens": reply.output_tokens,
            }
        )

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Count, time and close the span."""
        outcome = "ok" if exc is None else exc.reason if isinstance(exc, ProviderError) else "cancelled"
        self._observer.calls.labels(self._provider.name, outcome).inc()
        self._observer.seconds.labels(self._provider.name).observe(time.perf_counter() - self._start)
        self._span.__exit__(kind, exc, traceback)
