"""Starting, stopping, restarting whole stacks: what is taken is said, what was loaded stays, nothing is left behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from cli.settings import SAMPLE
from tests.e2e.asking import ask, load_sample, wait_until_right
from tests.support.servers import Nats
from tests.support.stacks import ROOT, Stack, data_directory, ragspine, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(300)]


def _until(condition: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def _processes_of(directory: Path) -> list[psutil.Process]:
    """Every process whose command line or environment names the directory."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            text = " ".join(process.cmdline()) + " ".join(process.environ().values())
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        if str(directory) in text and process.status() != psutil.STATUS_ZOMBIE and process.pid != os.getpid():
            found.append(process)
    return found


def test_second_start_in_a_directory_says_what_runs_there(stack: Stack) -> None:
    done = ragspine("up", "--data-dir", str(stack.data_dir), "--port", "0")
    detached = ragspine("up", "--detach", "--data-dir", str(stack.data_dir), "--port", "0")

    for second in (done, detached):
        assert second.returncode == 1
        assert stack.http_url in second.stderr
        assert "down" in second.stderr
    assert ask(stack.http_url).is_right


def test_taken_port_is_named_with_the_option_that_changes_it() -> None:
    with data_directory() as directory, socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])

        here = ragspine("up", "--data-dir", str(directory), "--port", port)
        detached = ragspine("up", "--detach", "--data-dir", str(directory), "--port", port)

        for done in (here, detached):
            assert done.returncode == 1
            assert port in done.stderr
            assert "--port" in done.stderr
        assert _processes_of(directory) == []


def test_two_stacks_run_side_by_side(stack: Stack) -> None:
    with running_stack() as other:
        refused = ask(other.http_url)

        assert ask(stack.http_url).is_right
        assert refused.status == 200
        assert refused.body["answer_kind"] == "refusal"  # nothing is loaded there


def test_facts_survive_down_and_up_and_so_does_the_profile() -> None:
    with data_directory() as directory:
        start = ("up", "--detach", "--data-dir", str(directory), "--port", "0")
        profile = directory / "acme.toml"
        profile.write_text((SAMPLE / "profile.toml").read_text(encoding="utf-8"), encoding="utf-8")
        assert ragspine(*start, "--profile", str(profile)).returncode == 0
        load_sample(Stack(directory).http_url)
        assert ragspine("down", "--data-dir", str(directory)).returncode == 0
        assert _processes_of(directory) == []

        assert ragspine(*start).returncode == 0
        try:
            assert ask(Stack(directory).http_url).is_right
            assert Stack(directory).state["profile"] == str(profile)
            profile.write_text(profile.read_text(encoding="utf-8").replace("营收", "总收入"), encoding="utf-8")
            _check_that_an_edit_waits_for_the_next_start(Stack(directory))
            _check_that_another_profile_is_seen(Stack(directory), profile)
        finally:
            ragspine("down", "--data-dir", str(directory))


def _check_that_an_edit_waits_for_the_next_start(stack: Stack) -> None:
    _start_again(stack, "facts")

    wait_until_right(stack.http_url)
    status = ragspine("status", "--data-dir", str(stack.data_dir))
    assert status.returncode == 0
    assert "the profile FILE has changed since start" in status.stderr
    assert _readyz(stack)["profile_file"] == "changed"


def _check_that_another_profile_is_seen(stack: Stack, other: Path) -> None:
    Path(stack.state["profile_in_force"]).write_bytes(other.read_bytes())
    _start_again(stack, "facts")

    _until(lambda: _readyz(stack)["checks"].get("facts") == "profile_mismatch", "was not seen")
    status = ragspine("status", "--data-dir", str(stack.data_dir))
    assert _readyz(stack)["status"] == "degraded"
    assert status.returncode == 1
    assert "profile_mismatch" in status.stderr


def _start_again(stack: Stack, worker: str) -> None:
    before = stack.pid(worker)
    os.kill(before, signal.SIGKILL)
    _until(lambda: stack.state["processes"][worker]["pid"] not in (None, before), "was not started again")
    _until(lambda: stack.state["processes"][worker]["is_ready"], "did not become ready")


def _readyz(stack: Stack) -> dict[str, Any]:
    body: dict[str, Any] = httpx.get(f"{stack.http_url}/readyz").json()
    return body


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_foreground_stack_stops_in_order_on_a_signal(how: signal.Signals) -> None:
    with data_directory() as directory:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cli", "up", "--data-dir", str(directory), "--port", "0"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")

        process.send_signal(how)
        _, said = process.communicate(timeout=60)

        assert process.returncode == 0, said
        assert "killed" not in said
        assert not (directory / "stack.json").exists()
        assert _processes_of(directory) == []


