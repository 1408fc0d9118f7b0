"""One trace per ask, codes only; whatever a caller adds to the trace context stays outside."""

import pytest
from opentelemetry.trace import StatusCode

from contracts.subjects import HEADER_TRACE, ORCHESTRATOR_ANSWER
from runtime.testing import recorded_spans
from tests.component.gateway.doors import open_doors

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SECRET = "SECRETCANARY"


async def test_an_ask_is_one_trace_from_the_caller_to_the_orchestrator() -> None:
    with recorded_spans() as (telemetry, spans):
        async with open_doors(telemetry) as doors:
            headers = {HEADER_TRACE: CALLER, "tracestate": SECRET, "baggage": f"q={SECRET}", "x-request-id": "mine"}
            await doors.ask({"question": f"{SECRET} 1320"}, headers=headers)
        recorded = {span.name: span for span in spans()}

    door = recorded["POST /v1/ask"]
    assert door.parent is not None
    assert {span.context.trace_id for span in recorded.values()} == {int(CALLER.split("-")[1], 16)}
    assert f"{door.parent.span_id:016x}" == CALLER.split("-")[2]
    assert door.attributes == {
        "http.request.method": "POST",
        "http.route": "/v1/ask",
        "http.response.status_code": 200,
        "ragspine.request_id": "mine",
        "ragspine.route": "structured",
        "ragspine.answer_kind": "normal",
        "ragspine.locale": "zh",
    }
    assert ORCHESTRATOR_ANSWER in recorded
    assert SECRET not in "".join(span.to_json() for span in recorded.values())


async def test_a_method_of_a_caller_is_no_part_of_a_trace() -> None:
    with recorded_spans() as (telemetry, spans):
        async with open_doors(telemetry) as doors:
            await doors.http.request(SECRET, "/v1/ask")

        assert [span.name for span in spans()] == ["_OTHER /v1/ask"]


async def test_a_fault_of_ours_is_an_error_in_its_trace_and_a_refused_request_is_not() -> None:
    with recorded_spans() as (telemetry, spans):
        async with open_doors(telemetry) as doors:
            await doors.ask({"quesiton": SECRET})
            doors.bus.is_up = False
            await doors.ask()
        refused, failed = [span for span in spans() if span.name == "POST /v1/ask"]

    assert refused.status.status_code is StatusCode.UNSET
    assert failed.status.status_code is StatusCode.ERROR
    assert (failed.attributes or {})["error.type"] == "503"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_looking_after_the_gateway_leaves_no_trace(path: str) -> None:
    with recorded_spans() as (telemetry, spans):
        async with open_doors(telemetry) as doors:
            await doors.http.get(path)

        assert spans() == ()


@pytest.mark.parametrize("path", [f"/{SECRET}", f"/v1/facts?source_doc_id={SECRET}", f"/v1/{SECRET}/x"])
async def test_a_path_of_a_caller_is_no_part_of_a_trace(path: str) -> None:
    with recorded_spans() as (telemetry, spans):
        async with open_doors(telemetry) as doors:
            await doors.http.delete(path)

        assert spans()
        assert SECRET not in "".join(span.to_json() for span in spans())
