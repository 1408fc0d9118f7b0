"""Each part killed or frozen: every reply is right or a typed failure without a number, in time, and it heals."""

import os
import signal
import time
from collections.abc import Callable, Generator
from typing import Any

import httpx
import pytest

from tests.e2e.asking import (
    ANSWER,
    DEGRADED,
    GRACE_SECONDS,
    LATE,
    QUESTION,
    RIGHT,
    UNAVAILABLE,
    Seen,
    ask,
    frozen,
    kind_of,
    load_sample,
    wait_until_right,
)
from tests.support.stacks import Stack, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(240)]

DEADLINE_SECONDS = 4.0


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    with running_stack() as running:
        load_sample(running.http_url)
        yield running


def _kind(seen: Seen) -> str:
    return kind_of(seen, DEADLINE_SECONDS)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("intent", {UNAVAILABLE}),
        ("orchestrator", {UNAVAILABLE}),
        ("facts", {DEGRADED}),
        ("postgres", {DEGRADED}),
    ],
)
def test_killed_part(
    stack: Stack, part: str, expected: set[str], record_property: Callable[[str, object], None]
) -> None:
    wait_until_right(stack.http_url)
    url, pid = stack.http_url, stack.pid(part)

    os.kill(pid, signal.SIGKILL)
    killed = time.monotonic()
    replies: list[Seen] = []
    until = time.monotonic() + 30
    while time.monotonic() < until and not (len(replies) > 1 and replies[-1].is_right and not replies[0].is_right):
        replies.append(ask(url, seconds=DEADLINE_SECONDS))

    kinds = [_kind(seen) for seen in replies]
    assert set(kinds) <= expected | {RIGHT, LATE}, [seen for seen in replies if _kind(seen) not in expected | {RIGHT}]
    assert set(kinds) & expected, "the outage was not noticed"
    assert kinds[-1] == RIGHT, "not healed"
    record_property("healed_seconds", round(time.monotonic() - killed, 2))


def test_a_killed_bus_is_waited_for_or_said(stack: Stack) -> None:
    wait_until_right(stack.http_url)
    url, pid = stack.http_url, stack.pid("nats")

    os.kill(pid, signal.SIGKILL)
    kinds = [_kind(ask(url, seconds=DEADLINE_SECONDS))]
    until = time.monotonic() + 30
    while time.monotonic() < until and kinds[-1] != RIGHT:
        kinds.append(_kind(ask(url, seconds=DEADLINE_SECONDS)))

    assert set(kinds) <= {UNAVAILABLE, RIGHT}, "an ask waits for a bus that is back within a second, else it is told"
    assert kinds[-1] == RIGHT, "not healed"
    assert stack.pid("nats") != pid


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("intent", {UNAVAILABLE, LATE}),
        ("orchestrator", {UNAVAILABLE, LATE}),
        ("nats", {UNAVAILABLE, LATE}),
        ("facts", {DEGRADED}),
        ("postgres", {DEGRADED}),
    ],
)
def test_frozen_part(stack: Stack, part: str, expected: set[str]) -> None:
    wait_until_right(stack.http_url)
    url, pid = stack.http_url, stack.pid(part)

    with frozen(pid):
        replies = [ask(url, seconds=DEADLINE_SECONDS) for _ in range(2)]

    assert {_kind(seen) for seen in replies} <= expected, replies
    wait_until_right(url)


def test_narrative_dead_leaves_the_numbers(stack: Stack) -> None:
    wait_until_right(stack.http_url)

    with frozen(stack.pid("narrative")):
        seen = ask(stack.http_url, "中国内地2024年营收为什么增长", seconds=DEADLINE_SECONDS)

    assert seen.status == 200
    assert seen.seconds <= DEADLINE_SECONDS + GRACE_SECONDS
    assert "1320 USD_M" in seen.body["answer"]


def test_frozen_worker_is_replaced_without_anybody_asking(stack: Stack) -> None:
    wait_until_right(stack.http_url)
    pid = stack.pid("intent")

    os.kill(pid, signal.SIGSTOP)

    until = time.monotonic() + 90
    while stack.state["processes"]["intent"]["pid"] in (pid, None):
        assert time.monotonic() < until, "the frozen worker was not replaced"
        time.sleep(0.5)
    wait_until_right(stack.http_url)


def _hand_in(url: str, key: str) -> httpx.Response | None:
    """Hand in a durable ask; None while nobody listens."""
    request = {"question": QUESTION, "locale": "zh", "reference_date": "2025-05-20"}
    try:
        return httpx.post(f"{url}/v1/asks", json=request, headers={"Idempotency-Key": key}, timeout=10)
    except httpx.TransportError:
        return None


def _accepted(url: str, key: str) -> httpx.Response:
    """The same until it is accepted."""
    until = time.monotonic() + 60
    while (reply := _hand_in(url, key)) is None or reply.status_code != 202:
        assert time.monotonic() < until, reply and reply.text
        time.sleep(0.1)
    return reply


def _final(url: str, ask_id: str) -> dict[str, Any]:
    until = time.monotonic() + 60
    while (ask_now := httpx.get(f"{url}/v1/asks/{ask_id}", timeout=10).json())["state"] in ("queued", "working"):
        assert time.monotonic() < until, ask_now
        time.sleep(0.1)
    return dict(ask_now)


def test_a_killed_gateway_knows_an_ask_by_its_key(stack: Stack) -> None:
    wait_until_right(stack.http_url)
    first = _accepted(stack.http_url, "killed gateway").json()

    os.kill(stack.pid("gateway"), signal.SIGKILL)
    again = _accepted(stack.http_url, "killed gateway")

    assert (again.json()["ask_id"], again.headers["idempotency-replayed"]) == (first["ask_id"], "true")
    assert _final(stack.http_url, first["ask_id"])["answer"]["answer"] == ANSWER


def test_an_ask_that_the_ledger_could_not_take_is_not_accepted(stack: Stack) -> None:
    wait_until_right(stack.http_url)

    with frozen(stack.pid("postgres")):
        refused = _hand_in(stack.http_url, "frozen ledger")
    accepted = _accepted(stack.http_url, "frozen ledger").json()

    assert refused is not None
    assert refused.status_code in (503, 504)
    assert refused.json()["retryable"]
    assert _final(stack.http_url, accepted["ask_id"])["answer"]["answer"] == ANSWER
