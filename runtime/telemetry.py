"""One trace per ask across all processes, with as few spans as tell the story.

One SERVER span per served request and one CLIENT span per request sent, joined by the W3C header `traceparent`;
sampling is decided once, at the head. An unsampled request costs a context variable. `tracestate` and baggage never
travel.
"""

import re
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags

from runtime.attributes import Value
from runtime.errors import AskError
from runtime.metrics import Metrics
from runtime.settings import OtelSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_TRACEPARENT: Final = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
SHUTDOWN_SECONDS: Final = 3.0
UNSAMPLED: Final = f"00-{'1' * 32}-{'1' * 16}-00"
"""The `traceparent` of requests that are not worth a trace: probes and pings."""

_NO_SPAN: Final = nullcontext(trace.INVALID_SPAN)  # has no state, so one serves all

Spans = Generator[trace.Span]


class Telemetry:
    """The tracer of one process. Without a provider it makes no spans, and still passes the caller's context on."""

    def __init__(self, provider: "TracerProvider | None" = None) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("ragspine") if provider else trace.NoOpTracer()

    def serving(self, name: str, traceparent: str | None) -> AbstractContextManager[trace.Span]:
        """The SERVER span of a request, child of the caller's span where there is one."""
        parent = parse_traceparent(traceparent)
        if parent is None:
            # No provider, no caller's trace: nothing to make and nothing to remember.
            return _NO_SPAN if self._provider is None else self._recorded(name, SpanKind.SERVER, otel_context.Context())
        if self._provider is None or not parent.trace_flags.sampled:
            return _as_current(NonRecordingSpan(parent))  # nobody will look at it, but it is this trace
        return self._recorded(name, SpanKind.SERVER, trace.set_span_in_context(NonRecordingSpan(parent)))

    def attempting(self, name: str, accepted_in: str | None) -> AbstractContextManager[trace.Span]:
        """The CONSUMER span of an attempt at queued work: a trace of its own, linked to the one that accepted it."""
        if self._provider is None:
            return _NO_SPAN
        accepting = parse_traceparent(accepted_in)
        links = [trace.Link(accepting)] if accepting else []
        return self._recorded(name, SpanKind.CONSUMER, otel_context.Context(), links)

    def calling(self, name: str) -> AbstractContextManager[trace.Span]:
        """The CLIENT span of a request to another worker or service."""
        return self._child(name, SpanKind.CLIENT)

    def step(self, name: str) -> AbstractContextManager[trace.Span]:
        """A span of work inside this process; use it where a step can be slow by itself."""
        return self._child(name, SpanKind.INTERNAL)

    def shutdown(self) -> None:
        """Export what is waiting and stop, within `SHUTDOWN_SECONDS`."""
        if self._provider is None:
            return
        # The SDK's own limit is half a minute, which a collector that is away would add to every stop.
        stopping = threading.Thread(target=self._provider.shutdown, name="telemetry-shutdown", daemon=True)
        stopping.start()
        stopping.join(SHUTDOWN_SECONDS)

    def _child(self, name: str, kind: SpanKind) -> AbstractContextManager[trace.Span]:
        if self._provider is None or not trace.get_current_span().is_recording():
            return _NO_SPAN
        return self._recorded(name, kind, None)

    @contextmanager
    def _recorded(
        self, name: str, kind: SpanKind, context: otel_context.Context | None, links: Sequence[trace.Link] = ()
    ) -> Spans:
        span = self._tracer.start_span(name, context=context, kind=kind, links=links, record_exception=False)
        try:
            with _as_current(span):
                yield span
        except BaseException as error:
            mark_failed(span, error.code.value if isinstance(error, AskError) else type(error).__name__)
            raise
        finally:
            span.end()


@contextmanager
def _as_current(span: trace.Span) -> Spans:
    token = otel_context.attach(trace.set_span_in_context(span))
    try:
        yield span
    finally:
        otel_context.detach(token)


def set_attributes(values: Mapping[str, Value]) -> None:
    """Add attributes, by their allow-listed names, to the current span; nothing happens outside of a sampled trace."""
    span = trace.get_current_span()
    if span.is_recording():
        span.set_attributes(values)


def mark_failed(span: trace.Span, error_type: str) -> None:
    """Show a span as failed, by a code or the type of an exception; never by its text."""
    span.set_attribute("error.type", error_type)
    span.set_status(StatusCode.ERROR)


def traceparent() -> str | None:
    """The header that joins a request to the current trace; None outside of a trace."""
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"


def parse_traceparent(value: str | None) -> SpanContext | None:
    """The caller's span; None when there is no header or it is not a W3C one."""
    match = _TRACEPARENT.fullmatch(value or "")
    if match is None:
        return None
    trace_id, span_id, flags = (int(part, 16) for part in match.groups())
    context = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags & TraceFlags.SAMPLED))
    return context if context.is_valid else None


def start_telemetry(
    service: str, instance: str, settings: OtelSettings, metrics: Metrics, *, strict: bool = False
) -> Telemetry:
    """The tracer of this process: exports by OTLP when the standard variables name an endpoint, else makes no spans.

    Sampler, endpoint, headers and time-outs are the SDK's own `OTEL_*` variables.
    """
    if not settings.exports_traces:
        return Telemetry()
    from runtime.span_export import exporting_provider  # noqa: PLC0415 - a tenth of a second of CPU that few starts need

    return Telemetry(exporting_provider(service, instance, metrics, strict=strict))
