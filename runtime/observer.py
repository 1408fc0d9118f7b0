"""What a request leaves behind in metrics and traces, on the serving and on the sending side alike.

This runs around every request: instruments are looked up once per subject, and context managers are plain classes.
"""

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final

from opentelemetry.trace import Span
from prometheus_client import Counter, Gauge, Histogram

from runtime.errors import AskError
from runtime.metrics import Metrics
from runtime.telemetry import Telemetry, mark_failed

OK: Final = "ok"
FAILED: Final = "failed"
"""The outcome of a request that was cancelled, or that an exception ended which nobody expected."""


class _Subject:
    """The instruments of one subject on one side."""

    def __init__(self, subject: str, total: Counter, seconds: Histogram) -> None:
        self.name = subject
        self.seconds = seconds.labels(subject)
        self._total = total
        self._by_outcome: dict[str, Counter] = {}

    def count(self, outcome: str) -> None:
        """One more request with that outcome."""
        counter = self._by_outcome.get(outcome)
        if counter is None:
            counter = self._by_outcome[outcome] = self._total.labels(self.name, outcome)
        counter.inc()


class _Request:
    """One request, from its start to its outcome."""

    __slots__ = ("_span", "_start", "_subject", "_tracing", "outcome", "was_dropped")

    def __init__(self, subject: _Subject, tracing: AbstractContextManager[Span]) -> None:
        self.outcome = FAILED
        self.was_dropped = False
        self._subject = subject
        self._tracing = tracing
        self._start = time.perf_counter()
        self._span: Span = tracing.__enter__()

    def _end(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _mark(self._span, self._subject.name, self.outcome)
        self._tracing.__exit__(kind, exc, traceback)
        self._subject.count(self.outcome)
        self._subject.seconds.observe(time.perf_counter() - self._start)


class Served(_Request):
    """A request that is being served; whoever answers it sets `outcome` and `was_dropped`."""

    __slots__ = ("_dropped", "_in_flight")

    def __init__(self, subject: _Subject, tracing: AbstractContextManager[Span], metrics: Metrics) -> None:
        super().__init__(subject, tracing)
        self._in_flight: Gauge = metrics.in_flight.labels(subject.name)
        self._dropped = metrics.dropped
        self._in_flight.inc()

    def __enter__(self) -> "Served":
        """Started when it was made."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Count, time and end the span."""
        self._in_flight.dec()
        if self.was_dropped:
            self._dropped.labels(self._subject.name).inc()
        self._end(kind, exc, traceback)


class Sent(_Request):
    """A request to another worker; its outcome follows from how the block ends."""

    __slots__ = ()

    def __enter__(self) -> "Sent":
        """Started when it was made."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Count, time and end the span."""
        if exc is None:
            self.outcome = OK
        elif isinstance(exc, AskError):
            self.outcome = exc.code.value
        self._end(kind, exc, traceback)


@dataclass(frozen=True)
class Observer:
    """Counts, times and traces requests."""

    metrics: Metrics = field(default_factory=Metrics)
    telemetry: Telemetry = field(default_factory=Telemetry)
    _served: dict[str, _Subject] = field(init=False, default_factory=dict[str, _Subject])
    _sent: dict[str, _Subject] = field(init=False, default_factory=dict[str, _Subject])

    def serving(self, subject: str, traceparent: str | None) -> Served:
        """Around one served request."""
        found = self._served.get(subject)
        if found is None:
            found = self._served[subject] = _Subject(subject, self.metrics.served, self.metrics.served_seconds)
        return Served(found, self.telemetry.serving(subject, traceparent), self.metrics)

    def sending(self, subject: str) -> Sent:
        """Around one request to another worker."""
        found = self._sent.get(subject)
        if found is None:
            found = self._sent[subject] = _Subject(subject, self.metrics.sent, self.metrics.sent_seconds)
        return Sent(found, self.telemetry.calling(subject))


def _mark(span: Span, subject: str, outcome: str) -> None:
    if not span.is_recording():
        return
    span.set_attribute("messaging.system", "nats")
    span.set_attribute("messaging.destination.name", subject)
    span.set_attribute("ragspine.outcome", outcome)
    if outcome != OK:
        mark_failed(span, outcome)
