"""The way of spans out of the process, and the gate that they pass: only what is on the allow-list leaves.

Imported only where traces are exported: the SDK is a good part of the time that a start takes.
"""

from collections.abc import Sequence

from opentelemetry import context as otel_context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanContext, Status

from runtime.attributes import SPAN_ATTRIBUTES, NotAllowedError, forbidden, shown_name
from runtime.metrics import Metrics


class AllowListProcessor(SpanProcessor):
    """Lets only allow-listed attributes and plain names through to `inner`; no events, links, states or status texts.

    `strict` raises `NotAllowedError` instead of leaving something out, so that tests find the place.
    """

    def __init__(self, inner: SpanProcessor, *, strict: bool = False) -> None:
        self._inner = inner
        self._strict = strict

    def on_start(self, span: Span, parent_context: otel_context.Context | None = None) -> None:
        """Pass on; nothing is exported before the end."""
        self._inner.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        """Pass on a copy that holds only what may leave."""
        refused = forbidden(span.attributes or {}, SPAN_ATTRIBUTES)
        if refused and self._strict:
            raise NotAllowedError(f"may not be traced: {', '.join(sorted(refused))}")
        if self._strict and shown_name(span.name) != span.name:
            raise NotAllowedError("may not be traced: the name of a span")
        self._inner.on_end(_clean(span, refused))

    def shutdown(self) -> None:
        """Stop the inner processor."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Export what is waiting; False when that took too long."""
        return self._inner.force_flush(timeout_millis)


def _clean(span: ReadableSpan, refused: frozenset[str]) -> ReadableSpan:
    attributes = {name: value for name, value in (span.attributes or {}).items() if name not in refused}
    return ReadableSpan(
        name=shown_name(span.name),
        context=_without_state(span.get_span_context()),
        parent=_without_state(span.parent),
        resource=span.resource,
        attributes=attributes,
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
    )


def _without_state(context: SpanContext | None) -> SpanContext | None:
    """The same place in the trace, without what others may have written into its state."""
    if context is None or not context.trace_state:
        return context
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)


class CountedExporter(SpanExporter):
    """Counts what `inner` exports, and what it fails to: traces that are missing have a number."""

    def __init__(self, inner: SpanExporter, metrics: Metrics) -> None:
        self._inner = inner
        self._count = metrics.counter("ragspine_spans", "Spans sent to the collector by outcome", "outcome")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Pass on and count."""
        result = self._inner.export(spans)
        outcome = "exported" if result is SpanExportResult.SUCCESS else "failed"
        self._count.labels(outcome).inc(len(spans))
        return result

    def shutdown(self) -> None:
        """Stop the inner exporter."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Whether the inner exporter has sent everything."""
        return self._inner.force_flush(timeout_millis)


def exporting_provider(service: str, instance: str, metrics: Metrics, *, strict: bool) -> TracerProvider:
    """A provider that exports by OTLP/HTTP, set up by the SDK's own `OTEL_*` variables."""
    resource = Resource.create({SERVICE_NAME: f"ragspine-{service}", SERVICE_INSTANCE_ID: instance})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = CountedExporter(OTLPSpanExporter(), metrics)
    provider.add_span_processor(AllowListProcessor(BatchSpanProcessor(exporter), strict=strict))
    return provider
