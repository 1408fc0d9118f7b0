"""Spans carry codes, counts and timings only, and every request of an ask is in one trace."""

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import pytest
from faststream.nats import NatsRouter
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags, TraceState

from runtime.attributes import NotAllowedError, Value
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from runtime.metrics import Metrics
from runtime.observer import Observer
from runtime.serving import rpc
from runtime.settings import OtelSettings
from runtime.span_export import AllowListProcessor, CountedExporter
from runtime.telemetry import (
    Telemetry,
    parse_traceparent,
    set_attributes,
    start_telemetry,
    traceparent,
)
from runtime.testing import InMemoryBus, recorded_spans
from tests.unit.runtime.messages import QUEUE, Said, Say, say_router

SAMPLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
UNSAMPLED = SAMPLED[:-1] + "0"


@contextmanager
def exporting(*, strict: bool) -> Generator[tuple[Telemetry, InMemorySpanExporter]]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(AllowListProcessor(SimpleSpanProcessor(exporter), strict=strict))
    telemetry = Telemetry(provider)
    yield telemetry, exporter
    telemetry.shutdown()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("question", "code"),
        ("ragspine.answer", "code"),
        ("ragspine.outcome", "中国内地的营收是多少"),
        ("ragspine.outcome", "two\nlines"),
        ("ragspine.outcome", "x" * 201),
        ("ragspine.outcome", "what is the revenue"),
        ("ragspine.outcome", "1320"),
        ("ragspine.outcome", 1320),
        ("ragspine.found", "1320"),
        ("ragspine.found", True),
        ("ragspine.guard.fabrication_guard_triggered", 1),
        ("ragspine.guard.reasons", ["no_tool_call:1", "the revenue is 5"]),
        ("ragspine.request_id", "what is the revenue"),
        ("ragspine.request_id", "x" * 65),
        ("gen_ai.request.model", "a sentence"),
        ("gen_ai.response.finish_reasons", "stop"),
        ("gen_ai.response.finish_reasons", ["stop", "the answer is “5”"]),
    ],
)
def test_what_is_not_on_the_list_is_left_out_or_raised(name: str, value: Value) -> None:
    with exporting(strict=False) as (telemetry, exporter), telemetry.serving("s", None):
        set_attributes({name: value, "ragspine.asked": 3})
    assert dict(exporter.get_finished_spans()[0].attributes or {}) == {"ragspine.asked": 3}

    with (
        exporting(strict=True) as (telemetry, _),
        pytest.raises(NotAllowedError, match=name),
        telemetry.serving("s", None),
    ):
        set_attributes({name: value})


def test_events_links_and_status_texts_never_leave() -> None:
    with exporting(strict=True) as (telemetry, exporter), telemetry.serving("s", None) as span:
        span.record_exception(ValueError("SENTINEL"))
        span.set_status(StatusCode.ERROR, "SENTINEL")

    exported = exporter.get_finished_spans()[0]
    assert "SENTINEL" not in exported.to_json()
    assert exported.status.status_code is StatusCode.ERROR
    assert exported.events == ()


def test_an_exception_leaves_its_type_only() -> None:
    with exporting(strict=True) as (telemetry, exporter), pytest.raises(ValueError, match="SENTINEL"):  # noqa: SIM117
        with telemetry.serving("s", None):
            raise ValueError("SENTINEL")

    exported = exporter.get_finished_spans()[0]
    assert dict(exported.attributes or {}) == {"error.type": "ValueError"}
    assert "SENTINEL" not in exported.to_json()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("POST /v1/ask", "POST /v1/ask"),
        ("ragspine.v1.ask.*", "ragspine.v1.ask.*"),
        ("GET /v1/asks/{id}", "GET /v1/asks/{id}"),
        ("chat llama3.1:8b", "chat llama3.1:8b"),
        ("chat What is the revenue?", "chat"),
        ("香港2024营收 chat", "unnamed"),
        ("", "unnamed"),
        ("x" * 201, "unnamed"),
    ],
)
def test_the_name_of_a_span_is_a_name_or_left_out(name: str, shown: str) -> None:
    with exporting(strict=False) as (telemetry, exporter), telemetry.serving("s", None) as span:
        span.update_name(name)

    assert exporter.get_finished_spans()[0].name == shown


def test_the_name_of_a_span_raises_where_telemetry_is_strict() -> None:
    with exporting(strict=True) as (telemetry, _), pytest.raises(NotAllowedError, match="name"):  # noqa: SIM117
        with telemetry.serving("香港2024营收", None):
            pass


def test_the_state_of_a_trace_never_leaves() -> None:
    state = TraceState([("vendor", "SENTINEL")])
    parent = SpanContext(1, 2, is_remote=True, trace_flags=TraceFlags(1), trace_state=state)
    with exporting(strict=True) as (_, exporter):
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(AllowListProcessor(SimpleSpanProcessor(exporter), strict=True))
        context = trace.set_span_in_context(NonRecordingSpan(parent))
        provider.get_tracer("t").start_span("s", context=context).end()

    exported = exporter.get_finished_spans()[0]
    assert "SENTINEL" not in exported.to_json()
    assert exported.parent is not None
    assert (exported.parent.trace_id, exported.parent.span_id) == (1, 2)


def test_without_a_provider_the_callers_context_is_passed_on() -> None:
    with Telemetry().serving("s", SAMPLED), Telemetry().calling("t"):
        assert traceparent() == SAMPLED

    assert traceparent() is None


