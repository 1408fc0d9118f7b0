"""A worker waits for a bus that is not there yet, and says at every moment whether it can do its work."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.integration.runtime.worker_process import running_worker, until
from tests.support.servers import free_port, running_nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]


def test_a_started_worker_is_alive_ready_and_measured(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path) as worker:
        worker.until_ready()

        assert worker.get("/healthz") == (200, '{"status":"ok"}')
        assert json.loads(worker.get("/readyz")[1]) == {"status": "ready", "checks": {"bus": "ok"}}
        metrics = worker.get("/metrics")[1]
        assert "process_cpu_seconds_total" in metrics
        assert "probe" not in metrics


def test_the_port_file_holds_the_port_and_nothing_else(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path) as worker:
        worker.until_ready()

        assert worker.port_file.read_text().strip().isdigit()
        assert [path.suffix for path in tmp_path.iterdir()].count(".port") == 1


def test_without_nats_a_worker_is_alive_not_ready_and_keeps_trying(tmp_path: Path) -> None:
    with running_worker(f"nats://127.0.0.1:{free_port()}", tmp_path) as worker:
        until(lambda: worker.get("/healthz")[0] == 200, worker)
        until(lambda: any(event["level"] == "warning" for event in worker.events()), worker)

        assert json.loads(worker.get("/readyz")[1]) == {"status": "degraded", "checks": {"process": "starting"}}

        worker.terminate()
        assert worker.wait() == 0


def test_a_worker_becomes_ready_when_nats_comes_up_after_it(tmp_path: Path) -> None:
    port = free_port()
    with running_worker(f"nats://127.0.0.1:{port}", tmp_path) as worker:
        until(lambda: any(event["level"] == "warning" for event in worker.events()), worker)

        with running_nats(arguments=("-p", str(port))):
            worker.until_ready()


def test_a_frozen_server_makes_a_worker_not_ready_by_its_loopback_request(tmp_path: Path) -> None:
    with running_nats() as nats, running_worker(nats.url, tmp_path) as worker:
        worker.until_ready()

        os.kill(nats.server.pid, signal.SIGSTOP)
        until(lambda: worker.get("/readyz")[0] == 503, worker)
        assert json.loads(worker.get("/readyz")[1])["checks"] == {"bus": "no_loopback"}
        assert worker.get("/healthz")[0] == 200

        os.kill(nats.server.pid, signal.SIGCONT)
        worker.until_ready()


def test_a_wrong_setting_ends_the_process_with_one_line(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path, RAGSPINE_OPS_PORT="SENTINEL") as worker:
        assert worker.wait() == 2

        lines = worker.log.read_text().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("ragspine echo: RAGSPINE_OPS_PORT: ")
        assert "SENTINEL" not in lines[0]


def test_a_process_that_cannot_open_its_resources_ends_with_a_fault(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path, RAGSPINE_SUBJECT="not a subject") as worker:
        assert worker.wait() == 1
        assert "service_failed" in {event["event"] for event in worker.events()}
