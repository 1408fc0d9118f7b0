"""The gateway as a process on a real bus: both doors, its life, and what callers see when parts are missing."""

import asyncio
import os
import socket
import sys
import time
from pathlib import Path

import httpx
import pytest

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.ask import AnswerQuestion, AnswerResult, AskRequest
from domain.profile import load_profile
from runtime.deadline import Deadline
from runtime.errors import DeadlineExceededError, UnavailableError
from tests.component.gateway.doors import ANSWER, QUESTION
from tests.component.gateway.test_errors_over_http import assert_problem
from tests.integration.gateway.processes import (
    Gateway,
    behind,
    orchestrator,
    ready_workers,
    running_gateway,
    usual_answer,
)
from tests.integration.runtime.worker_process import ROOT, until
from tests.support.servers import free_port, running_nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

WORKERS = ("orchestrator", "intent", "facts", "narrative")


def deadline_in(seconds: float) -> dict[str, str]:
    return {subjects.HEADER_DEADLINE: str(int((time.time() + seconds) * 1000))}


async def ask(gateway: Gateway, **headers: str) -> httpx.Response:
    async with gateway.client() as client:
        return await client.post("/v1/ask", json={"question": QUESTION}, headers=headers)


async def asleep(question: AnswerQuestion) -> AnswerResult:
    await asyncio.sleep(30)
    return await usual_answer(question)


def started(gateway: Gateway) -> None:
    until(lambda: gateway.listens() and '"bus":"ok"' in gateway.process.get("/readyz")[1], gateway.process)


async def test_answers_apps_over_http_and_nats(nats_url: str, tmp_path: Path) -> None:
    with running_gateway(nats_url, tmp_path) as gateway:
        started(gateway)
        async with behind(nats_url, orchestrator(usual_answer)) as app:
            over_http = await ask(gateway, **{"x-request-id": ANSWER.request_id})
            request = AskRequest(question=QUESTION, request_id=ANSWER.request_id)
            over_nats = await app.request(subjects.ask("crm"), request, AnswerResult, deadline=Deadline.after(5))

    assert AnswerResult.model_validate_json(over_http.content) == over_nats == ANSWER
    assert over_http.headers["x-request-id"] == ANSWER.request_id


async def test_the_example_program_for_apps_gets_its_answer(nats_url: str, tmp_path: Path) -> None:
    with running_gateway(nats_url, tmp_path) as gateway:
        started(gateway)
        async with behind(nats_url, orchestrator(usual_answer)):
            program = await asyncio.create_subprocess_exec(
                sys.executable,
                str(ROOT / "docs/examples/ask_over_nats.py"),
                QUESTION,
                env={**os.environ, "NATS_URL": nats_url, "PYTHONUTF8": "1"},
                stdout=asyncio.subprocess.PIPE,
            )
            out, _ = await program.communicate()

    assert (program.returncode, out.decode()) == (0, f"{ANSWER.answer}\n")


async def test_an_absent_orchestrator_is_told_at_once(nats_url: str, tmp_path: Path) -> None:
    with running_gateway(nats_url, tmp_path) as gateway:
        started(gateway)
        start = time.monotonic()
        reply = await ask(gateway)
        seconds = time.monotonic() - start
        async with behind(nats_url) as app:
            with pytest.raises(UnavailableError):
                await app.request(
                    subjects.ask(), AskRequest(question=QUESTION), AnswerResult, deadline=Deadline.after(5)
                )

    assert assert_problem(reply, ErrorCode.UNAVAILABLE)["retryable"] is True
    assert reply.headers["retry-after"] == "2"
    assert seconds < 1


