"""What the README shows, done against a running stack."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.e2e.asking import ANSWER, QUESTION
from tests.support.stacks import Stack

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(240)]


def test_the_answer_of_the_readme_is_the_answer_of_the_sample() -> None:
    assert f"> {QUESTION}\n>\n> {ANSWER}\n" in README


def test_the_bus_example_prints_the_answer(stack: Stack) -> None:
    program = ROOT / "docs/examples/ask_over_nats.py"
    environment = {**os.environ, "NATS_URL": stack.state["nats_url"], "PYTHONUTF8": "1"}

    done = subprocess.run(
        [sys.executable, program, QUESTION], env=environment, check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, ANSWER + "\n", "")


def test_the_http_example_gets_the_answer(stack: Stack) -> None:
    shown = re.search(r"curl -s http://127\.0\.0\.1:8321(\S+) .*\n\s*-d '([^']+)'", README)
    assert shown is not None

    reply = httpx.post(stack.http_url + shown[1], json=json.loads(shown[2]), timeout=20)

    assert (reply.status_code, reply.json()["answer"]) == (200, ANSWER)


def test_a_running_gateway_shows_the_published_asyncapi(stack: Stack) -> None:
    published = json.loads((ROOT / "contracts/asyncapi.json").read_text(encoding="utf-8"))

    assert httpx.get(f"{stack.http_url}/asyncapi", timeout=20).json() == published
