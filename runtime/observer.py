"""What a request leaves behind in metrics and traces, on the serving and on the sending side alike."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from opentelemetry.trace import Span, StatusCode

from runtime.errors import AskError
from runtime.metrics import Metrics
from runtime.telemetry import Telemetry

OK: Final = "ok"
_FAILED: Final = "failed"


@dataclass(slots=True)
class Outcome:
    """What came out of a request; the code that handled it says so."""

    code: str = OK
    was_dropped: bool = False


@dataclass(frozen=True)
class Observer:
    """Counts, times and traces requests."""

    metrics: Metrics = field(default_factory=Metrics)
    telemetry: Telemetry = field(default_factory=Telemetry)

    @contextmanager
    def serving(self, subject: str, traceparent: str | None) -> Generator[Outcome]:
        """Around one served request."""
        outcome, start = Outcome(_FAILED), time.perf_counter()
        in_flight = self.metrics.in_flight.labels(subject)
        in_flight.inc()
        try:
            with self.telemetry.serving(subject, traceparent) as span:
                yield outcome
                _mark(span, subject, outcome)
        finally:
            in_flight.dec()
            self.metrics.served.labels(subject, outcome.code).inc()
            self.metrics.served_seconds.labels(subject).observe(time.perf_counter() - start)
            if outcome.was_dropped:
                self.metrics.dropped.labels(subject).inc()

    @contextmanager
    def sending(self, subject: str) -> Generator[None]:
        """Around one request to another worker."""
        code, start = _FAILED, time.perf_counter()
        try:
            with self.telemetry.calling(subject) as span:
                try:
                    yield
                except AskError as error:
                    code = error.code
                    _mark(span, subject, Outcome(code))
                    raise
                code = OK
                _mark(span, subject, Outcome(code))
        finally:
            self.metrics.sent.labels(subject, code).inc()
            self.metrics.sent_seconds.labels(subject).observe(time.perf_counter() - start)


def _mark(span: Span, subject: str, outcome: Outcome) -> None:
    if not span.is_recording():
        return
    span.set_attribute("messaging.system", "nats")
    span.set_attribute("messaging.destination.name", subject)
    span.set_attribute("ragspine.outcome", outcome.code)
    if outcome.code != OK:
        span.set_status(StatusCode.ERROR)