async def test_a_frozen_orchestrator_ends_by_the_deadline_of_the_caller(nats_url: str, tmp_path: Path) -> None:
    with running_gateway(nats_url, tmp_path) as gateway:
        started(gateway)
        async with behind(nats_url, orchestrator(asleep)) as app:
            start = time.monotonic()
            reply = await ask(gateway, **deadline_in(1))
            seconds = time.monotonic() - start
            with pytest.raises(DeadlineExceededError):
                await app.request(
                    subjects.ask(), AskRequest(question=QUESTION), AnswerResult, deadline=Deadline.after(0.5)
                )

    assert_problem(reply, ErrorCode.DEADLINE_EXCEEDED)
    assert 0.8 < seconds < 1.2


async def test_without_a_deadline_the_default_of_the_gateway_counts(nats_url: str, tmp_path: Path) -> None:
    with running_gateway(nats_url, tmp_path, RAGSPINE_DEFAULT_DEADLINE_SECONDS="0.5") as gateway:
        started(gateway)
        async with behind(nats_url, orchestrator(asleep)):
            start = time.monotonic()
            reply = await ask(gateway)
            seconds = time.monotonic() - start

    assert_problem(reply, ErrorCode.DEADLINE_EXCEEDED)
    assert seconds < 1


async def test_a_bus_that_dies_is_told_at_once_and_comes_back(tmp_path: Path) -> None:
    with running_nats() as nats, running_gateway(nats.url, tmp_path) as gateway:
        started(gateway)
        arrived = asyncio.Event()

        async def hangs(question: AnswerQuestion) -> AnswerResult:
            arrived.set()
            return await asleep(question)

        async with behind(nats.url, orchestrator(hangs)):
            running = asyncio.create_task(ask(gateway))
            await arrived.wait()
            start = time.monotonic()
            nats.server.kill()
            interrupted, refused = await running, await ask(gateway)
            seconds = time.monotonic() - start
        assert gateway.listens()
        nats.server.start()
        async with behind(nats.url, orchestrator(usual_answer)):
            until(lambda: '"bus":"ok"' in gateway.process.get("/readyz")[1], gateway.process)
            answered = await ask(gateway)

    assert_problem(interrupted, ErrorCode.UNAVAILABLE)
    assert_problem(refused, ErrorCode.UNAVAILABLE)
    assert seconds < 2
    assert answered.status_code == 200


async def test_starts_before_the_bus_and_says_so(tmp_path: Path) -> None:
    port = free_port()
    with running_gateway(f"nats://127.0.0.1:{port}", tmp_path) as gateway:
        until(gateway.listens, gateway.process)
        early = await ask(gateway)
        async with gateway.client() as client:
            readiness = await client.get("/readyz")
        with running_nats(arguments=("-p", str(port))) as nats:
            started(gateway)
            async with behind(nats.url, orchestrator(usual_answer)):
                late = await ask(gateway)

    assert_problem(early, ErrorCode.UNAVAILABLE)
    assert (readiness.status_code, readiness.json()["status"]) == (503, "degraded")
    assert late.status_code == 200


async def test_is_ready_when_all_workers_are(tmp_path: Path) -> None:
    with running_nats() as nats, running_gateway(nats.url, tmp_path) as gateway:
        started(gateway)
        async with gateway.client() as client:
            alone = await client.get("/readyz")
            async with ready_workers(nats.url, *WORKERS):
                report = await report_of(client, status=200)

    digest = load_profile(ROOT / "deploy/sample/profile.toml").digest()
    assert alone.json() == {
        "status": "degraded",
        "checks": {**dict.fromkeys(WORKERS, "unavailable"), "bus": "ok"},
        "profile_digest": digest,
        "profile_file": "same",
        "http_keys": "off",
    }
    assert report == {
        "status": "ready",
        "checks": {**dict.fromkeys(WORKERS, "ok"), "bus": "ok"},
        "profile_digest": digest,
        "profile_file": "same",
        "http_keys": "off",
    }


