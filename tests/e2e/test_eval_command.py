"""`ragspine eval --start`: a private stack is started, asked and gone, also after a signal; nothing of ours is used."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from tests.support.stacks import ROOT, data_directory, ragspine

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(400)]

SAMPLE = ROOT / "deploy" / "sample"
FACT = {"metric": "REVENUE", "entity": "ACME_CN", "period": "2024", "value": "1320", "unit": "USD_M"}
SERVERS_UP = 4
"""The directory, the command that keeps the stack, and two servers in it."""
STARTED = ("--start", "--facts", str(SAMPLE / "facts.csv"), "--profile", str(SAMPLE / "profile.toml"))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [
        {"id": "right", "question": "中国内地FY2024的REVENUE是多少", "expect": {"facts": [FACT]}},
        {"id": "wrong", "question": "hk revenue 2024", "expect": {"facts": [FACT]}},
    ]
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def reachable_tmp() -> Generator[Path]:
    with data_directory() as directory:
        yield directory


def left_over(folder: Path) -> list[str]:
    """Processes and directories of a private stack below this temporary directory."""
    commands = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    return [*(command for command in commands if str(folder) in command), *map(str, folder.glob("ragspine-eval-*"))]


def test_a_private_stack_is_asked_and_gone(questions: Path, reachable_tmp: Path) -> None:
    environment = {"TMPDIR": str(reachable_tmp), "RAGSPINE_POSTGRES_URL": "postgresql://nobody@127.0.0.1:1/none"}

    done = ragspine("eval", str(questions), *STARTED, "--json", "-", environment=environment, timeout=180)

    assert done.returncode == 1, done.stderr
    judged = {one["id"]: one for one in json.loads(done.stdout)["packs"]["q"]["questions"]}
    assert judged["right"]["is_right"]
    assert judged["right"]["misses"] == []
    assert {miss["reason"] for miss in judged["wrong"]["misses"]} == {"wrong_scope", "missing_fact"}
    assert left_over(reachable_tmp) == []


def test_a_signal_ends_the_private_stack_too(questions: Path, reachable_tmp: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "cli", "eval", str(questions), *STARTED],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(reachable_tmp)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while len(left_over(reachable_tmp)) < SERVERS_UP and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.05)

    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=90)

    assert process.returncode == 130
    assert "nothing was compared" in said
    assert left_over(reachable_tmp) == []
