"""One trace per ask through all workers; and nothing of a question, an answer, a fact or a key in what is watched."""

import dataclasses
import logging
import os
import signal
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from tests.e2e.faults import send_under_faults
from tests.e2e.refused import refuse_everything
from tests.e2e.watched import FRONT, Ask, Planted, Watched, asks, rows, wait_until, watched_stack
from tests.support.canaries import Leak, search
from tests.support.otlp_sink import CLIENT, SeenSpan, edges, orphans, otlp_sink

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(400)]

FULL = os.environ.get("FUZZ") == "full"
ALL_FAULTS = ("frozen postgres", "killed nats", "model", "killed postgres", "frozen redis", "killed orchestrator")
NAMES = [ask.name for ask in asks(Planted())]
MODEL_ASKS = ["structured", "over-nats", "composite", "not-found"]


@pytest.fixture(scope="module")
def watched() -> Generator[Watched]:
    with watched_stack() as running:
        for ask in asks(running.planted):
            running.put(ask)
        for ask in asks(running.planted):
            running.sink.wait_for(lambda ask=ask: _is_whole(running, ask), ask.name)
        yield running


def _is_whole(watched: Watched, ask: Ask) -> bool:
    return edges(watched.sink.spans_of(ask.name)) >= ask.edges


def _ask(watched: Watched, name: str) -> Ask:
    return next(ask for ask in asks(watched.planted) if ask.name == name)


def _served(watched: Watched, name: str, service: str) -> SeenSpan:
    spans = watched.sink.spans_of(name)
    [found] = [span for span in spans if span.service == service and span.kind != CLIENT]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_an_ask_is_one_trace_over_exactly_the_workers_that_it_needs(watched: Watched, name: str) -> None:
    ask, spans = _ask(watched, name), watched.sink.spans_of(name)

    assert watched.answers[name]["answer_kind"] == ask.kind
    assert edges(spans) == ask.edges
    assert [span.service for span in orphans(spans)] == ["gateway"]


def test_every_ask_has_a_trace_of_its_own(watched: Watched) -> None:
    traces = {watched.sink.trace_of(name) for name in NAMES}

    assert len(traces) == len(NAMES)
    assert None not in traces


def test_loading_is_a_trace_from_the_gateway_to_the_facts(watched: Watched) -> None:
    watched.sink.wait_for(lambda: len(watched.sink.spans_of("load")) == 3, "the load")

    assert edges(watched.sink.spans_of("load")) == {("caller", "gateway"), ("gateway", "facts")}


def test_a_vetted_answer_is_a_trace_of_the_gateway_alone_with_its_id_and_version(watched: Watched) -> None:
    question = watched.planted.vetted_question.text
    body = {"question": question, "request_id": "vetted"}

    wait_until(lambda: watched.post("/v1/ask", body, watched.headers()).json()["route"] == "faq", "the vetted answer")
    watched.sink.wait_for(lambda: len(watched.sink.spans_of("vetted")) >= 1, "its trace")

    span = watched.sink.spans_of("vetted")[-1]
    assert span.service == "gateway"
    faq = {name: value for name, value in span.attributes.items() if name.startswith("ragspine.faq.")}
    assert faq == {"ragspine.faq.hit": True, "ragspine.faq.item": "planted", "ragspine.faq.version": 1}
    assert watched.post("/v1/ask", body).json()["answer"] == watched.planted.vetted_answer.text


def test_the_spans_of_an_ask_are_two_for_each_hop_and_one_for_each_model_call(watched: Watched) -> None:
    spans = watched.sink.spans_of("structured")

    assert len(spans) == 1 + 2 * 3 + 2  # the door; orchestrator, intent and facts; two turns of the model


@pytest.mark.parametrize("name", NAMES)
def test_the_guard_stands_on_the_span_of_the_orchestrator(watched: Watched, name: str) -> None:
    ask, marks = _ask(watched, name), _served(watched, name, "orchestrator").attributes

    assert marks["ragspine.guard.fabrication_guard_triggered"] is ask.is_guarded
    assert list(marks.get("ragspine.guard.reasons") or ()) == list(ask.reasons)
    assert marks["ragspine.answer_kind"] == ask.kind


@pytest.mark.parametrize("name", MODEL_ASKS)
def test_a_model_call_is_described_by_the_genai_conventions(watched: Watched, name: str) -> None:
    calls = [span for span in watched.sink.spans_of(name) if "gen_ai.operation.name" in span.attributes]

    assert calls
    for call in calls:
        assert (call.name, call.kind, call.service) == ("chat scripted", CLIENT, "orchestrator")
        assert call.attributes["gen_ai.provider.name"] == "openai"
        assert (call.attributes["gen_ai.usage.input_tokens"], call.attributes["gen_ai.usage.output_tokens"]) == (11, 7)
        assert set(call.attributes["gen_ai.response.finish_reasons"]) <= {"stop", "tool_calls"}


def test_a_model_that_fails_is_an_error_on_its_own_span(watched: Watched) -> None:
    [call] = [span for span in watched.sink.spans_of("model-down") if "gen_ai.operation.name" in span.attributes]

    assert call.is_error
    assert call.attributes["error.type"] == "status_500"
    assert not _served(watched, "model-down", "orchestrator").is_error  # it answered, honestly


