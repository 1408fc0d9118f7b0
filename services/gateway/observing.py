"""What an answer leaves behind in metrics and traces: codes only."""

from collections.abc import Callable

from contracts.v1.ask import AnswerResult
from runtime.logging import get_log
from runtime.metrics import Metrics
from runtime.telemetry import set_attributes
from services.gateway.admission import Admission

_log = get_log(__name__)


class AnswerMetrics:
    """Counts answers by route, kind and language."""

    def __init__(self, metrics: Metrics) -> None:
        self._answers = metrics.counter("ragspine_answers", "Answers given at the edge", "route", "kind", "locale")

    def count(self, answer: AnswerResult) -> None:
        """Count an answer, and mark the current span with its codes."""
        self._answers.labels(answer.route, answer.answer_kind, answer.locale).inc()
        _log.debug("answered", request_id=answer.request_id, route=answer.route, outcome=answer.answer_kind)
        set_attributes(
            {
                "ragspine.request_id": answer.request_id,
                "ragspine.route": answer.route,
                "ragspine.answer_kind": answer.answer_kind,
                "ragspine.locale": answer.locale,
            }
        )


def watch_admission(metrics: Metrics, *, asks: Admission, loads: Admission, requests: Admission) -> None:
    """Show how full the gateway is: what is let in at the moment, and how much may be."""
    admitted = metrics.gauge("ragspine_admitted", "Let in at the moment", "what")
    limit = metrics.gauge("ragspine_admission_limit", "How much is let in at once; beyond it: 429", "what")
    for what, admission in (("asks", asks), ("loads", loads), ("requests", requests)):
        admitted.labels(what).set_function(_running(admission))
        limit.labels(what).set(admission.limit)


def _running(admission: Admission) -> Callable[[], float]:
    return lambda: admission.running
