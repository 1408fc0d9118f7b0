"""The search for planted texts finds them however they are written, and nothing else."""

import base64
import gzip
import json
import urllib.request
from pathlib import Path
from urllib.parse import quote

import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from runtime.metrics import Metrics
from tests.support.canaries import Canary, Leak, files_below, number, search, sentence, word
from tests.support.otlp_sink import edges, orphans, otlp_sink

PLANTED = Canary("passage", "金丝雀ab12泄漏")
VALUE = Canary("value", "512345678.4821")


@pytest.mark.parametrize(
    "written",
    [
        PLANTED.text,
        json.dumps({"a": PLANTED.text}),
        quote(PLANTED.text),
        PLANTED.text.upper(),
        repr(PLANTED.text.encode()),
        PLANTED.text.encode().hex(),
        *(base64.b64encode(b"x" * n + PLANTED.text.encode() + b"yy").decode() for n in range(3)),
    ],
)
def test_a_planted_text_is_found_in_every_spelling(written: str) -> None:
    assert search([("log", f"before {written} after".encode())], [PLANTED]) == [Leak("passage", "log")]


@pytest.mark.parametrize("written", ["512345678.4821", "512,345,678.4821", "value=512345678.48210"])
def test_a_planted_number_is_found_grouped_and_with_zeros(written: str) -> None:
    assert search([("log", written.encode())], [VALUE]) == [Leak("value", "log")]


def test_nothing_is_found_where_nothing_was_planted() -> None:
    assert search([("log", b"512345678 4821"), ("state", "金丝雀".encode())], [PLANTED, VALUE]) == []


def test_canaries_differ_from_one_another() -> None:
    texts = [make("a").text for make in (word, sentence, number) for _ in range(100)]

    assert len(set(texts)) == len(texts)


def test_a_leak_in_a_file_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/facts.log").write_text(json.dumps({"event": "x", "note": PLANTED.text}))
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres/base").write_text(PLANTED.text)

    leaks = search(files_below(tmp_path, but_not=[tmp_path / "postgres"]), [PLANTED])

    assert leaks == [Leak("passage", "logs/facts.log")]


def test_a_leak_in_a_label_of_a_metric_is_found() -> None:
    metrics = Metrics()
    metrics.counter("ragspine_careless", "Careless", "question").labels(PLANTED.text).inc()

    assert search([("/metrics", metrics.render())], [PLANTED]) == [Leak("passage", "/metrics")]


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
def test_a_leak_in_a_span_is_found_in_what_was_exported(compression: Compression) -> None:
    with otlp_sink() as sink:
        exporter = OTLPSpanExporter(f"{sink.url}/v1/traces", compression=compression)
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("t").start_as_current_span("outer") as outer:
            outer.add_event("asked", {"question": PLANTED.text})
            with provider.get_tracer("t").start_as_current_span("inner"):
                pass
        provider.shutdown()

        assert search([("export", body) for body in sink.bodies], [PLANTED]) == [Leak("passage", "export")]
        assert [span.name for span in orphans(sink.spans)] == ["outer"]
        assert edges(sink.spans) == set()


def test_the_sink_keeps_what_it_cannot_read_out_of_the_way() -> None:
    with otlp_sink() as sink:
        body = gzip.compress(b"")
        request = urllib.request.Request(f"{sink.url}/v1/traces", body, {"Content-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=5) as reply:
            status = reply.status

        assert (status, sink.spans) == (200, [])