def test_log_lines_of_an_ask_name_its_trace(watched: Watched) -> None:
    [line] = [line for line in watched.log("gateway") if line.get("request_id") == "structured"]

    assert line["event"] == "answered"
    assert line["trace"] == watched.sink.trace_of("structured")


def test_an_ask_that_its_caller_does_not_sample_is_exported_by_nobody(watched: Watched) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    for flags, request_id in (("00", "unsampled"), ("01", "sampled")):
        headers = {"traceparent": f"00-{trace if flags == '00' else trace[::-1]}-b7ad6b7169203331-{flags}"}
        watched.post("/v1/ask", {"question": "营收FY2024", "request_id": request_id}, headers)

    watched.sink.wait_for(lambda: edges(watched.sink.spans_of("sampled")) >= FRONT, "the sampled ask")

    assert watched.sink.trace_of("sampled") == trace[::-1]
    assert not [span for span in watched.sink.spans if span.trace_id == trace]


def test_planted_texts_went_all_the_way(watched: Watched) -> None:
    """Else their absence elsewhere would show nothing."""
    planted, shown = watched.planted, watched.answers["structured"]

    for canary in (planted.value, planted.document, planted.locator):
        assert canary.text in shown["answer"]
    assert planted.question.text in watched.answers["asked-back"]["answer"]
    for canary in (planted.history, planted.narrative_question):
        assert canary.text in watched.prompts
    assert f"Bearer {planted.key.text}" in watched.model.keys


def test_nothing_planted_is_in_any_span_metric_log_state_or_error(watched: Watched) -> None:
    refuse_everything(watched)

    seen = watched.everything_seen()

    assert search(seen, watched.planted.all()) == []
    places = {where for where, _ in seen}
    for service in ("gateway", "orchestrator", "intent", "facts", "narrative"):
        assert f"logs/{service}.log" in places
        assert f"{service} /metrics" in places
    assert {"stack.json", "logs/postgres.log", "logs/nats.log"} <= places
    assert len(watched.refusals) > 50


def test_an_outage_leaves_nothing_planted_behind(watched: Watched) -> None:
    """What goes wrong is where texts get into logs: drivers repeat statements and values in their errors."""
    ask = dataclasses.replace(_ask(watched, "structured"), name="outage", kind="degraded")
    os.kill(watched.state["processes"]["postgres"]["pid"], signal.SIGKILL)

    replies = [watched.post("/v1/facts", {"facts": rows(watched.planted)}, watched.headers()) for _ in range(3)]
    watched.put(ask)
    wait_until(lambda: watched.put(ask)["answer_kind"] == "normal", "the facts came back")
    watched.state = watched.stack.state

    assert {reply.status_code for reply in replies} <= {200, 503, 504}
    watched.refusals += [("outage", reply.content) for reply in replies]
    assert search(watched.everything_seen(), watched.planted.all()) == []


def test_faults_leave_no_planted_text_in_any_log_span_metric_or_error(watched: Watched) -> None:
    """Everything a caller can send, while parts are dead or frozen: it is refused somewhere in the middle."""
    count, faults = (200, ALL_FAULTS) if FULL else (24, ALL_FAULTS[:3])

    planted = send_under_faults(watched, count, faults)
    healed = dataclasses.replace(_ask(watched, "structured"), name="healed")
    wait_until(lambda: watched.put(healed)["answer_kind"] == "normal", "all parts came back")
    watched.state = watched.stack.state

    assert len(planted) >= count
    assert any(where.endswith("frozen postgres") for where, _ in watched.refusals)
    assert search(watched.everything_seen(), planted) == []


def test_no_log_line_had_a_field_to_leave_out(watched: Watched) -> None:
    for service in ("gateway", "orchestrator", "intent", "facts", "narrative"):
        assert [line for line in watched.log(service) if "refused" in line] == []


def test_leaks_that_a_double_plants_are_found(watched: Watched) -> None:
    """The same search over the same places; one double logs, one traces, one repeats a request."""
    planted, log = watched.planted, watched.stack.data_dir / "logs/careless.log"
    reply = httpx.Response(422, json={"detail": f"bad value: {planted.junk.text}"})
    with otlp_sink() as sink:
        careless = dataclasses.replace(watched, sink=sink, refusals=[("careless error", reply.content)])
        _log_like_a_careless_worker(log, planted.question.text)
        _trace_like_a_careless_worker(sink.url, planted.history.text, planted.value.text)

        leaks = search(careless.everything_seen(), planted.all())

    log.unlink()
    assert [leak for leak in leaks if not leak.where.startswith("span")] == [
        Leak("history", "export 0"),
        Leak("value", "export 0"),
        Leak("question", "logs/careless.log"),
        Leak("junk", "careless error"),
    ]


def _log_like_a_careless_worker(path: Path, text: str) -> None:
    logger, handler = logging.Logger("careless"), logging.FileHandler(path, encoding="utf-8")
    logger.addHandler(handler)
    logger.warning("could not answer %r", text)
    handler.close()


def _trace_like_a_careless_worker(url: str, *texts: str) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
    span = provider.get_tracer("careless").start_span(texts[0])
    span.set_attribute("answer", texts[1])
    span.end()
    provider.shutdown()
