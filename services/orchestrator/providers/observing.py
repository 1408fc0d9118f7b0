"""What a model call leaves behind: names, counts and timings by the GenAI conventions, never a prompt or a reply."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Final

from runtime.metrics import Metrics
from runtime.telemetry import Telemetry, mark_failed
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
        self.in_flight = metrics.gauge("ragspine_model_calls_in_flight", "Model calls that are running", "provider")
        self._is_open = metrics.gauge("ragspine_model_circuit_open", "Whether calls are refused: 1 or 0", "provider")

    def calling(self, provider: Provider) -> "ModelCall":
        """Around one attempt."""
        return ModelCall(self, self._telemetry, provider)

    def watch_circuit(self, provider: str, is_open: Callable[[], bool]) -> None:
        """Show whether the model is given up for the moment."""
        self._is_open.labels(provider).set_function(is_open)


class ModelCall:
    """One attempt, from its start to its outcome. What it is about is written on its own span, whichever is current."""

    def __init__(self, observer: ModelObserver, telemetry: Telemetry, provider: Provider) -> None:
        self._observer = observer
        self._provider = provider
        self._start = time.perf_counter()
        self._tracing = telemetry.calling(f"{OPERATION} {provider.model}")
        self._span = self._tracing.__enter__()

    def __enter__(self) -> "ModelCall":
        """Started when it was made."""
        self._observer.in_flight.labels(self._provider.name).inc()
        self._span.set_attributes(
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
        self._span.set_attributes(
            {
                "gen_ai.response.finish_reasons": [reply.finish_reason],
                "gen_ai.usage.input_tokens": reply.input_tokens,
                "gen_ai.usage.output_tokens": reply.output_tokens,
            }
        )

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Count, time and close the span."""
        outcome = "ok" if exc is None else exc.reason if isinstance(exc, ProviderError) else "cancelled"
        self._observer.in_flight.labels(self._provider.name).dec()
        self._observer.calls.labels(self._provider.name, outcome).inc()
        self._observer.seconds.labels(self._provider.name).observe(time.perf_counter() - self._start)
        self._span.set_attributes({"ragspine.outcome": outcome})
        if exc is not None:
            mark_failed(self._span, outcome)
        self._tracing.__exit__(None, None, None)  # how it ended is written already, by a code
