"""Vetted answers on a whole stack: both doors, the command line, facts that change, parts that go away."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import httpx
import nats
import pytest

from tests.support.stacks import Stack, ragspine, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(400)]

FACT = {
    "metric_code": "REVENUE",
    "entity": "ACME_CN",
    "period_type": "FY",
    "period": "2024",
    "value": "1320",
    "unit": "USD_M",
    "source_doc_id": "review.pptx",
    "source_locator": "slide=2",
}
FIGURES = {
    "question": "年报里的员工说明",
    "answer": "报告第 12 页。",
    "owner": "ir",
    "state": "approved",
    "depends_on": [{"metric": "REVENUE", "entity": "ACME_CN", "period": "FY2024"}],
}


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    with running_stack(scale=("gateway=2",), environment={"RAGSPINE_FAQ_SUGGEST_THRESHOLD": "2"}) as running:
        yield running


@pytest.fixture(scope="module")
def http(stack: Stack) -> Generator[httpx.Client]:
    with httpx.Client(base_url=stack.http_url, timeout=20) as client:
        yield client


def _cli(stack: Stack, *arguments: str) -> tuple[int, str, str]:
    done = ragspine("faq", *arguments, "--data-dir", str(stack.data_dir))
    return done.returncode, done.stdout, done.stderr


def _ask(http: httpx.Client, question: str) -> dict[str, Any]:
    found: dict[str, Any] = http.post("/v1/ask", json={"question": question, "locale": "zh"}).json()
    return found


def _until(is_so: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_command_line_takes_an_answer_from_draft_to_asker_and_back(
    stack: Stack, http: httpx.Client, tmp_path: Path
) -> None:
    added = _cli(stack, "add", "canteen", "--question", "食堂在哪？", "--answer", "三楼。", "--owner", "facilities")
    draft = _cli(stack, "test", "食堂在哪")
    approved = _cli(stack, "approve", "canteen", "--by", "chen")
    hit = _cli(stack, "test", "食堂在哪")

    assert (added[0], "draft" in added[2], "served" in added[1]) == (0, True, True)
    assert (draft[0], "not_approved" in draft[1]) == (3, True)
    assert approved[0] == 0
    assert (hit[0], "三楼。" in hit[1]) == (0, True)
    assert _ask(http, "食堂在哪！")["cache"]["faq_id"] == "canteen"

    again = _cli(stack, "add", "canteen", "--question", "食堂在哪？", "--answer", "四楼。", "--owner", "facilities")
    assert (again[0], "If-Match" in again[2]) == (2, True)
    new = ("--question", "食堂在哪？", "--answer", "四楼。", "--owner", "facilities")
    changed = _cli(stack, "add", "canteen", "--replace", "--approve", *new)
    assert (changed[0], _ask(http, "食堂在哪")["answer"]) == (0, "四楼。")

    exported = _cli(stack, "export")
    file = tmp_path / "faq.json"
    file.write_text(exported[1], encoding="utf-8")
    imported = _cli(stack, "import", str(file))
    assert (imported[0], "0 new, 0 changed" in imported[1]) == (0, True)

    disabled = _cli(stack, "disable", "canteen")
    assert (disabled[0], _ask(http, "食堂在哪")["route"]) == (0, "narrative")
    shown = _cli(stack, "show", "canteen", "--json")
    history = json.loads(shown[1])["history"]
    assert [entry["action"] for entry in history] == ["disabled", "approved", "changed", "approved", "created"]
    assert history[3]["who"] == "chen"
    assert "canteen" in _cli(stack, "list", "--state", "disabled")[1]


def test_a_wrong_import_stores_nothing_and_names_every_fault(stack: Stack, tmp_path: Path) -> None:
    good = {"id": "good", "question": "班车在哪", "answer": "北门。", "owner": "f"}
    file = tmp_path / "faq.json"
    bad = [{**good, "id": "a", "policy_number": "false"}, {**good, "id": "b", "answer": ""}]
    file.write_text(json.dumps({"items": [good, *bad, {**good, "id": "c", "valid_from": "2025-01-01T00:00:00"}]}))

    code, _, err = _cli(stack, "import", str(file))

    assert code == 2
    assert "items.1.policy_number" in err
    assert "items.2.answer" in err
    assert "items.3.valid_from" in err
    assert "good" not in _cli(stack, "list")[1]


async def _ask_on_the_bus(url: str, question: str, times: int) -> list[dict[str, Any]]:
    bus = await nats.connect(url)
    body = json.dumps({"question": question}).encode()
    replies = [json.loads((await bus.request("ragspine.v1.ask.local", body, timeout=10)).data) for _ in range(times)]
    await bus.close()
    return replies


def test_an_app_on_the_bus_gets_it_from_every_gateway(stack: Stack, http: httpx.Client) -> None:
    item = {"question": "工牌怎么补办", "answer": "到前台。", "owner": "hr", "state": "approved"}
    assert http.put("/v1/faq/badge", json=item).status_code == 200

    replies = asyncio.run(_ask_on_the_bus(stack.state["nats_url"], "工牌怎么补办？", 12))

    assert {reply["cache"]["faq_id"] for reply in replies} == {"badge"}


def test_an_item_is_stale_when_its_fact_changes_also_while_no_gateway_runs(stack: Stack, http: httpx.Client) -> None:
    assert http.post("/v1/facts", json={"facts": [FACT]}).status_code == 200
    assert http.put("/v1/faq/figures", json=FIGURES).json()["state"] == "approved"
    _until(lambda: _ask(http, "年报里的员工说明")["route"] == "faq")

    http.post("/v1/facts", json={"facts": [FACT]})  # the same again is no change
    time.sleep(0.5)
    assert _ask(http, "年报里的员工说明")["route"] == "faq"

    http.post("/v1/facts", json={"facts": [{**FACT, "value": "1321"}]})
    _until(lambda: http.get("/v1/faq/figures").json()["state"] == "stale")
    assert _ask(http, "年报里的员工说明")["route"] == "narrative"
    assert http.post("/v1/faq/test", json={"question": "年报里的员工说明"}).json()["reason"] == "stale"

    assert http.post("/v1/faq/figures/approve").json()["state"] == "approved"
    _until(lambda: _ask(http, "年报里的员工说明")["route"] == "faq")
    for name in ("gateway", "gateway-2"):
        os.kill(stack.pid(name), signal.SIGSTOP)
    # A loader of its own, while nobody hears of it.
    done = ragspine("load", "facts", str(_facts_file(stack)), "--data-dir", str(stack.data_dir))
    assert done.returncode == 0, done.stderr
    for name in ("gateway", "gateway-2"):
        os.kill(stack.pid(name), signal.SIGKILL)

    def is_stale() -> bool:
        try:
            assert _ask(http, "年报里的员工说明").get("route") != "faq"  # never served with the old figure
            return bool(http.get("/v1/faq/figures").json().get("state") == "stale")
        except httpx.TransportError:
            return False

    _until(is_stale, 60.0)


def test_asked_often_enough_a_question_is_suggested(stack: Stack, http: httpx.Client) -> None:
    for _ in range(2):
        _ask(http, "  访客 如何登记？")
    _ask(http, "只问一次的问题吗")

    _until(lambda: bool(http.get("/v1/faq-suggestions").json()["suggestions"]))

    found = http.get("/v1/faq-suggestions").json()
    assert (found["is_on"], found["threshold"]) == (True, 2)
    assert "访客 如何登记" in {one["question"] for one in found["suggestions"]}
    assert "只问一次的问题吗" not in {one["question"] for one in found["suggestions"]}
    assert "访客 如何登记" in _cli(stack, "suggest")[1]


def test_without_redis_questions_take_the_normal_path_and_answers_come_back(stack: Stack, http: httpx.Client) -> None:
    item = {"question": "门禁卡怎么补办", "answer": "到前台。", "owner": "hr", "state": "approved"}
    assert http.put("/v1/faq/card", json=item).status_code == 200
    _until(lambda: _ask(http, "门禁卡怎么补办")["route"] == "faq")

    os.kill(stack.pid("redis"), signal.SIGSTOP)
    start = time.monotonic()
    frozen = [_ask(http, "门禁卡怎么补办")["route"] for _ in range(5)]
    seconds = time.monotonic() - start
    os.kill(stack.pid("redis"), signal.SIGKILL)

    assert set(frozen) == {"narrative"}
    assert seconds < 3
    assert http.get("/readyz").status_code == 200
    _until(lambda: _ask(http, "门禁卡怎么补办")["route"] == "faq")


def _facts_file(stack: Stack) -> Path:
    path = stack.data_dir / "changed.csv"
    row = {**FACT, "value": "1322"}
    path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n")
    return path