async def test_names_the_worker_that_cannot_do_its_work(tmp_path: Path) -> None:
    async def no_store() -> str | None:
        return "unavailable"

    with running_nats() as nats, running_gateway(nats.url, tmp_path) as gateway:
        started(gateway)
        async with ready_workers(nats.url, *WORKERS) as workers, gateway.client() as client:
            await report_of(client, status=200)
            workers["facts"].add_check("postgres", no_store)
            report = await report_of(client, status=503)

    assert report["checks"] == {**dict.fromkeys(WORKERS, "ok"), "facts": "degraded", "bus": "ok"}


async def test_finishes_running_asks_of_both_doors_when_it_is_stopped(nats_url: str, tmp_path: Path) -> None:
    arrivals: asyncio.Queue[str] = asyncio.Queue()

    async def slow(question: AnswerQuestion) -> AnswerResult:
        arrivals.put_nowait(question.request_id)
        await asyncio.sleep(0.8)
        return await usual_answer(question)

    with running_gateway(nats_url, tmp_path) as gateway:
        started(gateway)
        async with behind(nats_url, orchestrator(slow)) as app:
            over_http = [asyncio.create_task(ask(gateway)) for _ in range(10)]
            request = AskRequest(question=QUESTION)
            over_nats = [
                asyncio.create_task(app.request(subjects.ask(), request, AnswerResult, deadline=Deadline.after(10)))
                for _ in range(10)
            ]
            for _ in range(20):
                await arrivals.get()
            gateway.process.terminate()
            replies = await asyncio.gather(*over_http)
            answers = await asyncio.gather(*over_nats)
            code = await asyncio.to_thread(gateway.process.wait)

    assert [reply.status_code for reply in replies] == [200] * 10
    assert len(answers) == 10
    assert code == 0
    assert not gateway.listens()


async def test_a_taken_port_ends_the_process_and_names_the_variable(nats_url: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with running_gateway(nats_url, tmp_path, RAGSPINE_HTTP_PORT=port) as gateway:
            code = await asyncio.to_thread(gateway.process.wait)

    assert code == 2
    last = gateway.process.log.read_text().splitlines()[-1]
    assert last.startswith(f"ragspine gateway: RAGSPINE_HTTP_PORT: port {port} is already in use")


async def test_does_not_start_open_to_the_network(nats_url: str, tmp_path: Path) -> None:
    with running_gateway(nats_url, tmp_path, RAGSPINE_HTTP_HOST="0.0.0.0") as gateway:
        code = await asyncio.to_thread(gateway.process.wait)

    assert code == 2
    assert gateway.process.log.read_text().startswith(
        "ragspine gateway: RAGSPINE_HTTP_HOST: beyond loopback every caller needs an API key"
    )
    assert "`ragspine keys add --app NAME --scope ask`" in gateway.process.log.read_text()


async def test_writes_no_question_and_no_answer_to_its_log(nats_url: str, tmp_path: Path) -> None:
    async def fails(_: AnswerQuestion) -> AnswerResult:
        raise RuntimeError("SECRETCANARY")

    with running_gateway(nats_url, tmp_path, RAGSPINE_LOG_LEVEL="debug") as gateway:
        started(gateway)
        async with behind(nats_url, orchestrator(fails)), gateway.client() as client:
            for body in ({"question": "SECRETCANARY"}, {"question": 1, "SECRETCANARY": 1}):
                await client.post("/v1/ask", json=body)
            await client.get("/v1/SECRETCANARY?x=SECRETCANARY")
            await client.delete("/v1/facts", params={"source_doc_id": "SECRETCANARY"})
        log = gateway.process.log.read_text()

    assert '"event": "ask_failed"' in log
    assert "SECRETCANARY" not in log


async def report_of(client: httpx.AsyncClient, *, status: int) -> dict[str, object]:
    """What the gateway says of its readiness; waits until it says it with that status."""
    deadline = time.monotonic() + 10
    while True:
        reply = await client.get("/readyz")
        if reply.status_code == status:
            return reply.json()
        assert time.monotonic() < deadline, reply.text
        await asyncio.sleep(0.05)
