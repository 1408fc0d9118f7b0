"""The way of spans out of the process, and the gate that they pass: only what is on the allow-list leaves.

Imported only where traces are exported: the SDK is a good part of the time that a start takes.
"""

from opentelemetry import context as otel_context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status

from runtime.attributes import SPAN_ATTRIBUTES, NotAllowedError, forbidden


class AllowListProcessor(SpanProcessor):
    """Lets only allow-listed attributes through to `inner`, and no events, links or status texts at all.

    `strict` raises `NotAllowedError` instead of leaving an attribute out, so that tests find the place.
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
        name=span.name,
        context=span.get_span_context(),
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
    )


def exporting_provider(service: str, instance: str, *, strict: bool) -> TracerProvider:
    """A provider that exports by OTLP/HTTP, set up by the SDK's own `OTEL_*` variables."""
    resource = Resource.create({SERVICE_NAME: f"ragspine-{service}", SERVICE_INSTANCE_ID: instance})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(AllowListProcessor(BatchSpanProcessor(OTLPSpanExporter()), strict=strict))
    return provider
