"""A model endpoint that is dead, hangs, refuses or tells secrets: answers stay in time, without a digit or the key."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from tests.e2e.asking import Seen, ask, load_sample, wait_until_right
from tests.support.scripted_model import ScriptedModel, model_settings, scripted_model_in_thread
from tests.support.servers import free_port
from tests.support.stacks import Stack, ragspine, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(300)]

KEY = "sk-planted-0123456789abcdef"
ASKED = {"tool_calls": [{"arguments": {"metric": "REVENUE", "entity": "ACME_CN", "period": "FY2024"}}]}
LIE = {"text": "大约 1321.5 USD_M"}
HANGS = {"hang": 60}
GRACE_SECONDS = 1.0


@pytest.fixture(scope="module")
def port() -> int:
    """Where the endpoint is; nobody listens there unless a test serves it."""
    return free_port()


@contextmanager
def _stack(port: int, **settings: str) -> Generator[Stack]:
    environment = model_settings(f"http://127.0.0.1:{port}/v1", LLM_API_KEY=KEY, **settings)
    with running_stack(environment=environment) as running:
        load_sample(running.http_url)
        yield running


@pytest.fixture(scope="module")
def stack(port: int) -> Generator[Stack]:
    """A stack that started while its endpoint was dead."""
    with _stack(port) as running:
        yield running


@pytest.fixture(scope="module")
def facts_stack(port: int) -> Generator[Stack]:
    """The same, where the look-up alone is worth an answer."""
    with _stack(port, ON_PROVIDER_FAILURE="facts") as running:
        yield running


@contextmanager
def _serving(port: int, stack: Stack) -> Generator[ScriptedModel]:
    """Serve the endpoint; the stack has noticed, and the circuit is closed."""
    with scripted_model_in_thread(port) as model:
        wait_until_right(stack.http_url)
        yield model


def _assert_degraded(seen: Seen, seconds: float) -> None:
    assert seen.is_degraded, seen
    assert seen.is_free_of_numbers, seen
    assert seen.seconds < seconds + GRACE_SECONDS


def test_a_dead_endpoint_degrades_at_once_and_heals_by_itself(stack: Stack, port: int) -> None:
    for _ in range(8):  # with the circuit closed at first, then open
        _assert_degraded(ask(stack.http_url, seconds=5), 5)

    with _serving(port, stack):
        assert ask(stack.http_url).is_right


@pytest.mark.parametrize("seconds", [1.5, 4.0])
def test_a_hanging_endpoint_does_not_cost_the_deadline(stack: Stack, port: int, seconds: float) -> None:
    with _serving(port, stack) as model:
        model.play([HANGS])
        seen = ask(stack.http_url, seconds=seconds)

    _assert_degraded(seen, seconds)


def test_what_was_looked_up_before_it_hung_is_shown(stack: Stack, port: int) -> None:
    with _serving(port, stack) as model:
        model.play([ASKED, HANGS])
        seen = ask(stack.http_url, seconds=3)

    assert seen.is_right, seen
    assert seen.seconds < 3 + GRACE_SECONDS


def test_too_many_requests_are_tried_again_when_the_endpoint_says(stack: Stack, port: int) -> None:
    with _serving(port, stack) as model:
        model.play([{"status": 429, "headers": {"retry-after": "0.5"}}, ASKED, LIE])
        seen = ask(stack.http_url)

    assert seen.is_right, seen
    assert seen.seconds > 0.5
    assert len(model.requests) == 3


def test_too_many_requests_for_too_long_degrade(stack: Stack, port: int) -> None:
    with _serving(port, stack) as model:
        model.play([{"status": 429, "headers": {"retry-after": "60"}}])
        seen = ask(stack.http_url)

    _assert_degraded(seen, 2)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "fault",
    [
        {"error": "provider"},
        {"error": "crash"},
        {"cut": True},
        {"raw": "<html>1321.5</html>"},
        {"status": 401, "raw": f'{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}'},
    ],
    ids=["500", "crash", "cut", "rubbish", "401 with the key"],
)
def test_any_other_failure_degrades_without_a_second_call(stack: Stack, port: int, fault: dict[str, object]) -> None:
    with _serving(port, stack) as model:
        model.play([fault])
        seen = ask(stack.http_url)

    _assert_degraded(seen, 5)
    assert len(model.requests) == 1
    assert KEY not in str(seen)


def test_a_question_that_needs_no_model_does_not_notice(stack: Stack) -> None:
    seen = ask(stack.http_url, "中国内地2023年和2024年营收")

    assert seen.status == 200
    assert "1320 USD_M" in seen.body["answer"]


def test_facts_are_shown_without_a_model_where_that_is_set(facts_stack: Stack, port: int) -> None:
    dead = ask(facts_stack.http_url)
    with _serving(port, facts_stack) as model:
        model.play([HANGS])
        hanging = ask(facts_stack.http_url, seconds=3)
        model.play([{"error": "provider"}])
        failing = ask(facts_stack.http_url)

    for seen in (dead, hanging, failing):
        assert seen.is_right, seen
    assert hanging.seconds < 3 + GRACE_SECONDS


def test_the_key_is_in_the_orchestrator_and_nowhere_else(stack: Stack, port: int) -> None:
    with _serving(port, stack) as model:
        for fault in ({"status": 401, "raw": KEY}, {"error": "crash"}, {"status": 429}, {}):
            model.play([fault])
            ask(stack.http_url)
        assert model.keys[-1] == f"Bearer {KEY}"  # so it is really in use

    planted = stack.data_dir / "planted"
    planted.write_text(f"so that the search is seen to find: {KEY}", encoding="utf-8")

    shown = dict(_everything_shown(stack))

    planted.unlink()
    assert len(shown) > 20
    assert [name for name, text in shown.items() if KEY in text] == [str(planted)]
    assert _processes_with_key(stack) == {"orchestrator"}


def test_a_key_in_a_file_reaches_the_endpoint(port: int, tmp_path: Path) -> None:
    (tmp_path / "model.key").write_text(f"{KEY}-of-a-file\n", encoding="utf-8")
    settings = {"LLM_API_KEY": "", "LLM_API_KEY_FILE": str(tmp_path / "model.key")}
    environment = model_settings(f"http://127.0.0.1:{port}/v1", **settings)

    with scripted_model_in_thread(port) as model, running_stack(environment=environment) as stack:
        load_sample(stack.http_url)
        right = ask(stack.http_url).is_right
        with_key = _processes_with_key(stack)

    assert right
    assert set(model.keys) == {f"Bearer {KEY}-of-a-file"}
    assert with_key == set()  # the environment holds the name of the file only


def _everything_shown(stack: Stack) -> Generator[tuple[str, str]]:
    """All that a stack writes down or says of itself, by name."""
    for path in sorted(stack.data_dir.rglob("*")):
        if path.is_file():
            yield str(path), path.read_bytes().decode("utf-8", errors="replace")
    for command in (("status",), ("status", "--json"), ("doctor",), ("logs",)):
        done = ragspine(*command, "--data-dir", str(stack.data_dir))
        yield " ".join(command), done.stdout + done.stderr
    for name, part in stack.state["processes"].items():
        yield f"{name} command line", " ".join(psutil.Process(part["pid"]).cmdline())
        for path in ("/metrics", "/readyz", "/healthz") if part["ops_url"] else ():
            yield f"{name}{path}", httpx.get(part["ops_url"] + path, timeout=20).text
    for path in ("/metrics", "/readyz", "/openapi.json", "/v1/nothing"):
        yield path, httpx.get(stack.http_url + path, timeout=20).text
    yield "refused", httpx.post(f"{stack.http_url}/v1/ask", json={}, timeout=20).text


def _processes_with_key(stack: Stack) -> set[str]:
    """The parts of a stack whose environment holds the key."""
    parts = {name: psutil.Process(part["pid"]) for name, part in stack.state["processes"].items()}
    return {name for name, process in parts.items() if KEY in " ".join(process.environ().values())}
