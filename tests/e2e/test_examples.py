"""The programs of docs/for-apps.md against a running stack, as an app would run them: with the installed wheel."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from contracts.v1 import AnswerResult
from tests.e2e.asking import ANSWER, QUESTION
from tests.support.stacks import Stack
from tests.support.wheels import app_environment, build_contracts_wheel

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs/examples"

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def app_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an app that has installed the package."""
    return app_environment(tmp_path_factory.mktemp("app"), build_contracts_wheel(tmp_path_factory.mktemp("wheel")))


def _run(stack: Stack | None, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program elsewhere than in the checkout, with the addresses of the stack (without: of nobody)."""
    urls = {"NATS_URL": "nats://127.0.0.1:9", "RAGSPINE_URL": "http://127.0.0.1:9"}
    if stack is not None:
        urls = {"NATS_URL": stack.state["nats_url"], "RAGSPINE_URL": stack.http_url}
    return subprocess.run(
        command,
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONUTF8": "1", **urls},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_every_example_is_run_by_a_test() -> None:
    tests = "".join(
        Path(__file__).with_name(name).read_text("utf-8")
        for name in ("test_examples.py", "test_documents.py", "test_durable_asks.py")
    )

    assert [path.name for path in EXAMPLES.iterdir() if path.is_file() and f'{path.name}"' not in tests] == []


def test_the_client_over_nats_prints_the_answer(stack: Stack, app_python: Path) -> None:
    done = _run(stack, app_python, EXAMPLES / "client_over_nats.py", QUESTION)

    assert (done.returncode, done.stdout, done.stderr) == (0, ANSWER + "\n", "")


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (QUESTION, ["found: REVENUE 1320 USD_M (ACME_FY2024_Review.pptx)"]),
        ("中国内地FY2024与FY2019的REVENUE", ["found: REVENUE 1320 USD_M", "not_found: REVENUE None None (-)"]),
        ("中国内地2024年是多少", ["", "- REVENUE"]),
        ("中国内地FY2019的REVENUE是多少", ["refusal: 查不到："]),
        ("竞安2024营收多少", ["refusal: "]),
    ],
    ids=["normal", "in part", "clarification", "not found", "out of scope"],
)
def test_the_client_over_http_acts_on_every_kind(
    stack: Stack, app_python: Path, question: str, lines: list[str]
) -> None:
    done = _run(stack, app_python, EXAMPLES / "client_over_http.py", question)

    assert (done.returncode, done.stderr) == (0, "")
    for line, start in zip(done.stdout.splitlines(), lines, strict=False):
        assert line.startswith(start), done.stdout


@pytest.mark.parametrize(
    ("question", "code", "error"),
    [(QUESTION, 1, "unavailable: "), ("营" * 2_001, 2, "must have at most 2,000 characters")],
    ids=["away", "too long"],
)
def test_the_client_over_http_names_the_error(app_python: Path, question: str, code: int, error: str) -> None:
    done = _run(None, app_python, EXAMPLES / "client_over_http.py", question)

    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(error)
    assert "Traceback" not in done.stderr


def test_the_durable_clients_bring_the_answer_now_and_again(stack: Stack, app_python: Path) -> None:
    over_nats = [_run(stack, app_python, EXAMPLES / "client_durable_over_nats.py", "order-66", QUESTION) for _ in "12"]
    over_http = _run(stack, app_python, EXAMPLES / "client_durable_over_http.py", QUESTION)
    ask_id = over_http.stdout.partition(" ")[0]
    later = _run(stack, app_python, EXAMPLES / "client_durable_over_http.py", QUESTION, ask_id)

    assert [(done.returncode, done.stdout, done.stderr) for done in over_nats] == [(0, ANSWER + "\n", "")] * 2
    assert (over_http.returncode, over_http.stdout, over_http.stderr) == (0, f"{ask_id} {ANSWER}\n", "")
    assert later.stdout == over_http.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_gets_the_answer(stack: Stack) -> None:
    _assert_answered(_run(stack, "sh", EXAMPLES / "ask_with_curl.sh"))


@pytest.mark.skipif(shutil.which("nats") is None, reason="needs the nats command")
def test_the_nats_command_gets_the_answer(stack: Stack) -> None:
    _assert_answered(_run(stack, "sh", EXAMPLES / "ask_with_nats_cli.sh"))


def _assert_answered(done: subprocess.CompletedProcess[str]) -> None:
    assert (done.returncode, done.stderr) == (0, "")
    answer = AnswerResult.model_validate(json.loads(done.stdout))
    assert (answer.answer, answer.request_id) == (ANSWER, "my-app-1")