def test_killing_the_supervisor_leaves_no_process_and_the_next_start_works() -> None:
    with data_directory() as directory:
        start = ("up", "--detach", "--data-dir", str(directory), "--port", "0")
        assert ragspine(*start).returncode == 0
        load_sample(Stack(directory).http_url)
        os.kill(int(Stack(directory).state["pid"]), signal.SIGKILL)

        _until(lambda: _processes_of(directory) == [], "processes outlived their supervisor")
        status = ragspine("status", "--data-dir", str(directory))
        again = ragspine(*start)

        try:
            assert status.returncode == 1
            assert "killed" in status.stderr
            assert again.returncode == 0, again.stderr
            assert ask(Stack(directory).http_url).is_right
        finally:
            ragspine("down", "--data-dir", str(directory))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_stopping_while_it_starts_leaves_nothing(how: signal.Signals) -> None:
    with data_directory() as directory:
        command = [sys.executable, "-P", "-m", "cli", "up", "--data-dir", str(directory), "--port", "0"]
        process = subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        _until(lambda: (directory / "stack.json").exists(), "did not begin")

        process.send_signal(how)
        said, _ = process.communicate(timeout=60)

        assert process.returncode == 128 + how
        assert b"Traceback" not in said
        assert _processes_of(directory) == []


def test_worker_that_cannot_start_is_named_with_the_end_of_its_log() -> None:
    with data_directory() as directory:
        environment = {"RAGSPINE_STOP_GRACE_SECONDS": "never"}
        (directory / "logs").mkdir()
        for service in ("intent", "facts", "narrative", "orchestrator", "gateway"):
            (directory / "logs" / f"{service}.log").write_text("of an earlier start\n")

        done = ragspine("up", "--detach", "--data-dir", str(directory), "--port", "0", environment=environment)

        assert done.returncode == 1
        assert "RAGSPINE_STOP_GRACE_SECONDS" in done.stderr
        assert "Traceback" not in done.stderr
        assert "of an earlier start" not in done.stderr
        assert _processes_of(directory) == []


@pytest.mark.parametrize("name", ["with a blank", "目录", "x" * 60 + "/" + "y" * 60])
def test_directory_may_be_called_anything(name: str) -> None:
    with data_directory() as outer:
        directory = outer / name

        done = ragspine("up", "--detach", "--data-dir", str(directory), "--port", "0")
        try:
            assert done.returncode == 0, done.stderr
            load_sample(Stack(directory).http_url)
            assert ask(Stack(directory).http_url).is_right
        finally:
            ragspine("down", "--data-dir", str(directory))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user for Postgres")
def test_directory_that_the_database_user_cannot_reach_works_too() -> None:
    with data_directory() as outer:
        outer.chmod(0o700)
        reachable = {"RAGSPINE_REACHABLE_DIR": f"{outer}-reachable"}
        Path(f"{outer}-reachable").mkdir(mode=0o755)
        directory = outer / "data"

        done = ragspine("up", "--detach", "--data-dir", str(directory), "--port", "0", environment=reachable)
        try:
            assert done.returncode == 0, done.stderr
            load_sample(Stack(directory).http_url)
            assert ask(Stack(directory).http_url).is_right
        finally:
            ragspine("down", "--data-dir", str(directory))
            subprocess.run(["rm", "-rf", f"{outer}-reachable"], check=True)


def test_servers_named_in_the_environment_replace_the_embedded_ones(nats: Nats, empty_database: str) -> None:
    environment = {"RAGSPINE_NATS_URL": nats.url, "RAGSPINE_POSTGRES_URL": empty_database}

    with running_stack(environment=environment) as stack:
        load_sample(stack.http_url)

        assert set(stack.state["embedded"]) == {"redis"}
        assert ask(stack.http_url).is_right


def test_killed_worker_comes_back_by_itself(stack: Stack) -> None:
    before = stack.pid("facts")

    os.kill(before, signal.SIGKILL)

    _until(lambda: (stack.state["processes"]["facts"]["pid"] or before) != before, "was not started again")
    wait_until_right(stack.http_url)
    assert stack.state["processes"]["facts"]["restarts"] >= 1