def test_an_unsampled_request_makes_no_span_and_stays_unsampled() -> None:
    with recorded_spans() as (telemetry, spans):
        with telemetry.serving("s", UNSAMPLED), telemetry.calling("t"), telemetry.step("u"):
            passed_on = traceparent()

        assert passed_on == UNSAMPLED
        assert spans() == ()


def test_a_request_without_a_trace_starts_one_even_inside_another() -> None:
    with recorded_spans() as (telemetry, spans):
        with telemetry.serving("outer", None), telemetry.serving("inner", None):
            pass

        inner, outer = spans()
        assert inner.parent is None
        assert inner.context.trace_id != outer.context.trace_id


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "00-abc",
        SAMPLED.upper(),
        "01" + SAMPLED[2:],
        f"00-{'0' * 32}-{'1' * 16}-01",
        f"00-{'1' * 32}-{'0' * 16}-01",
    ],
)
def test_a_header_that_is_no_trace_context_is_ignored(header: str | None) -> None:
    assert parse_traceparent(header) is None


def test_attributes_outside_of_a_trace_go_nowhere() -> None:
    set_attributes({"ragspine.asked": 1})

    assert not trace.get_current_span().is_recording()


async def test_one_trace_covers_two_hops_with_one_span_per_side() -> None:
    with recorded_spans() as (telemetry, spans):
        bus = InMemoryBus(say_router("test.far"), observer=Observer(telemetry=telemetry))
        near = NatsRouter()

        @rpc(near, "test.near", queue=QUEUE)
        async def on_near(message: Say) -> Said:
            return await bus.request("test.far", message, Said, deadline=Deadline.after(2))

        bus.include_router(near)
        with telemetry.serving("edge", None):
            await bus.request("test.near", Say(text="SENTINEL"), Said, deadline=Deadline.after(3))

        by_id = {span.context.span_id: span for span in spans()}
        edges = {
            (by_id[s.parent.span_id].name, by_id[s.parent.span_id].kind, s.name, s.kind) for s in spans() if s.parent
        }
        assert edges == {
            ("edge", SpanKind.SERVER, "test.near", SpanKind.CLIENT),
            ("test.near", SpanKind.CLIENT, "test.near", SpanKind.SERVER),
            ("test.near", SpanKind.SERVER, "test.far", SpanKind.CLIENT),
            ("test.far", SpanKind.CLIENT, "test.far", SpanKind.SERVER),
        }
        assert len({span.context.trace_id for span in spans()}) == 1
        assert "SENTINEL" not in json.dumps([span.to_json() for span in spans()])


async def test_a_failed_request_is_an_error_in_its_span() -> None:
    with recorded_spans() as (telemetry, spans):
        bus = InMemoryBus(observer=Observer(telemetry=telemetry))
        with telemetry.serving("edge", None), pytest.raises(UnavailableError):
            await bus.request("test.nobody", Say(text="a"), Said, deadline=Deadline.after(1))

        failed = spans()[0]
        assert failed.status.status_code is StatusCode.ERROR
        assert (failed.attributes or {})["ragspine.outcome"] == "unavailable"
        assert (failed.attributes or {})["error.type"] == "unavailable"


def test_no_span_is_made_when_nobody_asked_for_traces() -> None:
    telemetry = start_telemetry("intent", "1", OtelSettings(), Metrics())

    with telemetry.serving("s", SAMPLED) as span:
        assert not span.is_recording()
    telemetry.shutdown()


def test_the_exporter_is_set_up_by_the_standard_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")

    telemetry = start_telemetry("intent", "1", OtelSettings(), Metrics())

    with telemetry.serving("s", None) as span:
        assert not span.is_recording()
    telemetry.shutdown()


@pytest.mark.parametrize(("at_the_head", "behind", "made"), [("0", "1", 0), ("1", "0", 3)])
def test_sampling_is_decided_at_the_head_and_the_others_follow(
    monkeypatch: pytest.MonkeyPatch, at_the_head: str, behind: str, made: int
) -> None:
    exporter = InMemorySpanExporter()
    head, worker = (_sampling(monkeypatch, share, exporter) for share in (at_the_head, behind))

    with head.serving("edge", None), head.calling("hop"):
        header = traceparent()
    with worker.serving("hop", header):
        pass

    assert len(exporter.get_finished_spans()) == made
    passed_on = parse_traceparent(header)
    assert passed_on is not None
    assert passed_on.trace_flags.sampled is bool(made)


def _sampling(monkeypatch: pytest.MonkeyPatch, share: str, exporter: InMemorySpanExporter) -> Telemetry:
    """A process with that share of traces."""
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", share)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(AllowListProcessor(SimpleSpanProcessor(exporter), strict=True))
    return Telemetry(provider)


@pytest.mark.parametrize(
    ("result", "outcome"), [(SpanExportResult.SUCCESS, "exported"), (SpanExportResult.FAILURE, "failed")]
)
def test_spans_that_were_and_were_not_sent_are_counted(result: SpanExportResult, outcome: str) -> None:
    class Fixed(InMemorySpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            super().export(spans)
            return result

    metrics, inner = Metrics(), Fixed()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(CountedExporter(inner, metrics)))

    with Telemetry(provider).serving("s", None):
        pass

    assert metrics.registry.get_sample_value("ragspine_spans_total", {"outcome": outcome}) == 1
    assert len(inner.get_finished_spans()) == 1
