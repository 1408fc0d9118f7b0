"""A whole stack under hostile input: raw bytes, every subject, and the OpenAPI document held against what is served.

`FUZZ=full` runs the sizes of `make fuzz`.
"""

import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from tests.fuzz.over_wire import OverNats, OverSockets
from tests.fuzz.payloads import MARK
from tests.fuzz.running import MAX_GROWTH_BYTES, Report, run_together
from tests.support.bus import everybody
from tests.support.canaries import Canary, files_below, search
from tests.support.stacks import ROOT, Stack, running_stack

FULL = os.environ.get("FUZZ") == "full"
SOCKETS, MESSAGES, EXAMPLES = (20_000, 60_000, 200) if FULL else (150, 600, 2)
SEED = int(os.environ.get("SEED", "1"))
WORKERS = ("gateway", "orchestrator", "intent", "facts", "narrative")

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(3_600 if FULL else 240)]


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    """One whose log lines tell everything that they ever tell."""
    with running_stack(environment={"RAGSPINE_LOG_LEVEL": "debug"}) as running:
        yield running


async def test_raw_bytes_get_a_reply_or_an_end(stack: Stack, tmp_path: Path) -> None:
    report = Report(SEED)

    await run_together(OverSockets(urlsplit(stack.http_url).port or 0), report, SOCKETS, failures=tmp_path)

    print(report.text())
    assert report.failures == []


async def test_every_subject_answers_every_message_in_a_typed_way(stack: Stack, tmp_path: Path) -> None:
    report = Report(SEED)
    pids = {name: stack.pid(name) for name in WORKERS}  # before: the server drops clients that hear no ping meanwhile

    async with everybody(stack) as client:
        await run_together(OverNats(client), report, MESSAGES // 5, failures=tmp_path)
        before = _memory(pids)
        await run_together(OverNats(client), report, MESSAGES, failures=tmp_path)

    print(report.text())
    assert report.failures == []
    assert {name: after - before[name] for name, after in _memory(pids).items() if after - before[name] > _MORE} == {}


_MORE = MAX_GROWTH_BYTES if FULL else 4 * MAX_GROWTH_BYTES  # after so few messages the caches are not yet full


def _memory(pids: Mapping[str, int]) -> dict[str, int]:
    return {name: psutil.Process(pid).memory_info().rss for name, pid in pids.items()}


def test_the_openapi_document_is_true(stack: Stack, tmp_path: Path) -> None:
    """Statuses, media types, shapes of replies, refused nonsense, methods: by schemathesis, with all of its checks."""
    command = [str(Path(sys.executable).with_name("schemathesis"))]
    command += ["--config-file", str(ROOT / "tests/fuzz/schemathesis.toml"), "run", f"{stack.http_url}/openapi.json"]
    command += ["--checks", "all", "--continue-on-failure", "--max-examples", str(EXAMPLES), "--no-color"]
    command += ["--phases", "examples,coverage,fuzzing,stateful" if FULL else "coverage,fuzzing"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=3_000)

    print(done.stdout[-1_500:])
    assert done.returncode == 0, done.stdout[-12_000:]


def test_no_restart_and_no_log_line_with_anything_of_it(stack: Stack) -> None:
    """Last: what the others left behind."""
    places = list(files_below(stack.data_dir / "logs"))

    restarts = {name: part["restarts"] for name, part in stack.state["processes"].items()}
    assert restarts == dict.fromkeys(restarts, 0)
    assert len(places) > len(WORKERS)
    assert search(places, [Canary("mark", MARK)]) == []
