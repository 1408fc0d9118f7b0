"""Ready means serving with every check passing; a check answers with a code, never with a driver's text."""

import asyncio

import httpx
import pytest

from runtime import health as health_module
from runtime.errors import FactSourceUnavailableError
from runtime.health import Health, Phase
from runtime.metrics import Metrics
from runtime.ops import ops_app


def serving() -> Health:
    health = Health()
    health.phase = Phase.SERVING
    return health


async def fine() -> None:
    """Says that all is well."""


@pytest.mark.parametrize("phase", [Phase.STARTING, Phase.STOPPING])
async def test_a_process_that_does_not_serve_is_not_ready(phase: Phase) -> None:
    health = Health()
    health.add_check("postgres", fine)
    health.phase = phase

    report = await health.report()

    assert report.body() == {"status": "degraded", "checks": {"process": phase.value}}


async def test_ready_needs_every_check() -> None:
    health = serving()
    health.add_check("bus", fine)
    health.add_check("postgres", fine)
    health.add_detail("profile_digest", "00ff")

    report = await health.report()

    assert report.body() == {
        "status": "ready",
        "checks": {"bus": "ok", "postgres": "ok"},
        "profile_digest": "00ff",
    }


async def test_what_is_only_watched_decides_nothing() -> None:
    health = serving()

    async def changed() -> str:
        return "changed"

    health.add_watch("profile_file", changed)

    report = await health.report()

    assert report.body() == {"status": "ready", "checks": {}, "profile_file": "changed"}


async def raising() -> None:
    raise RuntimeError("SENTINEL")


async def saying_why() -> str:
    return "disconnected"


async def unavailable() -> None:
    raise FactSourceUnavailableError


async def never() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (raising, "unavailable"),
        (saying_why, "disconnected"),
        (unavailable, "fact_source_unavailable"),
        (never, "timeout"),
    ],
)
async def test_a_check_that_fails_gives_a_reason_code(
    check: health_module.Check, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_module, "CHECK_TIMEOUT_SECONDS", 0.02)
    health = serving()
    health.add_check("bus", fine)
    health.add_check("postgres", check)

    report = await health.report()

    assert not report.is_ready
    assert report.checks == {"bus": "ok", "postgres": reason}


async def test_asking_often_runs_the_checks_once() -> None:
    runs: list[int] = []

    async def count() -> None:
        runs.append(1)

    health = serving()
    health.add_check("postgres", count)

    await asyncio.gather(*(health.report() for _ in range(10)))

    assert len(runs) == 1


async def test_the_operations_port_answers_without_any_dependency() -> None:
    health = Health()
    transport = httpx.ASGITransport(ops_app(health, Metrics()))
    async with httpx.AsyncClient(transport=transport, base_url="http://ops") as client:
        alive, starting, metrics = [await client.get(path) for path in ("/healthz", "/readyz", "/metrics")]
        health.phase = Phase.SERVING
        serving = await client.get("/readyz")

    assert alive.json() == {"status": "ok"}
    assert (starting.status_code, starting.json()["status"]) == (503, "degraded")
    assert (serving.status_code, serving.json()) == (200, {"status": "ready", "checks": {}})
    assert "ragspine_requests_served_total" in metrics.text
