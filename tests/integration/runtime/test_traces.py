"""On a real server one trace covers all hops, and what is exported holds no payload."""

import time
from pathlib import Path

import pytest
from faststream.nats import NatsRouter

from contracts import subjects
from runtime.deadline import Deadline
from runtime.observer import Observer
from runtime.serving import rpc
from runtime.telemetry import SHUTDOWN_SECONDS
from runtime.testing import recorded_spans
from tests.integration.runtime.clients import connected
from tests.integration.runtime.worker_process import Said as Heard
from tests.integration.runtime.worker_process import Say as Tell
from tests.integration.runtime.worker_process import running_worker
from tests.support.otlp_sink import otlp_sink
from tests.unit.runtime.messages import QUEUE, Said, Say, say_router

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

SAMPLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE_ID = SAMPLED.split("-")[1]


async def test_the_trace_crosses_two_hops_on_nats(nats_url: str) -> None:
    with recorded_spans() as (telemetry, spans):
        observer = Observer(telemetry=telemetry)
        async with connected(nats_url, say_router("test.far"), observer=observer) as (far_bus, _):
            near = NatsRouter()

            @rpc(near, "test.near", queue=QUEUE)
            async def on_near(message: Say) -> Said:
                return await far_bus.request("test.far", message, Said, deadline=Deadline.after(2))

            async with connected(nats_url, near, observer=observer, service="near") as (bus, _):
                with telemetry.serving("edge", None):
                    await bus.request("test.near", Say(text="a"), Said, deadline=Deadline.after(3))

        names = {span.context.span_id: f"{span.name} {span.kind.name}" for span in spans()}
        edges = {(names[s.parent.span_id], f"{s.name} {s.kind.name}") for s in spans() if s.parent}
        assert edges == {
            ("edge SERVER", "test.near CLIENT"),
            ("test.near CLIENT", "test.near SERVER"),
            ("test.near SERVER", "test.far CLIENT"),
            ("test.far CLIENT", "test.far SERVER"),
        }
        assert len({span.context.trace_id for span in spans()}) == 1


async def test_a_worker_exports_spans_without_payload_and_flushes_them_at_its_end(
    nats_url: str, tmp_path: Path
) -> None:
    with otlp_sink() as sink:
        with running_worker(nats_url, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=sink.url) as worker:
            worker.until_ready()
            async with connected(nats_url) as (_, broker):
                for text in ("SENTINEL", "fail"):
                    await broker.connection.request(
                        "test.echo",
                        Tell(text=text).model_dump_json().encode(),
                        timeout=5,
                        headers={subjects.HEADER_TRACE: SAMPLED},
                    )
            worker.terminate()
            assert worker.wait() == 0

        assert [span.attributes["messaging.destination.name"] for span in sink.spans] == ["test.echo", "test.echo"]
        assert {(span.service, span.trace_id) for span in sink.spans} == {("echo", TRACE_ID)}
        assert not any(b"SENTINEL" in body or b"probe" in body for body in sink.bodies)
        assert "SENTINEL" not in worker.log.read_text()


async def test_a_collector_that_is_away_costs_no_request(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1") as worker:
        worker.until_ready()
        async with connected(nats_url) as (bus, _):
            for _ in range(20):
                await bus.request("test.echo", Tell(text="a"), Heard, deadline=Deadline.after(2))
        start = time.monotonic()
        worker.terminate()

        assert worker.wait() == 0
        assert time.monotonic() - start < SHUTDOWN_SECONDS + 3


async def test_a_share_of_the_traces_is_exported_and_each_of_them_whole(nats_url: str, tmp_path: Path) -> None:
    asks, ratio = 40, {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "RAGSPINE_SUBJECT": "test.near"}
    with otlp_sink() as sink:
        near = {**ratio, **sink.environment, "OTEL_TRACES_SAMPLER_ARG": "0.5", "RAGSPINE_FORWARD_TO": "test.far"}
        far = {**ratio, **sink.environment, "OTEL_TRACES_SAMPLER_ARG": "0.0", "RAGSPINE_SUBJECT": "test.far"}
        with running_worker(nats_url, tmp_path, **near) as head, running_worker(nats_url, tmp_path, **far) as behind:
            head.until_ready()
            behind.until_ready()
            async with connected(nats_url) as (bus, _):
                for _ in range(asks):
                    await bus.request("test.near", Tell(text="a"), Heard, deadline=Deadline.after(5))
            for worker in (head, behind):
                worker.terminate()
                assert worker.wait() == 0

        traces = {name: {s.trace_id for s in sink.spans if s.name == name} for name in ("test.near", "test.far")}
        assert traces["test.near"] == traces["test.far"]
        assert 0 < len(traces["test.near"]) < asks
        assert len(sink.spans) == 3 * len(traces["test.near"])
