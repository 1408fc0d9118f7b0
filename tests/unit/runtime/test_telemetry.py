"""Spans carry codes, counts and timings only, and every request of an ask is in one trace."""

import json
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from faststream.nats import NatsRouter
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from runtime.attributes import NotAllowedError, is_code_like
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from runtime.observer import Observer
from runtime.serving import rpc
from runtime.settings import OtelSettings
from runtime.span_export import AllowListProcessor
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
        ("gen_ai.response.finish_reasons", ["stop", "the answer is “5”"]),
    ],
)
def test_what_is_not_on_the_list_is_left_out_or_raised(name: str, value: str | list[str]) -> None:
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
    ("value", "expected"),
    [
        ("FY2024", True),
        ("ragspine.v1.ask.*", True),
        (3, True),
        (0.5, True),
        (False, True),
        (None, True),
        (("a", "b"), True),
        ("营收", False),
        ("1,320", False),
        ("a = b", False),
        (b"bytes", False),
        ({"a": 1}, False),
    ],
)
def test_only_codes_and_numbers_may_be_shown(value: object, *, expected: bool) -> None:
    assert is_code_like(value) is expected


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


def test_no_span_is_made_when_nobody_asked_for_traces() -> None:
    telemetry = start_telemetry("intent", "1", OtelSettings())

    with telemetry.serving("s", SAMPLED) as span:
        assert not span.is_recording()
    telemetry.shutdown()


def test_the_exporter_is_set_up_by_the_standard_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")

    telemetry = start_telemetry("intent", "1", OtelSettings())

    with telemetry.serving("s", None) as span:
        assert not span.is_recording()
    telemetry.shutdown()
