"""A worker without the rights it needs says so and does not pretend to work."""

from pathlib import Path

import pytest

from tests.integration.runtime.worker_process import Process, running_worker, until
from tests.support.servers import running_nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

USERS = """
authorization {
  users: [
    { user: echo, password: right-3f9a71, permissions: {
      publish = { allow = ["_INBOX_echo.>", "ragspine.v1.probe.echo.>"] }
      subscribe = { allow = [%s, "ragspine.v1.echo.ping echo", "ragspine.v1.probe.echo.>", "_INBOX_echo.>"] }
      allow_responses = true
    } }
  ]
}
"""


def configuration(folder: Path, subject: str = '"test.echo echo"') -> tuple[str, str]:
    path = folder / "users.conf"
    path.write_text(USERS % subject)
    return ("-c", str(path))


def reasons(worker: Process) -> set[object]:
    return {event.get("reason") for event in worker.events()}


def test_the_rights_of_a_service_are_its_own_subjects_ping_probe_and_inbox(tmp_path: Path) -> None:
    with (
        running_nats(arguments=configuration(tmp_path)) as nats,
        running_worker(nats.url, tmp_path, RAGSPINE_NATS_USER="echo", RAGSPINE_NATS_PASSWORD="right-3f9a71") as worker,
    ):
        worker.until_ready()


def test_refused_credentials_leave_the_worker_not_ready_and_trying(tmp_path: Path) -> None:
    with (
        running_nats(arguments=configuration(tmp_path)) as nats,
        running_worker(nats.url, tmp_path, RAGSPINE_NATS_USER="echo", RAGSPINE_NATS_PASSWORD="SENTINEL-1") as worker,
    ):
        until(lambda: "credentials_refused" in reasons(worker), worker)

        assert worker.get("/readyz")[0] == 503
        assert "SENTINEL" not in worker.log.read_text()


def test_credentials_that_are_refused_for_a_while_do_not_end_reconnecting(tmp_path: Path) -> None:
    with running_nats() as nats, running_worker(nats.url, tmp_path) as worker:
        worker.until_ready()
        nats.server.kill()
        usual = list(nats.server.command)
        nats.server.command += ["--user", "somebody", "--pass", "else"]
        nats.server.start()
        until(lambda: "credentials_refused" in reasons(worker), worker)

        nats.server.kill()
        nats.server.command = usual
        nats.server.start()

        worker.until_ready()


def test_a_subscription_that_is_denied_ends_the_process_with_a_fault(tmp_path: Path) -> None:
    with (
        running_nats(arguments=configuration(tmp_path, subject='"test.other"')) as nats,
        running_worker(nats.url, tmp_path, RAGSPINE_NATS_USER="echo", RAGSPINE_NATS_PASSWORD="right-3f9a71") as worker,
    ):
        assert worker.wait() == 1
        assert "subscription_denied" in reasons(worker)


def test_a_server_that_carries_too_little_ends_the_process_by_name(tmp_path: Path) -> None:
    path = tmp_path / "small.conf"
    path.write_text("max_payload: 256KB\n")
    with running_nats(arguments=("-c", str(path))) as nats, running_worker(nats.url, tmp_path) as worker:
        assert worker.wait() == 2
        assert "ragspine echo: RAGSPINE_NATS_URL: max_payload" in worker.log.read_text()
