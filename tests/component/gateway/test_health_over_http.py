"""`/healthz`, `/readyz` and `/metrics` on the public port."""

from prometheus_client.parser import text_string_to_metric_families

from runtime.health import Phase
from tests.component.gateway.doors import QUESTION, Doors


async def test_is_alive_whatever_else_is_down(doors: Doors) -> None:
    doors.bus.is_up = False

    reply = await doors.http.get("/healthz")

    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


async def test_is_ready_when_every_part_is(doors: Doors) -> None:
    async def fine() -> str | None:
        return None

    doors.health.phase = Phase.SERVING
    doors.health.add_check("orchestrator", fine)

    reply = await doors.http.get("/readyz")

    assert (reply.status_code, reply.json()) == (200, {"status": "ready", "checks": {"orchestrator": "ok"}})


async def test_is_degraded_when_a_part_is_not_ready(doors: Doors) -> None:
    async def degraded() -> str | None:
        return "degraded"

    doors.health.phase = Phase.SERVING
    doors.health.add_check("facts", degraded)

    reply = await doors.http.get("/readyz")

    assert (reply.status_code, reply.json()) == (503, {"status": "degraded", "checks": {"facts": "degraded"}})


async def test_is_not_ready_before_it_serves(doors: Doors) -> None:
    reply = await doors.http.get("/readyz")

    assert (reply.status_code, reply.json()["status"]) == (503, "degraded")


async def test_readiness_and_fullness_are_metrics_too(doors: Doors) -> None:
    async def degraded() -> str | None:
        return "degraded"

    doors.health.phase = Phase.SERVING
    doors.health.add_check("facts", degraded)

    lines = (await doors.http.get("/metrics")).text.splitlines()

    assert "ragspine_ready 0.0" in lines
    assert 'ragspine_check_ok{check="facts"} 0.0' in lines
    assert 'ragspine_admitted{what="asks"} 0.0' in lines
    assert 'ragspine_admission_limit{what="asks"} 64.0' in lines


async def test_a_check_of_the_start_is_no_metric_of_the_running_process(doors: Doors) -> None:
    starting = (await doors.http.get("/metrics")).text

    doors.health.phase = Phase.SERVING
    running = (await doors.http.get("/metrics")).text

    assert 'ragspine_check_ok{check="process"} 0.0' in starting
    assert "ragspine_check_ok{" not in running
    assert "ragspine_ready 1.0" in running


async def test_counts_answers_and_requests_by_code(doors: Doors) -> None:
    await doors.ask()
    await doors.ask({"quesiton": QUESTION})
    await doors.http.get("/nowhere/at/all")

    text = (await doors.http.get("/metrics")).text

    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples["ragspine_answers_total", "normal", "structured", "zh"] == 1
    assert samples["ragspine_http_requests_total", "/v1/ask", "200"] == 1
    assert samples["ragspine_http_requests_total", "/v1/ask", "422"] == 1
    assert samples["ragspine_http_requests_total", "404", "none"] == 1
    assert "nowhere" not in text
