"""What an answer leaves behind in metrics and traces: codes only."""

from contracts.v1.ask import AnswerResult
from runtime.metrics import Metrics
from runtime.telemetry import set_attributes


class AnswerMetrics:
    """Counts answers by route, kind and language."""

    def __init__(self, metrics: Metrics) -> None:
        self._answers = metrics.counter("ragspine_answers", "Answers given at the edge", "route", "kind", "locale")

    def count(self, answer: AnswerResult) -> None:
        """Count an answer, and mark the current span with its codes."""
        self._answers.labels(answer.route, answer.answer_kind, answer.locale).inc()
        set_attributes(
            {
                "ragspine.route": answer.route,
                "ragspine.answer_kind": answer.answer_kind,
                "ragspine.locale": answer.locale,
            }
        )
